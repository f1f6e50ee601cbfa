"""Replies -> results: strictly, so that a malformed reply is never an empty success.

``secrets`` are everywhere the names of fields that the server marked as secret.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Generic, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    StrictBool,
    StrictFloat,
    StrictInt,
    TypeAdapter,
    ValidationError,
    create_model,
)

from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict, tell_secrets
from openenv_notebook.values.errors import InvalidAction, OpenEnvError, ProtocolError
from openenv_notebook.values.known_secrets import hide_in
from openenv_notebook.values.messages import ObsT, StepResult, is_reward
from openenv_notebook.values.read_json import FAST_IS_RIGHT
from openenv_notebook.values.secrets import masked
from openenv_notebook.wire.replies import error_lines, excerpt, reply_data

_OTHER_MODEL = "correct the model, or read it without one: connect(...) gives results with attribute access"
_NO_REWARD = 'a result whose "reward" is not a number'
_LARGE_REWARD = 'a result whose "reward" is larger than a float can be'


def read_result(reply: bytes, secrets: Container[str] | None = None) -> StepResult[Any]:
    """Read the reply to a reset or a step, its observation as a dict with attribute access.

    Raises ProtocolError if a part is missing or of the wrong type.
    """
    data = checked(reply)
    told = data["observation"]
    # Most servers send none: then nothing is looked for.
    metadata = metadata_of(data, secrets) if data.get("metadata") or told.get("metadata") else {}
    observation = AttributeDict(told)
    tell_secrets(observation, secrets)
    return StepResult(observation, data.get("reward"), data["done"], metadata, reply, False, secrets)


def checked(reply: bytes) -> dict[str, Any]:
    """Decode a reply to a reset or a step and check its shape; raises ProtocolError."""
    data = reply_data(reply, "step")
    if not isinstance(data.get("observation"), dict):
        raise ProtocolError("a result without an observation object", frame=excerpt(reply))
    if not isinstance(data.get("done"), bool):
        raise ProtocolError('a result whose "done" is not true or false', frame=excerpt(reply))
    reward = data.get("reward")
    if reward is not None and type(reward) is not float:  # most are either
        _check_reward(reward, reply)
    return data


def _check_reward(reward: Any, reply: bytes) -> None:
    if not is_reward(reward):
        what = _LARGE_REWARD if isinstance(reward, int) else _NO_REWARD
        raise ProtocolError(what, frame=excerpt(reply))


def metadata_of(data: dict[str, Any], secrets: Container[str] | None = None) -> dict[str, Any]:
    """Find the metadata: beside the observation since 0.4, else inside it, else none."""
    nested = data["observation"].get("metadata") if isinstance(data["observation"], dict) else None
    found = data.get("metadata") or nested
    return cast(dict[str, Any], attribute_dict(found, secrets)) if isinstance(found, dict) else {}


def read_parsed(
    reply: bytes, parse: Callable[[dict[str, Any]], Any], secrets: Container[str] | None = None
) -> StepResult[Any]:
    """Read a reply by a client's own ``_parse_result``, which returns anything with observation, reward and done.

    What it left out is as it came.
    """
    data = checked(reply)
    metadata, reward, done = metadata_of(data, secrets), data.get("reward"), data["done"]
    parsed = parse(data)
    reward, done = getattr(parsed, "reward", reward), bool(getattr(parsed, "done", done))
    metadata = getattr(parsed, "metadata", None) or metadata
    if isinstance(reward, int):
        _check_reward(reward, reply)  # one that the hook made up
    return StepResult(parsed.observation, reward, done, metadata, reply, False, secrets)


def masked_lines(errors: Any, secrets: Container[str] | None) -> list[str]:
    """Write validation errors as pydantic makes them, one line a field, what they quote of a secret hidden."""
    return error_lines(masked(errors, secrets))


def complete(error: OpenEnvError, url: str, secrets: Container[str] | None, sent: bytes = b"") -> None:
    """Give an error its place, and take a client's secrets out of it and those of the frame that it answers."""
    error.url = error.url or url
    if isinstance(error, InvalidAction):
        error.errors = masked_lines(error.details.get("errors"), secrets)
    hide_in(error, secrets, sent)


