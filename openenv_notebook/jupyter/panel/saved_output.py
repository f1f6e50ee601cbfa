"""What a saved notebook keeps of a panel: text, and a still picture of the episode."""

from __future__ import annotations

import contextlib
from typing import Any

from IPython import display

from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.html_look import escape
from openenv_notebook.record.episode import Episode

_LIVE = "to step it by hand: %openenv panel, in a notebook with ipywidgets"


class SavedOutput:
    """An output of its own below the panel. The panel's style sheet hides it while the panel lives."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = ""

    def show(self, bundle: dict[str, str]) -> None:
        """Display it for the first time."""
        make: Any = display.DisplayHandle
        self._handle = make()
        self._last = bundle["text/html"]
        self._handle.display(bundle, raw=True)

    def update(self, bundle: dict[str, str]) -> None:
        """Display another in its place, where it is another."""
        if self._handle is not None and bundle["text/html"] != self._last:
            self._last = bundle["text/html"]
            # A kernel that shuts down has no output any more.
            with contextlib.suppress(Exception):
                self._handle.update(bundle, raw=True)


def publish(bundle: dict[str, Any]) -> None:
    """Display a bundle in the running cell."""
    show: Any = display.display
    show(bundle, raw=True)


def bundle(title: str, episode: Episode, observation_html: str, observation_text: str) -> dict[str, str]:
    """Make the still picture, of a title (name, address, state) and HTML that needs nothing around it, or text."""
    steps_html, steps_text = to_html(episode) or "", to_text(episode) or ""
    text = "\n".join(part for part in (title, observation_text, steps_text if len(episode) else "") if part)
    markup = (
        f'<div class="openenv-still"><div><b>{escape(title)}</b></div>{observation_html}'
        f"{steps_html if len(episode) else ''}<div>{escape(_LIVE)}</div></div>"
    )
    return {"text/html": markup, "text/plain": text}


def view_bundle(widget: Any, title: str) -> dict[str, Any]:
    """Make the bundle that shows the living panel, and says what it was where there is none."""
    view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    return {
        "application/vnd.jupyter.widget-view+json": view,
        "text/html": f"<div>{escape(title)}</div>",
        "text/plain": title,
    }
