"""The values that travel: actions, observations, states, results.

Fields and defaults of :class:`Action`, :class:`Observation` and :class:`State` are those
of the official package (``openenv.core.env_server.types``), so that models written for it
fit here and the other way round.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from pathlib import PurePath
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeAlias, TypeVar, cast

from pydantic import ConfigDict, Field

from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict
from openenv_notebook.values.known_secrets import shown_text
from openenv_notebook.values.read_json import read_json
from openenv_notebook.values.secrets import HIDDEN, MaskedModel, hides, masked, secrets_of, shown_fields

ActT = TypeVar("ActT")
ObsT = TypeVar("ObsT")
StateT = TypeVar("StateT")

_SEARCHED = 100_000
_LONGEST_TEXT, _MOST_KEYS, _MOST_ITEMS, _DEEPEST = 120, 16, 8, 4


def short_repr(value: Any, depth: int = _DEEPEST, secrets: Container[str] | None = None) -> str:
    """Write a value in a bounded length, however large it is, such as an observation with a picture in it.

    Long texts, lists and what is more than ``depth`` levels deep are folded to an ellipsis. Secrets are hidden, also
    those that ``secrets`` names, or else the value's own server.
    """
    secrets = secrets or secrets_of(value)
    fields = None if isinstance(value, StepResult) else shown_fields(value)
    if fields is not None:
        inner = ", ".join(f"{key}={_short_field(key, item, depth, secrets)}" for key, item in fields.items())
        return f"{type(value).__name__}({inner})"
    if isinstance(value, dict):
        keys = list(value)[: _MOST_KEYS if depth > 0 else 0]
        shown = [f"{key!r}: {_short_field(key, value[key], depth, secrets)}" for key in keys]
        return _short_items("{", "}", shown, len(value))
    if isinstance(value, (list, tuple)):
        shown = [short_repr(item, depth - 1, secrets) for item in value[: _MOST_ITEMS if depth > 0 else 0]]
        return _short_items("[", "]", shown, len(value))
    if isinstance(value, str) and len(value) < _SEARCHED:
        value = shown_text(value, secrets)
    text = repr(value[: 2 * _LONGEST_TEXT] if isinstance(value, str) else value)
    if len(text) <= _LONGEST_TEXT and (not isinstance(value, str) or len(value) <= _LONGEST_TEXT):
        return text
    kept = f"{text[: _LONGEST_TEXT - 20]}…{text[0] if isinstance(value, str) else ''}"
    return f"{kept} ({len(value)} characters)" if isinstance(value, str) else kept


def _short_model(result: StepResult[Any], fields: dict[str, Any]) -> str:
    """Write a result's observation that is a model, without what only its result says."""
    own = {name: value for name, value in fields.items() if not says_itself(name, value, result)}
    secrets = result.__secrets__() or secrets_of(result.observation)
    inner = ", ".join(f"{key}={_short_field(key, item, _DEEPEST, secrets)}" for key, item in own.items())
    return f"{type(result.observation).__name__}({inner})"


def _short_field(name: Any, value: Any, depth: int, secrets: Container[str] | None) -> str:
    return repr(HIDDEN) if hides(str(name), value, secrets) else short_repr(value, depth - 1, secrets)


def _short_items(opening: str, closing: str, shown: list[str], number: int) -> str:
    rest = [f"… {number} in all"] if number > len(shown) else []
    return opening + ", ".join([*shown, *rest]) + closing


def fits_float(number: Any) -> bool:
    """Tell whether a number can be a float; an int may be too large. Infinities and NaN are floats."""
    return not isinstance(number, int) or abs(number) <= sys.float_info.max


def is_reward(value: Any) -> bool:
    """Tell whether a value of a reply is a reward: a number that adds up with others, or None."""
    return value is None or (isinstance(value, (int, float)) and fits_float(value))


def says_itself(name: Any, value: Any, result: Any) -> bool:
    """Tell whether a field of an observation is the result's own to say: its reward or its end.

    On the wire those stand beside the observation. A model has fields for them, too, which a client's own hook may
    have left as they were; a dict holds what came, and says the same or something of its own.
    """
    if name not in ("reward", "done"):
        return False
    own = getattr(result, name)
    is_model = not isinstance(result.observation, Mapping) and isinstance(value, (bool, int, float))
    return value is None or value == own or is_model


