"""How a panel finds its place in a notebook, and leaves it."""

from __future__ import annotations

import contextlib
import re
import sys
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openenv_notebook import registry
from openenv_notebook.errors import OpenEnvError
from openenv_notebook.messages import Tool
from openenv_notebook.sync_client import SyncEnvClient

# What is good to know is not worth a longer wait.
_PATIENCE = 3.0
_by_cell: dict[Hashable, tuple[Hashable, weakref.WeakSet[Any]]] = {}


def begin(panel: Any) -> None:
    """Note which cell makes a panel; those of an earlier run of the same cell are closed."""
    owner = registry.current_owner()
    if owner is None:
        return
    run, panels = _by_cell.get(owner.key, (owner.run, weakref.WeakSet[Any]()))
    if run != owner.run:
        for old in list(panels):
            old.close()
        panels = weakref.WeakSet[Any]()
    panels.add(panel)
    _by_cell[owner.key] = (owner.run, panels)


def end(panel: Any) -> None:
    """Forget a panel."""
    for key, (_, panels) in list(_by_cell.items()):
        panels.discard(panel)
        if not panels:
            del _by_cell[key]


def variable_of(client: SyncEnvClient[Any, Any, Any], shell: Any) -> str:
    """Find the variable that holds a client; "env" where none does."""
    namespace: Mapping[str, Any] = shell.user_ns if shell is not None else {}
    names = [name for name, value in list(namespace.items()) if value is client and not name.startswith("_")]
    return names[0] if names else "env"


def title_of(client: SyncEnvClient[Any, Any, Any]) -> str:
    """Ask what the environment is called; "environment" where it does not say."""
    if client.status == "closed":
        return "environment"
    try:
        return str(client.options(timeout=_PATIENCE).metadata().get("name") or "environment")
    except OpenEnvError:
        return "environment"


def action_of(client: SyncEnvClient[Any, Any, Any]) -> tuple[Mapping[str, Any] | None, Sequence[Tool]]:
    """Ask what the environment takes.

    Returns:
        The schema of its actions, None where it tells none; and its tools.
    """
    known = client.known
    schema: Any = known.schema.get("action") if known.schema is not None else None
    if client.status == "closed":
        return schema, known.tools or []
    # Some servers tell none, and the session works without it.
    with contextlib.suppress(OpenEnvError):
        schema = client.options(timeout=_PATIENCE).schema().get("action")
    return (schema if isinstance(schema, Mapping) else None), _tools(client, schema)


def _tools(client: SyncEnvClient[Any, Any, Any], schema: Any) -> Sequence[Tool]:
    """Ask for the tools, where the action says that there may be some: it costs a message otherwise."""
    if client.known.tools is not None:
        return client.known.tools
    if schema is not None and "call_tool" not in str(schema):
        return []
    try:
        return list(client.options(timeout=_PATIENCE).list_tools())
    except OpenEnvError:
        return []


def after_each_cell(shell: Any, callback: Callable[[], object]) -> Callable[[], None]:
    """Have a function called after each cell.

    Args:
        shell: The IPython shell; None does nothing.
        callback: The function.

    Returns:
        A function that ends it.
    """
    if shell is None:
        return lambda: None

    def ended(*_: object) -> None:
        callback()

    shell.events.register("post_run_cell", ended)

    def unregister() -> None:
        if ended in shell.events.callbacks.get("post_run_cell", ()):
            shell.events.unregister("post_run_cell", ended)

    return unregister


def run_of(shell: Any) -> Any:
    """Tell one run of a cell from another; None outside of a notebook."""
    if shell is None:
        return None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return (parent or {}).get("header", {}).get("msg_id") or shell.execution_count


def queues_clicks() -> bool:
    """Tell whether this kernel hands clicks over between cells only: ipykernel before 7."""
    kernel = sys.modules.get("ipykernel")
    return kernel is not None and getattr(kernel, "version_info", (7,)) < (7,)


def free_path(title: str) -> Path:
    """Find a file name that is not taken, beside the notebook."""
    word = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower()[:40] or "episodes"
    stem = f"{word}-{time.strftime('%Y%m%d-%H%M%S')}"
    paths = (Path(f"{stem}{'' if number == 0 else f'-{number}'}.jsonl") for number in range(1000))
    return next(path for path in paths if not path.exists())
