"""Threads for environments: one for each session.

An environment may hold what only works on the thread that made it (a browser, a database),
so all that its session runs runs on one thread. They are daemon threads: a step that never
ends does not keep the interpreter from ending, as those of an executor would.
"""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import start_thread

Done = Callable[[Any, BaseException | None], object]
Job = tuple[Callable[[], Any], Done]

_local = threading.local()


class Worker:
    """A daemon thread that does one thing after the other, until it is ended or dropped."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._name = name
        self._thread: threading.Thread | None = None
        weakref.finalize(self, self._jobs.put, None).atexit = False

    @staticmethod
    def here() -> Worker | None:
        """The worker whose thread this is, or None."""
        held = getattr(_local, "worker", None)
        return held() if held is not None else None

    def submit(self, work: Callable[[], Any], done: Done) -> None:
        """Have work done and be called back, on the thread, with its result or what it raised."""
        if self._thread is None:
            self._thread = start_thread(_work, self._jobs, weakref.ref(self), name=self._name)
        self._jobs.put((work, done))

    def end(self) -> None:
        """End the thread when it has done what it was given."""
        self._jobs.put(None)

    def call(self, work: Callable[[], Any]) -> Any:
        """Have work done and wait for it; returns and raises what it does."""
        if Worker.here() is self:
            return work()
        outcome, is_done = list[Any](), Latch()

        def done(value: Any, error: BaseException | None) -> None:
            outcome[:] = value, error
            is_done.set()

        self.submit(work, done)
        is_done.wait()
        value, error = outcome
        if error is None:
            return value
        try:
            raise error
        finally:
            # It holds this frame.
            del error
            outcome.clear()


def _work(jobs: queue.SimpleQueue[Job | None], worker: weakref.ref[Worker]) -> None:
    _local.worker = worker
    while (job := jobs.get()) is not None:
        work, done = job
        value, error = None, None
        try:
            value = work()
        except BaseException as caught:
            error = caught
        done(value, error)
        # Nothing of it is kept until the next job comes.
        del job, work, done, value, error
