"""The thread that tells: ``openenv-events``, one daemon thread for the whole process.

It runs while somebody has leased it. The queue is bounded: nobody is ever blocked by a slow
listener; what does not fit is dropped, oldest first, and counted.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import heapq
import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads.fork import in_forked_child
from openenv_notebook.threads.start import start_thread
from openenv_notebook.values.logs import our_log

log = our_log()

THREAD_NAME = "openenv-events"
QUEUE_LIMIT = 10_000
JOIN_WITHIN = 2.0

Reference = Callable[[], Callable[[Any], object] | None]


class _Thread:
    """No lock is shared with whoever tells or subscribes: each may be interrupted at any moment."""

    def __init__(self) -> None:
        self._dropped = 0
        self._events: deque[tuple[Reference, Any]] = deque()
        self._calls: queue.SimpleQueue[tuple[float, int, Callable[[], object]]] = queue.SimpleQueue()
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._woken: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._holders: dict[int, object] = {}
        self._guard = threading.Lock()  # taken by threads of this kind only
        self._thread: threading.Thread | None = None
        self._started: threading.Thread | None = None

    def lease(self, holder: object) -> None:
        """Keep the thread running until :meth:`give_back`, for somebody, who is kept alive; again it does nothing."""
        self._holders[id(holder)] = holder
        try:
            self._wake()
        except Exception:
            self._holders.pop(id(holder), None)
            raise

    def give_back(self, holder: object) -> None:
        """End a lease, if there is one. The thread ends with the last; what was to be called later is not."""
        self._holders.pop(id(holder), None)
        self._wake()

    def put(self, held: Reference, event: Any) -> None:
        """Have a callback, while ``held`` still gives it, called with an event, in order; never waits."""
        if len(self._events) >= QUEUE_LIMIT:
            with contextlib.suppress(IndexError):  # it was delivered just now
                self._events.popleft()
                self._dropped += 1
        self._events.append((held, event))
        self._wake()

    def dropped(self) -> int:
        """Count the events that did not fit into the queue, since the process began."""
        return self._dropped

    def after(self, seconds: float, callback: Callable[[], object]) -> None:
        """Call something on the thread, while it runs, so many seconds from now at the earliest."""
        self._calls.put((time.monotonic() + seconds, next(self._numbers), callback))
        self._wake()

    def join(self, within: float = JOIN_WITHIN) -> None:
        """Wait until the thread has ended, ``within`` seconds at most, where nobody is subscribed any more."""
        for thread in {self._started, self._thread} - {None, threading.current_thread()}:
            if thread is not None and not self._holders:
                thread.join(within)

    def _wake(self) -> None:
        if self._woken.empty():
            self._woken.put(None)
        # What an interrupted subscription left behind is told as well.
        if self._thread is None and (self._holders or self._events):
            self._started = start_thread(contextvars.Context().run, self._run, name=THREAD_NAME)

    def _run(self) -> None:
        while self._is_needed():
            while (due := self._next()) is not None:
                try:
                    due()
                except BaseException:  # an exit is the end of nobody else's
                    log.exception("a subscriber failed")
                del due
            self._take_calls()
            self._timers.clear()
            self._thread = None

    def _is_needed(self) -> bool:
        """Become the one thread, where there is none and somebody came meanwhile."""
        with self._guard:
            if self._thread is not None or not (self._holders or self._events):
                return False
            self._thread = threading.current_thread()
            return True

    def _next(self) -> Callable[[], object] | None:
        """Wait for what is to be called next; None when nobody is there any more."""
        while True:
            self._take_calls()
            wait = self._timers[0][0] - time.monotonic() if self._timers else None
            if wait is not None and wait <= 0:
                return heapq.heappop(self._timers)[2]
            if self._events:
                return functools.partial(_deliver, *self._events.popleft())
            if not self._holders:
                return None
            with contextlib.suppress(queue.Empty):
                self._woken.get(timeout=wait)

    def _take_calls(self) -> None:
        while not self._calls.empty():
            heapq.heappush(self._timers, self._calls.get())

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

in_forked_child(_thread.reset)
