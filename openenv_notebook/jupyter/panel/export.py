"""What is taken out of a panel: the episode as a program, the record as a file."""

from __future__ import annotations

import os
import secrets
import shutil
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
        raise MisuseError("there is nothing to save yet", hint="env.reset(), or the panel's Reset, begins an episode")
    target = Path(path) if path is not None else notebook.free_path(state.title)
    _write_whole(target, "".join(f"{episode.to_jsonl()}\n" for episode in episodes).encode())
    return target


def _write_whole(path: Path, data: bytes) -> None:
    """Write beside a file and put that in its place: an earlier one is there until all of the new one is.

    Raises OSError, which says that nothing was lost.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # A device or a pipe, or a folder, which says so.
        return
    # A link stays one.
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, beside)
        beside.replace(place)
    except OSError as error:
        told = f"{error.strerror}; nothing was written, and an earlier file is as it was; save into another folder"
        raise OSError(error.errno, told, str(path)) from error
    finally:
        beside.unlink(missing_ok=True)
