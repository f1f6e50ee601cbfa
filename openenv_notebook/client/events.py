"""What happens in a session, told to subscribers on a thread of their own.

``openenv-events`` is one daemon thread for the whole process. It runs while somebody is
subscribed. The queue is bounded: nobody is ever blocked by a slow subscriber; what does
not fit is dropped, oldest first, and counted.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import Literal

from openenv_notebook.record.episode import Step

log = logging.getLogger("openenv_notebook")

THREAD_NAME = "openenv-events"
QUEUE_LIMIT = 10_000
JOIN_WITHIN = 2.0


@dataclass(frozen=True)
class Event:
    """Something that happened in a session.

    Attributes:
        kind: "step" for an entry in the record, "status" for a change of state.
        status: The session's state: "new", "open", "lost" or "closed".
        step: The entry, for a step.
    """

    kind: Literal["step", "status"]
    status: str
    step: Step | None = None


Callback = Callable[[Event], object]
Reference = Callable[[], Callback | None]


class Subscribers:
    """The subscribers of one session. Methods are held weakly, plain functions until removed."""

    def __init__(self) -> None:
        self._references: list[Reference] = []

    def __bool__(self) -> bool:
        return bool(self._references)

    def add(self, callback: Callback) -> Callable[[], None]:
        """Subscribe.

        Args:
            callback: Called with each :class:`Event`, in order, on the events thread.

        Returns:
            A function that ends the subscription.
        """
        held: Reference = weakref.WeakMethod(callback) if isinstance(callback, MethodType) else lambda: callback
        self._references.append(held)
        _thread.lease()

        def unsubscribe() -> None:
            self._remove(held)

        return unsubscribe

    def remove(self, callback: Callback) -> None:
        """End every subscription of a callback; of one that is not subscribed, nothing."""
        for held in list(self._references):
            if held() == callback:
                self._remove(held)

    def _remove(self, held: Reference) -> None:
        if held in self._references:
            self._references.remove(held)
            _thread.give_back()

    def tell(self, event: Event) -> None:
        """Queue an event for every subscriber; never waits."""
        for held in list(self._references):
            if held() is None:
                self._remove(held)
            else:
                _thread.put(held, event)

    def close(self) -> None:
        """Tell no more; what is queued is still delivered."""
        for held in list(self._references):
            self._remove(held)


class _EventsThread:
    def __init__(self) -> None:
        self.dropped = 0
        self._queue: deque[tuple[Reference, Event]] = deque()
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._leases = 0
        self._thread: threading.Thread | None = None

    def lease(self) -> None:
        with self._changed:
            self._leases += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
                self._thread.start()

    def give_back(self) -> None:
        with self._changed:
            self._leases -= 1
            self._changed.notify()

    def put(self, held: Reference, event: Event) -> None:
        with self._changed:
            if len(self._queue) >= QUEUE_LIMIT:
                self._queue.popleft()
                self.dropped += 1
            self._queue.append((held, event))
            self._changed.notify()

    def after(self, seconds: float, callback: Callable[[], object]) -> None:
        with self._changed:
            heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), callback))
            self._changed.notify()

    def join(self, within: float) -> None:
        """Wait until the thread has ended, if nobody is subscribed."""
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


def _deliver(held: Reference, event: Event) -> None:
    callback = held()
    if callback is not None:
        callback(event)


_thread = _EventsThread()


def lease() -> None:
    """Keep the events thread running until :func:`give_back`."""
    _thread.lease()


def give_back() -> None:
    """End a lease. The thread ends with the last one; what was to be called later is not."""
    _thread.give_back()


def after(seconds: float, callback: Callable[[], object]) -> None:
    """Call something on the events thread, while it runs.

    Args:
        seconds: How long from now, at least.
        callback: What is called.
    """
    _thread.after(seconds, callback)


def join(within: float = JOIN_WITHIN) -> None:
    """Wait until the events thread has ended, where nobody is subscribed any more.

    Args:
        within: Seconds, at most.
    """
    _thread.join(within)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread.reset)
