"""Loading into an IPython shell, and leaving it as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from openenv_notebook.jupyter.live_line import LiveLine
from openenv_notebook.jupyter.magic import completion
from openenv_notebook.jupyter.magic.magics import OpenEnvMagics
from openenv_notebook.jupyter.magic.workspace import Workspace
from openenv_notebook.jupyter.show import formatters
from openenv_notebook.jupyter.versions import openenv_version, untested
from openenv_notebook.values import front_end
from openenv_notebook.values.front_end import FrontEnd, Owner

_MAGIC = "openenv"
# What completes in each shell that has the magics.
_loaded: dict[int, Any] = {}


def load(shell: InteractiveShell) -> None:
    """Give a shell the magics; a second time does nothing."""
    if id(shell) in _loaded:
        return
    workspace = Workspace(shell)
    shell.register_magics(OpenEnvMagics(shell, workspace))
    _loaded[id(shell)] = completion.install(shell, workspace)
    front_end.install(FrontEnd(_owner_of(shell), lambda: LiveLine(shell), _cell_of(shell)))
    shell.events.register("post_run_cell", _after_cell)
    formatters.register(shell)
    if outside := untested(openenv_version()):
        print(f"openenv: {outside}")


def unload(shell: InteractiveShell) -> None:
    """Take the magics away; clients stay as they are, bound to their names."""
    if id(shell) not in _loaded:
        return
    completion.remove(shell, _loaded.pop(id(shell)))
    front_end.install(None)
    shell.events.unregister("post_run_cell", _after_cell)
    formatters.unregister(shell)
    manager = shell.magics_manager
    for kind in ("line", "cell"):
        manager.magics[kind].pop(_MAGIC, None)
    manager.registry.pop(OpenEnvMagics.__name__, None)
    shell.configurables[:] = [item for item in shell.configurables if not isinstance(item, OpenEnvMagics)]


def _after_cell(result: Any = None) -> None:
    """Say that a cell was interrupted: what it began in the background ends with it."""
    error = getattr(result, "error_in_exec", None)
    if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
        front_end.interrupted(error)


def _cell_of(shell: Any) -> Callable[[str], str | None]:
    """Name the cell that a file holds, as the shell's own tracebacks do (IPython 8 or later)."""

    def cell_of(file: str) -> str | None:
        named = getattr(shell.compile, "format_code_name", lambda file: None)(file)
        return " ".join(named) if named is not None else None

    return cell_of


def _owner_of(shell: Any) -> Callable[[], Owner | None]:
    """Name the cell that runs, by the front end's id for it, else by its text."""

    def owner() -> Owner | None:
        parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
        cell = (parent or {}).get("metadata", {}).get("cellId")
        inputs = shell.user_ns.get("In") or [""]
        return Owner(cell or inputs[-1], shell.execution_count)

    return owner
