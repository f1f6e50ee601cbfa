"""The threads of this package: blocking work in one of its own, awaited; the names of all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads.start import start_thread
from openenv_notebook.values.text import named_words


def own_threads() -> list[str]:
    """Name the threads that this package runs in this process."""
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("openenv"))


async def in_thread(work: Callable[[], Any], within: float | None = None) -> Any:
    """Run blocking work in a daemon thread and await its result; what it raised is raised.

    The default executor is not used: it delays the end of the process. Raises TimeoutError if the work is not done
    ``within`` seconds (None for no limit); it is not stopped by that.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def finish(value: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def run() -> None:
        value: Any = None
        error: BaseException | None = None
        try:
            value = work()
        except BaseException as caught:
            error = caught
            # An exit, awaited, would end the loop, and a future takes no StopIteration.
            if isinstance(caught, StopIteration) or not isinstance(caught, Exception):
                error = RuntimeError(named_words(caught))
                error.__cause__ = caught
        try:
            loop.call_soon_threadsafe(finish, value, error)
        except RuntimeError:
            return  # the loop that waited is closed

    start_thread(run, name="openenv-worker")
    timer = None if within is None else loop.call_later(within, finish, None, TimeoutError(f"not within {within:g} s"))
    try:
        return await future
    finally:
        if timer is not None:
            timer.cancel()
