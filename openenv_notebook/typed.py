"""Finding the models a client class names: ``class Grid(EnvClient[Move, Board, State])``."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

_UNTYPED = (Any, dict, object)


def named_models(cls: type, root: type) -> tuple[type | None, type | None, type | None]:
    """Find the action, observation and state models in a class's generic arguments.

    Args:
        cls: A subclass of the generic client.
        root: The generic client.

    Returns:
        The three types; None where a class names none, or only a dict.
    """
    for base in cls.__mro__:
        for origin in getattr(base, "__orig_bases__", ()):
            args = get_args(origin)
            generic = getattr(origin, "__origin__", None)
            names_models = len(args) == 3 and not any(isinstance(arg, TypeVar) for arg in args)
            if names_models and isinstance(generic, type) and issubclass(generic, root):
                return _model(args[0]), _model(args[1]), _model(args[2])
    return None, None, None


def _model(argument: Any) -> type | None:
    if not isinstance(argument, type) or argument in _UNTYPED or issubclass(argument, dict):
        return None
    return argument
