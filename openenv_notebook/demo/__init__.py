"""Small environments for tutorials and tests. They need no server but the embedded one."""

from __future__ import annotations

from typing import Any

from openenv_notebook.attributes import nearest
from openenv_notebook.demo.echo import EchoEnvironment
from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.demo.grid import GridEnvironment
from openenv_notebook.demo.guess import GuessEnvironment
from openenv_notebook.errors import InvalidTarget

AnyDemo = DemoEnvironment[Any, Any, Any]

DEMOS: dict[str, type[AnyDemo]] = {
    "echo": EchoEnvironment,
    "grid": GridEnvironment,
    "guess": GuessEnvironment,
}


def demo_names() -> list[str]:
    """List the names of the demos, sorted."""
    return sorted(DEMOS)


def find_demo(name: str) -> type[AnyDemo]:
    """Find a demo environment by its name.

    Args:
        name: One of :func:`demo_names`, in any case.

    Returns:
        Its class.

    Raises:
        InvalidTarget: There is none of that name.
    """
    found = DEMOS.get(name.strip().lower())
    if found is None:
        known = ", ".join(demo_names())
        raise InvalidTarget(
            f"demo:{name}",
            f"there is no demo named {name!r} (known: {known}){nearest(name.strip().lower(), DEMOS)}",
            hint="try demo:grid",
        )
    return found
