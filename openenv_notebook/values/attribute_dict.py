"""A dict whose keys can be read as attributes: what generic observations and states are."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any, Self, TypeVar, cast

from openenv_notebook.values.secrets import masked
from openenv_notebook.values.text import nearest

DictT = TypeVar("DictT", bound="AttributeDict")

# Longer lists of plain numbers or texts are not searched for objects: the ends tell.
_SEARCHED = 1000


def _wrap(value: Any, secrets: Container[str] | None) -> Any:
    if type(value) is dict:
        return attribute_dict(value, secrets)
    lists = [value] if type(value) is list else []
    while lists:
        inside = lists.pop()
        ends = inside if len(inside) <= _SEARCHED else (inside[0], inside[-1])
        if any(type(item) in (dict, list) for item in ends):
            lists += [item for item in inside if type(item) is list]
            inside[:] = [attribute_dict(item, secrets) for item in inside]
    return value


class AttributeDict(dict[str, Any]):
    """A dict with attribute access: ``d.board`` is ``d["board"]``.

    A dict's own methods win over keys of the same name: ``d.items`` is the method,
    ``d["items"]`` the value. Nested objects are the same kind of dict.
    """

    __slots__ = ("_secrets", "_wrapped")
    _secrets: Container[str] | None
    _wrapped: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if type(value) is dict or type(value) is list:
            try:
                # Not by the dot: a key of that name is the server's.
                wrapped = object.__getattribute__(self, "_wrapped")
            except AttributeError:
                wrapped = {}
                object.__setattr__(self, "_wrapped", wrapped)
            # The list itself is remembered: another may be put under its key.
            if wrapped.get(key) is not value:
                value = _wrap(value, self.__secrets__())
                super().__setitem__(key, value)
                if type(value) is list:
                    wrapped[key] = value
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        return self[key] if key in self else default  # noqa: SIM401 (it would call itself)

    def __missing__(self, key: str) -> Any:
        raise KeyError(self._unknown(key))

    def __getattr__(self, name: str) -> Any:
        # Probes by IPython, copy and pickle must stay cheap and find nothing.
        if name.startswith("_") and not dict.__contains__(self, name):
            raise AttributeError(name)
        if name not in self:
            raise AttributeError(self._unknown(name))
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        if name not in self:
            raise AttributeError(self._unknown(name))
        del self[name]

    def __repr__(self) -> str:
        shown = masked(self, self.__secrets__())
        try:
            return dict.__repr__(self) if shown is self else repr(shown)
        except RecursionError:
            return f"<{type(self).__name__}, nested deeper than can be shown; keys: {', '.join(map(str, self))}>"

    def __dir__(self) -> Iterable[str]:
        return {*dict.__dir__(self), *(key for key in self if str(key).isidentifier())}

    def __or__(self, other: Any) -> Any:
        return _like(type(self), {**self, **other}, self.__secrets__()) if isinstance(other, dict) else NotImplemented

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __secrets__(self) -> Container[str] | None:
        try:
            return cast(Container[str] | None, object.__getattribute__(self, "_secrets"))
        except AttributeError:
            return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _like, (type(self), dict(self), self.__secrets__())

    def copy(self) -> Self:
        """Return a shallow copy."""
        return _like(type(self), self, self.__secrets__())

    def _unknown(self, name: object) -> str:
        keys = ", ".join(str(key) for key in self) or "none"
        return f"no key {name!r} here; keys: {keys}{nearest(str(name), map(str, self))}"


# Tells a new one which names hide in it: the slot's own setter, so that a result takes no more calls of Python.
tell_secrets: Callable[[AttributeDict, Container[str] | None], None] = vars(AttributeDict)["_secrets"].__set__


def attribute_dict(value: Any, secrets: Container[str] | None = None) -> Any:
    """Give a decoded JSON value attribute access, where it is an object.

    Args:
        value: A value as JSON decodes it.
        secrets: Names of fields in it that the server it came from marked as secret.

    Returns:
        An :class:`AttributeDict` for a dict, else the value itself.
    """
    if type(value) is not dict:
        return value
    made = AttributeDict(value)
    tell_secrets(made, secrets)
    return made


def _like(cls: type[DictT], items: dict[str, Any], secrets: Container[str] | None) -> DictT:
    """Make another of a kind, which hides the same."""
    made = cls(items)
    tell_secrets(made, secrets)
    return made
