"""The loop that hands environments' work to their threads."""

from __future__ import annotations

import asyncio
import contextvars
import decimal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.waiting import eventually

from openenv_notebook.servers.in_process.loop import ServingLoop, Visit, begin_visit, enter_cell, own_frames
from openenv_notebook.servers.in_process.threads import Worker

NAME = "openenv-env-test"


def running() -> int:
    """How many workers' threads there are."""
    return sum(thread.name == NAME for thread in threading.enumerate())


@pytest.fixture
def loop() -> Iterator[ServingLoop]:
    """A serving loop; what fails on it is kept in ``failures``."""
    failures: list[BaseException] = []
    made = ServingLoop("test", lambda error, trace: failures.append(error))
    made.failures = failures  # type: ignore[attr-defined]
    yield made
    made.end_workers()
    made.close()


def test_an_executor_is_one_thread(loop: ServingLoop) -> None:
    """Work given to one executor runs on one thread, that of another on another, and no executor starts its own."""
    first, second = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    async def work() -> list[int]:
        return [await loop.run_in_executor(each, threading.get_ident) for each in (first, second, first)]

    one, other, again = loop.run_until_complete(work())
    assert one == again != other
    assert not any(thread.name.startswith("ThreadPoolExecutor") for thread in threading.enumerate())


def test_work_without_an_executor_runs_on_the_session_s_thread(loop: ServingLoop) -> None:
    """What an asynchronous environment gives to the default executor runs on its session's own thread."""
    executor = ThreadPoolExecutor(1)

    async def work() -> tuple[int, int]:
        begin_visit(Visit(None))
        return await loop.run_in_executor(executor, threading.get_ident), await loop.run_in_executor(
            None, threading.get_ident
        )

    own, default = loop.run_until_complete(work())
    assert own == default


def test_the_end_of_a_visit_ends_its_threads(loop: ServingLoop) -> None:
    """The thread of a session ends with its connection, though somebody still holds its executor."""
    executor, visit = ThreadPoolExecutor(1), Visit(None)

    async def work() -> None:
        begin_visit(visit)
        await loop.run_in_executor(executor, lambda: None)

    loop.run_until_complete(work())
    assert running() == 1
    visit.end()
    eventually(lambda: not running())


@pytest.mark.parametrize("error", [LookupError("x"), StopIteration("x"), KeyboardInterrupt()])
def test_what_is_raised_comes_back(loop: ServingLoop, error: BaseException) -> None:
    """Whatever the work raises is raised to who awaits it, in a form that a future can carry."""

    def fail() -> None:
        raise error

    async def work() -> str:
        try:
            await loop.run_in_executor(None, fail)
        except (LookupError, RuntimeError) as caught:
            return type(caught).__name__
        return "nothing"

    # An interrupt of the environment's own would end the loop.
    expected = "LookupError" if isinstance(error, LookupError) else "RuntimeError"
    assert loop.run_until_complete(work()) == expected
    assert len(loop.failures) == 1  # type: ignore[attr-defined]


def test_a_cancelled_wait_is_no_trouble(loop: ServingLoop) -> None:
    """Work whose waiter was cancelled ends quietly."""
    go = threading.Event()

    async def work() -> None:
        waiting = asyncio.ensure_future(loop.run_in_executor(None, go.wait, 10))
        await asyncio.sleep(0)
        waiting.cancel()
        go.set()
        await loop.run_in_executor(None, lambda: None)

    loop.run_until_complete(work())
    assert loop.failures == []  # type: ignore[attr-defined]


def test_only_the_cell_is_taken_over() -> None:
    """Of the caller's context an environment gets what names its cell, and keeps what it set itself."""
    header: contextvars.ContextVar[str] = contextvars.ContextVar("parent_header")
    other: contextvars.ContextVar[str] = contextvars.ContextVar("other")

    def caller_s() -> contextvars.Context:
        header.set("cell 7")
        other.set("the caller's")
        decimal.getcontext().prec = 3
        return contextvars.copy_context()

    class Calling:
        context = contextvars.Context().run(caller_s)

    def environment_s() -> tuple[Any, ...]:
        decimal.getcontext().prec = 50
        enter_cell(Calling())  # type: ignore[arg-type]
        return header.get(), other.get("none"), decimal.getcontext().prec

    assert contextvars.Context().run(environment_s) == ("cell 7", "none", 50)
    enter_cell(None)


def test_frames_above_the_environment_are_dropped() -> None:
    """A traceback begins in the environment; one that has no such frame stays whole."""
    worker = Worker(NAME)

    def step() -> None:
        raise LookupError

    with pytest.raises(LookupError) as caught:
        worker.call(step)
    worker.end()
    trace = own_frames(caught.value.__traceback__)
    assert trace is not None
    eventually(lambda: not running())
