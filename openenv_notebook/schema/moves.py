"""One-click actions: what an observation, or the schema of actions, says can be done now."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openenv_notebook.schema.action import given_fields, only_required_field
from openenv_notebook.schema.check import problems
from openenv_notebook.schema.shapes import Boolean, Choice, Const, Number, Shape, Union
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.read_json import read_json
from openenv_notebook.values.to_json import to_bytes

KEYS = ("legal_actions", "legal_moves", "valid_actions", "valid_moves", "available_actions", "available_moves")
_BELOW = ("info", "metadata")
# A range of more whole numbers than this is a range, not a choice.
_SMALL = 32
_SEPARATORS = re.compile(r"[,;|\n]")


@dataclass(frozen=True)
class Legal:
    """What can be done now: ``values`` as they go on the wire, in the order they came in.

    ``fields`` names the field they belong to; more than one where it cannot be told which. ``source`` is where they
    stand: "legal_actions", "info.legal_moves", …; or "schema".
    """

    fields: tuple[str, ...]
    values: tuple[Any, ...]
    source: str


def legal_actions(observation: Any, action: Shape | None) -> Legal | None:
    """Find the actions that are legal after an observation: a mapping, or an object with attributes.

    The values an observation lists, for the required field that takes them all; else those of the only required field,
    where there are few; else None. An observation that lists none leaves none, as does an action that nobody knows.
    """
    if action is None:
        return None
    for source, listed in _listed(observation):
        values = _wire_values(listed)
        if values is not None:
            return _placed(values, source, action) if values else None
    # What one branch of a union requires, another does not know.
    only = only_required_field(action) if not isinstance(action, Union) else None
    found = choices(only) if only is not None else None
    return Legal((only.name,), tuple(found), "schema") if only is not None and found else None


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
        values = read_json(to_bytes(listed)) if listed is not None and not isinstance(listed, Mapping) else None
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
            found = read_json(text)
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


def _placed(values: tuple[Any, ...], source: str, action: Shape) -> Legal | None:
    """Find the fields that take all values; numbers may have been written as text."""
    known = given_fields(action)
    candidates = [field for field in known if field.required] or known
    for tried in (values, _as_numbers(values)):
        takers = [field.name for field in candidates if tried and not any(problems(field, value) for value in tried)]
        if takers:
            return Legal(tuple(takers), tried, source)
    return None


def _as_numbers(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read texts as the whole numbers they show; nothing where one is none."""
    texts = [value for value in values if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", value)]
    return tuple(map(int, texts)) if len(texts) == len(values) else ()


def choices(shape: Shape) -> list[Any] | None:
    """List all values that a shape takes; None where they are many."""
    found = _choices(shape)
    return [*found, None] if found is not None and shape.nullable else found


def _choices(shape: Shape) -> list[Any] | None:
    match shape:
        case Const(value=value):
            return [value]
        case Choice(values=values):
            return list(values)
        case Boolean():
            return [False, True]
        case Number(is_whole=True):
            low, high = reach(shape)
            if high - low < _SMALL:
                return [value for value in range(math.ceil(low), math.floor(high) + 1) if not problems(shape, value)]
        case Union(branches=branches):
            parts = [choices(branch) for branch in branches]
            return None if None in parts else [value for part in parts for value in part or ()]
    return None


def reach(number: Number) -> tuple[float, float]:
    """Give the smallest and the largest number there may be, open ends taken as closed; infinities without bounds."""
    low = [end for end in (number.minimum, number.above) if end is not None]
    high = [end for end in (number.maximum, number.below) if end is not None]
    return max(low, default=-math.inf), min(high, default=math.inf)
