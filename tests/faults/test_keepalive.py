"""Pings: a silent server is noticed when idle, and never while a reply is owed or awaited; scaled down."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, Self

import pytest
from support.sockets import Peer
from support.waiting import eventually, in_threads
from support.wire import Replier
from websockets.asyncio.server import serve as websocket_server

from openenv_notebook.values.errors import ConnectTimeout, ReplyTimeout, SessionLost

PING = {"websocket_ping_interval_s": 0.05, "websocket_ping_timeout_s": 0.15}


class BusyServer:
    """A server that makes its steps on the loop that answers its pings, as many do.

    Args:
        gate: What a step that is to be held waits for.
    """

    def __init__(self, gate: threading.Event) -> None:
        self._gate = gate
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(self._start())
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self._thread = threading.Thread(target=self._loop.run_forever)

    async def _start(self) -> Any:
        return await websocket_server(self._session, "127.0.0.1", 0, ping_interval=None)

    async def _session(self, socket: Any) -> None:
        usual = Replier()
        async for message in socket:
            request = json.loads(message)
            if request["type"] == "step" and request["data"].get("held"):
                self._gate.wait()
            if request["type"] == "close":
                return
            await socket.send(usual(request).decode())

    def block(self) -> None:
        """Answer nobody until the gate opens, though nobody asked for anything."""
        self._loop.call_soon_threadsafe(self._gate.wait)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._gate.set()
        self._loop.call_soon_threadsafe(self._server.close)
        asyncio.run_coroutine_threadsafe(self._server.wait_closed(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


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
    assert "websocket_ping_interval_s=None" in str(caught.value), "R28: with its cure, also as a magic"
    assert "%openenv connect --ping none" in str(caught.value)
    assert env.reset().observation.step == 0


def test_without_pings_a_tunnel_that_drops_them_is_no_matter(serve: Any, make_env: Any) -> None:
    """R28: what the error advises helps: no ping is sent, and the session stays."""
    server = serve(silent())
    env = make_env(server, **{**PING, "websocket_ping_interval_s": None})
    other = make_env(server, **PING)
    for each in (env, other):
        each.reset()
        each.step({"n": 1})
    eventually(lambda: server.peers[1].pings >= 3)
    assert (server.peers[0].pings, env.status) == (0, "open")
    assert env.step({"n": 2}).observation.step == 2


def test_an_idle_server_that_answers_is_kept(serve: Any, make_env: Any) -> None:
    """Pings go on and a server that answers them is never given up."""
    server = serve(lambda peer: (peer.prove(), peer.serve()))
    env = make_env(server, websocket_ping_interval_s=0.02, websocket_ping_timeout_s=0.3)
    env.reset()
    eventually(lambda: server.peers[0].pings >= 3)
    assert env.status == "open"
    assert env.step({"n": 1}).observation.step == 1


def test_while_a_reply_is_awaited_pings_are_never_fatal(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """A step that is held for several ping timeouts survives, and pings go on."""
    server = serve(silent(gate))
    env = make_env(server, **PING)
    env.reset()

    def release() -> None:
        # The next ping goes out when the one before it has had its time.
        eventually(lambda: server.peers[0].pings >= 4)
        gate.set()

    result, _ = in_threads(lambda: env.step({"n": 1}), release)
    assert result.observation.step == 1


def test_while_a_reply_is_owed_pings_are_never_fatal(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """A step that was given up keeps its session until its reply has come."""
    server = serve(silent(gate))
    env = make_env(server, **PING)
    env.reset()
    with pytest.raises(ReplyTimeout):
        env.options(timeout=0.05).step({"n": 1})
    eventually(lambda: server.peers[0].pings >= 4)
    assert (env.status, env.owed) == ("open", 1)
    gate.set()
    assert len(env.settle(timeout=5)) == 1


def test_another_session_of_a_busy_server_is_kept(make_env: Any, gate: threading.Event) -> None:
    """While one session's step blocks the server's loop, an idle one waits with it; then the rule holds."""
    with BusyServer(gate) as server:
        env, idle = make_env(server.url, **PING), make_env(server.url.replace("127.0.0.1", "localhost"), **PING)
        env.reset()
        idle.reset()
        with pytest.raises(ReplyTimeout):
            env.options(timeout=0.05).step({"held": True})
        # Meanwhile a ping was due, and its answer.
        with pytest.raises(ConnectTimeout, match=r"accepted the connection and does not answer.*busy"):
            make_env(server.url, connect_timeout_s=0.5).connect()
        gate.set()
        assert len(env.settle(timeout=5)) == 1
        assert (idle.status, idle.step({"n": 1}).observation.step) == ("open", 1)
        gate.clear()
        server.block()
        eventually(lambda: (env.status, idle.status) == ("lost", "lost"))


def test_pings_can_be_turned_off(serve: Any, make_env: Any) -> None:
    """Without an interval there are none; without a timeout a missing answer is never fatal."""
    server = serve(lambda peer: (peer.prove(), peer.serve()))
    env = make_env(server, websocket_ping_interval_s=None, websocket_ping_timeout_s=0.01)
    env.reset()
    patient_server = serve(silent())
    patient = make_env(patient_server, websocket_ping_interval_s=0.05, websocket_ping_timeout_s=None)
    patient.reset()
    patient.step({"n": 1})
    eventually(lambda: patient_server.peers[0].pings >= 3)
    assert (server.peers[0].pings, env.status, patient.status) == (0, "open", "open")


def test_a05_a_busy_cell_keeps_its_session(serve: Any, make_env: Any) -> None:
    """A05: while a cell computes in Python, the server's own pings are answered, one after the other."""
    answered: list[int] = []

    def script(peer: Peer) -> None:
        peer.prove()
        peer.say(Replier()(peer.receive()))
        for number in range(5):
            peer.protocol.send_ping(b"are you there")
            peer.flush()
            while not peer.protocol.events_received():
                peer.protocol.receive_data(peer.sock.recv(65536))
            answered.append(number)
        peer.serve()

    env = make_env(serve(script))
    env.reset()
    while len(answered) < 5:
        sum(range(20_000))
    assert env.step({"n": 1}).observation.step == 1
