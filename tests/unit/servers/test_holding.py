"""Servers that clients hold: who starts, who waits, who stops."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from support.waiting import eventually, in_threads

from openenv_notebook.servers import running_servers
from openenv_notebook.servers.holding import HeldServer, Hold, hold_at, hold_shared
from openenv_notebook.values.errors import InvalidTarget, ServerStartFailed
from openenv_notebook.values.targets import Address, LocalTarget, parse_target


class Scripted:
    """A server whose start waits for an event."""

    url = "http://127.0.0.1:1"

    def __init__(self, *, fails: bool = False, stoppable: bool = True) -> None:
        self.fails = fails
        self.stoppable = stoppable
        self.go = threading.Event()
        self.begun = threading.Event()
        self.running = False
        self.starts = self.stops = 0

    def start(self, ready_within: float, progress: Any = None) -> None:
        """Start when it is let go."""
        self.starts += 1
        self.begun.set()
        self.go.wait(10)
        if self.fails or (self.stops and self.stoppable):
            raise ServerStartFailed("scripted to fail", log=["last words"])
        self.running = True

    def stop(self) -> None:
        """Stop, also during the start."""
        self.running = False
        self.stops += 1
        if self.stoppable:
            self.go.set()


def held(backend: Scripted) -> HeldServer:
    """A server that is to be started."""
    return HeldServer("scripted", lambda: backend)


def test_a_dropped_client_hinders_no_start() -> None:
    """T05: a client may be collected on any thread, also on one that a start waits for: that waits for no start."""
    backend, ended = Scripted(), list[bool]()
    backend.go.set()
    dropped = Hold(lambda: None)

    def find() -> HeldServer:
        collecting = threading.Thread(target=dropped.forestall)
        collecting.start()
        collecting.join(5)
        ended.append(not collecting.is_alive())
        return held(backend)

    hold = Hold(find)
    assert hold.start() == backend.url
    hold.stop()
    assert ended == [True] and dropped.stops == 1


def test_whoever_waits_gets_the_address_when_it_runs() -> None:
    """All who hold one server get the address, and it was started once."""
    backend = Scripted()
    server = held(backend)
    holds = [Hold(lambda: server) for _ in range(3)]
    backend.go.set()
    assert in_threads(*[hold.start for hold in holds]) == [backend.url] * 3
    assert (backend.starts, server.is_usable) == (1, True)
    backend.running = False
    assert not server.is_usable


def test_a_failed_start_is_told_to_all_and_stopped() -> None:
    """A start that fails is stopped, and everybody who waits is told why and holds nothing."""
    backend = Scripted(fails=True)
    server = held(backend)
    holds = [Hold(lambda: server) for _ in range(2)]
    for hold in holds:
        server.take(hold)
    backend.go.set()
    outcomes = in_threads(*[hold.start for hold in holds])
    assert [outcome.log for outcome in outcomes] == [["last words"]] * 2
    assert outcomes[0] is not outcomes[1]
    assert (backend.running, server.is_usable, [hold.holds for hold in holds]) == (False, False, [False] * 2)


def test_one_who_lets_go_waits_no_longer() -> None:
    """Who lets go during the start is released at once; the start goes on for the others."""
    backend = Scripted()
    server = held(backend)
    leaving, staying = Hold(lambda: server), Hold(lambda: server)
    outcomes: dict[str, Any] = {}

    def start(name: str, hold: Hold) -> None:
        try:
            outcomes[name] = hold.start()
        except ServerStartFailed as error:
            outcomes[name] = str(error)

    for name, hold in (("leaving", leaving), ("staying", staying)):
        threading.Thread(target=start, args=(name, hold), daemon=True).start()
        eventually(lambda hold=hold: hold.holds)
    assert backend.begun.wait(5)
    leaving.stop()
    eventually(lambda: outcomes)
    assert (list(outcomes), backend.stops) == (["leaving"], 0)
    assert "scripted was stopped while it started" in outcomes["leaving"]
    backend.go.set()
    assert eventually(lambda: outcomes.get("staying")) == backend.url


@pytest.mark.parametrize("stoppable", [True, False])
def test_stopping_during_the_start_ends_it(stoppable: bool) -> None:
    """A start that nobody wants any more is stopped: at once, or where it cannot be, when it is over."""
    backend = Scripted(stoppable=stoppable)
    hold = Hold(lambda: held(backend))
    failures: list[BaseException] = []

    def start() -> None:
        try:
            hold.start()
        except ServerStartFailed as error:
            failures.append(error)

    threading.Thread(target=start, daemon=True).start()
    assert backend.begun.wait(5)
    hold.stop()
    assert "was stopped while it started" in str(eventually(lambda: failures)[0])
    backend.go.set()
    eventually(lambda: backend.stops == 2)
    assert not backend.running


def test_what_nobody_wants_any_more_is_not_started() -> None:
    """A server that is let go of while it is being made is stopped, and its start never begins."""
    backend, making, go = Scripted(), threading.Event(), threading.Event()

    def make() -> Scripted:
        making.set()
        go.wait(5)
        return backend

    server = HeldServer("scripted", make)
    server.take("somebody")
    assert making.wait(5)
    server.let_go("somebody")
    go.set()
    eventually(lambda: backend.stops)
    assert backend.starts == 0


def test_what_runs_already_is_stopped_with_its_last_holder() -> None:
    """A server that ran before anybody held it is not started, and stopped once."""
    backend = Scripted()
    hold = Hold(lambda: None, held=HeldServer("scripted", lambda: backend, runs=True))
    hold.stop()
    hold.stop()
    assert (backend.starts, backend.stops) == (0, 1)


def test_a_demo_is_shared_until_the_last_lets_go() -> None:
    """Two holds on one target are one server; letting go twice counts once; the last one stops it."""
    first, second = (hold_shared(LocalTarget("demo", "demo:grid", "grid")) for _ in range(2))
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
        held = hold_shared(LocalTarget("folder", "./nowhere", "./nowhere"))
        with pytest.raises(InvalidTarget, match="no such folder"):
            held.start()
        held.stop()
    assert running_servers() == []


def test_an_address_holds_a_shared_server_as_well() -> None:
    """Who was given the address of a shared server keeps it running, and has the address as it was typed."""
    first = hold_shared(LocalTarget("demo", "demo:grid", "grid"))
    text = first.start().replace("http://127.0.0.1", "localhost")
    address = parse_target(text)
    assert isinstance(address, Address)
    second, late = hold_at(text, address), hold_at(text, address)
    assert second is not None and late is not None and second.what == first.what
    assert second.start() == text
    first.stop()
    assert len(running_servers()) == 1
    second.stop()
    assert running_servers() == [] and hold_at(text, address) is None
    assert (late.start(), late.holds) == (text, False)
