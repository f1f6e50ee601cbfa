"""What an ``Environment`` class of the official package says about itself."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from openenv_notebook.servers.in_process.threads import Worker
from openenv_notebook.values.errors import MisuseError, NotSupportedHere

DEFAULT_SESSIONS = 64


@dataclass(frozen=True)
class Description:
    """An environment class, ready to be served.

    ``factory`` takes no arguments and builds one environment, a ``cls``; ``action``, ``observation`` and ``state`` are
    its models, the last None where it names none; ``sessions`` is how many there may be at a time.
    """

    factory: Callable[[], Any]
    cls: type
    name: str
    action: type[BaseModel]
    observation: type[BaseModel]
    state: type[BaseModel] | None
    sessions: int


def describe(
    what: Callable[..., Any],
    *,
    sessions: int | None = None,
    arguments: Mapping[str, Any] | None = None,
    action: type[BaseModel] | None = None,
    observation: type[BaseModel] | None = None,
) -> Description:
    """Find out what serving a class, or a factory, needs to know.

    ``what`` is a subclass of the official ``Environment``, or a callable that returns one, and is given the arguments.
    Where they are None, ``sessions`` are as many as the class allows, and the models those it names. Raises
    NotSupportedHere if the official package is not installed, MisuseError if it is no such class, names no models, or
    allows fewer sessions.
    """
    _refuse_at_once(what)
    root = _environment_root()
    given = dict(arguments or {})
    cls = what if isinstance(what, type) else _product(what, given, root)
    name = getattr(what, "__name__", cls.__name__)
    if not issubclass(cls, root):
        raise _no_environment(name)
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
        raise MisuseError(f"{name} lacks {missing}", hint="an Environment has reset(), step() and the property state")
    _check_arguments(what, given, name)
    named = _models(cls, root)
    return Description(
        factory=lambda: what(**given),
        cls=cls,
        name=name if name.isidentifier() else cls.__name__,
        action=_model(action or named[0], name, "action"),
        observation=_model(observation or named[1], name, "observation"),
        state=named[2],
        sessions=_sessions(cls, sessions),
    )


def _refuse_at_once(what: Any) -> None:
    """Refuse what can be told without the official package, whose import takes seconds."""
    if not callable(what):
        raise MisuseError(
            f"serve() takes a class or a function that returns an environment, not a {type(what).__name__} object",
            hint="give the class itself: serve(MyEnv)",
        )
    if isinstance(what, type) and not (hasattr(what, "reset") and hasattr(what, "step")):
        raise _no_environment(what.__name__)


def _no_environment(name: str) -> MisuseError:
    hint = "derive it from openenv.core.env_server.interfaces.Environment, and give the class, not an object"
    return MisuseError(f"{name} is no Environment class of the openenv package", hint=hint)


def _environment_root() -> type:
    try:
        from openenv.core.env_server.interfaces import Environment
    except ImportError as error:
        raise NotSupportedHere(
            "serving a class needs the openenv package, which is not installed here", hint="%pip install openenv"
        ) from error
    return typing.cast(type, Environment)


def _product(factory: Callable[..., Any], arguments: dict[str, Any], root: type) -> type:
    """Find the class that a factory builds: by its annotation, else by building one."""
    found = _hints(factory).get("return")
    if isinstance(found, type) and issubclass(found, root) and not inspect.isabstract(found):
        return found

    def build_one() -> type:
        specimen = factory(**arguments)
        if hasattr(specimen, "close"):
            specimen.close()
        return type(specimen)

    # What is bound to a thread is built and closed on one.
    return typing.cast(type, Worker("openenv-env-specimen").call(build_one))


def _check_arguments(what: Callable[..., Any], arguments: dict[str, Any], name: str) -> None:
    try:
        inspect.signature(what).bind(**arguments)
    except TypeError as error:
        given = ", ".join(arguments) or "none"
        hint = "arguments={'name': value} are the constructor's; in a magic --arg name=value"
        raise MisuseError(f"{name} cannot be built: {error} (given: {given})", hint=hint) from None
    except ValueError:
        return  # some callables of C have no signature


def _sessions(cls: type, wanted: int | None) -> int:
    many = bool(getattr(cls, "SUPPORTS_CONCURRENT_SESSIONS", False))
    if wanted is None:
        return DEFAULT_SESSIONS if many else 1
    if wanted < 1:
        raise MisuseError(f"sessions must be 1 or more, not {wanted}")
    if wanted > 1 and not many:
        raise MisuseError(
            f"{cls.__name__} takes one session at a time (its SUPPORTS_CONCURRENT_SESSIONS is False), "
            f"and {wanted} were asked for",
            hint="set SUPPORTS_CONCURRENT_SESSIONS = True in the class if its objects share nothing, "
            "or leave sessions out",
        )
    return wanted


def _models(cls: type, root: type) -> tuple[Any, Any, Any]:
    """Find the models: in the class's generic arguments, else in the annotations of its methods."""
    named = _generic_arguments(cls, root)
    step = _hints(cls.step)  # type: ignore[attr-defined]
    state = inspect.getattr_static(cls, "state", None)
    returned = _hints(state.fget).get("return") if isinstance(state, property) and state.fget else None
    parameters = [name for name in inspect.signature(cls.step).parameters if name != "self"]  # type: ignore[attr-defined]
    action = named[0] or (step.get(parameters[0]) if parameters else None)
    observation = named[1] or step.get("return")
    if hasattr(cls, "mcp_session") and not _is_own_model(action):
        return _tool_models()
    return action, observation, next(filter(_is_model, (named[2], returned)), None)


def _generic_arguments(cls: type, root: type) -> tuple[Any, Any, Any]:
    for parent in cls.__mro__:
        for origin in getattr(parent, "__orig_bases__", ()):
            generic, given = typing.get_origin(origin), typing.get_args(origin)
            if isinstance(generic, type) and issubclass(generic, root) and len(given) == 3:
                found = [None if isinstance(each, TypeVar) else each for each in given]
                if any(found):
                    return found[0], found[1], found[2]
    return None, None, None


def _tool_models() -> tuple[Any, Any, Any]:
    from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

    return CallToolAction, CallToolObservation, None


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        return {}  # annotations that name what is not there


def _is_model(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, BaseModel)


def _is_own_model(found: Any) -> bool:
    return _is_model(found) and not found.__module__.startswith("openenv.core.")


def _model(found: Any, name: str, role: str) -> type[BaseModel]:
    if _is_model(found):
        return typing.cast(type[BaseModel], found)
    raise MisuseError(
        f"{name} does not say what its {role}s are: neither Environment[Action, Observation, State] "
        f"nor the annotations of step() name a model",
        hint=f"serve({name}, {role}=My{role.capitalize()}), or annotate step()",
    )
