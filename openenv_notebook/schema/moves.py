"""One-click actions: what an observation, or the schema of actions, says can be done now."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from openenv_notebook.schema.reader import Field, action_fields, branches_of, only_required_field, resolved
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.to_json import to_bytes

KEYS = ("legal_actions", "legal_moves", "valid_actions", "valid_moves", "available_actions", "available_moves")
_BELOW = ("info", "metadata")
# A range of more whole numbers than this is a range, not a choice.
_SMALL = 32
_DEEPEST = 8
_SEPARATORS = re.compile(r"[,;|\n]")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


@dataclass(frozen=True)
class Legal:
    """What can be done now.

    Attributes:
        fields: The field the values belong to; more than one where it cannot be told which.
        values: The values as they go on the wire, in the order they came in.
        source: Where they stand: "legal_actions", "info.legal_moves", …; or "schema".
    """

    fields: tuple[str, ...]
    values: tuple[Any, ...]
    source: str


def legal_actions(observation: Any, schema: Mapping[str, Any] | None) -> Legal | None:
    """Find the actions that are legal now.

    Args:
        observation: What the last reset or step gave: a mapping, or an object with attributes.
        schema: The JSON Schema of the action.

    Returns:
        The values an observation lists, for the required field whose type takes them all; else
        those of the only required field, where there are few; else None. An observation that
        lists none leaves none.
    """
    if schema is None:
        return None
    for source, listed in _listed(observation):
        values = _wire_values(listed)
        if values is not None:
            return _placed(values, source, schema) if values else None
    return _from_schema(schema)


def _listed(observation: Any) -> Iterator[tuple[str, Any]]:
    """Find what is listed under one of the keys, at the top and one below."""
    below = [(f"{name}.", _member(observation, name)) for name in _BELOW]
    for prefix, place in [("", observation), *below]:
        for key in KEYS:
            found = _member(place, key)
            if found is not None:
                yield prefix + key, found


def _member(place: Any, name: str) -> Any:
    if isinstance(place, Mapping):
        return place.get(name)
    if place is None or isinstance(place, (str, bytes, int, float, list, tuple)):
        return None
    try:
        return getattr(place, name, None)
    except Exception:
        return None  # a property of somebody else's class


def _wire_values(listed: Any) -> tuple[Any, ...] | None:
    """Read a list as it would be sent, each value once; None where it is no list."""
    if isinstance(listed, str):
        listed = _split(listed)
    try:
        values = from_json(to_bytes(listed)) if listed is not None and not isinstance(listed, Mapping) else None
    except (MisuseError, ValueError):
        return None
    if not isinstance(values, list):
        return None
    kept: dict[Any, Any] = {}
    for value in values:
        kept.setdefault(to_bytes(value) if isinstance(value, (list, dict)) else (type(value), value), value)
    return tuple(kept.values())


def _split(text: str) -> list[Any] | None:
    """Read a text that plainly is a list: JSON, or words between separators."""
    text = text.strip()
    if text.startswith("["):
        try:
            found = from_json(text)
        except ValueError:
            found = None
        if isinstance(found, list):
            return found
        text = text.strip("[]")
    if _SEPARATORS.search(text):
        return [word for part in _SEPARATORS.split(text) if (word := part.strip().strip("'\""))]
    words = text.split()
    # Words without digits may be a sentence: "no legal moves".
    return words if all(any(map(str.isdigit, word)) for word in words) else None


def _placed(values: tuple[Any, ...], source: str, schema: Mapping[str, Any]) -> Legal | None:
    """Find the fields that take all values; numbers may have been written as text."""
    known = [field for field in action_fields(schema) if not field.is_fixed and field.name != "metadata"]
    candidates = [field for field in known if field.required] or known
    for tried in (values, _as_numbers(values)):
        takers = [field.name for field in candidates if tried and all(fits(v, field.schema, schema) for v in tried)]
        if takers:
            return Legal(tuple(takers), tried, source)
    return None


def _as_numbers(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read texts as the whole numbers they show; nothing where one is none."""
    texts = [value for value in values if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", value)]
    return tuple(map(int, texts)) if len(texts) == len(values) else ()


def fits(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> bool:
    """Tell whether a schema takes a value, by what is quickly told: types, choices, bounds.

    Args:
        value: A JSON value.
        schema: The schema, a part of the root.
        root: The document.
        depth: How deep in the document this is; deeper than eight everything fits.

    Returns:
        False where the server would refuse it.
    """
    schema = resolved(schema, root)
    branches = branches_of(schema)
    if depth > _DEEPEST:
        return True
    if branches:
        return any(fits(value, part, root, depth + 1) for part in branches)
    if "const" in schema:
        return _same(value, schema["const"])
    if isinstance(schema.get("enum"), Sequence):
        return any(_same(value, choice) for choice in schema["enum"])
    kinds = schema.get("type")
    if kinds is not None and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = bounds(schema)
        return low <= value <= high and not _on_open_end(value, schema)
    return _parts_fit(value, schema, root, depth + 1)


def _parts_fit(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> bool:
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return all(fits(item, items, root, depth) for item in value)
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        return all(name in value for name in schema.get("required", ())) and all(
            fits(item, properties[name], root, depth) for name, item in value.items() if name in properties
        )
    return True


def _same(value: Any, other: Any) -> bool:
    """Compare as JSON does: true is not 1."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _is(value: Any, kind: object) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _TYPES.get(str(kind), ()))


def bounds(schema: Mapping[str, Any]) -> tuple[float, float]:
    """Read the bounds of a number; infinities where there are none.

    Args:
        schema: The schema of a number.

    Returns:
        The smallest and the largest number there may be, open ends taken as closed.
    """
    low = [schema[key] for key in ("minimum", "exclusiveMinimum") if _is(schema.get(key), "number")]
    high = [schema[key] for key in ("maximum", "exclusiveMaximum") if _is(schema.get(key), "number")]
    return max(low, default=-math.inf), min(high, default=math.inf)


def _on_open_end(value: float, schema: Mapping[str, Any]) -> bool:
    return value in (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"))


def _from_schema(schema: Mapping[str, Any]) -> Legal | None:
    """List the values of the only required field, where they are few and nothing else is to be chosen."""
    root = resolved(schema, schema)
    if root.get("oneOf") or root.get("anyOf"):
        return None  # what one branch requires, another does not know
    only: Field | None = only_required_field(schema)
    values = _choices(only.schema, schema) if only is not None else None
    return Legal((only.name,), tuple(values), "schema") if only is not None and values else None


def _choices(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> list[Any] | None:
    """List all values a schema takes; None where they are many."""
    schema = resolved(schema, root)
    branches = branches_of(schema)
    if branches:
        parts = [_choices(part, root, depth + 1) if depth < _DEEPEST else None for part in branches]
        return None if None in parts else [value for part in parts if part is not None for value in part]
    if "const" in schema:
        return [schema["const"]]
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    match schema.get("type"):
        case "boolean":
            return [False, True]
        case "null":
            return [None]
        case "integer":
            low, high = bounds(schema)
            if high - low < _SMALL:
                numbers = range(math.ceil(low), math.floor(high) + 1)
                step = schema.get("multipleOf") or 1
                return [n for n in numbers if not _on_open_end(n, schema) and n % step == 0]
    return None
