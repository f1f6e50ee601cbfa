"""Better words for an action the server refused: the nearest names of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openenv_notebook.client.actions import option_hint
from openenv_notebook.schema.reader import action_fields
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.text import nearest


def with_suggestions(error: InvalidAction, schema: Mapping[str, Any] | None) -> InvalidAction:
    """Add the nearest names to lines about unknown fields, and the fields there are.

    Args:
        error: The server's refusal.
        schema: The action's schema, or None where the server tells none.

    Returns:
        The same error.
    """
    wrong = error.details.get("errors")
    if not isinstance(wrong, list):
        return error
    if option := option_hint(_unknown(wrong)):
        error.hint = f"{error.hint}{option}" if error.hint else option.removeprefix("; ")
    if schema is None:
        return error
    names = [field.name for field in action_fields(schema) if not field.is_fixed]
    for number, item in enumerate(wrong[: len(error.errors)]):
        place = item.get("loc") if isinstance(item, dict) else None
        if place and len(place) == 1 and item.get("type") == "extra_forbidden":
            name = str(place[0])
            near = "; the server's schema names it" if name in names else nearest(name, names)
            error.errors[number] = f"{name}: no such field{near}"
    if names and (error.hint is None or option):
        error.hint = f"fields: {', '.join(name for name in names if name != 'metadata') or 'none'}{option}"
    return error


def _unknown(wrong: list[Any]) -> list[str]:
    found = [item for item in wrong if isinstance(item, dict) and item.get("type") == "extra_forbidden"]
    return [str(item["loc"][-1]) for item in found if item.get("loc")]
