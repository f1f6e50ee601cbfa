"""JSON Schema, whatever a server writes -> shapes. Nothing raises here.

A keyword with a value that JSON Schema does not allow in its place says nothing, as an unknown
one does; so does what no machine could hold: bounds beyond a float's, counts above 2**53.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from openenv_notebook.schema.merging import BRANCHES, bound, merged, resolved
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
_LARGEST_COUNT = 2**53
_REMEMBERED = 64
# Only the size of the box is guessed by a name.
_LONG_NAMES = frozenset(
    ("code", "script", "source", "source_code", "program", "patch", "diff", "sql", "prompt", "message",
     "content", "body", "response", "llm_response", "completion", "notes", "old_str", "new_str")
)  # fmt: skip
_LONG_FORMATS = frozenset(("textarea", "multi-line", "multiline", "code", "markdown"))
_LONG_FROM = 200
# What says nothing of the value beside the branches of a union.
_WORDS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "$defs", "definitions", "discriminator", "$schema")
)

_Schema: TypeAlias = Mapping[str, Any]
_read: dict[int, tuple[Any, Shape]] = {}


def action_shape(schema: Any) -> Shape:
    """Read what an action, or the arguments of a tool, may look like: a JSON Schema, as GET /schema or a tool gives it.

    Gives an Object, a Dictionary, a Union of those, or Json of the kind "object" where the schema names no fields or
    describes what is no object. A schema is read once: it is told by its identity, and the last ones are remembered.
    """
    found = _read.get(id(schema))
    if found is None or found[0] is not schema:
        if len(_read) >= _REMEMBERED:
            _read.clear()
        found = _read[id(schema)] = schema, _action(read_shape(schema))
    return found[1]


def read_shape(schema: Any) -> Shape:
    """Read what any value may look like; :class:`Json` where the schema is none."""
    return _Reader(schema).read(schema)


def _action(shape: Shape) -> Shape:
    branches = tuple(_objects(shape))
    if isinstance(shape, Union) and len(branches) > 1:
        return dataclasses.replace(shape, branches=branches, nullable=False)
    if branches:
        return dataclasses.replace(branches[0], nullable=False)
    return Json(kind="object", title=shape.title, description=shape.description)


def _objects(shape: Shape) -> Iterable[Shape]:
    """List the objects a shape may be: its branches, those of its branches, or itself."""
    for branch in shape.branches if isinstance(shape, Union) else ():
        yield from (Json(kind="object"),) if branch == Json() else _objects(branch)
    if isinstance(shape, (Object, Dictionary)) or (isinstance(shape, Json) and shape.kind == "object"):
        yield shape


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
        followed = seen | _references(schema)
        if not _references(schema).isdisjoint(seen):
            return self._circle(schema)
        schema = merged(schema, self.root)
        words = _words(schema)
        if "const" in schema:
            return Const(value=schema["const"], **words)
        if values := _list(schema, "enum"):
            return _choice(values, words)
        if branches := _parts(schema, "anyOf") or _parts(schema, "oneOf"):
            return self._union(schema, branches, words, depth, followed)
        if kinds := [kind for kind in _list(schema, "type") if isinstance(kind, str)]:
            rest = {key: value for key, value in schema.items() if key not in _WORDS}
            return self._union({}, [{**rest, "type": kind} for kind in kinds], words, depth, followed)
        return self._plain(schema, words, depth, followed)

    def _circle(self, schema: _Schema) -> Shape:
        """Name a part that stands for a definition that it is a part of."""
        whole = resolved(schema, self.root)
        return Json(kind=kind if (kind := _kind(whole)) in ("object", "array") else "", **_words(whole))

    def _plain(self, schema: _Schema, words: dict[str, Any], depth: int, seen: frozenset[str]) -> Shape:
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

    def _array(self, schema: _Schema, words: dict[str, Any], depth: int, seen: frozenset[str]) -> Shape:
        fewest, most = _count(schema, "minItems"), _count(schema, "maxItems")
        if first := _parts(schema, "prefixItems") or _parts(schema, "items"):
            if len(first) == fewest == most:
                return Tuple(items=tuple(self.read(item, depth + 1, seen) for item in first), **words)
            return Json(kind="array", **words)
        item = self.read(schema.get("items"), depth + 1, seen)
        return Array(item=item, fewest=fewest, most=most, is_set=schema.get("uniqueItems") is True, **words)

    def _object(self, schema: _Schema, words: dict[str, Any], depth: int, seen: frozenset[str]) -> Shape:
        properties: Any = schema.get("properties")
        others = schema.get("additionalProperties")
        required = [name for name in _list(schema, "required") if isinstance(name, str)]
        known = {name: part for name, part in properties.items() if _is_schema(part)} if _is_map(properties) else {}
        known |= {name: True for name in required if name not in known}
        has_patterns = _is_map(schema.get("patternProperties"))
        if not known and _is_map(others) and others and not has_patterns:
            words |= {"fewest": _count(schema, "minProperties"), "most": _count(schema, "maxProperties")}
            return Dictionary(values=self.read(others, depth + 1, seen), **words)
        if not known and others is not False and (_is_schema(others) or not _is_map(properties)):
            return Json(kind="object", **words)
        fields = [self._field(name, part, name in required, depth, seen) for name, part in known.items()]
        rest = self.read(others, depth + 1, seen) if _is_map(others) else Json() if others is True else None
        return Object(fields=tuple(fields), others=Json() if has_patterns else rest, **words)

    def _field(self, name: str, part: Any, required: bool, depth: int, seen: frozenset[str]) -> Shape:
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
        self, schema: _Schema, branches: Iterable[Any], words: dict[str, Any], depth: int, seen: frozenset[str]
    ) -> Shape:
        around = {key: value for key, value in schema.items() if key not in _WORDS and key not in BRANCHES}
        shapes: list[Shape] = []
        nullable = bool(words["nullable"])
        for branch in branches:
            below, whole = _references(branch), merged(branch, self.root, around) if _is_map(branch) else branch
            shape = self.read(whole, depth + 1, seen | below) if below.isdisjoint(seen) else self._circle(whole)
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


def _references(schema: Any) -> frozenset[str]:
    """Tell which definitions a part stands for: its own ``$ref`` and those of its ``allOf``."""
    parts = [schema, *_parts(schema, "allOf")] if _is_map(schema) else []
    found = [part.get("$ref") for part in parts if _is_map(part)]
    return frozenset(reference for reference in found if isinstance(reference, str))


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_schema(value: Any) -> bool:
    return isinstance(value, (bool, Mapping))


def _list(schema: _Schema, key: str) -> list[Any]:
    value = schema.get(key)
    return list(value) if isinstance(value, (list, tuple)) else []


def _parts(schema: _Schema, key: str) -> list[Any]:
    return [part for part in _list(schema, key) if _is_schema(part)]


def _kind(schema: _Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, str):
        return kind
    if _is_map(schema.get("properties")) or _is_map(schema.get("additionalProperties")):
        return "object"
    return "array" if _is_map(schema.get("items")) else "string" if schema.get("contentEncoding") else ""


def _words(schema: _Schema) -> dict[str, Any]:
    words = {key: schema[key] for key in ("title", "description") if isinstance(schema.get(key), str)}
    is_secret = schema.get("format") == "password" or schema.get("writeOnly") is True
    words |= {"is_secret": True} if is_secret else {}
    return {**words, "default": schema.get("default", ABSENT), "nullable": schema.get("nullable") is True}


def _choice(values: Iterable[Any], words: dict[str, Any]) -> Shape:
    found = tuple(value for value in values if value is not None)
    if not found:
        return Const(value=None, **words)
    return Choice(values=found, **{**words, "nullable": words["nullable"] or any(value is None for value in values)})


def _values(shape: Shape) -> tuple[Any, ...]:
    return shape.values if isinstance(shape, Choice) else (shape.value,) if isinstance(shape, Const) else ()


def _number(schema: _Schema, is_whole: bool, words: dict[str, Any]) -> Number:
    names = {"minimum": "minimum", "maximum": "maximum", "exclusiveMinimum": "above", "exclusiveMaximum": "below"}
    bounds: dict[str, Any] = {ours: bound(schema.get(theirs)) for theirs, ours in names.items()}
    # JSON Schema 4 marks a bound as exclusive beside it.
    for flag, marked, exclusive in (("exclusiveMinimum", "minimum", "above"), ("exclusiveMaximum", "maximum", "below")):
        if schema.get(flag) is True:
            bounds[exclusive], bounds[marked] = bounds[marked], None
    step = bound(schema.get("multipleOf"))
    return Number(is_whole=is_whole, multiple_of=step if step and step > 0 else None, **bounds, **words)


def _text(schema: _Schema) -> dict[str, Any]:
    kind, longest = schema.get("format"), _count(schema, "maxLength")
    return {
        "shortest": _count(schema, "minLength"),
        "longest": longest,
        "pattern": schema["pattern"] if isinstance(schema.get("pattern"), str) else "",
        "format": kind if isinstance(kind, str) else "",
        "examples": tuple(example for example in _list(schema, "examples") if isinstance(example, str)),
        "is_long": (isinstance(kind, str) and kind in _LONG_FORMATS) or (longest or 0) >= _LONG_FROM,
        "encoding": _encoding(schema.get("contentEncoding"), kind),
    }


def _encoding(said: Any, kind: Any) -> str:
    """Tell how bytes stand in a text. A field of bytes of pydantic's is "binary", and takes their text."""
    if isinstance(said, str):
        return {"7bit": "utf-8", "8bit": "utf-8", "binary": "utf-8"}.get(said.lower(), said.lower())
    formats = {"binary": "utf-8", "byte": "base64", "base64": "base64", "base64url": "base64url"}
    return formats.get(kind, "") if isinstance(kind, str) else ""


def _discriminator(schema: _Schema, shapes: list[Shape]) -> str:
    """Find the field whose constant is another one in each branch."""
    named = schema.get("discriminator")
    name = named.get("propertyName") if isinstance(named, Mapping) else None
    if isinstance(name, str):
        return name
    objects = [shape for shape in shapes if isinstance(shape, Object)]
    constants = [
        {field.name: repr(field.value) for field in each.fields if isinstance(field, Const)} for each in objects
    ]
    for name in constants[0] if len(objects) == len(shapes) else ():
        if len({found.get(name, "") for found in constants}) == len(constants) and all(name in c for c in constants):
            return name
    return ""


def _count(schema: _Schema, key: str) -> int | None:
    value = bound(schema.get(key))
    return int(value) if value is not None and 0 <= value <= _LARGEST_COUNT and value == int(value) else None