class Action(MaskedModel):
    """The root of typed actions. Unknown fields are refused.

    Attributes:
        metadata: Anything to send along with the action.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True, arbitrary_types_allowed=True)

    metadata: dict[str, Any] = Field(default_factory=dict)


class Observation(MaskedModel):
    """The root of typed observations. Unknown fields are refused.

    Attributes:
        done: True when the episode has ended.
        reward: The reward of the last action, or None.
        metadata: What the environment says besides.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True, arbitrary_types_allowed=True)

    done: bool = False
    reward: bool | int | float | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class State(MaskedModel):
    """The root of typed states. Unknown fields are kept.

    Attributes:
        episode_id: The server's name for the episode, or None.
        step_count: Steps since the reset.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True, arbitrary_types_allowed=True)

    episode_id: str | None = None
    step_count: int = 0


class GenericAction(AttributeDict):
    """An action as a dict with attribute access: ``GenericAction(column=3)``."""

    def __repr__(self) -> str:
        shown = masked(dict(self), self.__secrets__())
        return f"GenericAction({', '.join(f'{key}={value!r}' for key, value in shown.items())})"


@dataclass(frozen=True, repr=False)
class StepResult(Generic[ObsT]):
    """What a reset or a step gives back.

    It is one value with four names, not a tuple: unpacking it raises.

    Attributes:
        observation: The observation: a dict with attribute access, or the client's model.
        reward: The reward of this step; None where the environment gives none.
        done: True when the episode has ended.
        metadata: What the server says besides; empty where it says nothing.
    """

    observation: ObsT
    reward: bool | int | float | None = None
    done: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    _frame: bytes | None = field(default=None, compare=False)
    _is_folded: bool = field(default=False, compare=False)
    _secrets: Container[str] | None = field(default=None, compare=False)

    @property
    def raw(self) -> dict[str, Any]:
        """The reply's data as it came, with keys this package does not know; a new copy."""
        data = read_json(self._frame)["data"] if self._frame is not None else {}
        return cast(dict[str, Any], attribute_dict(data, self._secrets))

    def __secrets__(self) -> Container[str] | None:
        return self._secrets

    def __repr__(self) -> str:
        extra = f", metadata={short_repr(self.metadata, secrets=self._secrets)}" if self.metadata else ""
        fields, seen = shown_fields(self.observation), self.observation
        observation = short_repr(seen, secrets=self._secrets) if fields is None else _short_model(self, fields)
        observation += " (folded: no longer kept)" if self._is_folded else ""
        return f"StepResult(observation={observation}, reward={self.reward!r}, done={self.done!r}{extra})"

    def __iter__(self) -> Iterator[Any]:
        self._not_a_tuple()

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, str):
            raise TypeError(f"a StepResult has attributes, not keys: write result.{key} or result.observation[{key!r}]")
        self._not_a_tuple()

    def _not_a_tuple(self) -> NoReturn:
        raise TypeError(
            "a StepResult is not a tuple: read .observation, .reward, .done and .metadata. "
            "For the five values of Gymnasium's step() use "
            "(r.observation, r.reward, r.done, False, r.metadata)"
        )


class ListToolsAction(Action):
    """The action that asks an MCP environment for its tools; it counts as a step."""

    type: Literal["list_tools"] = "list_tools"


class CallToolAction(Action):
    """The action that calls a tool of an MCP environment.

    Attributes:
        tool_name: The tool.
        arguments: Its arguments by name.
    """

    type: Literal["call_tool"] = "call_tool"
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class _Array(Protocol):
    """What numpy, torch and others call an array, or one number of it."""

    def tolist(self) -> Any:
        """Give it as plain Python."""


# What a step takes beside the action's own model: its fields, one value for the only required
# field, or a tool. Only type checkers look at it.
GivenAction: TypeAlias = (
    Mapping[str, Any]
    | str
    | bytes
    | float
    | Enum
    | PurePath
    | date
    | Sequence[Any]
    | Set[Any]
    | _Array
    | CallToolAction
    | ListToolsAction
    | None
)
