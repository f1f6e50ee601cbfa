"""Panels without a kernel and without a browser, on a scripted far end."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.front_end import shown
from support.waiting import eventually

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.jupyter.panel import Panel

Env = SyncEnvClient[Any, Any, Any]


@pytest.fixture
def make_panel() -> Iterator[Callable[..., Panel]]:
    """Makes panels; they are closed in the end."""
    made: list[Panel] = []

    def make(env: Any, **settings: Any) -> Panel:
        # Nobody is asked for it.
        env.known.name = env.known.name or "scripted"
        panel = Panel(env, **settings)
        made.append(panel)
        panel._publisher.flush_on_events_thread()
        return panel

    yield make
    for panel in made:
        panel.close()


@pytest.fixture
def panel(make_panel: Callable[..., Panel], env: Env) -> Panel:
    """A panel of a client that was not reset."""
    return make_panel(env)


@pytest.fixture
def live(make_panel: Callable[..., Panel], playing: Env) -> Panel:
    """A panel of a client whose environment was reset."""
    return make_panel(playing)


def said(panel: Panel) -> str:
    """The line at the bottom."""
    return str(panel._status._said.value)


def rows(panel: Panel) -> list[str]:
    """The log, the newest step first, blanks folded."""
    return [" ".join(str(row).replace("\u00a0", " ").split()) for row in panel._controller.log._list.options]


def sends(panel: Panel) -> str:
    """What Step would do, as HTML."""
    return str(panel._controller.actions._sends.value)


def seen(panel: Panel) -> str:
    """The observation as it is seen, as text."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", panel._observation._body.value)).split())


def settled(panel: Panel) -> None:
    """Wait until no command is being carried out, and all is written."""
    eventually(lambda: not panel._controller.background.doing, what="the command's end")
    panel._publisher.flush_on_events_thread()


def move(panel: Panel, text: str) -> Any:
    """Find the button of a legal move."""
    return next(each for each in panel._controller.actions._moves._buttons if each.description == text)


def drawn(panel: Panel) -> list[Any]:
    """All widgets of a panel."""
    found: list[Any] = shown(panel.widget)
    return found
