"""What an action is made of: its fields, its constants, and the one field that a bare value is for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from openenv_notebook.schema.check import same
from openenv_notebook.schema.shapes import Choice, Const, Object, Shape, Text, Union

# Every action of OpenEnv has this field, and hardly ever does it matter.
SELDOM = "metadata"


def action_fields(action: Shape | None) -> Sequence[Shape]:
    """List the fields of an action in their order; none where nobody knows what it may look like.

    Of a union, the fields of all its branches, each required only where every branch requires it; what is another
    constant in each branch is a choice between them.
    """
    if not isinstance(action, Union):
        return action.fields if isinstance(action, Object) else ()
    found: dict[str, list[Shape]] = {}
    branches = [branch for branch in action.branches if isinstance(branch, Object) and branch.fields]
    for branch in branches:
        for field in branch.fields:
            found.setdefault(field.name, []).append(field)
    return [_joined(parts, len(branches)) for parts in found.values()]


def _joined(parts: list[Shape], branches: int) -> Shape:
    """Put together the fields of one name in the branches of a union."""
    required = len(parts) == branches and all(part.required for part in parts)
    first, constants = parts[0], [part.value for part in parts if isinstance(part, Const)]
    if isinstance(first, Const) and not all(same(constant, first.value) for constant in constants):
        return Choice(name=first.name, description=first.description, values=tuple(constants), required=required)
    return dataclasses.replace(first, required=required)


def given_fields(action: Shape | None) -> list[Shape]:
    """List the fields that a person gives: all but the constants and metadata."""
    return [field for field in action_fields(action) if not isinstance(field, Const) and field.name != SELDOM]


def only_required_field(action: Shape | None) -> Shape | None:
    """Find the field that a bare value is meant for: the only one required, constants and metadata aside, or None."""
    required = [field for field in given_fields(action) if field.required]
    return required[0] if len(required) == 1 else None


def constants(action: Shape | None) -> dict[str, Any]:
    """Give the constants that must be sent, by the names of their fields."""
    return {field.name: field.value for field in action_fields(action) if isinstance(field, Const) and field.required}


def named(action: Shape | None, value: Any) -> dict[str, Any] | None:
    """Make an action of a bare value: under the only required field, the constants beside it; None without one."""
    only = only_required_field(action)
    return None if only is None else {**constants(action), only.name: value}


def takes_text(field: Shape) -> bool:
    """Tell whether a field takes text and nothing else that characters could mean."""
    match field:
        case Const(value=value):
            return isinstance(value, str)
        case Choice(values=values):
            return not field.nullable and all(isinstance(value, str) for value in values)
        case Union(branches=branches):
            return all(takes_text(branch) for branch in branches)
    return isinstance(field, Text)


def holds_secret(shape: Shape) -> bool:
    """Tell whether a schema marks a value, or anything in it, as secret."""
    return shape.is_secret or any(holds_secret(part) for part in shape.parts)
