"""The log: one list that arrow keys walk through, pages, and what else may stand in its place."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel import history, status_html
from openenv_notebook.jupyter.panel.history import Entry
from openenv_notebook.jupyter.panel.publisher import Publisher
from openenv_notebook.jupyter.panel.widgets import Handler, Widgets
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.threads import events_thread

_LOG, _PYTHON, _STATE = "log", "python", "state"
_REPLAY_PERIOD = 0.4
_OLD = "before the last steps · press State twice to ask again\n\n"


class LogView:
    """What happened, and which step is looked at.

    ``code`` writes the episode as a program; ``on_state`` is called when the person asks for the state.
    """

    def __init__(self, publisher: Publisher, code: Callable[[], str], on_state: Handler) -> None:
        self._publisher, self._put, self._on_change = publisher, publisher.put, publisher.request
        self._code_now, self._on_state = code, on_state
        self.viewing: Step | None = None
        self._page, self._pages, self._view = 0, 1, _LOG
        self._entries: list[Entry] = []
        self.newest: Entry | None = None
        self._is_replaying, self._replay_number = False, 0
        self._state_text = ""
        self._state_of: Step | None = None
        self._make()

    def _make(self) -> None:
        widgets = Widgets()
        self._list = widgets.make(ipywidgets.Select, "steps", "quiet", options=[], description="Steps", rows=6)
        self._list.observe(self._selected, "index")
        # A continuous one sends back what we wrote, late, when steps come fast.
        self._slider = widgets.make(ipywidgets.IntSlider, "quiet", description="Step looked at", min=0, max=1)
        self._slider.readout = self._slider.continuous_update = False
        self._slider.observe(self._slid, "value")
        # JupyterLab takes the arrow keys from lists and sliders, not from boxes: ↑ and ↓ walk from step to step.
        self._number = widgets.make(ipywidgets.BoundedIntText, "number", "quiet", description="Go to", min=0, max=1)
        self._number.observe(self._slid, "value")
        self._replay = widgets.toggle("Replay", "Show these steps again, one after the other", self._replayed)
        self._viewing = widgets.html("", "viewing")
        self._live = widgets.button("Live", "Look at the newest step again", self.go_live)
        self._older = widgets.button("Older", "The 200 steps before these", lambda: self._turn(1))
        self._newer = widgets.button("Newer", "The 200 steps after these", lambda: self._turn(-1))
        self._python = widgets.toggle("Python", "The episode as a program", lambda on: self._look(_PYTHON, on))
        self._state = widgets.toggle("State", "Ask the environment for its state", lambda on: self._look(_STATE, on))
        self._columns = widgets.html(
            f'<div aria-hidden="true">{html.escape(history.columns(history.HEAD))}</div>', "columns"
        )
        self._code = widgets.make(ipywidgets.Textarea, "code", "quiet", description="Text to copy")
        self._code.layout.display = "none"
        shown = (self._viewing, self._number, self._replay, self._slider, self._live, self._python, self._state)
        head = widgets.row([widgets.heading("Log"), *shown], "row", "log-head")
        self._above = widgets.row([self._columns, self._older, self._newer], "row", "above")
        self.widget = widgets.column([head, self._above, self._list, self._code], "area", "area-log")

    # The person

    def _selected(self, change: dict[str, Any]) -> None:
        place = change["new"]
        if self._publisher.is_writing or place is None or place >= len(self._entries):
            return
        self._look_at(self._entries[place].step)

    def _slid(self, change: dict[str, Any]) -> None:
        if self._publisher.is_writing or not self._entries:
            return
        place = len(self._entries) - 1 - min(max(int(change["new"]), 0), len(self._entries) - 1)
        self._look_at(self._entries[place].step)

    @property
    def _newest_step(self) -> Step | None:
        return self.newest.step if self.newest is not None else None

    def _look_at(self, step: Step) -> None:
        self.viewing = None if step is self._newest_step else step
        self._on_change()

    def go_live(self) -> None:
        """Look at the newest step again."""
        self.viewing, self._page, self._is_replaying = None, 0, False
        self._on_change()

    def _replayed(self, on: bool) -> None:
        if self._publisher.is_writing:
            return
        # A timer of an earlier replay finds another number, and ends.
        self._replay_number += 1
        self._is_replaying = on
        if on and self._entries:
            # From where one looks; live, from the beginning.
            self.viewing = self.viewing or self._entries[-1].step
            self._replay_later(self._replay_number)
        self._on_change()

    def _replay_later(self, number: int) -> None:
        events_thread.after(_REPLAY_PERIOD, lambda: self._replay_next(number))

    def _replay_next(self, number: int) -> None:
        """Look at the step after the one that is looked at, until the newest."""
        if number != self._replay_number or not self._is_replaying:
            return
        place = next((place for place, entry in enumerate(self._entries) if entry.step is self.viewing), 0)
        self._is_replaying = place > 0
        if place > 0:
            self._replay_later(number)
        self._look_at(self._entries[max(place - 1, 0)].step)

    def _turn(self, pages: int) -> None:
        self._page = min(max(0, self._page + pages), self._pages - 1)
        self._on_change()

    def _look(self, view: str, on: bool) -> None:
        if self._publisher.is_writing:
            return
        self._view = view if on else _LOG
        if on and view == _STATE:
            self._on_state()
        self._on_change()

    # What is seen

    def refresh(self, episodes: Sequence[Episode]) -> Entry | None:
        """Show the record, the oldest episode first; gives the entry that is looked at, None for the newest."""
        self._pages = pages = history.pages(episodes)
        # Clicks come on another thread: the page is theirs, and only read here.
        page = min(self._page, pages - 1)
        self._entries = found = history.entries(episodes, page=page)
        self.newest = newest = found[0] if found and page == 0 else next(iter(history.entries(episodes)), None)
        place = next((place for place, entry in enumerate(found) if entry.step is self.viewing), None)
        entry = found[place] if place is not None else None
        if self.viewing is not None and entry is None:
            entry = self._find(episodes)
        at = place if place is not None else (0 if found and page == 0 and self.viewing is None else None)
        self._put(self._list, options=tuple(map(history.row, found)), index=at)
        last = max(len(found) - 1, 1)
        for made in (self._slider, self._number):
            self._put(made, max=last, value=last - (at or 0), disabled=len(found) < 2)
        self._put(self._replay, value=self._is_replaying, disabled=len(found) < 2)
        self._name(entry, newest, page)
        self._show()
        return entry

    def _find(self, episodes: Sequence[Episode]) -> Entry | None:
        """Find what is looked at on another page; what the record has dropped is looked at no more."""
        for page in range(history.pages(episodes)):
            for entry in history.entries(episodes, page=page):
                if entry.step is self.viewing:
                    return entry
        self.viewing = None
        return None

    def _name(self, entry: Entry | None, newest: Entry | None, page: int) -> None:
        pages = self._pages
        if entry is not None:
            said = f"viewing #{entry.number} of {entry.length} · episode {entry.episode}"
        else:
            said = "live" if newest is not None else ""
        if pages > 1:
            said += f" · page {page + 1} of {pages}"
        self._put(self._viewing, value=status_html.hint(said))
        self._put(self._live, disabled=entry is None and page == 0)
        self._put(self._older.layout, display=None if pages > 1 else "none")
        self._put(self._newer.layout, display=None if pages > 1 else "none")
        self._put(self._older, disabled=page >= pages - 1)
        self._put(self._newer, disabled=page == 0)

    def _show(self) -> None:
        is_log = self._view == _LOG
        self._put(self._python, value=self._view == _PYTHON)
        self._put(self._state, value=self._view == _STATE)
        for made in (self._above, self._list):
            self._put(made.layout, display=None if is_log else "none")
        self._put(self._code.layout, display="none" if is_log else None)
        if not is_log:
            self._put(self._code, value=self._code_now() if self._view == _PYTHON else self._written_state())

    def _written_state(self) -> str:
        old = self._state_text and self._state_of is not self._newest_step
        return f"{_OLD if old else ''}{self._state_text}"

    def show_state(self, text: str) -> None:
        """Show the state as it is now, until State is pressed again."""
        self._state_text, self._state_of = text, self._newest_step
        self._on_change()
