"""Random actions: a legal one where the observation lists them, else one that the schema takes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from openenv_notebook.schema.moves import bounds, legal_actions
from openenv_notebook.schema.reader import branches_of, resolved

_WORDS = ("go", "look", "take", "open", "hello", "north", "yes", "why")
_FORMATS = {
    "date": "2026-01-01",
    "time": "12:00:00",
    "date-time": "2026-01-01T12:00:00Z",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "a@example.com",
    "uri": "https://example.com/",
    "duration": "PT1S",
    "ipv4": "127.0.0.1",
    "base64": "aGVsbG8=",
    "base64url": "aGVsbG8=",
}
# How far from its one bound, or from 0, a number is sought.
_REACH = 9
_DEEPEST = 8
_TRIES = 20
# Of items and characters; what wants more is for nobody to guess, and would fill the memory.
_MOST = 100_000

Schema = Mapping[str, Any]


def sample_action(schema: Schema | None, observation: Any, rng: random.Random) -> dict[str, Any]:
    """Make a random action: required fields and constants only, for the rest has its defaults.

    Args:
        schema: The JSON Schema of the action.
        observation: What the last reset or step gave; its legal actions are preferred.
        rng: Where chance comes from.

    Returns:
        The action's fields; none without a schema.
    """
    if schema is None:
        return {}
    chosen = resolved(schema, schema)
    branches = branches_of(chosen)
    action = _object(resolved(rng.choice(branches), schema) if branches else chosen, schema, rng, 0)
    legal = legal_actions(observation, schema)
    if legal is not None:
        # Fields of a union stand in some of its branches only.
        for name in legal.fields:
            if not branches or name in action:
                action[name] = rng.choice(legal.values)
    return action


def _value(schema: Schema, root: Schema, rng: random.Random, depth: int) -> Any:
    schema = resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return rng.choice(list(schema["enum"]))
    branches = branches_of(schema)
    if branches:
        return _value(_branch(branches, root, rng, depth), root, rng, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list):
        return _value({**schema, "type": rng.choice(kind)}, root, rng, depth)
    make = _MAKERS.get(str(kind))
    if make is not None:
        return make(schema, root, rng, depth)
    return _object(schema, root, rng, depth) if "properties" in schema else rng.choice(_WORDS)


def _branch(branches: list[Schema], root: Schema, rng: random.Random, depth: int) -> Schema:
    """Choose an alternative; deep down one that ends, if there is one."""
    if depth >= _DEEPEST // 2:
        kinds = [resolved(part, root).get("type") for part in branches]
        branches = [
            part for part, kind in zip(branches, kinds, strict=True) if kind not in ("object", None)
        ] or branches
    return rng.choice(branches)


def _object(schema: Schema, root: Schema, rng: random.Random, depth: int) -> dict[str, Any]:
    properties = schema.get("properties") or {}
    required = set(schema.get("required") or ())
    made = {
        name: _value(part, root, rng, depth + 1)
        for name, part in properties.items()
        if isinstance(part, Mapping) and depth <= _DEEPEST and (name in required or _is_fixed(part, root))
    }
    values = schema.get("additionalProperties")
    while len(made) < min(int(schema.get("minProperties") or 0), _TRIES):
        made[f"key{len(made)}"] = _value(values if isinstance(values, Mapping) else {}, root, rng, depth + 1)
    return made


def _is_fixed(part: Schema, root: Schema) -> bool:
    """Tell whether a field has one value, which may tell a union's branch."""
    part = resolved(part, root)
    return "const" in part or len(part.get("enum") or ()) == 1


def _array(schema: Schema, root: Schema, rng: random.Random, depth: int) -> list[Any]:
    first = [part for part in schema.get("prefixItems") or () if isinstance(part, Mapping)]
    made = [_value(part, root, rng, depth + 1) for part in first]
    least = min(int(schema.get("minItems") or 0), _MOST)
    most = min(int(schema.get("maxItems", least + 2)), least + 2)
    items = schema.get("items")
    if not isinstance(items, Mapping) and (first or items is False):
        return made
    wanted = rng.randint(least, max(least, most)) if depth < _DEEPEST else least
    for _ in range(_TRIES * max(1, wanted)):
        if len(made) >= wanted:
            break
        item = _value(items if isinstance(items, Mapping) else {}, root, rng, depth + 1)
        if not schema.get("uniqueItems") or item not in made:
            made.append(item)
    return made


def _integer(schema: Schema, root: Schema, rng: random.Random, depth: int) -> int:
    return int(_multiple(schema, schema.get("multipleOf") or 1, rng))


def _number(schema: Schema, root: Schema, rng: random.Random, depth: int) -> float:
    if schema.get("multipleOf"):
        return _multiple(schema, schema["multipleOf"], rng)
    low, high = _reach(schema)
    # Never quite an end, which may be open; rounded where nothing is lost by it.
    value = low + (high - low) * rng.uniform(0.001, 0.999)
    short = round(value, 3)
    return short if low < short < high else value


def _multiple(schema: Schema, step: float, rng: random.Random) -> float:
    """Choose a multiple of a step within the bounds; whole numbers stay exact, however large."""
    low, high = _reach(schema)
    first, last = int(-(-low // step)), int(high // step)
    first += first * step == schema.get("exclusiveMinimum")
    last -= last * step == schema.get("exclusiveMaximum")
    return rng.randint(first, max(first, last)) * step


def _reach(schema: Schema) -> tuple[float, float]:
    """Read the bounds, with one of our own where there is none."""
    low, high = bounds(schema)
    if math.isinf(low):
        low = 0 if math.isinf(high) or high > 0 else high - _REACH
    return low, low + _REACH if math.isinf(high) else high


def _text(schema: Schema, root: Schema, rng: random.Random, depth: int) -> str:
    known = schema.get("examples") or ([schema["default"]] if schema.get("pattern") and "default" in schema else [])
    if schema.get("format") in _FORMATS:
        known = [_FORMATS[schema["format"]]]
    if known:
        return str(rng.choice(list(known)))
    word, least = rng.choice(_WORDS), min(int(schema.get("minLength") or 0), _MOST)
    return (word * (least // len(word) + 1) if len(word) < least else word)[: max(least, schema.get("maxLength") or 99)]


_MAKERS: dict[str, Callable[[Schema, Schema, random.Random, int], Any]] = {
    "array": _array,
    "boolean": lambda schema, root, rng, depth: rng.random() < 0.5,
    "integer": _integer,
    "null": lambda schema, root, rng, depth: None,
    "number": _number,
    "object": _object,
    "string": _text,
}
