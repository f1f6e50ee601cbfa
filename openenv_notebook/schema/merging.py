"""A part of a JSON Schema and all that holds beside it, as one: ``$ref``, ``allOf``, siblings of ``anyOf``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from openenv_notebook.schema.check import same

BRANCHES = ("anyOf", "oneOf")
_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
# Definitions may name each other in any number of ways.
_DEEPEST, _MOST_PARTS = 3, 16


def resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow the ``$ref``s of a part of the document ``root``; a circle or a reference elsewhere stays as it is."""
    seen: set[str] = set()
    while True:
        # pydantic before 2.9 wraps a reference that stands beside a description.
        wrapped = schema.get("allOf")
        if isinstance(wrapped, list) and len(wrapped) == 1 and isinstance(wrapped[0], Mapping):
            schema = {**wrapped[0], **{key: value for key, value in schema.items() if key != "allOf"}}
        reference = schema.get("$ref")
        found = _named(reference, root) if isinstance(reference, str) and reference not in seen else None
        if found is None:
            return schema
        seen.add(str(reference))
        schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}}


def _named(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not reference.startswith("#/"):
        return None
    found: Any = root
    for part in reference[2:].split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def merged(
    schema: Mapping[str, Any], root: Mapping[str, Any], around: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Put all that a part must fit, and what holds ``around`` it, into one schema.

    ``$ref`` and ``allOf`` are gone from it, as far as they can be followed.
    """
    return _both(dict(around or {}), _flat(schema, root, 0))


def bound(value: Any) -> float | None:
    """Read a number that bounds a value; None for what is none, and for what no machine could hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


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
            numbers = [number for value in (one, other) if (number := bound(value)) is not None]
            both[key] = (max if key in _LEAST else min)(numbers) if numbers else other
        elif key == "properties" and isinstance(one, Mapping) and isinstance(other, Mapping):
            both[key] = {**one, **{name: _field(one.get(name), part) for name, part in other.items()}}
        elif key in ("required", "enum") and isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            if key == "required":
                both[key] = [*one, *(name for name in other if name not in one)]
            else:
                both[key] = [value for value in other if any(same(value, each) for each in one)] or other
    return both


def _field(one: Any, other: Any) -> Any:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return other
    return _both(dict(one), other)
