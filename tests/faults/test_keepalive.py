"""Pings: a silent server is noticed when idle, and never while a reply is owed or awaited; scaled down."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from support.sockets import Peer
from support.waiting import eventually
from support.wire import Replier

from openenv_notebook.errors import ReplyTimeout, SessionLost

PING = {"websocket_ping_interval_s": 0.05, "websocket_ping_timeout_s": 0.15}


def silent(go: threading.Event | None = None) -> Any:
    """Make a script of a server that answers no ping from its first step on, and steps when it may go."""

    def script(peer: Peer) -> None:
        peer.prove()
        usual = Replier()
        while True:
            request = peer.receive()
            if request["type"] == "step" and peer.number == 0:
                peer.pongs = False
                if go is not None:
                    # It reads, so that pings are counted, and answers nothing.
                    peer.sock.settimeout(0.01)
                    while not go.is_set():
                        try:
                            peer.protocol.receive_data(peer.sock.recv(65536))
                        except TimeoutError:
                            continue
                        peer.pings += len(peer.protocol.events_received())
                        peer.protocol.data_to_send()
                    peer.sock.settimeout(None)
            peer.say(usual(request))

    return script


def test_an_idle_server_that_never_answers_is_lost(serve: Any, make_env: Any) -> None:
    """Idle, a ping without an answer in time ends the session with 1006; reset() recovers."""
    env = make_env(serve(silent()), **PING)
    env.reset()
    env.step({"n": 1})
    eventually(lambda: env.status == "lost")
    with pytest.raises(SessionLost, match=r"no answer to a ping within 0\.15 s") as caught:
        env.step({"n": 2})
    assert caught.value.code == 1006
    assert env.reset().observation.step == 0


def test_an_idle_server_that_answers_is_kept(serve: Any, make_env: Any) -> None:
    """Pings go on and a server that answers them is never given up."""
    server = serve(lambda peer: (peer.prove(), peer.serve()))
    env = make_env(server, **PING)
    env.reset()
    eventually(lambda: server.peers[0].pings >= 6)
    assert env.status == "open"
    assert env.step({"n": 1}).observation.step == 1


def test_while_a_reply_is_awaited_pings_are_never_fatal(serve: Any, make_env: Any) -> None:
    """A step that blocks the server's own loop far longer than the ping timeout survives, and pings went on."""
    go = threading.Event()
    server = serve(silent(go))
    env = make_env(server, **PING)
    env.reset()
    threading.Timer(0.8, go.set).start()
    assert env.step({"n": 1}).observation.step == 1
    assert server.peers[0].pings >= 3


def test_while_a_reply_is_owed_pings_are_never_fatal(serve: Any, make_env: Any) -> None:
    """A step that was given up keeps its session until its reply has come."""
    go = threading.Event()
    server = serve(silent(go))
    env = make_env(server, **PING)
    env.reset()
    with pytest.raises(ReplyTimeout):
        env.options(timeout=0.05).step({"n": 1})
    eventually(lambda: server.peers[0].pings >= 6)
    assert (env.status, env.owed) == ("open", 1)
    go.set()
    assert len(env.settle(timeout=5)) == 1


def test_pings_can_be_turned_off(serve: Any, make_env: Any) -> None:
    """Without an interval there are none; without a timeout a missing answer is never fatal."""
    server = serve(lambda peer: (peer.prove(), peer.serve()))
    env = make_env(server, websocket_ping_interval_s=None, websocket_ping_timeout_s=0.01)
    env.reset()
    patient_server = serve(silent())
    patient = make_env(patient_server, websocket_ping_interval_s=0.05, websocket_ping_timeout_s=None)
    patient.reset()
    patient.step({"n": 1})
    eventually(lambda: patient_server.peers[0].pings >= 5)
    assert (server.peers[0].pings, env.status, patient.status) == (0, "open", "open")


def test_a05_a_busy_cell_keeps_its_session(serve: Any, make_env: Any) -> None:
    """A05: a cell that computes in Python for longer than the server's own ping timeout is answered for meanwhile."""
    answered: list[float] = []

    def script(peer: Peer) -> None:
        peer.prove()
        peer.say(Replier()(peer.receive()))
        peer.sock.settimeout(0.5)
        for _ in range(5):
            peer.protocol.send_ping(b"are you there")
            peer.flush()
            began = time.monotonic()
            while not peer.protocol.events_received():
                peer.protocol.receive_data(peer.sock.recv(65536))
            answered.append(time.monotonic() - began)
        peer.sock.settimeout(None)
        peer.serve()

    env = make_env(serve(script))
    env.reset()
    until = time.monotonic() + 5
    while len(answered) < 5 and time.monotonic() < until:
        sum(range(20_000))
    assert len(answered) == 5
    assert env.step({"n": 1}).observation.step == 1
