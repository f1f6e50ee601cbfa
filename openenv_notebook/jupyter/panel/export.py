"""What is taken out of a panel: the episode as a program, the record as a file."""

from __future__ import annotations

from pathlib import Path

from openenv_notebook.client.connect import target_of
from openenv_notebook.jupyter.magic.python_twin import episode_code
from openenv_notebook.jupyter.panel import notebook
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.values.errors import MisuseError


def as_program(state: State) -> str:
    """Write the episode as a program with the real values; secrets are read from the environment."""
    return episode_code(state.name, target_of(state.client), state.client.episode)


def save(state: State, path: str | Path | None = None) -> Path:
    """Write all episodes into a file, one JSON line each, by default into a new one; gives its path."""
    episodes = state.client.episodes
    if not episodes:
        raise MisuseError("there is nothing to save yet", hint="Reset begins an episode")
    target = Path(path) if path is not None else notebook.free_path(state.title)
    target.write_text("".join(f"{episode.to_jsonl()}\n" for episode in episodes), encoding="utf-8")
    return target
