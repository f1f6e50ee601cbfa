"""Loading into an IPython shell, and leaving it as it was."""

from __future__ import annotations

import asyncio
import linecache
import re
from ast import literal_eval
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from IPython.core.interactiveshell import InteractiveShell

from openenv_notebook.jupyter.live_line import LiveLine
from openenv_notebook.jupyter.magic import completion
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.magics import OpenEnvMagics
from openenv_notebook.jupyter.magic.workspace import Workspace
from openenv_notebook.jupyter.show import formatters
from openenv_notebook.jupyter.versions import openenv_version, untested
from openenv_notebook.values import front_end
from openenv_notebook.values.front_end import FrontEnd, Owner

_MAGIC = "openenv"
_TEXT = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_MAGIC_CALL = re.compile(rf"get_ipython\(\)\.run_(line|cell)_magic\({_TEXT}, {_TEXT}(?:, {_TEXT})?\)")
# What completes in each shell that has the magics.
_loaded: WeakKeyDictionary[InteractiveShell, Any] = WeakKeyDictionary()
# What is current there, which servers run, what was said: %reload_ext takes the magics away and changes nothing of it.
_contexts: WeakKeyDictionary[InteractiveShell, Context] = WeakKeyDictionary()


def load(shell: InteractiveShell) -> None:
    """Give a shell the magics; a second time does nothing."""
    if shell in _loaded:
        return
    context = _contexts.setdefault(shell, Context(Workspace(shell)))
    shell.register_magics(OpenEnvMagics(shell, context))
    _loaded[shell] = completion.install(shell, context.workspace)
    front_end.install(FrontEnd(_owner_of(shell), lambda: LiveLine(shell), _cell_of(shell), _as_typed))
    shell.events.register("post_run_cell", _after_cell)
    formatters.register(shell)
    if outside := untested(openenv_version()):
        print(f"openenv: {outside}")


def unload(shell: InteractiveShell) -> None:
    """Take the magics away; clients, servers and the choice of one stay as they are, for when they are loaded again."""
    if shell not in _loaded:
        return
    completion.remove(shell, _loaded.pop(shell))
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
    """Name the cell that a file holds, as the shell's own tracebacks do."""

    def cell_of(file: str) -> str | None:
        named = getattr(shell.compile, "format_code_name", found_among_inputs)(file)
        return " ".join(named) if named is not None else None

    def found_among_inputs(file: str) -> tuple[str, str] | None:
        """Find it by its text: IPython before 8 forgets which cell a file was made of."""
        if "ipykernel_" not in file and "<ipython-input-" not in file:
            return None
        text = "".join(linecache.getlines(file)).strip()
        inputs = list(enumerate(shell.user_ns.get("In") or ()))
        return next((("Cell", f"In[{number}]") for number, cell in reversed(inputs) if cell.strip() == text), None)

    return cell_of


def _as_typed(line: str) -> str:
    """Give a line of a magic as it was typed; IPython runs it as a call."""

    def typed(call: re.Match[str]) -> str:
        name, rest = (literal_eval(call[each]) for each in (2, 3))
        return f"{'%%' if call[1] == 'cell' else '%'}{name} {rest}".rstrip()

    return _MAGIC_CALL.sub(typed, line)


def _owner_of(shell: Any) -> Callable[[], Owner | None]:
    """Name the cell that runs, by the front end's id for it, else by its text."""

    def owner() -> Owner | None:
        parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
        cell = (parent or {}).get("metadata", {}).get("cellId")
        inputs = shell.user_ns.get("In") or [""]
        return Owner(cell or inputs[-1], shell.execution_count)

    return owner
