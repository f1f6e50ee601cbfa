"""Starting a thread: the one place that finds out whether there are any."""

from __future__ import annotations

import os
import threading
from _thread import start_new_thread
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads.latch import Latch
from openenv_notebook.values.errors import NotSupportedHere

# The system's own number of a thread; what replaces threads does not replace that.
_real_thread: Callable[[], int] = getattr(threading, "get_native_id", threading.get_ident)


class OwnThread(threading.Thread):
    """A daemon thread that does ``work`` with its arguments, and keeps neither afterwards.

    Its start raises NotSupportedHere where no thread can be started, or what is started is none; an interrupt is raised
    as one, whatever it broke.
    """

    def __init__(self, work: Callable[..., object], *args: Any, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._todo: tuple[Callable[..., object], tuple[Any, ...]] | None = (work, args)
        self._started_on, self._is_real = 0, True
        self._ended, self._pid = Latch(), os.getpid()

    def start(self) -> None:
        """Start it; an interrupt that comes meanwhile is raised, and leaves it starting."""
        begun, failures = Latch(), list[RuntimeError]()

        def begin() -> None:
            self._started_on = _real_thread()
            try:
                threading.Thread.start(self)
            except RuntimeError as error:
                failures.append(error)
            finally:
                begun.set()

        try:
            # On a thread of its own, where no interrupt comes: one in the middle of it breaks both threads.
            start_new_thread(begin, ())
            begun.wait()
            if failures:
                raise failures.pop()
        except RuntimeError as error:
            if self.ident is not None:
                raise
            what = f"this interpreter cannot start threads, which the client needs ({error})"
            hint = "where it has none at all (JupyterLite, pyodide), use a kernel on a machine; else end some"
            raise NotSupportedHere(what, hint=hint) from None
        self._is_real = getattr(self, "native_id", self.ident) not in (self._started_on, None)
        if not self._is_real:
            raise NotSupportedHere(
                "threads are replaced in this process by what takes turns on one (gevent or eventlet, monkey-patched), "
                "and the client needs real ones",
                hint="leave them as they are, gevent.monkey.patch_all(thread=False), or use a process of its own",
            )

    def run(self) -> None:
        """Do the work; not where it shares the thread of who may wait for it."""
        todo, self._todo = self._todo, None
        if todo is not None and _real_thread() != self._started_on:
            work, args = todo
            del todo
            try:
                work(*args)
            finally:
                self._ended.set()

    # What Python has for these two takes a thread that works for one that has ended, for ever, when it is interrupted.

    def is_alive(self) -> bool:
        """Tell whether it runs, in this process."""
        return self.ident is not None and not self._ended.is_set() and self._pid == os.getpid()

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, in seconds, where it began."""
        if not self._is_real or self.ident is None or self._pid != os.getpid():
            return
        if threading.current_thread() is self or self._ended.wait(timeout):
            super().join(timeout)


def start_thread(work: Callable[..., object], *args: Any, name: str) -> threading.Thread:
    """Start a daemon thread."""
    thread = OwnThread(work, *args, name=name)
    thread.start()
    return thread
