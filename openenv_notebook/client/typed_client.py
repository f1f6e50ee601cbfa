"""What a client class says of its models: naming them, hooks of its own, and ``Action``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, overload

from openenv_notebook.client.actions import wire_action
from openenv_notebook.client.codec import Codec
from openenv_notebook.client.questions import Known
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import ActT, ObsT, StateT, StepResult
from openenv_notebook.values.named_models import naming, typed_class
from openenv_notebook.wire.protocol import frame

if TYPE_CHECKING:
    from openenv_notebook.client.async_client import EnvClient

# The models of a class that typed() makes; those of its own class are others.
_A = TypeVar("_A")
_O = TypeVar("_O")
_S = TypeVar("_S")


class TypedClient(Generic[ActT, ObsT, StateT]):
    """The root of client classes that may name their models; each of them has a codec."""

    _known: Known
    _codec: ClassVar[Codec]

    def __class_getitem__(cls, models: Any) -> Any:
        """Name the models: to derive from, or to use as it is, ``EnvClient[Move, Board, State](url)``."""
        return typed_class(cls, super().__class_getitem__(models))  # type: ignore[misc]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._codec = Codec(cls, TypedClient)

    @overload
    @classmethod
    def typed(cls, *, action: type[_A], observation: type[_O], state: type[_S]) -> type[EnvClient[_A, _O, _S]]: ...

    @overload
    @classmethod
    def typed(
        cls, *, action: type[_A], observation: type[_O], state: None = None
    ) -> type[EnvClient[_A, _O, AttributeDict]]: ...

    @overload
    @classmethod
    def typed(
        cls, *, action: None = None, observation: type[_O], state: None = None
    ) -> type[EnvClient[object, _O, AttributeDict]]: ...

    @overload
    @classmethod
    def typed(
        cls, *, action: type | None = None, observation: type | None = None, state: type | None = None
    ) -> Any: ...

    @classmethod
    def typed(cls, *, action: type | None = None, observation: type | None = None, state: type | None = None) -> Any:
        """Make a subclass that names its models, without writing one.

        Args:
            action: The model of actions; keywords and bare values of ``step`` go through it.
            observation: The model of observations.
            state: The model of states. None leaves a dict.

        Returns:
            The class: ``Env = GenericEnvClient.typed(observation=Board)``.
        """
        generic: Any = TypedClient
        named = naming(generic[action or dict, observation or dict, state or dict])
        return type(f"Typed{cls.__name__}", (cls,), {"__orig_bases__": (named,), "__module__": cls.__module__})

    @property
    def Action(self) -> Any:
        """The action's model: the client's own, else made from the server's schema, which is known by then.

        Raises:
            MisuseError: If the schema has not been asked for yet, or the server tells none.
        """
        if self._codec.action_model is not None:
            return self._codec.action_model
        if self._known.action_model is None:
            schema = self._action_schema()
            if schema is None:
                raise self._no_action_schema()
            # Only loaded where it is asked for.
            from openenv_notebook.schema.model import model_from_schema

            self._known.action_model = model_from_schema(schema)
        return self._known.action_model

    def _no_action_schema(self) -> MisuseError:
        known = self._known
        if known.schema is None and not known.schema_refused:
            why = f": {known.schema_failure.describe()}" if known.schema_failure is not None else ""
            return MisuseError(f"the action's schema is not known yet{why}", hint="call schema() first")
        hint = "name the fields: env.step(field=value); or name the models, EnvClient[Move, Board, State](url)"
        return MisuseError("there is no model of actions: the server tells no schema of them", hint=hint)

    def _needs_schema(self, action: Any, fields: Mapping[str, Any]) -> bool:
        known = self._known
        return known.schema is None and not known.schema_refused and self._codec.needs_schema(action, fields)

    def _action_schema(self) -> Mapping[str, Any] | None:
        return self._codec.action_schema if self._codec.action_schema is not None else self._known.action

    # Hooks for subclasses

    def _step_payload(self, action: ActT) -> dict[str, Any]:
        """Make the action's fields that travel; override it for actions of your own."""
        return wire_action(action, self._codec.action_schema)

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ObsT]:
        """Make a result of a reply's data; override it for observations of your own."""
        return cast(StepResult[ObsT], self._codec.plain_result(frame("observation", payload)))

    def _parse_state(self, payload: dict[str, Any]) -> StateT:
        """Make a state of a reply's data; override it for states of your own."""
        return cast(StateT, self._codec.plain_state(payload))
