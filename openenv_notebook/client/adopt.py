"""Client classes of the official package on our sessions: ``OpenSpielEnv = adopt(OpenSpielEnv)``.

The official package is not imported: its classes are told by their module's name.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Generic, get_args, get_origin

from openenv_notebook.client.clients import EnvClient, GenericEnvClient, MCPToolClient
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.named_models import naming

_OFFICIAL: dict[str, type] = {
    "EnvClient": EnvClient,
    "GenericEnvClient": GenericEnvClient,
    "MCPClientBase": MCPToolClient,
    "MCPToolClient": MCPToolClient,
}
_PACKAGES = ("openenv.core.", "openenv_core.", "core.")
_NOT_COPIED = {"__dict__", "__weakref__", "__orig_bases__", "__parameters__", "__abstractmethods__", "_abc_impl"}


def adopt(cls: type) -> Any:
    """Rebuild a client class of the official package on top of ours.

    Its name, docstring, hooks (``_step_payload``, ``_parse_result``, ``_parse_state``) and
    helper methods stay; sessions, order, interrupts and the record are ours.

    Args:
        cls: A subclass of the official ``EnvClient`` or ``MCPToolClient``, or one of these.

    Returns:
        The new class, used as the old one: ``with Env(base_url=...).sync() as env: ...``

    Raises:
        MisuseError: If it is no such class.

    Example:
        >>> adopt(GenericEnvClient) is GenericEnvClient  # ours already
        True
    """
    if not isinstance(cls, type):
        raise MisuseError(f"adopt() takes a client class, not a {type(cls).__name__} object")
    if issubclass(cls, EnvClient):
        return cls
    adopted = _adopted(cls, {})
    if not issubclass(adopted, EnvClient):
        raise MisuseError(f"{cls.__name__} is no client class of the official package", hint="adopt(OpenSpielEnv)")
    return adopted


def _adopted(cls: type, made: dict[type, type]) -> type:
    if cls in made:
        return made[cls]
    if _is_official(cls):
        made[cls] = _OFFICIAL[cls.__name__]
        return made[cls]
    if cls is object or not any(_is_official(base) for base in cls.__mro__):
        return cls
    bases = _unique(_adopted(base, made) for base in cls.__bases__ if base is not Generic)
    namespace = {name: value for name, value in vars(cls).items() if name not in _NOT_COPIED}
    namespace["__orig_bases__"] = tuple(_named_models(cls))
    cell = types.CellType()
    namespace = {name: _with_class_cell(value, cell) for name, value in namespace.items()}
    new = types.new_class(cls.__name__, tuple(bases), {}, lambda target: target.update(namespace))
    cell.cell_contents = new
    made[cls] = new
    return new


def _named_models(cls: type) -> Iterator[Any]:
    """Name the models again that a class names for the official client."""
    ours: Any = EnvClient
    for base in vars(cls).get("__orig_bases__", ()):
        origin: Any = get_origin(base)
        if origin is not None and _is_official(origin) and _OFFICIAL[origin.__name__] is EnvClient:
            yield naming(ours[get_args(base)])


def _is_official(cls: type) -> bool:
    return cls.__name__ in _OFFICIAL and f"{cls.__module__}.".startswith(_PACKAGES)


def _unique(bases: Any) -> list[type]:
    kept: list[type] = []
    for base in bases:
        if not any(issubclass(other, base) for other in kept):
            kept.append(base)
    return kept


def _with_class_cell(value: Any, cell: types.CellType) -> Any:
    """Point a method's ``super()`` to the new class: it is found through a closure cell."""
    if isinstance(value, (classmethod, staticmethod)):
        return type(value)(_with_class_cell(value.__func__, cell))
    if isinstance(value, property):
        get, set_, delete = (part and _with_class_cell(part, cell) for part in (value.fget, value.fset, value.fdel))
        return property(get, set_, delete, value.__doc__)
    if not isinstance(value, types.FunctionType) or "__class__" not in value.__code__.co_freevars:
        return value
    names = value.__code__.co_freevars
    closure = tuple(
        cell if name == "__class__" else old for name, old in zip(names, value.__closure__ or (), strict=True)
    )
    new = types.FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, closure)
    new.__kwdefaults__, new.__annotations__ = value.__kwdefaults__, value.__annotations__
    new.__doc__, new.__qualname__, new.__module__ = value.__doc__, value.__qualname__, value.__module__
    new.__dict__.update(value.__dict__)
    return new