def misfit(what: str, error: ValidationError, reply: bytes, secrets: Container[str] | None) -> ProtocolError:
    """Make the error of a reply that does not fit a client's model, a line for each wrong field."""
    lines = "".join(f"\n  {line}" for line in masked_lines(error.errors(include_url=False), secrets))
    made = ProtocolError(f"{what}{lines}", frame=excerpt(reply), hint=_OTHER_MODEL)
    hide_in(made, secrets)
    return made


class TypedReader(Generic[ObsT]):
    """Reads replies into a pydantic model, or anything pydantic can validate, from the bytes in one pass."""

    def __init__(self, model: type[ObsT]) -> None:
        self._model = model
        fields = getattr(model, "model_fields", {})
        # On the wire reward and done stand beside the observation, in models inside it.
        self._inside = [name for name in ("reward", "done", "metadata") if name in fields]
        self._required = [name for name in self._inside if fields[name].is_required()]
        self._adapter: TypeAdapter[Any] = TypeAdapter(_envelope(model))
        self._observation: TypeAdapter[ObsT] = TypeAdapter(model)

    def read(self, reply: bytes, secrets: Container[str] | None = None) -> StepResult[ObsT]:
        """Read the reply to a reset or a step; raises ProtocolError, one line a field, if it does not fit the model."""
        try:
            at_once = FAST_IS_RIGHT and not self._required
            return self._in_one(reply, secrets) if at_once else self._in_two(reply, secrets)
        except ValidationError as error:
            checked(reply)
            what = f"an observation that does not fit {self._model.__name__}"
            # Its own text quotes what came.
            raise misfit(what, error, reply, secrets) from None

    def _in_one(self, reply: bytes, secrets: Container[str] | None) -> StepResult[ObsT]:
        try:
            data = self._adapter.validate_json(reply).data
        except ValidationError as error:
            if error.errors()[0]["type"] == "json_invalid":
                return self._in_two(reply, secrets)  # where more is taken for JSON
            raise
        _check_reward(data.reward, reply)
        self._fill(data.observation, {"reward": data.reward, "done": data.done, "metadata": data.metadata})
        metadata = data.metadata or getattr(data.observation, "metadata", None) or {}
        return StepResult(data.observation, data.reward, data.done, metadata, reply, False, secrets)

    def _in_two(self, reply: bytes, secrets: Container[str] | None) -> StepResult[ObsT]:
        data = checked(reply)
        beside = {name: data.get(name) for name in self._inside if data.get(name) is not None or name in self._required}
        observation = self._observation.validate_python({**beside, **data["observation"]})
        metadata = metadata_of(data, secrets)
        return StepResult(observation, data.get("reward"), data["done"], metadata, reply, False, secrets)

    def _fill(self, observation: Any, values: dict[str, Any]) -> None:
        if not isinstance(observation, BaseModel):
            return
        for name in self._inside:
            if name not in observation.__pydantic_fields_set__ and values[name] is not None:
                # The values were validated above; assignment would validate the whole model again.
                observation.__dict__[name] = values[name]
                observation.__pydantic_fields_set__.add(name)


def _envelope(model: type[Any]) -> type[BaseModel]:
    ignore = ConfigDict(extra="ignore", arbitrary_types_allowed=True)
    data = create_model(
        "ReplyData",
        __config__=ignore,
        observation=(model, ...),
        reward=(StrictBool | StrictInt | StrictFloat | None, None),
        done=(StrictBool, ...),
        metadata=(dict[str, Any] | None, None),
    )
    return create_model("Reply", __config__=ignore, data=(data, ...))
