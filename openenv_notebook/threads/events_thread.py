"""The thread that tells: ``openenv-events``, one daemon thread for the whole process.

It runs while somebody has leased it. The queue is bounded: nobody is ever blocked by a slow
listener; what does not fit is dropped, oldest first, and counted.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads.start import start_thread
from openenv_notebook.values.logs import our_log

log = our_log()

THREAD_NAME = "openenv-events"
QUEUE_LIMIT = 10_000
JOIN_WITHIN = 2.0

Reference = Callable[[], Callable[[Any], object] | None]


class _Thread:
    def __init__(self) -> None:
        self._dropped = 0
        self._queue: deque[tuple[Reference, Any]] = deque()
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._leases = 0
        self._thread: threading.Thread | None = None

    def lease(self) -> None:
        """Keep the thread running until :meth:`give_back`."""
        with self._changed:
            if self._thread is None:
                self._thread = start_thread(self._run, name=THREAD_NAME)
            self._leases += 1

    def give_back(self) -> None:
        """End a lease. The thread ends with the last one; what was to be called later is not."""
        with self._changed:
            self._leases -= 1
            self._changed.notify()

    def put(self, held: Reference, event: Any) -> None:
        """Have a callback, while ``held`` still gives it, called with an event, in order; never waits."""
        with self._changed:
            if len(self._queue) >= QUEUE_LIMIT:
                self._queue.popleft()
                self._dropped += 1
            self._queue.append((held, event))
            self._changed.notify()

    def dropped(self) -> int:
        """Count the events that did not fit into the queue, since the process began."""
        return self._dropped

    def after(self, seconds: float, callback: Callable[[], object]) -> None:
        """Call something on the thread, while it runs, so many seconds from now at the earliest."""
        with self._changed:
            heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), callback))
            self._changed.notify()

    def join(self, within: float = JOIN_WITHIN) -> None:
        """Wait until the thread has ended, ``within`` seconds at most, where nobody is subscribed any more."""
        thread = self._thread
        if thread is not None and self._leases <= 0 and thread is not threading.current_thread():
            thread.join(within)

    def _run(self) -> None:
        while (due := self._next()) is not None:
            try:
                due()
            except Exception:
                log.exception("a subscriber failed")
            del due

    def _next(self) -> Callable[[], object] | None:
        """Wait for what is to be called next; None when nobody is there any more."""
        with self._changed:
            while True:
                wait = self._timers[0][0] - time.monotonic() if self._timers else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._timers)[2]
                if self._queue:
                    return functools.partial(_deliver, *self._queue.popleft())
                if self._leases <= 0:
                    self._thread = None
                    self._timers.clear()
                    return None
                self._changed.wait(wait)

    def reset(self) -> None:
        """Start anew in a forked child, where the thread does not exist."""
        self.__init__()  # type: ignore[misc]


def _deliver(held: Reference, event: Any) -> None:
    callback = held()
    if callback is not None:
        callback(event)


_thread = _Thread()
lease, give_back, put = _thread.lease, _thread.give_back, _thread.put
after, dropped, join = _thread.after, _thread.dropped, _thread.join

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread.reset)
