"""A pydantic model made from an action's JSON Schema, so that Tab completes its fields."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from openenv_notebook.schema.reader import action_fields, branches_of, resolved
from openenv_notebook.values.secrets import MaskedModel, is_secret_schema

_PLAIN: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
_BOUNDS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
}
_TAKEN = frozenset(dir(BaseModel))
_DEEPEST = 8


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


def model_from_schema(schema: Mapping[str, Any], name: str = "Action") -> type[SchemaModel]:
    """Make a model of an action.

    Args:
        schema: The action's JSON Schema, as GET /schema gives it.
        name: The model's name, where the schema has no title.

    Returns:
        A model with the action's fields, their types, bounds, defaults and descriptions.
    """
    fields: dict[str, Any] = {}
    # What must be given comes first where Tab completes.
    for field in sorted(action_fields(schema), key=lambda field: not field.required):
        fields[_python_name(field.name)] = _field(field.name, field.schema, schema, required=field.required, depth=0)
    return create_model(_class_name(schema, name), __base__=SchemaModel, **fields)


def _field(name: str, schema: Mapping[str, Any], root: Mapping[str, Any], *, required: bool, depth: int) -> Any:
    kind = _type(schema, root, name, depth)
    settings: dict[str, Any] = {"description": schema.get("description")}
    if _python_name(name) != name:
        settings["alias"] = name
    if is_secret_schema(schema):
        settings["json_schema_extra"] = {"writeOnly": True}
    if "const" in schema:
        return kind, Field(schema["const"], **settings)
    for place in [schema, *(branch for branch in schema.get("anyOf", ()) if isinstance(branch, Mapping))]:
        settings |= {_BOUNDS[key]: value for key, value in place.items() if key in _BOUNDS}
    if required:
        return kind, Field(..., **settings)
    default = schema.get("default")
    return (Optional[kind] if default is None else kind), Field(default, **settings)  # noqa: UP045 (kind is a value)


def _type(schema: Mapping[str, Any], root: Mapping[str, Any], name: str, depth: int) -> Any:
    schema = resolved(schema, root)
    if depth > _DEEPEST:
        return Any
    if "const" in schema:
        return _one_of([schema["const"]])
    if schema.get("enum"):
        return _one_of(schema["enum"])
    branches = branches_of(schema)
    if branches:
        return Union[tuple(_type(branch, root, name, depth + 1) for branch in branches)]  # noqa: UP007
    kind = schema.get("type")
    if isinstance(kind, list):
        return Union[tuple(_type({**schema, "type": each}, root, name, depth + 1) for each in kind)]  # noqa: UP007
    if kind == "array":
        items = schema.get("items")
        return list[_type(items, root, name, depth + 1)] if isinstance(items, Mapping) else list[Any]  # type: ignore[misc]
    if kind == "object":
        return _object(schema, root, name, depth)
    return _PLAIN.get(str(kind), Any)


def _one_of(values: Sequence[Any]) -> Any:
    """The type of a choice; values that have no literals, such as lists, are judged by the server."""
    return Literal[tuple(values)] if all(_has_literal(each) for each in values) else Any


def _has_literal(value: Any) -> bool:
    # pydantic before 2.8 takes no integers beyond 64 bits.
    return isinstance(value, (str, type(None))) or (isinstance(value, int) and -(2**63) <= value < 2**63)


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], name: str, depth: int) -> Any:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        values = schema.get("additionalProperties")
        return dict[str, _type(values, root, name, depth + 1)] if isinstance(values, Mapping) else dict[str, Any]  # type: ignore[misc]
    required = schema.get("required", ())
    fields = {
        _python_name(key): _field(key, resolved(part, root), root, required=key in required, depth=depth + 1)
        for key, part in properties.items()
        if isinstance(part, Mapping)
    }
    return create_model(_class_name(schema, name.title()), __base__=SchemaModel, **fields)


def _python_name(name: str) -> str:
    """Name a field so that Python can write it and pydantic does not use it itself."""
    made = re.sub(r"\W", "_", name).lstrip("_") or "field"
    if made[0].isdigit():
        made = f"field_{made}"
    return f"{made}_" if keyword.iskeyword(made) or made in _TAKEN else made


def _class_name(schema: Mapping[str, Any], name: str) -> str:
    made = re.sub(r"\W", "", str(schema.get("title") or name))
    return made if made.isidentifier() else "Action"
