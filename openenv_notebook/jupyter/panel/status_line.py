"""The line at the bottom: what happened, what goes on, and what to do next."""

from __future__ import annotations

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.panel import status_html
from openenv_notebook.jupyter.panel.controller import Controller
from openenv_notebook.jupyter.panel.history import Entry
from openenv_notebook.jupyter.panel.state import State
from openenv_notebook.jupyter.panel.status_html import Said
from openenv_notebook.jupyter.panel.widgets import Put, Widgets
from openenv_notebook.jupyter.show.status_lines import result_line


class StatusLine:
    """Says one thing at a time; on the right, how long the last step took."""

    def __init__(self, put: Put, state: State, controller: Controller) -> None:
        self._put, self._state, self._controller = put, state, controller
        widgets = Widgets()
        self._said, self._took = widgets.html("", "said"), widgets.html("", "took")
        self.row = widgets.row([self._said, self._took], "row", "status")

    def refresh(self, newest: Entry | None) -> None:
        """Say it as it is now; ``newest`` is the newest step of the record."""
        took = f"last step {newest.step.seconds * 1000:.0f} ms" if newest is not None else ""
        self._put(self._said, value=status_html.status(self._now(newest)))
        self._put(self._took, value=status_html.hint(took))

    def _now(self, newest: Entry | None) -> Said:
        state, client = self._state, self._state.client
        doing, rollout = self._controller.background.doing, self._controller.play.rollout
        if doing:
            return Said(f"{doing}… {client.activity}".rstrip())
        if client.status == "closed":
            return Said("the session is closed · %openenv connect, or %openenv demo, opens another")
        if state.said is not None:
            return state.said
        if client.status == "lost":
            lost = conversation_of(client).session.lost
            return Said(f"{lost} · Reset begins a new episode" if lost is not None else "lost", is_bad=True)
        if rollout is not None:
            return Said(f"playing · {rollout.progress}")
        return Said(client.activity or self._next(newest))

    def _next(self, newest: Entry | None) -> str:
        if newest is None:
            return "Reset begins an episode"
        if newest.step.error is not None and newest.step.actor != "person":
            return f"{type(newest.step.error).__name__} · see the log"
        over = result_line(self._state.client)
        return f"{over} · Reset begins another" if over else "Ready. Your move."
