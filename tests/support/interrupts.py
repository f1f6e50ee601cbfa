"""Real interrupts: SIGINT to this process, when a condition holds."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from support.waiting import eventually


@contextmanager
def interrupted_when(*conditions: Callable[[], Any]) -> Iterator[None]:
    """Send SIGINT to this process each time the next condition holds, while the block runs.

    The block is expected to end by KeyboardInterrupt; each condition must hold within it.
    """
    failures: list[BaseException] = []

    def watch() -> None:
        try:
            for condition in conditions:
                eventually(condition)
                os.kill(os.getpid(), signal.SIGINT)
        except BaseException as error:
            failures.append(error)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    watcher = threading.Thread(target=watch, name="interrupter", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        watcher.join(10)
        signal.signal(signal.SIGINT, before)
    if failures:
        raise failures[0]


def main_thread_is_in(*functions: Any) -> bool:
    """Tell whether the main thread runs these functions of Python, the first called by the second, and so on."""
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    wanted, stack = [function.__code__ for function in functions], []
    while frame is not None:
        stack.append(frame.f_code)
        frame = frame.f_back  # type: ignore[assignment]
    return any(stack[at : at + len(wanted)] == wanted for at in range(len(stack)))
