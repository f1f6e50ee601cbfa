"""Values -> text. Pure: nothing here asks a server, a shell or a clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openenv_notebook.schema import action_fields
from openenv_notebook.servers import Server
from openenv_notebook.sync_client import SyncEnvClient

START = """nothing is connected; to start:
  %openenv demo grid                 a small environment served in this notebook
  %openenv connect localhost:8000    a server that runs
  %openenv connect owner/name        a Space of the Hugging Face Hub"""


def fields_line(schema: Mapping[str, Any] | None) -> str:
    """Write an action's fields in a line, such as ``column: int · game: text?``.

    Args:
        schema: The action's JSON Schema, or None.

    Returns:
        At most six fields, the optional ones with a question mark; "" where none are known.
    """
    fields = [field for field in action_fields(schema or {}) if not field.is_fixed and field.name != "metadata"]
    shown = [f"{field.name}: {kind(field.schema)}{'' if field.required else '?'}" for field in fields[:6]]
    return " · ".join(shown + (["…"] if len(fields) > 6 else []))


def kind(schema: Mapping[str, Any]) -> str:
    """Name what a field takes: its values if there are few, else its type."""
    values = schema.get("enum")
    if values:
        return "|".join(str(value) for value in values[:6]) + ("|…" if len(values) > 6 else "")
    names = {"integer": "int", "number": "float", "string": "text", "boolean": "bool", "array": "list"}
    branches = [branch for branch in schema.get("anyOf", ()) if branch.get("type") != "null"]
    if branches:
        return " or ".join(kind(branch) for branch in branches[:3])
    return names.get(str(schema.get("type")), str(schema.get("type", "any")))


def client_line(name: str, client: SyncEnvClient[Any, Any, Any], *, current: bool) -> str:
    """Write a client in a line: name, state, address, episode, return, what is owed."""
    parts = [client.status, client.base_url or "no server yet"]
    episode = client.episode
    if len(episode):
        state = "done" if episode.done else "open"
        parts.append(
            f"episode {len(client.episodes)} {state}, {steps(episode.length)}, return {episode.total_reward:g}"
        )
    if client.activity:
        parts.append(client.activity)
    return f"{'*' if current else ' '} {name}: {' · '.join(parts)}"


def next_line(client: SyncEnvClient[Any, Any, Any]) -> str:
    """Say what can be done next with a client."""
    if client.status == "closed":
        return "next: %openenv connect TARGET"
    if client.status == "lost" or not len(client.episode) or client.done:
        return "next: %openenv reset"
    return "next: %openenv step …"


def result_line(client: SyncEnvClient[Any, Any, Any]) -> str:
    """Say that an episode has ended; "" while it goes on."""
    if not client.done:
        return ""
    episode = client.episode
    return f"done · return {episode.total_reward:g} · {steps(episode.length)}"


def steps(number: int) -> str:
    """Write a number of steps."""
    return "1 step" if number == 1 else f"{number} steps"


def schema_text(schema: Mapping[str, Any]) -> str:
    """Write an action's fields as a table.

    Args:
        schema: The action's JSON Schema.

    Returns:
        A line a field: its name, type, whether it is required, its default, its description.
    """
    rows = [("field", "type", "", "")]
    for field in action_fields(schema):
        default = f"default {field.schema['default']!r}" if "default" in field.schema else ""
        about = " ".join(str(field.schema.get("description", "")).split())[:80]
        fixed = f"always {field.schema['const']!r}" if field.is_fixed else ""
        rows.append((field.name, kind(field.schema), fixed or ("required" if field.required else default), about))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def server_line(name: str, server: Server) -> str:
    """Write a server in a line: what it serves, where, and its sessions as far as they are known."""
    if not server.running:
        return f"server of {name}: {server.name}, stopped"
    active, maximum = server.sessions_active, server.sessions_maximum
    sessions = f" · {active} of {maximum} sessions" if active is not None and maximum is not None else ""
    return f"server of {name}: {server.name} · {server.url}{sessions}"
