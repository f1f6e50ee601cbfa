"""Waiting for a condition, never for a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

_TICK = 0.002


def eventually(predicate: Callable[[], Any], within: float = 5.0, what: str = "") -> Any:
    """Wait until a condition holds that another thread brings about.

    Args:
        predicate: Asked again and again; what it returns first that is true is the answer.
        within: Seconds until the test fails.
        what: What is waited for, for the failure's text.

    Returns:
        The true value.
    """
    tick, end = threading.Event(), time.monotonic() + within
    while not (found := predicate()):
        assert time.monotonic() < end, f"not within {within:g} s: {what or predicate}"
        tick.wait(_TICK)
    return found


async def eventually_here(predicate: Callable[[], Any], within: float = 5.0, what: str = "") -> Any:
    """Wait as :func:`eventually` and let this thread's own loop run meanwhile."""
    end = time.monotonic() + within
    while not (found := predicate()):
        assert time.monotonic() < end, f"not within {within:g} s: {what or predicate}"
        await asyncio.sleep(_TICK)
    return found


def in_threads(*works: Callable[[], Any]) -> list[Any]:
    """Run work in one thread each, at once; return what each returned or raised, in order."""
    outcomes: list[Any] = [None] * len(works)
    gate = threading.Barrier(len(works))

    def run(number: int) -> None:
        gate.wait(10)
        try:
            outcomes[number] = works[number]()
        except BaseException as error:
            outcomes[number] = error

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive(), "a thread of the test hangs"
    return outcomes
