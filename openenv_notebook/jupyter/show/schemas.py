"""What an environment takes: schemas of actions and lists of tools -> blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.show.blocks import Block, Column, Fields, Fold, Span, Stack, Table, line
from openenv_notebook.schema.action import SELDOM, action_fields
from openenv_notebook.schema.describe import bounds, hides_default, kind, signature
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import ABSENT, Const, Shape
from openenv_notebook.schema.tool import Tool, arguments_of
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.secrets import HIDDEN
from openenv_notebook.values.text import cut, one_line

_MOST_FIELDS, _MOST_TOOLS, _MOST_ARGUMENTS = 30, 40, 12
_LONGEST = 240
_FIELD_COLUMNS = (
    Column("field", is_code=True),
    Column("type", is_code=True),
    Column("required"),
    Column("default", is_code=True),
    Column("bounds", is_code=True),
    Column("description"),
)


def is_schema(value: Any) -> bool:
    """Tell whether a value is the JSON Schema of an object."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("properties", {}), Mapping)
        and value.get("type", "object") == "object"
        and any(key in value for key in ("properties", "oneOf", "anyOf", "$ref"))
    )


def is_schemas(value: Any) -> bool:
    """Tell whether a value is what ``env.schema()`` returns."""
    return (
        isinstance(value, Mapping)
        and {"action", "observation"} <= value.keys()
        and all(isinstance(part, Mapping) for part in value.values())
        and is_schema(value["action"])
    )


def of_schemas(schemas: Mapping[str, Any]) -> Block:
    """Describe an environment's schemas: the action's fields, the others folded."""
    blocks: list[Block] = [of_schema(schemas["action"])]
    for name, schema in schemas.items():
        if name != "action" and is_schema(schema):
            shape = action_shape(schema)
            blocks.append(Fold(f"{name}: {len(action_fields(shape))} fields", _of_fields(shape, name)))
    return Stack(tuple(blocks))


def of_schema(schema: Mapping[str, Any]) -> Block:
    """Describe the fields of an action's JSON Schema below its name, a row each; empty columns are left out."""
    return _of_fields(action_shape(schema), "action")


def _of_fields(shape: Shape, title: str) -> Block:
    fields = action_fields(shape)
    count = Span("  1 field" if len(fields) == 1 else f"  {len(fields)} fields", "muted")
    head = line(Span(cut(shape.title or title, _LONGEST), "strong"), count)
    if not fields:
        return head
    # What must be given comes first, what is sent along last.
    ordered = sorted(fields, key=lambda field: (field.name == SELDOM, not field.required))
    table = _without_empty(Table(_FIELD_COLUMNS, tuple(map(_row, ordered[:_MOST_FIELDS]))))
    more = len(fields) - _MOST_FIELDS
    return Stack((head, table, *((line(Span(f"{more} more fields", "muted")),) if more > 0 else ())))


def _row(field: Shape) -> tuple[str, ...]:
    default = ""
    if isinstance(field, Const):
        default = f"always {short_repr(field.value)}"
    elif field.default is not ABSENT:
        default = HIDDEN if hides_default(field) else short_repr(field.default)
    description, required = " ".join(field.description.split()), "yes" if field.required else "no"
    cells = (field.name, kind(field), required, default, one_line(", ".join(bounds(field))), description)
    return tuple(cut(cell, _LONGEST) for cell in cells)


def of_tools(tools: Sequence[Tool]) -> Block:
    """Describe tools, a row each."""
    if not tools:
        return line(Span("no tools", "muted"))
    columns = (Column("tool", is_code=True), Column("arguments", is_code=True), Column("description"))
    table = Table(columns, tuple(map(_tool_row, tools[:_MOST_TOOLS])))
    more = len(tools) - _MOST_TOOLS
    return Stack((table, line(Span(f"{more} more tools", "muted")))) if more > 0 else table


def _tool_row(tool: Tool) -> tuple[str, ...]:
    fields = sorted(action_fields(arguments_of(tool)), key=lambda field: not field.required)
    arguments = signature(fields, _MOST_ARGUMENTS, ", ") or "none"
    return tuple(cut(cell, _LONGEST) for cell in (tool.name, arguments, " ".join(tool.description.split())))


def of_tool(tool: Tool) -> Block:
    """Describe a tool and its arguments."""
    about = line(cut(" ".join(tool.description.split()), 1000))
    head, arguments = line(Span(tool.name, "strong")), arguments_of(tool)
    if not action_fields(arguments):
        return Stack((head, about))
    return Stack((head, about, Fields((("arguments", _of_fields(arguments, "object")),))))


def _without_empty(table: Table) -> Table:
    kept = [place for place in range(len(table.columns)) if place == 0 or any(row[place] for row in table.rows)]
    return Table(
        tuple(table.columns[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in table.rows)
    )
