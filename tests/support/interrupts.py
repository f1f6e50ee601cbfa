"""Real interrupts: SIGINT to this process, when a condition holds."""

from __future__ import annotations

import os
import signal
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
