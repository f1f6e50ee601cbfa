"""connect(): from an address to an open session, also where the slots are taken."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.sockets import Peer
from support.waiting import eventually, in_threads
from support.wire import error_frame

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.client.connect import connect
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.values import front_end
from openenv_notebook.values.errors import AtCapacity, ConnectFailed, InvalidTarget, ServerStartFailed
from openenv_notebook.values.front_end import Owner


class Slots:
    """A server with a number of sessions, as a script."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.active = 0

    def __call__(self, peer: Peer) -> None:
        """Take a slot or refuse."""
        if self.active >= self.number:
            full = error_frame("CAPACITY_REACHED", "full", active_sessions=self.active, max_sessions=self.number)
            peer.accept([full], close=1000)
            return
        self.active += 1
        try:
            peer.prove()
            peer.serve()
        finally:
            self.active -= 1


@pytest.fixture(autouse=True)
def nobody() -> Iterator[None]:
    """No owner is installed afterwards."""
    yield
    front_end.install(None)


def test_it_gives_an_open_session(serve: Any) -> None:
    """The client is blocking, connected, of the class and with the settings that were asked for."""

    class Mine(GenericEnvClient):
        """A person's own client."""

    server = serve(Slots(1))
    env = connect(server.url, client=Mine, headers={"X-Key": "abc"}, timeout=7, max_message_size_mb=5)
    assert (env.status, type(env.async_client)) == ("open", Mine)
    assert env.reset().observation.step == 0
    assert server.peers[0].request.headers["X-Key"] == "abc"
    assert conversation_of(env).options.timeout == 7
    env.close()


def test_what_cannot_be_meant_opens_nothing() -> None:
    """A wrong address is told before anything is tried."""
    with pytest.raises(InvalidTarget):
        connect("not an address")


def test_a_failed_connect_leaves_nothing(serve: Any) -> None:
    """No thread and no socket stays after an error; the leak check of the suite counts."""
    with pytest.raises(ConnectFailed):
        connect(serve(lambda peer: peer.answer_http(404)).url)


def test_a_full_server_is_told_at_once(serve: Any) -> None:
    """Without wait= a full server is AtCapacity with its numbers, at connect."""
    server = serve(Slots(1))
    first = connect(server.url)
    with pytest.raises(AtCapacity, match="1 of 1 sessions in use"):
        connect(server.url)
    assert len(server.peers) == 2, "it was not tried again"
    first.close()


