"""Strands: whose code runs here? A task's where there is one, else a thread's; or that of the run it belongs to."""

from __future__ import annotations

import asyncio
import sys
import threading
import weakref
from contextvars import ContextVar
from typing import Any

# What a thread of a pool runs between two works.
_POOLS = ("threading", "concurrent", "asyncio")


class Strand:
    """A task or a thread, not kept alive by this; ``name`` is for texts."""

    def __init__(self, doer: asyncio.Task[Any] | threading.Thread, name: str = "") -> None:
        self._doer, self._thread = weakref.ref(doer), weakref.ref(threading.current_thread())
        self.name = name or _name(doer)

    @property
    def goes_on(self) -> bool:
        """True until the task is done, or the thread has ended, or waits in a pool for other work."""
        doer = self._doer()
        if isinstance(doer, threading.Thread):
            frame = sys._current_frames().get(doer.ident or 0) if doer.is_alive() else None
            while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _POOLS:
                frame = frame.f_back
            return frame is not None
        return doer is not None and not doer.done()

    def covers(self, other: Strand) -> bool:
        """Tell whether it is the other, or the thread that waits while the other, a task, runs on it."""
        return self == other or self._doer == other._thread

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Strand) and (other is self or other._doer == self._doer)

    def __hash__(self) -> int:
        return hash(self._doer)


_stands_for: ContextVar[Strand | None] = ContextVar("openenv_strand", default=None)
_acted: ContextVar[Strand | None] = ContextVar("openenv_acted", default=None)


def here() -> Strand:
    """Tell whose code this is: of the one it stands for, of the task that runs, or of the thread."""
    given = _stands_for.get()
    if given is not None:
        return given
    try:
        return Strand(asyncio.current_task() or threading.current_thread())
    except RuntimeError:
        return Strand(threading.current_thread())  # no loop runs here


def stand_for(strand: Strand) -> None:
    """Let what runs in this context, and what it starts, be another strand's: it was called from there."""
    _stands_for.set(strand)


def act(me: Strand) -> Strand:
    """Note that a strand acts, and give who acted here before: itself, or who made it (a task, a call of to_thread)."""
    before = _acted.get()
    _acted.set(me)
    return before or me


def _name(doer: asyncio.Task[Any] | threading.Thread) -> str:
    if isinstance(doer, threading.Thread):
        return f"the thread {doer.name!r}"
    does = getattr(doer.get_coro(), "__qualname__", "")
    return f"the task {doer.get_name()!r}" + (f" ({does})" if does else "")
