"""A JSON Schema as a server told it -> one that can be read without looking twice. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

_DEEPEST = 40
_LARGEST_COUNT = 2**53


def well_formed(schema: Any) -> dict[str, Any]:
    """Leave out of a schema what JSON Schema does not allow in its place: it says nothing of an action.

    What is allowed stays as it is, known or not: a schema that follows JSON Schema 2020-12 is
    returned equal to itself. Of older drafts, lists of ``items`` stay, and a bound that is
    marked as exclusive becomes an exclusive bound. What no machine could hold is left out:
    bounds beyond a float's, counts above 2**53, and what is nested deeper than 40.

    Args:
        schema: What stands where a schema is expected.

    Returns:
        The schema; an empty one, which takes anything, where there was none.
    """
    return _schema(schema, 0) if isinstance(schema, Mapping) else {}


class _Odd(Exception):
    """This is not allowed there."""


def _schema(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in schema.items():
        try:
            read = _READERS.get(key)
            found[key] = value if read is None else read(value, depth + 1)
        except _Odd:
            continue
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(flag) is True and bound in found:
            found[flag] = found.pop(bound)
    return found


def _part(value: Any, depth: int) -> Any:
    if isinstance(value, bool):
        return value
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        raise _Odd
    return _schema(value, depth)


def _parts(value: Any, depth: int) -> list[Any]:
    if not isinstance(value, list):
        raise _Odd
    found = [_part(each, depth) for each in value if isinstance(each, (bool, Mapping))]
    if not found:
        raise _Odd
    return found


def _part_or_parts(value: Any, depth: int) -> Any:
    return _parts(value, depth) if isinstance(value, list) else _part(value, depth)


def _named_parts(value: Any, depth: int) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _Odd
    return {name: _part(each, depth) for name, each in value.items() if isinstance(each, (bool, Mapping))}


def _kinds(value: Any, depth: int) -> Any:
    if isinstance(value, list):
        return _texts(value, depth)
    return _text(value, depth)


def _texts(value: Any, _: int) -> list[str]:
    found = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    if not found:
        raise _Odd
    return found


def _names(value: Any, depth: int) -> list[str]:
    return value if value == [] else _texts(value, depth)


def _text(value: Any, _: int) -> str:
    if not isinstance(value, str):
        raise _Odd
    return value


def _flag(value: Any, _: int) -> bool:
    if not isinstance(value, bool):
        raise _Odd
    return value


def _values(value: Any, _: int) -> list[Any]:
    if not isinstance(value, list):
        raise _Odd
    return value


def _number(value: Any, _: int) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Odd
    try:
        is_finite = math.isfinite(value)
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise _Odd
    return value


def _step(value: Any, depth: int) -> Any:
    if _number(value, depth) <= 0:
        raise _Odd
    return value


def _count(value: Any, depth: int) -> Any:
    if not 0 <= _number(value, depth) <= _LARGEST_COUNT or value != int(value):
        raise _Odd
    return int(value)


_READERS: dict[str, Callable[[Any, int], Any]] = {
    **dict.fromkeys(
        ("title", "description", "format", "pattern", "$ref", "contentEncoding", "contentMediaType"), _text
    ),
    **dict.fromkeys(("properties", "$defs", "definitions", "patternProperties"), _named_parts),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _parts),
    **dict.fromkeys(("additionalProperties", "contains", "not", "propertyNames"), _part),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _count),
    **dict.fromkeys(("writeOnly", "readOnly", "deprecated", "uniqueItems"), _flag),
    "items": _part_or_parts,
    "type": _kinds,
    "required": _names,
    "enum": _values,
    "examples": _values,
    "multipleOf": _step,
}
