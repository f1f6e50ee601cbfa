"""Schemas of actions made by chance, of all that the reader knows, as pydantic and others write it."""

from __future__ import annotations

import random
from typing import Any

_NAMES = ("a", "b", "code", "max_tokens", "a.b", "c d", "ключ")
_DEFINITIONS: dict[str, Any] = {
    "Color": {"enum": ["red", "green"], "type": "string"},
    "Point": {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "number", "default": 0.5}},
        "required": ["x"],
        "additionalProperties": False,
    },
    "Cat": {
        "type": "object",
        "properties": {"pet": {"const": "cat"}, "lives": {"type": "integer", "minimum": 1, "maximum": 9}},
        "required": ["pet", "lives"],
        "additionalProperties": False,
    },
    "Dog": {
        "type": "object",
        "properties": {"pet": {"const": "dog"}, "name": {"type": "string", "minLength": 2}},
        "required": ["pet", "name"],
        "additionalProperties": False,
    },
}


def made_schema(chance: random.Random) -> dict[str, Any]:
    """Make the schema of an action."""
    return {**_object(chance, 3, 5), "$defs": _DEFINITIONS}


def _object(chance: random.Random, depth: int, most: int = 3) -> dict[str, Any]:
    names = chance.sample(_NAMES, chance.randint(1, most))
    fields = {name: _part(chance, depth - 1) for name in names}
    required = [name for name in names if chance.random() < 0.5]
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def _part(chance: random.Random, depth: int) -> dict[str, Any]:
    plain = [_integer, _number, _text, _choice, lambda _: {"type": "boolean"}, lambda _: {"$ref": "#/$defs/Color"}]
    if depth > 0 and chance.random() < 0.5:
        return chance.choice([_list, _tuple, _map, _nullable, _union, _either, _object])(chance, depth)
    return chance.choice(plain)(chance)


def _integer(chance: random.Random) -> dict[str, Any]:
    low = chance.choice((0, -5, 1, 2**53))
    bounds: dict[str, Any] = {"minimum": low, "exclusiveMaximum": low + chance.randint(2, 40)}
    if chance.random() < 0.4:
        bounds = chance.choice(({}, {"maximum": 7}, {"minimum": 0, "maximum": 20, "multipleOf": 5}))
    return {"type": "integer", **bounds}


def _number(chance: random.Random) -> dict[str, Any]:
    bounds = ({}, {"minimum": 0, "maximum": 1}, {"exclusiveMinimum": -1.5, "exclusiveMaximum": 0}, {"multipleOf": 0.25})
    return {"type": "number", **chance.choice(bounds)}


def _text(chance: random.Random) -> dict[str, Any]:
    bounds = ({}, {"maxLength": 3}, {"minLength": 2}, {"minLength": 1, "maxLength": 8}, {"format": "textarea"})
    return {"type": "string", **chance.choice(bounds)}


def _choice(chance: random.Random) -> dict[str, Any]:
    return {"enum": chance.choice((["p", "q"], [1, 2, 3], ["p", 1, True, None], [1.5, "1.5"], ["two words", ""]))}


def _list(chance: random.Random, depth: int) -> dict[str, Any]:
    bounds = ({}, {"minItems": 1}, {"maxItems": 2}, {"minItems": 1, "maxItems": 3, "uniqueItems": True})
    return {"type": "array", "items": _part(chance, depth - 1), **chance.choice(bounds)}


def _tuple(chance: random.Random, depth: int) -> dict[str, Any]:
    items = [_part(chance, depth - 1) for _ in range(2)]
    return {"type": "array", "prefixItems": items, "minItems": 2, "maxItems": 2}


def _map(chance: random.Random, depth: int) -> dict[str, Any]:
    bounds = ({}, {"minProperties": 1}, {"maxProperties": 2})
    return {"type": "object", "additionalProperties": _part(chance, depth - 1), **chance.choice(bounds)}


def _nullable(chance: random.Random, depth: int) -> dict[str, Any]:
    return {"anyOf": [_part(chance, depth - 1), {"type": "null"}], "default": None}


def _union(chance: random.Random, depth: int) -> dict[str, Any]:
    branches = [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    return {"oneOf": branches, "discriminator": {"propertyName": "pet"}}


def _either(chance: random.Random, depth: int) -> dict[str, Any]:
    return {"anyOf": [_part(chance, depth - 1) for _ in range(chance.randint(2, 3))]}
