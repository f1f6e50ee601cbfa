"""Small environments for tutorials and tests. They need no server but the embedded one."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from openenv_notebook.values.errors import InvalidTarget
from openenv_notebook.values.text import nearest

if TYPE_CHECKING:
    from openenv_notebook.demo.environment import DemoEnvironment

    AnyDemo = DemoEnvironment[Any, Any, Any]

# A demo is loaded when it is played: their names alone are asked for by every Tab.
DEMOS: dict[str, str] = {"echo": "EchoEnvironment", "grid": "GridEnvironment", "guess": "GuessEnvironment"}


def demo_names() -> list[str]:
    """List the names of the demos, sorted."""
    return sorted(DEMOS)


def find_demo(name: str) -> type[AnyDemo]:
    """Find the class of a demo by its name, in any case; raises InvalidTarget where there is none of that name."""
    module = name.strip().lower()
    if module not in DEMOS:
        known = ", ".join(demo_names())
        raise InvalidTarget(
            f"demo:{name}",
            f"there is no demo named {name!r} (known: {known}){nearest(module, DEMOS)}",
            hint="try demo:grid",
        )
    found: type[AnyDemo] = getattr(importlib.import_module(f"openenv_notebook.demo.{module}"), DEMOS[module])
    return found
