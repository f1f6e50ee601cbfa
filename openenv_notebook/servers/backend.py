"""What every kind of local server can do, and how all of them end with the interpreter."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Protocol

from openenv_notebook.threads.fork import in_forked_child
from openenv_notebook.values.errors import ServerStartFailed

Progress = Callable[[str], object]

# A stop is promised to take 2 seconds; the rest is for what surrounds the wait.
STOP_SECONDS = 1.9
STOP_AT_EXIT_WITHIN = 1.0


class Startable(Protocol):
    """What can be started once and stopped once; a second stop does nothing."""

    @property
    def url(self) -> str:
        """Its address; known once it was started."""

    @property
    def running(self) -> bool:
        """True from its start until it has ended, for whatever reason."""

    def start(self, ready_within: float, progress: Progress | None = None) -> object:
        """Start it and wait until it answers; raises ServerStartFailed, and leaves the stopping to the caller."""

    def stop(self) -> None:
        """Stop it; also from another thread while it starts, which then fails."""


class Backend(Startable, Protocol):
    """One local server of ours."""

    @property
    def name(self) -> str:
        """What it serves, to be shown."""

    @property
    def kind(self) -> str:
        """How: "demo", "class", "folder", "module", "docker" or "uv"."""

    @property
    def log(self) -> list[str]:
        """The last lines it said."""

    @property
    def sessions_active(self) -> int | None:
        """How many sessions are in use; None where nobody knows."""

    @property
    def sessions_maximum(self) -> int | None:
        """How many sessions there may be at a time; None where nobody knows."""

    def stop_soon(self) -> None:
        """Ask it to stop and wait for nothing."""


_guard = threading.Lock()
_known: weakref.WeakSet[Backend] = weakref.WeakSet()
_pid = os.getpid()


def remember(backend: Backend) -> None:
    """Have a server stopped at the end of the interpreter."""
    with _guard:
        _known.add(backend)


def forget_all() -> None:
    """Leave the parent's servers alone, in a forked child."""
    global _guard
    _guard = threading.Lock()
    _known.clear()


def stop_all() -> None:
    """Stop every server there is, together, within a second; what is left ends with the process."""
    if os.getpid() != _pid:
        return
    with _guard:
        backends = [backend for backend in _known if backend.running]
    for backend in backends:
        backend.stop_soon()
    end = time.monotonic() + STOP_AT_EXIT_WITHIN
    while any(backend.running for backend in backends) and time.monotonic() < end:
        time.sleep(0.01)


atexit.register(stop_all)
in_forked_child(forget_all)


def stopped_while_starting(name: str, log: Sequence[str] = ()) -> ServerStartFailed:
    """Say that a server, named by what it serves, was stopped before it answered; ``log`` has its last lines."""
    return ServerStartFailed(f"{name} was stopped while it started", log=log, hint="start it again")
