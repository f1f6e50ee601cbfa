"""Panels without a kernel and without a browser, on a scripted far end, and a person's hands on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from support.panel_hands import PanelHands
from traitlets.config import Config

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import attribute_dict

Env = SyncEnvClient[Any, Any, Any]
MakePanel = Callable[..., PanelHands]
PanelOf = Callable[..., PanelHands]


@pytest.fixture
def make_panel() -> Iterator[MakePanel]:
    """Makes panels, and gives the hands on them; they are closed in the end."""
    made: list[Panel] = []

    def make(env: Any, **settings: Any) -> PanelHands:
        # Nobody is asked for it.
        env.known.name = env.known.name or "scripted"
        made.append(Panel(env, **settings))
        return PanelHands(made[-1])

    yield make
    for panel in made:
        panel.close()


@pytest.fixture
def fresh(make_panel: MakePanel, env: Env) -> PanelHands:
    """Hands on the panel of a client that was not reset."""
    return make_panel(env)


@pytest.fixture
def hands(make_panel: MakePanel, playing: Env) -> PanelHands:
    """Hands on the panel of a client whose environment was reset."""
    return make_panel(playing)


def fields(*names: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    """A schema of required fields of one type."""
    return {"type": "object", "properties": {name: {"type": kind} for name in names} | more, "required": list(names)}


@pytest.fixture
def panel_of(env: Env, make_panel: MakePanel) -> PanelOf:
    """Makes the panel of an environment with a schema of its own, reset."""

    def make(schema: dict[str, Any], tools: list[Tool] | None = None) -> PanelHands:
        env.known.schema = None
        env.known.take_schema(attribute_dict({"action": schema}))
        if tools is not None:
            env.known.take_tools(tools)
        env.reset()
        return make_panel(env)

    return make


@pytest.fixture
def notebook() -> Iterator[InteractiveShell]:
    """The shell of a notebook, for panels made from then on: one that says it has a kernel."""
    InteractiveShell.clear_instance()
    shell: InteractiveShell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.kernel = SimpleNamespace()  # type: ignore[attr-defined]
    yield shell
    InteractiveShell.clear_instance()
