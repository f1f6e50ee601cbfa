"""Blocking work in a thread of its own, awaited."""

from __future__ import annotations

import asyncio
import threading

import pytest
from support.waiting import eventually, eventually_here

from openenv_notebook.threads.worker import in_thread, own_threads


async def test_the_result_is_awaited() -> None:
    """The work runs on a daemon thread, and what it returns is the result."""
    thread = await in_thread(threading.current_thread)
    assert thread is not threading.current_thread()
    assert (thread.name, thread.daemon) == ("openenv-worker", True)


async def test_what_it_raises_is_raised() -> None:
    """An exception of the work reaches who awaits it."""
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 / 0)


async def test_a_wait_can_be_cancelled() -> None:
    """Cancelling the wait does not wait for the work, whose late result disturbs nobody."""
    gate, done = threading.Event(), threading.Event()
    task = asyncio.create_task(in_thread(lambda: (gate.wait(10), done.set())))
    await eventually_here(lambda: any(thread.name == "openenv-worker" for thread in threading.enumerate()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    await eventually_here(done.is_set)


def test_a_loop_that_is_gone_disturbs_nobody() -> None:
    """Work that ends after the loop was closed ends quietly."""
    gate = threading.Event()

    async def begin() -> None:
        task = asyncio.ensure_future(in_thread(lambda: gate.wait(10)))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(begin())
    gate.set()
    eventually(lambda: not any(thread.name == "openenv-worker" for thread in threading.enumerate()))


async def test_the_own_threads_are_named() -> None:
    """The threads of this package are told by their names, sorted; others are not."""
    gate = threading.Event()
    names = ("openenv-b", "other", "openenv-a")
    for thread in (started := [threading.Thread(target=gate.wait, args=(10,), name=name) for name in names]):
        thread.start()
    found = own_threads()
    gate.set()
    for thread in started:
        thread.join()
    assert [name for name in found if name in names] == ["openenv-a", "openenv-b"]
    assert threading.current_thread().name not in found