def test_a_full_server_is_waited_for(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    """With wait= a free session is waited for, which is said once."""
    slots = Slots(1)
    server = serve(slots)
    first = connect(server.url)

    def leave() -> None:
        eventually(lambda: len(server.peers) >= 3)
        first.close()

    with caplog.at_level(logging.WARNING, "openenv_notebook"):
        second, _ = in_threads(lambda: connect(server.url, wait=20), leave)
    assert second.status == "open"
    assert caplog.text.count("waiting for a free session, up to 20 s") == 1
    second.close()


def test_what_is_waited_for_after_the_queue_is_told(serve: Any) -> None:
    """Once a slot came free, the progress tells of the session that is built, and no more of the queue."""
    told = threading.Event()

    def script(peer: Peer) -> None:
        if peer.number == 0:
            peer.accept([error_frame("CAPACITY_REACHED", "full", active_sessions=1, max_sessions=1)], close=1000)
            return
        told.wait(8)
        peer.prove()
        peer.serve()

    def show(text: str) -> None:
        if "free session" not in text:
            told.set()

    with connect(serve(script).url, wait=20, progress=show):
        assert told.is_set()


def test_a_function_for_progress_that_fails_ends_no_connect(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    """R29: whatever a function for progress raises, the connect goes on, and it is logged."""
    told = threading.Event()

    def script(peer: Peer) -> None:
        told.wait(8)
        peer.prove()
        peer.serve()

    def fail(_: str) -> None:
        told.set()
        raise SystemExit(3)

    with connect(serve(script).url, progress=fail) as env:
        assert env.status == "open"
    assert "the function for progress failed" in caplog.text


def test_the_wait_is_bounded_and_interruptible(serve: Any) -> None:
    """A server that stays full is told after the wait; SIGINT ends it before."""
    server = serve(Slots(1))
    first = connect(server.url)
    with pytest.raises(AtCapacity):
        connect(server.url, wait=0.3)
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: len(server.peers) > 4):
        connect(server.url, wait=1e6)
    first.close()


def test_a_cell_that_is_run_again_takes_its_own_slot(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Sessions held by an earlier run of the same cell are closed for the new one, and that is said."""
    server = serve(Slots(1))
    run = 1
    front_end.install(front_end.FrontEnd(owner=lambda: Owner("cell", run)))
    first = connect(server.url)
    run = 2
    with caplog.at_level(logging.WARNING, "openenv_notebook"):
        second = connect(server.url)
    assert (first.status, second.status) == ("closed", "open")
    assert "closing what an earlier run of this cell holds" in caplog.text
    second.close()


def test_nobody_elses_session_is_closed(serve: Any) -> None:
    """Sessions of other cells, and of the same run, are left alone."""
    server = serve(Slots(2))
    owner = Owner("cell", 1)
    front_end.install(front_end.FrontEnd(owner=lambda: owner))
    first = connect(server.url)
    owner = Owner("other", 1)
    second = connect(server.url)
    with pytest.raises(AtCapacity):
        connect(server.url)
    assert (first.status, second.status) == ("open", "open")
    for env in (first, second):
        env.close()


def test_a_new_session_is_one_more_slot(serve: Any) -> None:
    """new_session takes a slot of its own and is closed with its parent."""
    slots = Slots(2)
    env = connect(serve(slots).url)
    other = env.new_session()
    assert slots.active == 2
    with pytest.raises(AtCapacity):
        env.new_session()
    other.reset()
    env.close()
    assert other.status == "closed"
    eventually(lambda: slots.active == 0)


async def test_a_new_session_can_be_awaited(serve: Any) -> None:
    """The asynchronous form as well."""
    slots = Slots(2)
    async with GenericEnvClient(serve(slots).url) as client:
        other = await client.new_session()
        assert (await other.reset()).observation.step == 0
    assert other.status == "closed"
    eventually(lambda: slots.active == 0)


def test_a_provider_is_started_and_stopped(serve: Any) -> None:
    """A client with a provider starts it when it connects, has its address then, and stops it when it closes."""
    calls: list[str] = []
    server = serve(Slots(1))

    class Container:
        def start_container(self) -> str:
            calls.append("start")
            return str(server.url)

        def wait_for_ready(self, url: str) -> None:
            calls.append("ready")

        def stop_container(self) -> None:
            calls.append("stop")

    env = GenericEnvClient(provider=Container()).sync()
    assert (env.base_url, "no server yet" in repr(env)) == (None, True)
    env.reset()
    assert (env.base_url, env.episode.base_url) == (server.url, server.url)
    env.close()
    env.close()
    assert calls == ["start", "ready", "stop"]


def test_a_provider_that_fails_is_told(serve: Any) -> None:
    """What a provider raises ends the call and names itself; nothing hangs."""

    class Broken:
        def start(self) -> str:
            raise RuntimeError("no docker here")

        def stop(self) -> None:
            """Nothing runs."""

    env = GenericEnvClient(provider=Broken()).sync()
    with pytest.raises(ServerStartFailed, match="RuntimeError: no docker here"):
        env.reset()
    env.close()


def test_a_dropped_client_frees_its_slot(serve: Any) -> None:
    """A client that is collected without close leaves the server's slot to the next."""
    slots = Slots(1)
    server = serve(slots)
    env = connect(server.url)
    env.reset()
    del env
    gc.collect()
    eventually(lambda: slots.active == 0)
    second = connect(server.url)
    second.close()
