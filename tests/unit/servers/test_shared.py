"""Servers that clients share: who starts, who waits, who stops."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from support.waiting import eventually, in_threads

from openenv_notebook.servers import SharedServer, running_servers
from openenv_notebook.servers.shared import Started
from openenv_notebook.values.errors import InvalidTarget, ServerStartFailed
from openenv_notebook.values.targets import LocalTarget


class Scripted:
    """A server whose start waits for an event."""

    name, kind, log, url = "scripted", "class", [], "http://127.0.0.1:1"
    sessions_active = sessions_maximum = None

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.go = threading.Event()
        self.begun = threading.Event()
        self.running = False
        self.stops = 0

    def start(self, ready_within: float, progress: Any = None) -> None:
        """Start when it is let go."""
        self.begun.set()
        self.go.wait(10)
        if self.fails or self.stops:
            raise ServerStartFailed("scripted to fail", log=["last words"])
        self.running = True

    def stop(self) -> None:
        """Stop, also during the start."""
        self.stops += 1
        self.running = False
        self.go.set()

    def stop_soon(self) -> None:
        """Not used."""


def test_whoever_waits_gets_the_address_when_it_runs() -> None:
    """All who wait for one start get the address, and it was started once."""
    backend = Scripted()
    started = Started(LocalTarget("demo", "demo:grid", "grid"), lambda: backend)
    started.begin()
    backend.go.set()
    assert in_threads(*[lambda: started.wait(lambda: False)] * 3) == [backend.url] * 3
    assert started.is_usable
    backend.running = False
    assert not started.is_usable


def test_a_failed_start_is_told_to_all_and_stopped() -> None:
    """A start that fails is stopped once, and everybody who waits is told why."""
    backend = Scripted(fails=True)
    started = Started(LocalTarget("demo", "demo:grid", "grid"), lambda: backend)
    started.begin()
    backend.go.set()
    outcomes = in_threads(*[lambda: started.wait(lambda: False)] * 2)
    assert [outcome.log for outcome in outcomes] == [["last words"]] * 2
    assert (backend.stops, started.is_usable) == (1, False)


def test_one_who_lets_go_waits_no_longer() -> None:
    """Who lets go during the start is released at once; the start goes on for the others."""
    backend = Scripted()
    started = Started(LocalTarget("demo", "demo:grid", "grid"), lambda: backend)
    started.begin()
    gone = threading.Event()
    outcome: list[Any] = []

    def wait() -> None:
        with pytest.raises(ServerStartFailed, match="given up"):
            started.wait(gone.is_set)
        outcome.append("released")

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    assert backend.begun.wait(5)
    gone.set()
    started.wake()
    waiting.join(5)
    assert outcome == ["released"] and backend.stops == 0
    backend.go.set()
    assert started.wait(lambda: False) == backend.url


def test_stopping_during_the_start_ends_it() -> None:
    """A start that nobody wants any more is stopped."""
    backend = Scripted()
    started = Started(LocalTarget("demo", "demo:grid", "grid"), lambda: backend)
    started.begin()
    assert backend.begun.wait(5)
    started.stop()
    eventually(lambda: started.failure is not None)
    assert not backend.running and backend.stops >= 1


def test_a_demo_is_shared_until_the_last_lets_go() -> None:
    """Two holds on one target are one server; letting go twice counts once; the last one stops it."""
    first, second = (SharedServer(LocalTarget("demo", "demo:grid", "grid")) for _ in range(2))
    assert first.start() == second.start()
    [server] = running_servers()
    first.stop()
    first.stop()
    assert server.running
    second.stop()
    assert not server.running and running_servers() == []


def test_a_failed_start_can_be_tried_again() -> None:
    """A target that could not be served is tried anew by the next who wants it."""
    for _ in range(2):
        held = SharedServer(LocalTarget("folder", "./nowhere", "./nowhere"))
        with pytest.raises(InvalidTarget, match="no such folder"):
            held.start()
        held.stop()
    assert running_servers() == []
