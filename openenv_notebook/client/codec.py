"""Between a client class and the wire: actions to frames, frames to results and states.

A client class may name models, override the hooks ``_step_payload``, ``_parse_result`` and
``_parse_state``, or do neither; here that is found out once for a class.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from pydantic import TypeAdapter, ValidationError

from openenv_notebook.client.actions import NOT_GIVEN, given_action, is_bare, wire_action
from openenv_notebook.client.results import TypedReader, masked_lines, misfit, read_parsed, read_result
from openenv_notebook.record.weight import DICT, MODEL
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.messages import GenericAction, StepResult
from openenv_notebook.values.named_models import named_models
from openenv_notebook.values.secrets import masked
from openenv_notebook.values.to_json import fields_of, has_bytes, is_record
from openenv_notebook.wire.replies import reply_data


class Codec:
    """What a client class does with actions and replies; the hooks of ``root`` count as not overridden.

    Attributes:
        action_model: The model of actions it names, or None.
    """

    def __init__(self, cls: type, root: type) -> None:
        action, observation, state = named_models(cls, root)
        self.action_model: Any = action
        self.own_payload = _overrides(cls, root, "_step_payload")
        self.own_result = _overrides(cls, root, "_parse_result")
        self.own_state = _overrides(cls, root, "_parse_state")
        self._observation_model: Any = observation
        self._state_model: Any = state

    # Made when first needed: models may refer to names defined after the client class.

    @cached_property
    def action_schema(self) -> Shape | None:
        """What the class's own action model takes, or None."""
        return action_shape(self._own_schema) if self._own_schema is not None else None

    @cached_property
    def _own_schema(self) -> dict[str, Any] | None:
        make = getattr(self.action_model, "model_json_schema", None)
        return make() if make is not None else None

    @cached_property
    def _reader(self) -> TypedReader[Any] | None:
        return TypedReader(self._observation_model) if self._observation_model is not None else None

    @cached_property
    def _state(self) -> TypeAdapter[Any] | None:
        return TypeAdapter(self._state_model) if self._state_model is not None else None

    def needs_schema(self, action: Any, fields: Mapping[str, Any]) -> bool:
        """Tell whether only the server's schema tells how what was given to ``step`` travels.

        So it is for keywords, a bare value, and bytes.
        """
        return self.action_schema is None and (bool(fields) or is_bare(action) or has_bytes(action))

    def payload(
        self,
        client: Any,
        action: Any,
        fields: Mapping[str, Any],
        schema: Shape | None,
        tools: Sequence[Tool] | None = None,
    ) -> Any:
        """Make the action's fields that travel, by name, of the arguments of ``step``.

        The client's hook is asked where its class has its own; ``schema`` and ``tools`` are what the server tells, or
        None. Raises
        InvalidAction or MisuseError: what is wrong with them.
        """
        is_plain = action is NOT_GIVEN and "action" not in fields
        given = fields if is_plain else given_action(action, fields)
        known = self.action_schema if self.action_schema is not None else schema
        if not self.own_payload:
            return wire_action(given, known, tools)
        if self.action_model is not None and self._is_no_model_yet(given):
            given = self._as_model(wire_action(given, known), client.known.secrets)
        made = client._step_payload(given)
        return fields_of(made) if is_record(made) else made

    def _is_no_model_yet(self, given: Any) -> bool:
        """Tell whether a hook, which reads attributes of the model, would not understand what was given."""
        if isinstance(given, (GenericAction, self.action_model)):
            return False
        return isinstance(given, Mapping) or not is_record(given)

    def _as_model(self, fields: Mapping[str, Any], secrets: Container[str] | None) -> Any:
        try:
            return self.action_model(**fields)
        except (ValidationError, TypeError) as error:
            # A dataclass raises a TypeError.
            errors = error.errors(include_url=False) if isinstance(error, ValidationError) else []
            # The model's own schema says what is secret, too.
            lines = masked_lines(masked(errors, Secrets(self._own_schema)), secrets) or [str(error)]
            raise InvalidAction(f"it does not fit {self.action_model.__name__}", errors=lines) from None

    @property
    def per_object(self) -> int:
        """What an object of an observation takes in memory, in bytes, for the record's bound."""
        return MODEL if self.own_result or self._observation_model is not None else DICT

    def reader(self, client: Any, secrets: Container[str] | None = None) -> Callable[[bytes], StepResult[Any]]:
        """Make the function that reads this client's results, see :meth:`plain_result`.

        It does not keep the client alive, whose hook is asked where its class has its own; ``secrets`` are names of
        fields that its server marked as secret.
        """
        if not self.own_result:
            plain = read_result if self._observation_model is None else self.plain_result
            return partial(plain, secrets=secrets)
        held = weakref.ref(client)

        def read(reply: bytes) -> StepResult[Any]:
            client = held()
            if client is None:
                return self.plain_result(reply, secrets)
            return read_parsed(reply, client._parse_result, secrets)

        return read

    def plain_result(self, reply: bytes, secrets: Container[str] | None = None) -> StepResult[Any]:
        """Read the reply to a reset or a step, without a hook; raises ProtocolError."""
        return read_result(reply, secrets) if self._reader is None else self._reader.read(reply, secrets)

    def state(self, client: Any, reply: bytes) -> Any:
        """Read the reply to a state request, by the client's hook where its class has its own; raises ProtocolError."""
        data = reply_data(reply, "state")
        if self.own_state:
            return client._parse_state(data)
        return self.plain_state(data, reply, client.known.secrets)

    def plain_state(self, data: dict[str, Any], reply: bytes = b"", secrets: Container[str] | None = None) -> Any:
        """Make a state of a reply's data, without a hook."""
        if self._state is None:
            return attribute_dict(data, secrets)
        try:
            return self._state.validate_python(data)
        except ValidationError as error:
            raise misfit("a state that does not fit the client's model", error, reply, secrets) from None


def _overrides(cls: type, root: type, name: str) -> bool:
    return getattr(cls, name, None) is not getattr(root, name)
