"""What an environment takes: schemas of actions and lists of tools -> blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.show.blocks import Block, Column, Fields, Fold, Span, Stack, Table, line
from openenv_notebook.jupyter.show.fields import kind
from openenv_notebook.schema.reader import Field, action_fields
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.secrets import HIDDEN, hides, is_secret_schema

_MOST_FIELDS, _MOST_TOOLS = 30, 40
_LONGEST = 240
_FIELD_COLUMNS = (
    Column("field", is_code=True),
    Column("type", is_code=True),
    Column("required"),
    Column("default", is_code=True),
    Column("bounds", is_code=True),
    Column("description"),
)
_BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "multipleOf": "multiple of {}",
    "minLength": "at least {} long",
    "maxLength": "at most {} long",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
    "format": "{}",
}


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
            blocks.append(Fold(f"{name}: {len(action_fields(schema))} fields", of_schema(schema)))
    return Stack(tuple(blocks))


def of_schema(schema: Mapping[str, Any]) -> Block:
    """Describe the fields of an action, a row each; columns where nothing stands are left out.

    Args:
        schema: The action's JSON Schema.

    Returns:
        Its name and a table: name, type, required, default, bounds, description.
    """
    fields = action_fields(schema)
    title = _cut(str(schema.get("title") or "action"))
    head = line(Span(title, "strong"), Span("  1 field" if len(fields) == 1 else f"  {len(fields)} fields", "muted"))
    if not fields:
        return head
    # What must be given comes first, what is sent along last.
    ordered = sorted(fields, key=lambda field: (field.name == "metadata", not field.required))
    table = _without_empty(Table(_FIELD_COLUMNS, tuple(map(_row, ordered[:_MOST_FIELDS]))))
    more = len(fields) - _MOST_FIELDS
    return Stack((head, table, *((line(Span(f"{more} more fields", "muted")),) if more > 0 else ())))


def _row(field: Field) -> tuple[str, ...]:
    schema = field.schema
    default = ""
    if field.is_fixed:
        default = f"always {short_repr(schema['const'])}"
    elif "default" in schema:
        is_hidden = is_secret_schema(schema) or hides(field.name, schema["default"])
        default = HIDDEN if is_hidden else short_repr(schema["default"])
    description = " ".join(str(schema.get("description") or "").split())
    required = "yes" if field.required else "no"
    cells = (field.name, kind(schema), required, default, bounds(schema), description)
    return tuple(map(_cut, cells))


def bounds(schema: Mapping[str, Any]) -> str:
    """Write what a field's values are bounded by: ``≥ 0, ≤ 6``."""
    branches = schema.get("anyOf")
    parts = [schema, *(branches if isinstance(branches, list) else ())]
    found = [
        text.format(short_repr(part[key]) if key == "pattern" else part[key])
        for part in parts
        if isinstance(part, Mapping)
        for key, text in _BOUNDS.items()
        if isinstance(part.get(key), (int, float, str))
    ]
    return ", ".join(found)


def of_tools(tools: Sequence[Tool]) -> Block:
    """Describe tools, a row each."""
    if not tools:
        return line(Span("no tools", "muted"))
    columns = (Column("tool", is_code=True), Column("arguments", is_code=True), Column("description"))
    rows = [(_cut(tool.name), _arguments(tool), _cut(" ".join(tool.description.split()))) for tool in tools]
    table = Table(columns, tuple(rows[:_MOST_TOOLS]))
    more = len(tools) - _MOST_TOOLS
    return Stack((table, line(Span(f"{more} more tools", "muted")))) if more > 0 else table


def _arguments(tool: Tool) -> str:
    fields = sorted(action_fields(tool.input_schema), key=lambda field: not field.required)
    shown = [f"{field.name}: {kind(field.schema)}{'' if field.required else '?'}" for field in fields[:12]]
    return _cut(", ".join(shown) + (", …" if len(fields) > 12 else "")) or "none"


def of_tool(tool: Tool) -> Block:
    """Describe a tool and its arguments."""
    about = line(_cut(" ".join(tool.description.split()), 1000))
    head = line(Span(tool.name, "strong"))
    if not tool.input_schema.get("properties"):
        return Stack((head, about))
    return Stack((head, about, Fields((("arguments", of_schema({"title": "object", **tool.input_schema})),))))


def _without_empty(table: Table) -> Table:
    kept = [place for place in range(len(table.columns)) if place == 0 or any(row[place] for row in table.rows)]
    return Table(
        tuple(table.columns[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in table.rows)
    )


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
