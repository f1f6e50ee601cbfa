"""A part of a JSON Schema and all that holds beside it, as one: ``$ref``, ``allOf``, siblings of ``anyOf``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openenv_notebook.schema.reader import resolved

BRANCHES = ("anyOf", "oneOf")
_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
# Definitions may name each other in any number of ways.
_DEEPEST, _MOST_PARTS = 3, 16


def merged(
    schema: Mapping[str, Any], root: Mapping[str, Any], around: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Put together all that a value must fit.

    Args:
        schema: A part of a document.
        root: The document.
        around: What holds for the value besides, from the schema the part stands in.

    Returns:
        One schema without ``$ref`` and ``allOf``, as far as they can be followed.
    """
    return _both(dict(around or {}), _flat(schema, root, 0))


def _flat(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    found = dict(resolved(schema, root))
    parts = found.pop("allOf", ())
    if depth > _DEEPEST or not isinstance(parts, (list, tuple)):
        return found
    whole: dict[str, Any] = {}
    for part in parts[:_MOST_PARTS]:
        if isinstance(part, Mapping):
            whole = _both(whole, _flat(part, root, depth + 1))
    return _both(whole, found)


def _both(first: dict[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for both: the tighter of two bounds, the fields of either, else what the second says."""
    both = {**first, **second}
    for key in first.keys() & second.keys():
        one, other = first[key], second[key]
        if key in _LEAST or key in _MOST:
            numbers = [value for value in (one, other) if isinstance(value, (int, float)) and value is not True]
            both[key] = (max if key in _LEAST else min)(numbers) if numbers else other
        elif key == "properties" and isinstance(one, Mapping) and isinstance(other, Mapping):
            both[key] = {**one, **{name: _field(one.get(name), part) for name, part in other.items()}}
        elif key == "required" and isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            both[key] = [*one, *(name for name in other if name not in one)]
        elif key == "enum" and isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            both[key] = [value for value in other if value in one] or other
    return both


def _field(one: Any, other: Any) -> Any:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return other
    return _both(dict(one), other)
