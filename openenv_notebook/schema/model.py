"""A pydantic model made from what an action may look like, so that Tab completes its fields."""

from __future__ import annotations

import keyword
import math
import re
import typing
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, create_model

from openenv_notebook.schema import shapes
from openenv_notebook.schema.action import action_fields
from openenv_notebook.schema.shapes import ABSENT, Shape
from openenv_notebook.values.secrets import MaskedModel

_BOUNDS = {
    "minimum": "ge",
    "maximum": "le",
    "above": "gt",
    "below": "lt",
    "shortest": "min_length",
    "longest": "max_length",
    "fewest": "min_length",
    "most": "max_length",
}
_ROUNDED: dict[str, Callable[[float], int]] = {"ge": math.ceil, "gt": math.floor, "le": math.floor, "lt": math.ceil}
_TAKEN = frozenset(dir(BaseModel))


class SchemaModel(MaskedModel):
    """The root of models made from a schema. Unknown fields are refused; fields not given are not sent."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, populate_by_name=True, protected_namespaces=())

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """Return the fields that were given, and the constants."""
        return super().model_dump(**{"exclude_unset": True, **options})

    def model_post_init(self, context: Any, /) -> None:
        """Count constants as given: a union is told by them."""
        for name, info in type(self).model_fields.items():
            if getattr(info.annotation, "__origin__", None) is Literal and len(info.annotation.__args__) == 1:  # type: ignore[union-attr]
                self.__pydantic_fields_set__.add(name)


# A class takes a millisecond to make: of a tree of very many objects only the first level has one, then dicts do.
_MOST_OBJECTS, _DEEPEST, _DEEPEST_OF_MANY = 60, 20, 1


class OpenModel(SchemaModel):
    """The root of models whose schema allows fields that it does not name."""

    model_config = ConfigDict(extra="allow")


def model_from_schema(action: Shape, name: str = "Action") -> type[SchemaModel]:
    """Make a model of an action's fields, types, bounds, defaults and descriptions; ``name`` serves without a title."""
    # What must be given comes first where Tab completes.
    ordered = sorted(action_fields(action), key=lambda field: not field.required)
    return _model(action, ordered, name, _DEEPEST if _objects(action) <= _MOST_OBJECTS else _DEEPEST_OF_MANY)


def _objects(shape: Shape) -> int:
    """Count the objects that a shape is made of."""
    return isinstance(shape, shapes.Object) + sum(map(_objects, shape.parts))


def _model(shape: Shape, fields: Sequence[Shape], name: str, depth: int) -> type[SchemaModel]:
    names = python_names([field.name for field in fields])
    made: dict[str, Any] = {names[field.name]: _field(field, names[field.name], depth) for field in fields}
    root = OpenModel if fields and shape.field_names is None else SchemaModel
    return create_model(_class_name(shape.title or name), __base__=root, **made)


def _field(field: Shape, python_name: str, depth: int) -> Any:
    settings: dict[str, Any] = {"description": field.description or None}
    if python_name != field.name:
        settings["alias"] = field.name
    if _marks_secret(field):
        settings["json_schema_extra"] = {"writeOnly": True}
    kind = python_type(field, partial(_nested, depth=depth - 1))
    if isinstance(field, shapes.Const):
        return kind, Field(field.value, **settings)
    settings |= _bounds(field)
    if field.required:
        return kind, Field(..., **settings)
    default = None if field.default is ABSENT else field.default
    return (Optional[kind] if default is None else kind), Field(default, **settings)  # noqa: UP045 (kind is a value)


def _bounds(field: Shape) -> dict[str, float]:
    found = [(theirs, getattr(field, ours, None)) for ours, theirs in _BOUNDS.items()]
    # pydantic bounds whole numbers by whole ones only.
    rounded = _ROUNDED if isinstance(field, shapes.Number) and field.is_whole else {}
    return {name: rounded[name](value) if name in rounded else value for name, value in found if value is not None}


def _marks_secret(shape: Shape) -> bool:
    """Tell whether a value is a secret, or what a list or a dictionary of them holds; objects have their own fields."""
    match shape:
        case shapes.Union(branches=parts):
            return shape.is_secret or any(_marks_secret(part) for part in parts)
        case shapes.Array(item=part) | shapes.Dictionary(values=part):
            return shape.is_secret or _marks_secret(part)
    return shape.is_secret


def python_type(shape: Shape, of_object: Callable[[shapes.Object], Any] = lambda _: dict) -> Any:
    """Give the Python type of what a shape takes, by ``of_object`` of an object with named fields; ``Any`` for none."""
    kind = _plain_type(shape, of_object)
    return Optional[kind] if shape.nullable else kind  # noqa: UP045 (kind is a value)


def _plain_type(shape: Shape, of_object: Callable[[shapes.Object], Any]) -> Any:
    match shape:
        case shapes.Const(value=value):
            return _one_of((value,))
        case shapes.Choice(values=values):
            return _one_of(values)
        case shapes.Boolean():
            return bool
        case shapes.Number(is_whole=is_whole):
            return int if is_whole else float
        case shapes.Text():
            return str
        case shapes.Tuple() | shapes.Json(kind="array") | shapes.Array(item=shapes.Json(kind="", nullable=False)):
            return list
        case shapes.Array(item=item):
            return list[python_type(item, of_object)]  # type: ignore[misc]
        case shapes.Dictionary(values=values):
            return dict[str, python_type(values, of_object)]  # type: ignore[misc]
        case shapes.Json(kind="object") | shapes.Object(fields=()):
            return dict
        case shapes.Object():
            return of_object(shape)
        case shapes.Union(branches=branches):
            return typing.Union[tuple(python_type(branch, of_object) for branch in branches)]  # noqa: UP007 (the types are values)
    return Any


def _nested(shape: shapes.Object, depth: int) -> type[Any]:
    return _model(shape, shape.fields, shape.name.title(), depth) if depth > 0 else dict


def _one_of(values: Sequence[Any]) -> Any:
    """The type of a choice; values that have no literals, such as lists, are judged by the server."""
    return Literal[tuple(values)] if all(_has_literal(each) for each in values) else Any


def _has_literal(value: Any) -> bool:
    # pydantic before 2.8 takes no integers beyond 64 bits.
    return isinstance(value, (str, type(None))) or (isinstance(value, int) and -(2**63) <= value < 2**63)


def python_names(names: Sequence[str]) -> dict[str, str]:
    """Name fields so that Python can write them and pydantic does not use the names itself: each by a name of its own.

    Who need not be renamed keeps its name; none is called as another one is on the wire.
    """
    made = {name: name for name in names if _python_name(name) == name}
    for name in names:
        if name in made:
            continue
        first = wanted = _python_name(name)
        number = 2
        while wanted in names or wanted in made.values():
            wanted = f"{first.rstrip('_')}_{number}"
            number += 1
        made[name] = wanted
    return made


def _python_name(name: str) -> str:
    # Python reads names in this normal form, and so takes two that differ only in it for one.
    made = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name)).lstrip("_") or "field"
    if not made.isidentifier():
        made = f"field_{made}"
    return f"{made}_" if keyword.iskeyword(made) or made in _TAKEN else made


def _class_name(title: str) -> str:
    made = re.sub(r"\W", "", title)
    return made if made.isidentifier() else "Action"
