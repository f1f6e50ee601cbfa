"""Reading the JSON Schema of an environment's actions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True)
class Field:
    """One field of an action.

    Attributes:
        name: Its name on the wire.
        required: True when it must be given.
        schema: Its JSON Schema, with a ``$ref`` at its root, or in a branch of a union there, replaced by
            what it names.
    """

    name: str
    required: bool
    schema: Mapping[str, Any]

    @property
    def is_fixed(self) -> bool:
        """True for a field with one possible value, such as a union's type."""
        return "const" in self.schema


def resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow ``$ref``s inside a document.

    Args:
        schema: A part of it.
        root: The document.

    Returns:
        What the part means; a circle or a reference elsewhere stays as it is.
    """
    seen: set[str] = set()
    while True:
        # pydantic before 2.9 wraps a reference that stands beside a description.
        wrapped = schema.get("allOf")
        if isinstance(wrapped, list) and len(wrapped) == 1 and isinstance(wrapped[0], Mapping):
            schema = {**wrapped[0], **{key: value for key, value in schema.items() if key != "allOf"}}
        reference = schema.get("$ref")
        found = _named(reference, root) if isinstance(reference, str) and reference not in seen else None
        if found is None:
            return schema
        seen.add(str(reference))
        schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}}


def _named(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not reference.startswith("#/"):
        return None
    found: Any = root
    for part in reference[2:].split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def branches_of(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the alternatives of a union; none where it is no union."""
    unions = [schema.get(key) for key in ("anyOf", "oneOf")]
    parts = [part for union in unions if isinstance(union, (list, tuple)) for part in union]
    return [part for part in parts if isinstance(part, Mapping)]


def _objects(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The forms an action may have: the branches of a union, else the schema itself."""
    root = resolved(schema, schema)
    return [resolved(branch, schema) for branch in branches_of(root)] or [root]


_Read = TypeVar("_Read")
_REMEMBERED = 64


def _remembered(read: Callable[[Mapping[str, Any]], _Read]) -> Callable[[Mapping[str, Any]], _Read]:
    """Read a schema once: each step asks it again. The schema is told by its identity."""
    known: dict[int, tuple[Mapping[str, Any], _Read]] = {}

    @functools.wraps(read)
    def remembered(schema: Mapping[str, Any]) -> _Read:
        found = known.get(id(schema))
        if found is None or found[0] is not schema:
            if len(known) >= _REMEMBERED:
                known.clear()
            found = known[id(schema)] = schema, read(schema)
        return found[1]

    return remembered


@_remembered
def action_fields(schema: Mapping[str, Any]) -> list[Field]:
    """List the fields of an action.

    Args:
        schema: The JSON Schema of the action, as GET /schema gives it.

    Returns:
        The fields in their order. Of a union, the fields of all its branches, each
        required only where every branch requires it; what is another constant in each
        branch is a choice between them.
    """
    objects = [item for item in _objects(schema) if isinstance(item.get("properties"), Mapping)]
    fields: dict[str, Field] = {}
    for item in objects:
        for name, part in item["properties"].items():
            required = all(name in other.get("required", ()) for other in objects)
            fields.setdefault(name, Field(name, required, _unfolded(part, schema)))
    return [_choice(field, objects) if field.is_fixed else field for field in fields.values()]


def _unfolded(part: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow the references of a field and of the branches it may have, such as an enum or null."""
    # A schema may be a boolean as well.
    found = dict(resolved(part, root)) if isinstance(part, Mapping) else {}
    for key in ("anyOf", "oneOf"):
        branches = found.get(key)
        if isinstance(branches, list):
            found[key] = [resolved(branch, root) if isinstance(branch, Mapping) else branch for branch in branches]
    return found


def _choice(field: Field, objects: list[Mapping[str, Any]]) -> Field:
    parts = [item["properties"][field.name] for item in objects if field.name in item["properties"]]
    constants = [part["const"] for part in parts if isinstance(part, Mapping) and "const" in part]
    if len(constants) < 2 or all(constant == constants[0] for constant in constants):
        return field
    return Field(field.name, field.required, {"enum": constants})


@_remembered
def takes_any_field(schema: Mapping[str, Any]) -> bool:
    """Tell whether an action may have fields that the schema does not name."""
    return any(not item.get("properties") or bool(item.get("additionalProperties")) for item in _objects(schema))


def only_required_field(schema: Mapping[str, Any]) -> Field | None:
    """Find the field that a bare value is meant for.

    Args:
        schema: The JSON Schema of the action.

    Returns:
        The one required field (const and metadata aside), or None if there is not exactly one.
    """
    required = [field for field in action_fields(schema) if field.required and not field.is_fixed]
    named = [field for field in required if field.name != "metadata"]
    return named[0] if len(named) == 1 else None
