"""A coroutine on its way through the portal: driven as a task, timed, its outcome handed over."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Self

from openenv_notebook.threads import strand
from openenv_notebook.values.logs import our_log

log = our_log()

BLOCKED_FOR = 0.5


class DrivenCall:
    """One call of an asynchronous function.

    ``make`` is called on the loop's thread, and what it returns is awaited where it can be; ``wake`` is called there at
    its end, and ``done`` is True from then on. The name is for warnings.
    """

    __slots__ = ("args", "cancelled", "done", "error", "kwargs", "make", "name", "result", "strand", "task", "wake")

    def __init__(
        self,
        name: str,
        make: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        wake: Callable[[], object],
    ) -> None:
        self.name, self.make, self.args, self.kwargs = name, make, args, kwargs
        self.wake = wake
        self.strand = strand.here()
        self.task: asyncio.Task[Any] | None = None
        self.done = self.cancelled = False
        self.result: Any = None
        self.error: BaseException | None = None

    async def _drive(self) -> Any:
        strand.stand_for(self.strand)
        try:
            value = self.make(*self.args, **self.kwargs)
            return await Timed(value, self.name) if inspect.isawaitable(value) else value
        except (SystemExit, KeyboardInterrupt) as error:
            # Raised by a task they would end the loop: they are the caller's.
            self.error = error

    def start(self) -> None:
        """Begin, on the loop's thread."""
        self.task = asyncio.get_running_loop().create_task(self._drive())
        self.task.add_done_callback(self._ended)

    def cancel(self) -> None:
        """Cancel it, on the loop's thread; its end is told as ever."""
        self.cancelled = True
        if self.done:
            return
        if self.task is not None:
            self.task.cancel()
        else:
            # Callbacks run in the order they were posted: it was interrupted before start was.
            self._finish()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        try:
            self.result = task.result()
            if self.cancelled:
                self.error = None
        except BaseException as error:
            # Nobody reads that of a cancelled call, and its traceback would keep the client alive.
            self.error = None if self.cancelled else error
        self._finish()

    def _finish(self) -> None:
        # The task ends here: where it is collected, an interrupt is swallowed.
        self.task, self.done = None, True
        self.wake()

    def outcome(self) -> Any:
        """Return what it returned, or raise what it raised."""
        error, self.error = self.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error
        return self.result


class Timed(Generator[Any, None, Any]):
    """An awaitable whose steps are timed: one that takes long keeps every session of the process waiting.

    The name is the call's, for the warning.
    """

    def __init__(self, awaitable: Awaitable[Any], name: str) -> None:
        self._steps: Any = awaitable.__await__()
        self._name = name

    def __await__(self) -> Self:
        return self

    def send(self, value: None) -> Any:
        """Go on to where it waits next."""
        return self._take(next, self._steps)

    def throw(self, *error: Any) -> Any:
        """Raise an error where it waits: a cancellation."""
        try:
            return self._take(self._steps.throw, *error)
        finally:
            del error

    def _take(self, step: Callable[..., Any], *args: Any) -> Any:
        began = time.monotonic()
        try:
            return step(*args)
        finally:
            # An error must not be held by a frame that it holds: it would keep the client alive.
            del args
            seconds = time.monotonic() - began
            if seconds > BLOCKED_FOR:
                log.warning(
                    "openenv: %s() blocked the client's own thread for %.1f s: all sessions of this process "
                    "waited; await what takes long, such as asyncio.to_thread(...)",
                    self._name,
                    seconds,
                )
