"""JSON Schema -> shapes. Nothing a server may write raises here."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from openenv_notebook.schema.merging import BRANCHES, merged
from openenv_notebook.schema.reader import resolved
from openenv_notebook.schema.shapes import (
    ABSENT,
    Array,
    Boolean,
    Choice,
    Const,
    Dictionary,
    Json,
    Number,
    Object,
    Shape,
    Text,
    Tuple,
    Union,
)

# A small schema can describe a tree of any size; what lies beyond is written as JSON.
_DEEPEST = 8
_MOST_SHAPES = 1500
# Only the size of the box is guessed by a name.
_LONG_NAMES = frozenset(
    ("code", "script", "source", "source_code", "program", "patch", "diff", "sql", "prompt", "message",
     "content", "body", "response", "llm_response", "completion", "notes", "old_str", "new_str")
)  # fmt: skip
_LONG_FORMATS = frozenset(("textarea", "multi-line", "multiline", "code", "markdown"))
_LONG_FROM = 200


def action_shape(schema: Any) -> Shape:
    """Read what an action, or the arguments of a tool, may look like.

    Args:
        schema: A JSON Schema, as GET /schema or a tool gives it.

    Returns:
        An Object, a Dictionary, a Union of those, or Json of the kind "object" where the
        schema names no fields or describes what is no object.
    """
    shape = _Reader(schema).read(schema)
    shape = shape.branches[0] if isinstance(shape, Union) and len(shape.branches) == 1 else shape
    if isinstance(shape, Union):
        objects = tuple(branch for branch in shape.branches if _is_action(branch))
        shape = dataclasses.replace(shape, branches=objects, nullable=False)
        return shape if len(objects) > 1 else objects[0] if objects else Json(kind="object")
    if _is_action(shape):
        return dataclasses.replace(shape, nullable=False)
    return Json(kind="object", title=shape.title, description=shape.description)


def _is_action(shape: Shape) -> bool:
    return isinstance(shape, (Object, Dictionary)) or (isinstance(shape, Json) and shape.kind == "object")


class _Reader:
    """Reads one document."""

    def __init__(self, root: Any) -> None:
        self.root: Mapping[str, Any] = root if isinstance(root, Mapping) else {}
        self.made = 0

    def read(self, schema: Any, depth: int = 0, seen: frozenset[str] = frozenset()) -> Shape:
        """Read a part of it; ``seen`` holds the references that it stands in."""
        self.made += 1
        if not isinstance(schema, Mapping) or depth > _DEEPEST or self.made > _MOST_SHAPES:
            return Json()
        followed = seen | references(schema)
        if _is_circle(schema, seen):
            return self._circle(schema)
        schema = merged(schema, self.root)
        words = _words(schema)
        if "const" in schema:
            return Const(value=schema["const"], **words)
        values = schema.get("enum")
        if isinstance(values, (list, tuple)) and values:
            return _choice(values, words)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(branches, (list, tuple)) and branches:
            return self._union(schema, branches, words, depth, followed)
        if isinstance(schema.get("type"), (list, tuple)):
            rest = {key: value for key, value in schema.items() if key not in _WORDS}
            return self._union({}, [{**rest, "type": kind} for kind in schema["type"]], words, depth, followed)
        return self._plain(schema, words, depth, followed)

    def _circle(self, schema: Any) -> Shape:
        whole = resolved(schema, self.root)
        return Json(kind=kind if (kind := _kind(whole)) in ("object", "array") else "", **_words(whole))

    def _plain(self, schema: Mapping[str, Any], words: dict[str, Any], depth: int, seen: frozenset[str]) -> Shape:
        match _kind(schema):
            case "boolean":
                return Boolean(**words)
            case "null":
                return Const(value=None, **words)
            case "integer" | "number" as kind:
                return _number(schema, kind == "integer", words)
            case "string":
                return Text(**_text(schema), **words)
            case "array":
                return self._array(schema, words, depth, seen)
            case "object":
                return self._object(schema, words, depth, seen)
        return Json(**words)

    def _array(self, schema: Mapping[str, Any], words: dict[str, Any], depth: int, seen: frozenset[str]) -> Shape:
        fewest, most = _count(schema, "minItems"), _count(schema, "maxItems")
        first = schema.get("prefixItems", schema.get("items"))
        if isinstance(first, (list, tuple)):
            if first and len(first) == fewest and most == fewest:
                items = [self.read(item, depth + 1, seen) for item in first]
                return Tuple(items=tuple(items), **words)
            return Json(kind="array", **words)
        item = self.read(first, depth + 1, seen) if isinstance(first, Mapping) else Json()
        return Array(item=item, fewest=fewest, most=most, is_set=schema.get("uniqueItems") is True, **words)

    def _object(self, schema: Mapping[str, Any], words: dict[str, Any], depth: int, seen: frozenset[str]) -> Shape:
        properties = schema.get("properties")
        others = schema.get("additionalProperties")
        required = [name for name in _listed(schema.get("required")) if isinstance(name, str)]
        known = dict(properties) if isinstance(properties, Mapping) else {}
        known = {name: part for name, part in known.items() if isinstance(name, str)}
        known.update((name, True) for name in required if name not in known)
        if not known and isinstance(others, Mapping) and others and "patternProperties" not in schema:
            values = self.read(others, depth + 1, seen)
            words |= {"fewest": _count(schema, "minProperties"), "most": _count(schema, "maxProperties")}
            return Dictionary(values=values, **words)
        if not known and others is not False and (others is not None or not isinstance(properties, Mapping)):
            return Json(kind="object", **words)
        fields = [self.field(name, part, name in required, depth, seen) for name, part in known.items()]
        extra = self.read(others, depth + 1, seen) if isinstance(others, Mapping) and others else None
        extra = Json() if others is True or others == {} or "patternProperties" in schema else extra
        return Object(fields=tuple(fields), others=extra, **words)

    def field(self, name: str, part: Any, required: bool, depth: int, seen: frozenset[str]) -> Shape:
        """Read a field of an object."""
        shape = self.read(part, depth + 1, seen)
        if isinstance(shape, Text) and name.lower() in _LONG_NAMES and (shape.longest or _LONG_FROM) >= _LONG_FROM:
            shape = dataclasses.replace(shape, is_long=True)
        if isinstance(shape, Choice) and len(shape.values) == 1 and not shape.nullable:
            # How some write a constant. What may be left out and means nothing then is no constant.
            (only,) = shape.values
            if required or shape.default == only:
                words = {"title": shape.title, "description": shape.description, "default": shape.default}
                shape = Const(value=only, **words)
        return dataclasses.replace(shape, name=name, required=required)

    def _union(
        self,
        schema: Mapping[str, Any],
        branches: Iterable[Any],
        words: dict[str, Any],
        depth: int,
        seen: frozenset[str],
    ) -> Shape:
        around = {key: value for key, value in schema.items() if key not in _WORDS and key not in BRANCHES}
        shapes: list[Shape] = []
        nullable = bool(words["nullable"])
        for branch in branches:
            whole = merged(branch, self.root, around) if isinstance(branch, Mapping) else branch
            below = seen | references(branch)
            shape = self._circle(whole) if _is_circle(branch, seen) else self.read(whole, depth + 1, below)
            nullable = nullable or shape.nullable or (isinstance(shape, Const) and shape.value is None)
            if not (isinstance(shape, Const) and shape.value is None):
                shapes += shape.branches if isinstance(shape, Union) and not shape.discriminator else [shape]
        words["nullable"] = nullable
        if not shapes:
            return Const(value=None, **{**words, "nullable": False})
        if len(shapes) == 1:
            # What stands beside the union says more than what stands in its branch.
            own = {key: value for key, value in words.items() if value is not ABSENT}
            only = shapes[0]
            if nullable and isinstance(only, Const):
                only = Choice(values=(only.value,), **_words(schema))
            return dataclasses.replace(only, **own)
        if all(isinstance(shape, (Const, Choice)) for shape in shapes):
            return Choice(values=tuple(value for shape in shapes for value in _values(shape)), **words)
        return Union(branches=tuple(shapes), discriminator=_discriminator(schema, shapes), **words)


_WORDS = (
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "$defs",
    "definitions",
    "discriminator",
    "$schema",
)


def references(schema: Any) -> frozenset[str]:
    """Tell which definitions a part stands for: its own ``$ref`` and those of its ``allOf``."""
    if not isinstance(schema, Mapping):
        return frozenset()
    parts = [schema, *(part for part in _listed(schema.get("allOf")) if isinstance(part, Mapping))]
    return frozenset(part["$ref"] for part in parts if isinstance(part.get("$ref"), str))


def _is_circle(schema: Any, seen: frozenset[str]) -> bool:
    """Tell whether a part stands for a definition that it is a part of."""
    return not references(schema).isdisjoint(seen)


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, str):
        return kind
    if isinstance(schema.get("properties"), Mapping) or isinstance(schema.get("additionalProperties"), Mapping):
        return "object"
    return "array" if isinstance(schema.get("items"), Mapping) else ""


def _words(schema: Mapping[str, Any]) -> dict[str, Any]:
    words = {key: schema[key] for key in ("title", "description") if isinstance(schema.get(key), str)}
    return {**words, "default": schema.get("default", ABSENT), "nullable": schema.get("nullable") is True}


def _choice(values: Iterable[Any], words: dict[str, Any]) -> Shape:
    found = tuple(value for value in values if value is not None)
    if not found:
        return Const(value=None, **words)
    return Choice(values=found, **{**words, "nullable": words["nullable"] or any(value is None for value in values)})


def _values(shape: Shape) -> tuple[Any, ...]:
    return shape.values if isinstance(shape, Choice) else (shape.value,) if isinstance(shape, Const) else ()


def _number(schema: Mapping[str, Any], is_whole: bool, words: dict[str, Any]) -> Number:
    names = {"minimum": "minimum", "maximum": "maximum", "exclusiveMinimum": "above", "exclusiveMaximum": "below"}
    bounds: dict[str, Any] = {ours: _bound(schema.get(theirs)) for theirs, ours in names.items()}
    # JSON Schema 4 marks a bound as exclusive beside it.
    for flag, bound, exclusive in (("exclusiveMinimum", "minimum", "above"), ("exclusiveMaximum", "maximum", "below")):
        if schema.get(flag) is True:
            bounds[exclusive], bounds[bound] = bounds[bound], None
    step = _bound(schema.get("multipleOf"))
    return Number(is_whole=is_whole, multiple_of=step if step and step > 0 else None, **bounds, **words)


def _text(schema: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema["format"] if isinstance(schema.get("format"), str) else ""
    longest = _count(schema, "maxLength")
    examples = [example for example in _listed(schema.get("examples")) if isinstance(example, str)]
    return {
        "shortest": _count(schema, "minLength"),
        "longest": longest,
        "pattern": schema["pattern"] if isinstance(schema.get("pattern"), str) else "",
        "format": kind,
        "examples": tuple(examples),
        "is_long": kind in _LONG_FORMATS or (longest is not None and longest >= _LONG_FROM),
        "is_secret": kind == "password" or schema.get("writeOnly") is True,
    }


def _discriminator(schema: Mapping[str, Any], shapes: list[Shape]) -> str:
    """Find the field whose constant is another one in each branch."""
    named = schema.get("discriminator")
    name = named.get("propertyName") if isinstance(named, Mapping) else None
    if isinstance(name, str):
        return name
    if not all(isinstance(shape, Object) for shape in shapes):
        return ""
    constants = [
        {field.name: repr(field.value) for field in shape.fields if isinstance(field, Const)}
        for shape in shapes
        if isinstance(shape, Object)
    ]
    for name in constants[0]:
        if len({found.get(name, "") for found in constants}) == len(constants) and all(name in c for c in constants):
            return name
    return ""


def _bound(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and (isinstance(value, int) or math.isfinite(value)) else None


def _count(schema: Mapping[str, Any], key: str) -> int | None:
    value = _bound(schema.get(key))
    return int(value) if value is not None and value >= 0 else None


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
