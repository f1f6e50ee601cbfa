"""Values as plain Python: fields of models, names, short forms."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from openenv_notebook.jupyter.show.numbers import number
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.secrets import secrets_of, shown_fields

_LONGEST_LABEL = 40
# Larger arrays are not unpacked to be looked at.
_MOST_NUMBERS = 500_000
# So many items of a list does a short form show at most.
_SEEN = 8
# What messages of a conversation call who spoke and what was said.
_WHO, _WHAT = ("role", "sender", "speaker"), ("content", "text", "message")


def as_fields(value: Any) -> Mapping[Any, Any] | None:
    """Return a dict's items, a model's or a dataclass's fields; None for what has no fields.

    Those that a model marks as secret are already hidden.
    """
    return value if isinstance(value, Mapping) else shown_fields(value)


def plain_value(value: Any) -> Any:
    """Give models and arrays as plain values, where that is cheap."""
    if isinstance(value, (str, bytes, Mapping, list, tuple, int, float, type(None))):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist() if getattr(value, "size", 1) <= _MOST_NUMBERS else value
    fields = as_fields(value)
    return value if fields is None else fields


def short(value: Any, depth: int = 4, secrets: Container[str] | None = None) -> str:
    """Write a value in a line of bounded length, long and deep parts folded, secrets hidden.

    ``secrets`` names those that hide besides those that say so themselves, in place of those of the value's server.
    """
    return short_repr(_as_dicts(value, depth), depth, secrets or secrets_of(value))


def _as_dicts(value: Any, depth: int) -> Any:
    """Give models and other mappings as dicts, whose secrets the short form hides."""
    if depth <= 0:
        return value
    fields = as_fields(value) if isinstance(value, (Mapping, BaseModel)) else None
    if fields is not None:
        return attribute_dict({key: _as_dicts(inside, depth - 1) for key, inside in fields.items()}, secrets_of(value))
    if isinstance(value, (list, tuple)):
        return [*(_as_dicts(inside, depth - 1) for inside in value[:_SEEN]), *value[_SEEN:]]
    return value


def is_conversation(values: Sequence[Any]) -> bool:
    """Tell whether a list holds messages: who spoke, and what."""
    return all(isinstance(item, Mapping) and all(speaker(item)) for item in values)


def speaker(message: Mapping[Any, Any]) -> tuple[str, str]:
    """Find the fields of an object that say who spoke and what was said; "" for one that is not there."""
    who = next((key for key in _WHO if isinstance(message.get(key), str)), "")
    return who, next((key for key in _WHAT if key in message), "")


def spoken(content: Any) -> Any:
    """Find the words in a message's content, which may be a list of parts."""
    if not isinstance(content, list) or not all(isinstance(part, Mapping) for part in content):
        return content
    texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
    return "\n".join(texts) if len(texts) == len(content) else content


def is_short(value: Any) -> bool:
    """Tell whether a value fits into a line with others."""
    if isinstance(value, str):
        return len(value) <= 80 and "\n" not in value
    if isinstance(value, (list, tuple)):
        return len(value) <= 4 and all(item is None or isinstance(item, (int, float)) for item in value)
    return value is None or isinstance(value, (int, float))


def short_item(value: Any, secrets: Container[str] | None = None) -> str:
    """Write an item of a list."""
    return number(value) if isinstance(value, (int, float)) else short(value, secrets=secrets)


def about(values: Sequence[Any]) -> str:
    """Say what a list holds: how many, and their names where they have some."""
    named = [item["name"] for item in values[:8] if isinstance(item, Mapping) and isinstance(item.get("name"), str)]
    return f"list of {len(values):,}" + (f": {names(named)}" if named else "")


def label(name: Any) -> str:
    """Write a field's name, cut where it is long."""
    text = str(name)[: 2 * _LONGEST_LABEL]
    return text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}…"


def names(given: Iterable[str]) -> str:
    """Write the first of some names."""
    shown = ", ".join(label(name) for name in list(given)[:8])
    return shown if len(shown) <= 100 else f"{shown[:100]}…"
