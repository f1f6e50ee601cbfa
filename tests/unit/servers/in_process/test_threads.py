"""Threads for environments."""

from __future__ import annotations

import gc
import threading

import pytest
from support.waiting import eventually

from openenv_notebook.servers.in_process.threads import Worker

NAME = "openenv-env-test"


def running() -> int:
    """How many workers' threads there are."""
    return sum(thread.name == NAME for thread in threading.enumerate())


def test_work_is_done_on_one_thread_in_order() -> None:
    """All work of a worker runs on one daemon thread, and what it returns and raises comes back."""
    worker = Worker(NAME)
    threads = {worker.call(threading.current_thread) for _ in range(5)}
    assert [(thread.name, thread.daemon) for thread in threads] == [(NAME, True)]
    assert worker.call(Worker.here) is worker and Worker.here() is None
    with pytest.raises(ZeroDivisionError):
        worker.call(lambda: 1 // 0)
    assert worker.call(lambda: worker.call(lambda: "itself")) == "itself"
    worker.end()
    eventually(lambda: not running())


def test_a_dropped_worker_ends() -> None:
    """A worker that nobody holds any more ends its thread."""
    worker = Worker(NAME)
    worker.call(lambda: None)
    del worker
    gc.collect()
    eventually(lambda: not running())
