"""The far end closes: with every code, on a pending call and when idle, early and rudely."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from support.sockets import Peer, SocketServer
from support.waiting import eventually
from support.wire import Replier, error_frame

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.values.errors import AtCapacity, ConnectFailed, FactoryFailed, SessionLost

CODES = [1000, 1001, 1006, 1009, 1011, 1012]


def end(peer: Peer, code: int) -> None:
    """End a connection with a code; 1006 is none: the socket is reset."""
    if code == 1006:
        peer.abort()
    else:
        peer.close(code, "the reason")


@pytest.mark.parametrize("code", CODES)
def test_a03_a_pending_call_gets_the_code(serve: Any, make_env: Any, code: int) -> None:
    """A03: closing under a step raises SessionLost with the code there and on every later call; reset() recovers."""

    def script(peer: Peer) -> None:
        peer.prove()
        usual = Replier()
        while True:
            request = peer.receive()
            if peer.number == 0 and request["type"] == "step":
                end(peer, code)
                return
            peer.say(usual(request))

    server = serve(script)
    env = make_env(server)
    env.reset()
    with pytest.raises(SessionLost, match=r"call reset\(\)|then reset\(\)") as caught:
        env.step({"n": 1})
    assert (caught.value.code, caught.value.sent) == (code, True)
    for call in (lambda: env.step({"n": 2}), env.state, lambda: env.call_tool("f")):
        with pytest.raises(SessionLost) as later:
            call()
        assert later.value.code == code
    assert len(server.peers) == 1
    env.connect()
    with pytest.raises(SessionLost):
        env.step({"n": 3})
    assert env.reset().observation.step == 0
    assert env.step({"n": 4}).observation.echo == {"n": 4}
    assert [request["type"] for request in server.peers[1].received[1:]] == ["reset", "step"]
    assert [type(step.error).__name__ for step in env.episodes[0]] == ["NoneType", "SessionLost"]


@pytest.mark.parametrize("code", CODES)
def test_a03_an_idle_session_notices(serve: Any, make_env: Any, code: int) -> None:
    """A03: a close while nobody waits is noticed at once, and the next step is told."""
    go = threading.Event()

    def script(peer: Peer) -> None:
        peer.prove()
        peer.say(Replier()(peer.receive()))
        if peer.number == 0:
            assert go.wait(10)
            end(peer, code)
        else:
            peer.serve()

    env = make_env(serve(script))
    env.reset()
    assert env.status == "open"
    go.set()
    eventually(lambda: env.status == "lost")
    with pytest.raises(SessionLost) as caught:
        env.step({"n": 1})
    assert caught.value.code == code
    assert env.reset().observation.step == 0


def test_a_server_that_goes_away(make_env: Any) -> None:
    """While the server is away reset() fails as a connect does, and steps stay refused."""
    with SocketServer(lambda peer: (peer.prove(), peer.serve())) as server:
        env = make_env(server)
        env.reset()
    with pytest.raises(SessionLost):
        env.step({"n": 1})
    with pytest.raises(ConnectFailed):
        env.reset()
    with pytest.raises(SessionLost):
        env.step({"n": 1})
    assert env.status == "lost"


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (error_frame("CAPACITY_REACHED", "full", active_sessions=1, max_sessions=1), AtCapacity),
        (error_frame("FACTORY_ERROR", "it raised", factory_name="make"), FactoryFailed),
    ],
    ids=["full", "broken"],
)
def test_a_refusal_that_comes_by_itself_is_read(
    serve: Any, make_env: Any, frame: bytes, kind: type[Exception], together: bool
) -> None:
    """A full or broken server's words are the error of connect, also when they come with the handshake."""

    def script(peer: Peer) -> None:
        if together:
            peer.accept([frame], close=1000)
        else:
            peer.accept()
            peer.say(frame)
            peer.close(1000)

    env = make_env(serve(script))
    for _ in range(2):
        with pytest.raises(kind):
            env.connect()
        assert env.status == "new"


def test_a_full_server_that_gets_free_is_joined(serve: Any, make_env: Any) -> None:
    """After a refusal the next call simply connects."""

    def script(peer: Peer) -> None:
        if peer.number == 0:
            peer.accept([error_frame("CAPACITY_REACHED", active_sessions=1, max_sessions=1)], close=1000)
        else:
            peer.prove()
            peer.serve()

    env = make_env(serve(script))
    with pytest.raises(AtCapacity, match="1 of 1 sessions"):
        env.reset()
    assert env.reset().observation.step == 0


@pytest.mark.parametrize("way", ["accept and reset", "accept and close"])
def test_a_connection_that_ends_before_the_proof(serve: Any, make_env: Any, way: str) -> None:
    """A server that accepts and goes is a failed connect, not a lost session."""

    def script(peer: Peer) -> None:
        peer.accept()
        end(peer, 1006 if way == "accept and reset" else 1011)

    env = make_env(serve(script))
    with pytest.raises(ConnectFailed):
        env.reset()
    assert env.status == "new"


def test_closing_is_bounded(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """A server that never answers the goodbye does not hold close()."""
    env = make_env(serve(lambda peer: (peer.prove(), gate.wait())))
    env.connect()
    env.close()
    assert env.status == "closed"


def test_closing_is_bounded_as_a_whole(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """A silent server, a busy thread of ours and a slow subscriber do not hold close(); the connection ends later."""
    gone, telling = threading.Event(), threading.Event()

    def script(peer: Peer) -> None:
        peer.prove()
        peer.pongs = False
        try:
            peer.wait_for_end()
        finally:
            gone.set()

    env = make_env(serve(script))
    env.subscribe(lambda event: (telling.set(), gate.wait()))
    env.connect()
    eventually(telling.is_set)
    conversation_of(env).session.lease.portal.post(gate.wait)
    env.close()
    assert env.status == "closed" and not gone.is_set()
    gate.set()
    eventually(gone.is_set)


def test_closing_says_goodbye(serve: Any, make_env: Any) -> None:
    """close() tells the server by the message for it, then by the close frame."""
    server = serve(lambda peer: (peer.prove(), peer.serve()))
    env = make_env(server)
    env.reset()
    env.close()
    eventually(lambda: {"type": "close"} in server.peers[0].received)
    eventually(lambda: server.peers[0].protocol.close_rcvd is not None)
    assert server.peers[0].protocol.close_rcvd.code == 1000


def test_nothing_is_left_of_many(serve: Any, make_env: Any) -> None:
    """30 sessions opened, lost and closed leave nothing; the leak check of the suite counts."""

    def script(peer: Peer) -> None:
        peer.prove()
        if peer.number % 3 == 0:
            peer.abort()
        else:
            peer.serve()

    server = serve(script)
    for number in range(30):
        env = make_env(server)
        env.connect()
        if number % 3 == 1:
            env.reset()
        env.close()
