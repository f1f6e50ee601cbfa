"""What threads tell each other where one of them may be interrupted at any moment.

``threading.Event``, ``Condition``, and ``Thread.start``, which waits for an Event, are written in Python: an interrupt
inside of them leaves their lock taken, and the other thread hangs for ever. What stands here only uses locks of C.
"""

from __future__ import annotations

import contextlib
import time
from _thread import allocate_lock

# How late a wait ends where another that waited was interrupted as it ended.
_SLICE = 0.1


class Latch:
    """Something that happens once; whoever waits for it goes on then."""

    __slots__ = ("_has_happened", "_lock")

    def __init__(self) -> None:
        self._has_happened = False
        self._lock = allocate_lock()
        self._lock.acquire()

    def is_set(self) -> bool:
        """Tell whether it has happened."""
        return self._has_happened

    def set(self) -> None:
        """Say that it has happened; again it does nothing."""
        self._has_happened = True
        self._pass_on()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for it, ``timeout`` seconds at most, None for no limit; returns whether it has happened."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._has_happened:
            left = _SLICE if until is None else min(_SLICE, max(0.0, until - time.monotonic()))
            if self._lock.acquire(timeout=left):
                self._pass_on()
            elif until is not None and time.monotonic() >= until:
                break
        return self._has_happened

    def _pass_on(self) -> None:
        with contextlib.suppress(RuntimeError):  # another was faster
            self._lock.release()
