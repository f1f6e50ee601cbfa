"""What the person asked for, carried out in the background: one at a time, each on a short-lived thread of its own."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable

from openenv_notebook.threads import events_thread
from openenv_notebook.threads.start import start_thread

THREAD_NAME = "openenv-panel"
# A second click of a double click, and clicks that waited while a cell ran, come within it.
_AT_LEAST = 0.25


class Background:
    """Carries out what a click asked for; meanwhile further clicks are ignored, not kept.

    ``on_change`` is called when something has begun or ended.
    """

    def __init__(self, on_change: Callable[[], object]) -> None:
        self._on_change = on_change
        self._guard = threading.Lock()
        self._doing = ""

    @property
    def doing(self) -> str:
        """What is being done, "" for nothing."""
        return self._doing

    def start(self, what: str, command: Callable[[], None], *, at_once: bool = False) -> bool:
        """Begin a command, which may block and reports its own errors; ``what`` is for the status.

        False if it was ignored, because another is being done; ``at_once`` begins it also then.
        """
        with self._guard:
            if self._doing and not at_once:
                return False
            self._doing = what
        # The context of a click is none for what goes on after it.
        run = contextvars.Context().run
        try:
            start_thread(run, self._carry_out, what, command, name=THREAD_NAME)
        except BaseException:
            self._end(what)
            raise
        self._on_change()
        return True

    def _carry_out(self, what: str, command: Callable[[], None]) -> None:
        started = time.monotonic()
        try:
            command()
        finally:
            events_thread.after(max(0.0, started + _AT_LEAST - time.monotonic()), lambda: self._end(what))
            self._on_change()

    def _end(self, what: str) -> None:
        with self._guard:
            if self._doing == what:
                self._doing = ""
        self._on_change()
