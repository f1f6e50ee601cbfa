"""What the fields of an action take, in a word or a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openenv_notebook.schema.reader import action_fields, branches_of
from openenv_notebook.values.text import one_line

_NAMES = {"integer": "int", "number": "float", "string": "text", "boolean": "bool", "array": "list"}
_MOST_VALUES, _MOST_FIELDS, _MOST_BRANCHES, _DEEPEST = 6, 6, 3, 3
_LONGEST = 40


def fields_line(schema: Mapping[str, Any] | None) -> str:
    """Write an action's fields in a line, such as ``column: int · game: text?``.

    Args:
        schema: The action's JSON Schema, or None.

    Returns:
        At most six fields, the optional ones with a question mark; "" where none are known.
    """
    fields = [field for field in action_fields(schema or {}) if not field.is_fixed and field.name != "metadata"]
    shown = [
        f"{_short(field.name)}: {kind(field.schema)}{'' if field.required else '?'}" for field in fields[:_MOST_FIELDS]
    ]
    return " · ".join(shown + (["…"] if len(fields) > _MOST_FIELDS else []))


def kind(schema: Mapping[str, Any], depth: int = 0) -> str:
    """Name what a field takes: its values if there are few, else its type.

    Args:
        schema: The field's JSON Schema, however it is made.
        depth: How many unions it stands in.

    Returns:
        A few words, clean.
    """
    values = schema.get("enum")
    if isinstance(values, (list, tuple)) and values:
        more = "|…" if len(values) > _MOST_VALUES else ""
        return "|".join(_short(value) for value in values[:_MOST_VALUES]) + more
    kinds = [branch for branch in branches_of(schema) if branch.get("type") != "null"]
    if kinds and depth < _DEEPEST:
        return " or ".join(dict.fromkeys(kind(branch, depth + 1) for branch in kinds[:_MOST_BRANCHES]))
    name = schema.get("type", "any")
    return _NAMES.get(name, _short(name)) if isinstance(name, str) else "any"


def _short(value: Any) -> str:
    text = str(value)[: 2 * _LONGEST]
    return one_line(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
