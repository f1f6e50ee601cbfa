"""Starting a thread: what is told where there is none."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from support.waiting import eventually

from openenv_notebook.threads.start import OwnThread, start_thread
from openenv_notebook.values.errors import NotSupportedHere


class Thing:
    """What a thread works with."""

    def work(self, done: threading.Event) -> None:
        """Be done."""
        done.set()


def test_work_is_done_and_kept_by_nobody() -> None:
    """A thread does its work with the arguments, and lets go of both."""
    thing, done = Thing(), threading.Event()
    gone = weakref.ref(thing)
    thread = start_thread(thing.work, done, name="openenv-tried")
    assert done.wait(5) and thread.daemon and thread.name == "openenv-tried"
    del thing
    thread.join(5)
    eventually(lambda: gone() is None)


def raising(error: Exception) -> Callable[[threading.Thread], None]:
    """Make the start of a thread that fails."""

    def start(thread: threading.Thread) -> None:
        raise error

    return start


@pytest.mark.parametrize("text", ["can't start new thread", "can't create new thread at interpreter shutdown"])
def test_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """T17: where the interpreter refuses a thread, that is said with its words."""
    monkeypatch.setattr(threading.Thread, "start", raising(RuntimeError(text)))
    with pytest.raises(NotSupportedHere, match=text):
        start_thread(print, name="openenv-tried")


def test_a_second_start_is_a_mistake_of_ours() -> None:
    """T17: any other RuntimeError is not taken for a lack of threads."""
    thread = OwnThread(int, name="openenv-tried")
    thread.start()
    thread.join(5)
    with pytest.raises(RuntimeError, match="only be started once"):
        thread.start()


@pytest.mark.parametrize("start", [lambda self: None, lambda self: self.run()], ids=["never", "at once"])
def test_what_is_no_thread(monkeypatch: pytest.MonkeyPatch, start: Any) -> None:
    """R18: what shares this thread is told as such; it did nothing, and waiting for it takes no time."""
    done: list[int] = []
    monkeypatch.setattr(threading.Thread, "start", start)
    thread = OwnThread(done.append, 1, name="openenv-tried")
    with pytest.raises(NotSupportedHere, match="threads are replaced"):
        thread.start()
    assert done == []
    thread.join()


def interrupting_at(line: int) -> Callable[..., Any]:
    """Make a trace function that interrupts before the line of that number, of all that are run."""
    count = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
            if count == line:
                raise KeyboardInterrupt
        return trace

    return trace


@pytest.mark.parametrize("ask", [OwnThread.is_alive, lambda thread: thread.join(0.01)], ids=["is_alive", "join"])
def test_an_interrupt_makes_no_running_thread_dead(ask: Callable[[OwnThread], Any]) -> None:
    """T17: wherever an interrupt hits the question, a thread that works is alive, until it has ended."""
    go_on = threading.Event()
    thread = OwnThread(go_on.wait, name="openenv-tried")
    thread.start()
    line, was_hit = 0, True
    while was_hit:
        line += 1
        sys.settrace(interrupting_at(line))
        try:
            ask(thread)
            was_hit = False
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        assert thread.is_alive()
    assert line > 1
    go_on.set()
    thread.join(5)
    assert not thread.is_alive() and thread not in threading.enumerate()


def test_a_thread_cannot_wait_for_itself() -> None:
    """Joining itself is refused, as by any thread."""
    said: list[Exception] = []

    def wait() -> None:
        try:
            threading.current_thread().join()
        except RuntimeError as error:
            said.append(error)

    start_thread(wait, name="openenv-tried").join(5)
    assert len(said) == 1
