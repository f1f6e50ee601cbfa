"""Values -> text. Pure: nothing here asks a server, a shell or a clock."""

from __future__ import annotations

from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.servers import Backend, Server
from openenv_notebook.values.errors import NotSupportedHere

START = """nothing is connected; to start:
  %openenv demo grid                 a small environment served in this notebook
  %openenv connect localhost:8000    a server that runs
  %openenv connect owner/name        a Space of the Hugging Face Hub"""


def client_line(name: str, client: SyncEnvClient[Any, Any, Any], *, current: bool) -> str:
    """Write a client in a line: name, state, address, episode, return, what is owed."""
    parts = [client.status, client.base_url or "no server yet"]
    try:
        parts += _record_words(client)
    except NotSupportedHere as error:
        parts.append(str(error))
    return f"{'*' if current else ' '} {name}: {' · '.join(parts)}"


def _record_words(client: SyncEnvClient[Any, Any, Any]) -> list[str]:
    episode, words = client.episode, []
    if len(episode):
        state = "done" if episode.done else "open"
        words.append(
            f"episode {len(client.episodes)} {state}, {steps(episode.length)}, return {episode.total_reward:g}"
        )
    return [*words, client.activity] if client.activity else words


def next_line(client: SyncEnvClient[Any, Any, Any]) -> str:
    """Say what can be done next with a client."""
    if client.status == "closed":
        return "next: %openenv connect TARGET"
    try:
        is_playing = client.status != "lost" and len(client.episode) > 0 and not client.done
    except NotSupportedHere:
        return "next: its own methods, in Python"
    return "next: %openenv step …" if is_playing else "next: %openenv reset"


def result_line(client: SyncEnvClient[Any, Any, Any]) -> str:
    """Say that an episode has ended; "" while it goes on."""
    if not client.done:
        return ""
    episode = client.episode
    return f"done · return {episode.total_reward:g} · {steps(episode.length)}"


def steps(number: int) -> str:
    """Write a number of steps."""
    return "1 step" if number == 1 else f"{number} steps"


def server_line(name: str, server: Server | Backend) -> str:
    """Write a server in a line: what it serves, where, and its sessions as far as they are known."""
    if not server.running:
        return f"server of {name}: {server.name}, stopped"
    active, maximum = server.sessions_active, server.sessions_maximum
    sessions = f" · {active} of {maximum} sessions" if active is not None and maximum is not None else ""
    return f"server of {name}: {server.name} · {server.url}{sessions}"
