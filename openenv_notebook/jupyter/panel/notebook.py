"""How a panel finds its place in a notebook, and leaves it."""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.values import front_end
from openenv_notebook.values.errors import MisuseError

_by_cell: dict[Hashable, tuple[Hashable, weakref.WeakSet[Any]]] = {}


def begin(panel: Any) -> None:
    """Note which cell makes a panel; those of an earlier run of the same cell are closed."""
    owner = front_end.current_owner()
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
    twins = (client, client.async_client)
    names = [name for name, value in list(namespace.items()) if any(value is twin for twin in twins)]
    names = [name for name in names if not name.startswith("_")]
    return names[0] if names else "env"


def value_of(shell: Any, name: str) -> Any:
    """Give the value of a variable; raises MisuseError where there is none of that name."""
    namespace: Mapping[str, Any] = shell.user_ns if shell is not None else {}
    if name not in namespace:
        hint = f'give it a value in a cell first; the text itself is "${name}"'
        raise MisuseError(f"${name} is no variable of this notebook", hint=hint)
    return namespace[name]


def after_each_cell(shell: Any, callback: Callable[[], object]) -> Callable[[], None]:
    """Have a function called after each cell of a shell, if there is one; gives a function that ends it."""
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
    """Tell whether this kernel hands clicks over between cells only: it has no thread that could do it meanwhile."""
    kernel = getattr(get_ipython(), "kernel", None)
    return kernel is not None and getattr(kernel, "shell_channel_thread", None) is None


def free_path(title: str) -> Path:
    """Find a file name that is not taken, beside the notebook."""
    word = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower()[:40] or "episodes"
    stem = f"{word}-{time.strftime('%Y%m%d-%H%M%S')}"
    paths = (Path(f"{stem}{'' if number == 0 else f'-{number}'}.jsonl") for number in range(1000))
    return next(path for path in paths if not path.exists())
