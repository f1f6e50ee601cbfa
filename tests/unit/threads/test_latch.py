"""What threads tell each other where one may be interrupted."""

from __future__ import annotations

import threading

import pytest
from support.interrupts import interrupted_when, main_thread_is_in
from support.waiting import eventually, in_threads

from openenv_notebook.threads.latch import Latch, start_thread


def test_whoever_waits_goes_on() -> None:
    """T05: all who wait go on when it happens, whoever says so, and however often; later ones do not wait."""
    latch = Latch()
    assert not latch.is_set() and not latch.wait(0.0)
    assert in_threads(latch.wait, latch.wait, latch.set, latch.set, latch.wait) == [True, True, None, None, True]
    latch.set()
    assert latch.is_set() and latch.wait() and latch.wait(0.0)


def test_an_interrupted_wait_keeps_nobody() -> None:
    """T05: a wait can be interrupted, and another thread can say so afterwards, and wait."""
    latch = Latch()
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: main_thread_is_in(Latch.wait)):
        latch.wait()
    assert in_threads(latch.set, latch.wait) == [None, True]


def test_a_thread_lives_when_it_is_started() -> None:
    """T05: a thread is alive when start_thread returns; what keeps it from starting is raised."""
    gate = Latch()
    thread = start_thread(threading.Thread(target=gate.wait, daemon=True))
    assert thread.is_alive()
    with pytest.raises(RuntimeError, match="threads can only be started once"):
        start_thread(thread)
    gate.set()
    eventually(lambda: not thread.is_alive())
