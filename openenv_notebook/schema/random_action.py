"""Random actions: a legal one where the observation lists them, else one that the schema takes."""

from __future__ import annotations

import math
import random
from typing import Any

from openenv_notebook.schema import shapes
from openenv_notebook.schema.check import same
from openenv_notebook.schema.moves import legal_actions, reach
from openenv_notebook.schema.shapes import Shape

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
_TRIES = 20
# Of items and characters; what wants more is for nobody to guess, and would fill the memory.
_MOST = 100_000


def sample_action(action: Shape | None, observation: Any, rng: random.Random) -> dict[str, Any]:
    """Make a random action: required fields and constants only, for the rest has its defaults.

    The legal actions of the observation, which the last reset or step gave, are preferred. There are no fields where
    nobody knows what an action may look like.
    """
    if action is None:
        return {}
    is_union = isinstance(action, shapes.Union)
    made: dict[str, Any] = _value(rng.choice(action.branches) if isinstance(action, shapes.Union) else action, rng)
    legal = legal_actions(observation, action)
    if legal is not None:
        # Fields of a union stand in some of its branches only.
        made |= {name: rng.choice(legal.values) for name in legal.fields if not is_union or name in made}
    return made


def _value(shape: Shape, rng: random.Random) -> Any:
    if shape.nullable and (isinstance(shape, shapes.Json) or rng.random() < 0.5):
        return None
    match shape:
        case shapes.Const(value=value):
            return value
        case shapes.Choice(values=values):
            return rng.choice(values)
        case shapes.Boolean():
            return rng.random() < 0.5
        case shapes.Number():
            return _number(shape, rng)
        case shapes.Text():
            return _text(shape, rng)
        case shapes.Array():
            return _array(shape, rng)
        case shapes.Tuple(items=items):
            return [_value(item, rng) for item in items]
        case shapes.Object(fields=fields):
            return {
                field.name: _value(field, rng) for field in fields if field.required or isinstance(field, shapes.Const)
            }
        case shapes.Dictionary(values=values, fewest=fewest):
            return {f"key{place}": _value(values, rng) for place in range(min(fewest or 0, _TRIES))}
        case shapes.Union(branches=branches):
            # What was cut off where it turns in a circle is JSON; nobody knows what fits there.
            return _value(rng.choice([each for each in branches if not isinstance(each, shapes.Json)] or branches), rng)
    return {"object": {}, "array": []}.get(getattr(shape, "kind", ""), rng.choice(_WORDS))


def _array(shape: shapes.Array, rng: random.Random) -> list[Any]:
    least = min(shape.fewest or 0, _MOST)
    # Of what nobody knows there are as few as may be.
    more = 0 if isinstance(shape.item, shapes.Json) else 2
    most = least + more if shape.most is None else min(shape.most, least + more)
    wanted, made = rng.randint(least, max(least, most)), list[Any]()
    for _ in range(_TRIES * max(1, wanted)):
        if len(made) >= wanted:
            break
        item = _value(shape.item, rng)
        if not shape.is_set or not any(same(item, other) for other in made):
            made.append(item)
    return made


def _number(shape: shapes.Number, rng: random.Random) -> float:
    low, high = reach(shape)
    # With a bound of our own where there is none.
    if math.isinf(low):
        low = 0 if math.isinf(high) or high > 0 else high - _REACH
    high = low + _REACH if math.isinf(high) else high
    if shape.is_whole or shape.multiple_of:
        made = _multiple(shape, shape.multiple_of or 1, low, high, rng)
        return int(made) if shape.is_whole else made
    # Never quite an end, which may be open; rounded where nothing is lost by it.
    value = low + (high - low) * rng.uniform(0.001, 0.999)
    short = round(value, 3)
    return short if low < short < high else value


def _multiple(shape: shapes.Number, step: float, low: float, high: float, rng: random.Random) -> float:
    """Choose a multiple of a step within the bounds; whole numbers stay exact, however large."""
    first, last = int(-(-low // step)), int(high // step)
    first += first * step == shape.above
    last -= last * step == shape.below
    return rng.randint(first, max(first, last)) * step


def _text(shape: shapes.Text, rng: random.Random) -> str:
    known = list(shape.examples) or ([shape.default] if shape.pattern and isinstance(shape.default, str) else [])
    if shape.format in _FORMATS:
        known = [_FORMATS[shape.format]]
    if known:
        return rng.choice(known)
    word, least = rng.choice(_WORDS), min(shape.shortest or 0, _MOST)
    return (word * (least // len(word) + 1) if len(word) < least else word)[: max(least, shape.longest or 99)]
