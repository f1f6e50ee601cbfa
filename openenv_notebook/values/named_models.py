"""Finding the models a client class names: ``class Grid(EnvClient[Move, Board, State])``."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

_UNTYPED = (Any, dict, object)
_made: dict[Any, type] = {}


def named_models(cls: type, root: type) -> tuple[type | None, type | None, type | None]:
    """Find the action, observation and state models in the generic arguments of ``cls``, a subclass of ``root``.

    None stands for each that the class does not name, or names only as a dict.
    """
    for base in cls.__mro__:
        for origin in getattr(base, "__orig_bases__", ()):
            args = get_args(origin)
            generic = getattr(origin, "__origin__", None)
            names_models = len(args) == 3 and not any(isinstance(arg, TypeVar) for arg in args)
            if names_models and isinstance(generic, type) and issubclass(generic, root):
                return _model(args[0]), _model(args[1]), _model(args[2])
    return None, None, None


def typed_class(cls: type, alias: Any) -> Any:
    """Make a class of a generic client and its models, so that it can be used without writing a subclass.

    ``alias`` is what typing makes of ``cls[Action, Observation, State]``: the subclass is the same each time, and the
    alias itself where a model is left open.
    """
    if alias.__parameters__:
        return alias
    # Models of an edited cell are other models, although they may be called the same.
    if alias not in _made:
        names = {"__orig_bases__": (alias,), "__module__": cls.__module__, "__doc__": cls.__doc__}
        _made[alias] = type(cls.__name__, (cls,), names)
    return _made[alias]


def naming(named: Any) -> Any:
    """Give what stands in ``__orig_bases__`` for ``EnvClient[Action, Observation, State]``, whichever form that has."""
    return vars(named)["__orig_bases__"][0] if isinstance(named, type) else named


def _model(argument: Any) -> type | None:
    if not isinstance(argument, type) or argument in _UNTYPED or issubclass(argument, dict):
        return None
    return argument
