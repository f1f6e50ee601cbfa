"""What a client class says of its models: naming them, hooks of its own, and ``Action``."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, cast

from openenv_notebook.client.actions import wire_action
from openenv_notebook.client.codec import Codec
from openenv_notebook.client.conversation import Conversation
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import ActT, ObsT, StateT, StepResult
from openenv_notebook.values.named_models import typed_class
from openenv_notebook.wire.protocol import frame


class TypedClient(Generic[ActT, ObsT, StateT]):
    """What a client class says of its models."""

    _openenv_talk: Conversation
    _codec: ClassVar[Codec]

    def __class_getitem__(cls, models: Any) -> Any:
        """Name the models: to derive from, or to use as it is, ``EnvClient[Move, Board, State](url)``."""
        return typed_class(cls, super().__class_getitem__(models))  # type: ignore[misc]

    @property
    def Action(self) -> Any:
        """The action's model: the client's own, else made from the server's schema, which is known by then.

        Raises:
            MisuseError: If the schema has not been asked for yet, or the server tells none.
        """
        if self._codec.action_model is not None:
            return self._codec.action_model
        known = self._openenv_talk.known
        if known.action_model is None:
            schema = self._openenv_talk.action_schema
            if schema is None:
                raise self._no_action_schema()
            # Only loaded where it is asked for.
            from openenv_notebook.schema.model import model_from_schema

            known.action_model = model_from_schema(schema)
        return known.action_model

    def _no_action_schema(self) -> MisuseError:
        known = self._openenv_talk.known
        if not known.has_schema_answer:
            why = f": {known.schema_failure.describe()}" if known.schema_failure is not None else ""
            why = why or (": the server has not answered GET /schema yet" if known.asking is not None else "")
            return MisuseError(f"the action's schema is not known yet{why}", hint="call schema() first")
        hint = "name the fields: env.step(field=value); or name the models, EnvClient[Move, Board, State](url)"
        return MisuseError("there is no model of actions: the server tells no schema of them", hint=hint)

    # Hooks for subclasses

    def _step_payload(self, action: ActT) -> dict[str, Any]:
        """Make the action's fields that travel; override it for actions of your own."""
        return wire_action(action, self._codec.action_schema)

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ObsT]:
        """Make a result of a reply's data; override it for observations of your own."""
        return cast(
            StepResult[ObsT], self._codec.plain_result(frame("observation", payload), self._openenv_talk.known.secrets)
        )

    def _parse_state(self, payload: dict[str, Any]) -> StateT:
        """Make a state of a reply's data; override it for states of your own."""
        return cast(StateT, self._codec.plain_state(payload, secrets=self._openenv_talk.known.secrets))
