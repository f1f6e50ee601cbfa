"""What threads tell each other where one may be interrupted."""

from __future__ import annotations

import pytest
from support.interrupts import interrupted_when, main_thread_is_in
from support.waiting import eventually, in_threads

from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import OwnThread


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
    """T05: a thread is alive when its start returns; what keeps it from starting is raised."""
    gate = Latch()
    thread = OwnThread(gate.wait, name="test")
    thread.start()
    assert thread.is_alive()
    with pytest.raises(RuntimeError, match="threads can only be started once"):
        thread.start()
    gate.set()
    eventually(lambda: not thread.is_alive())
