"""Changes of widgets on their way to the browser: seldom enough for any server, the last state always."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads import events_thread
from openenv_notebook.threads.latch import Latch

# jupyter_server drops messages silently above 1,000 a second; 15 pictures a second look smooth.
_PERIOD = 1 / 15


class Publisher:
    """Writes traits of widgets on the events thread, all that came up since the last time at once.

    One thread writes, because widgets are not made for two. ``build`` is called before; it puts what is to be seen now.
    """

    def __init__(self, build: Callable[[], None]) -> None:
        self._build = build
        self._guard = threading.Lock()
        # What is to be written, and in place of what.
        self._pending: dict[Any, dict[str, tuple[Any, Any]]] = {}
        self._is_due = False
        self._is_closed = False
        self._last = 0.0
        self._writer: int | None = None
        events_thread.lease(self)

    @property
    def is_writing(self) -> bool:
        """True in whoever is called because a trait is being written: no person changed it."""
        return self._writer == threading.get_ident()

    def request(self) -> None:
        """Have everything built and written soon. From any thread; never waits."""
        with self._guard:
            if self._is_due or self._is_closed:
                return
            self._is_due = True
            wait = self._last + _PERIOD - time.monotonic()
        events_thread.after(max(0.0, wait), self.flush)

    def put(self, widget: Any, **traits: Any) -> None:
        """Take values of traits by name; those put last are written. From any thread.

        What a person changes until then stays as it is: whoever hears of it requests a new round.
        """
        found = {name: (value, getattr(widget, name)) for name, value in traits.items()}
        with self._guard:
            self._pending.setdefault(widget, {}).update(found)

    def flush(self) -> None:
        """Build and write now."""
        with self._guard:
            self._is_due = False
            self._last = time.monotonic()
            if self._is_closed:
                return
        self._build()
        with self._guard:
            pending, self._pending = self._pending, {}
        self._writer = threading.get_ident()
        try:
            for widget, traits in pending.items():
                answer_nobody(widget)
                self._note(widget, _write(widget, traits))
        finally:
            self._writer = None

    def _note(self, widget: Any, written: dict[str, tuple[Any, Any]]) -> None:
        """What was put meanwhile is to be written in place of what we have just written: no person did that."""
        with self._guard:
            later = self._pending.get(widget, {})
            for name, (value, before) in written.items():
                if name in later and later[name][1] == before:
                    later[name] = later[name][0], value

    def flush_on_events_thread(self, within: float = 1.0) -> None:
        """Have everything written now, and wait for it: for who is about to show the widgets."""
        written = Latch()

        def write() -> None:
            try:
                self.flush()
            finally:
                written.set()

        events_thread.after(0.0, write)
        written.wait(within)

    def close(self) -> None:
        """Write no more."""
        with self._guard:
            if self._is_closed:
                return
            self._is_closed = True
            self._pending.clear()
        events_thread.give_back(self)


def _write(widget: Any, traits: dict[str, tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """Write what changes and no person has changed; returns what was written, and in place of what."""
    changed = {name: (new, old) for name, (new, old) in traits.items() if getattr(widget, name) == old != new}
    if changed:
        with widget.hold_sync():
            for name, (value, _) in changed.items():
                setattr(widget, name, value)
        reach_from_any_shell(widget)
    return changed


def answer_nobody(widget: Any) -> None:
    """Let a thread of ours write a widget.

    ipykernel 7.0 looks for the request that a message answers, and fails on a thread that has none.
    """
    kernel = getattr(getattr(widget, "comm", None), "kernel", None)
    if kernel is None:
        return
    try:
        kernel.get_parent()
    except LookupError:
        kernel._shell_parent.set({})


def reach_from_any_shell(widget: Any) -> None:
    """Let clicks on a widget arrive while a cell runs.

    ipykernel 7.4 sends a click to the shell from where the widget was written last; without
    that note it goes where the browser says, which is not the busy one.
    """
    with contextlib.suppress(Exception):
        del widget.comm._reply_subshell_id
