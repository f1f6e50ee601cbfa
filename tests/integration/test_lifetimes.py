"""Sessions, servers and processes that begin and end, in every order."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from support.gates import FileGate
from support.leaks import descriptors, our_threads, portal_tasks
from support.real_servers import ROOT, Farm, RealServer, run_program
from support.sockets import Ended, Peer, SocketServer
from support.waiting import eventually, in_threads
from support.wire import Replier
from websockets.exceptions import InvalidState

from openenv_notebook import (
    AtCapacity,
    ClientClosed,
    ConnectFailed,
    GenericEnvClient,
    SessionLost,
    SyncEnvClient,
    connect,
)
from openenv_notebook.client.conversation import conversation_of

Env = SyncEnvClient[Any, Any, Any]


@pytest.fixture
def single(any_farm: Farm) -> Iterator[RealServer]:
    """A server of its own for one session."""
    with any_farm.server(sessions=1) as server:
        yield server


def tag() -> str:
    """Name a step, to find it again at the server."""
    return uuid.uuid4().hex


def in_background(work: Any) -> tuple[threading.Thread, list[Any]]:
    """Run work in a thread; what it returned or raised will stand in the list."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, outcome


class TestOneSlot:
    """A server for one session."""

    def test_a_full_server_refuses_at_connect(self, single: RealServer) -> None:
        """A full server is AtCapacity already at connect(), naming the numbers; the holder is untouched."""
        with connect(single.url) as holder:
            with pytest.raises(AtCapacity, match="1 of 1 sessions in use") as caught:
                GenericEnvClient(single.url).sync().connect()
            assert (caught.value.active, caught.value.maximum) == (1, 1)

            async def awaited() -> None:
                await GenericEnvClient(single.url).connect()

            with pytest.raises(AtCapacity):
                asyncio.run(awaited())
            with pytest.raises(AtCapacity):
                GenericEnvClient(single.url).sync().reset()
            assert holder.reset().observation.op == "reset"

    def test_a_dropped_client_frees_its_slot(self, single: RealServer) -> None:
        """A client that is dropped without close(), blocking or not, frees its slot and thread once collected."""
        env = connect(single.url)
        env.reset()
        env.subscribe(print)
        del env
        gc.collect()
        single.wait_live(0)
        client = GenericEnvClient(single.url)
        asyncio.run(client.connect())  # type: ignore[arg-type]
        del client
        gc.collect()
        single.wait_live(0)
        eventually(lambda: not our_threads())

    def test_waiting_for_a_free_session(self, single: RealServer, caplog: pytest.LogCaptureFixture) -> None:
        """connect(wait=...) takes the slot when another client leaves it, and says that it waits."""
        holder = connect(single.url)
        thread, outcome = in_background(lambda: connect(single.url, wait=20.0))
        eventually(lambda: "waiting for a free session" in caplog.text)
        holder.close()
        thread.join(20)
        with outcome[0] as env:
            assert env.reset().observation.op == "reset"

    def test_closing_while_a_step_runs(self, single: RealServer, far_gate: FileGate) -> None:
        """close() does not wait for a running step; who waited gets SessionLost, and the slot is free when it ends."""
        env, mark = connect(single.url), tag()
        env.reset()
        thread, outcome = in_background(lambda: env.step(op="echo", tag=mark, gate=far_gate.path))
        single.wait_begun(mark)
        env.close()
        thread.join()
        assert isinstance(outcome[0], SessionLost) and outcome[0].sent is True
        assert env.status == "closed" and "closed" in repr(env)
        with pytest.raises(ClientClosed):
            env.step("echo")
        assert single.live == 1 and single.made == []
        far_gate.open()
        single.wait_live(0)
        assert single.made == [mark]

    def test_disconnecting_while_a_step_runs(self, single: RealServer, far_gate: FileGate) -> None:
        """disconnect() ends who waits, sent or not, and reset() opens a new session when the slot is free."""
        with connect(single.url) as env:
            env.reset()
            sent, unsent = tag(), tag()
            first = in_background(lambda: env.step(op="echo", tag=sent, gate=far_gate.path))
            single.wait_begun(sent)
            second = in_background(lambda: env.step(op="echo", tag=unsent))
            eventually(lambda: conversation_of(env).session.exchange.queued)
            env.disconnect()
            for thread, _ in (first, second):
                thread.join()
            far_gate.open()
            assert isinstance(first[1][0], SessionLost) and isinstance(second[1][0], ClientClosed)
            with pytest.raises(SessionLost, match="disconnect"):
                env.step("echo")
            single.wait_live(0)
            env.reset()
            assert env.step("echo").observation.count == 1
            assert single.made == [sent, None]

    def test_an_object_that_survives_holds_nothing(self, single: RealServer) -> None:
        """C21: closed by name, a client that Out[] still holds has no socket, thread or session, and says closed."""
        before = descriptors()
        out = {1: connect(single.url)}
        env = out[1]
        env.reset()
        env.close()
        del env
        gc.collect()
        single.wait_live(0)
        assert descriptors() == before and not our_threads()
        assert "closed" in repr(out[1]) and out[1].status == "closed"
        assert len(out[1].episode) == 1


class TestServersThatEnd:
    """The far end goes away, gracefully or not."""

    def test_a_killed_server(self, any_farm: Farm, far_gate: FileGate) -> None:
        """A killed server is SessionLost 1006 on the pending and on later calls; restarted, reset() recovers."""
        server = any_farm.start(options={"sessions": 1})
        with connect(server.url) as env:
            env.reset()
            mark = tag()
            thread, outcome = in_background(lambda: env.step(op="echo", tag=mark, gate=far_gate.path))
            server.wait_begun(mark)
            server.end()
            thread.join(5)
            assert isinstance(outcome[0], SessionLost)
            assert (outcome[0].code, outcome[0].sent) == (1006, True)
            for call in (lambda: env.step("echo"), env.state, env.list_tools):
                with pytest.raises(SessionLost, match=r"code 1006.*call reset\(\)"):
                    call()
            assert env.status == "lost"
            with pytest.raises(ConnectFailed, match="nothing listens"):
                env.reset()
            assert env.status == "lost"
            with any_farm.server(port=server.port, sessions=1):
                with pytest.raises(SessionLost):
                    env.connect().step("echo")
                env.reset()
                assert env.step("echo").observation.count == 1
                lost = [step for step in env.episodes[0] if isinstance(step.error, SessionLost)]
                assert lost[0].action["tag"] == mark

    def test_a_server_that_is_slow_to_listen(self, any_farm: Farm) -> None:
        """A refused connection is tried again for 2 s, since servers start slowly."""
        server = any_farm.start()
        server.end()
        env = GenericEnvClient(server.url).sync()
        thread, outcome = in_background(env.connect)
        eventually(lambda: "trying again" in env.activity)
        with any_farm.server(port=server.port):
            thread.join(10)
            assert outcome == [env] and env.status == "open"
            env.close()

    def test_a_graceful_stop(self, any_farm: Farm) -> None:
        """A server that is stopped closes with 1012; the next call says so, and reset() recovers on the next one."""
        server = any_farm.start()
        with connect(server.url) as env:
            env.reset()
            server.end(signal.SIGTERM)
            eventually(lambda: env.status == "lost")
            for action in ({"op": "echo"}, "echo"):
                with pytest.raises(SessionLost, match="code 1012"):
                    env.step(action)
            with any_farm.server(port=server.port):
                env.reset()
                assert env.step("echo").observation.count == 1

    def test_an_environment_that_ends_its_server(self, any_farm: Farm) -> None:
        """A step that kills its own server is SessionLost, and stands in the record."""
        server = any_farm.start()
        with connect(server.url) as env:
            env.reset()
            with pytest.raises(SessionLost) as caught:
                env.step("exit")
            assert caught.value.code == 1006
            assert isinstance(env.episode[-1].error, SessionLost)

    def test_an_action_larger_than_servers_take(self, any_lab: RealServer) -> None:
        """An action over the server's limit of 16 MiB is SessionLost 1009, which names the limit."""
        with connect(any_lab.url) as env:
            env.reset()
            with pytest.raises(SessionLost, match="16 MiB") as caught:
                env.step(op="echo", value="x" * (17 * 2**20))
            assert caught.value.code == 1009
            env.reset()
            assert env.step("echo").observation.count == 1

    def test_an_observation_larger_than_allowed(self, any_lab: RealServer) -> None:
        """An observation over the client's own limit is SessionLost 1009, which names the setting."""
        with GenericEnvClient(any_lab.url, max_message_size_mb=0.5).sync() as env:
            env.reset()
            with pytest.raises(SessionLost, match="max_message_size_mb") as caught:
                env.step(op="base64", size=2**20)
            assert caught.value.code == 1009
            env.reset()


class TestPatience:
    """Slow servers and busy cells."""

    def test_a_step_that_blocks_the_servers_loop(self, farm: Farm, far_gate: FileGate) -> None:
        """A step that blocks the server's own loop for longer than our keepalive survives (60 s, scaled down)."""
        with farm.server(kind="blocking") as server:
            client = GenericEnvClient(server.url, websocket_ping_interval_s=0.1, websocket_ping_timeout_s=0.1)
            with client.sync() as env:
                env.reset()
                thread, outcome = in_background(lambda: env.step(op="echo", value=1, gate=far_gate.path))
                # Two pings were due meanwhile, and their answers.
                eventually(lambda: env.activity.endswith(" 1 s"))
                far_gate.open()
                thread.join()
                assert outcome[0].observation.value == 1
                assert env.step(op="echo", value=2).observation.count == 2

    @pytest.mark.parametrize("busy", ["computing", "sleeping"])
    def test_a_cell_that_is_busy(self, any_farm: Farm, busy: str) -> None:
        """A05: a cell that computes or sleeps for longer than the server's keepalive keeps its session."""
        with any_farm.server(ping=[0.2, 0.6]) as server, connect(server.url) as env:
            env.reset()
            deaf, _ = in_background(lambda: be_deaf_until_dropped(server))

            async def cell() -> Any:
                if busy == "sleeping":
                    deaf.join()
                while deaf.is_alive():
                    sum(range(1000))
                return await env.async_client.step(op="echo", value=1)

            assert asyncio.run(cell()).observation.count == 1
            assert env.step(op="echo").observation.count == 2

    def test_a_server_that_builds_slowly(self, farm: Farm, far_gate: FileGate) -> None:
        """A server that takes long to build its environment is waited for, beyond connect_timeout_s, and says so."""
        with farm.server(build=far_gate.path) as server:
            env = GenericEnvClient(server.url, connect_timeout_s=1.0).sync()
            thread, outcome = in_background(env.connect)
            eventually(lambda: env.activity.startswith("the server is building the environment"), 20.0)
            eventually(lambda: env.activity.endswith(" 2 s"), 20.0)
            far_gate.open()
            thread.join()
            assert outcome == [env] and env.status == "open" and env.activity == ""
            env.reset()
            assert env.step("echo").observation.count == 1
            env.close()


def be_deaf_until_dropped(server: RealServer) -> None:
    """Open a session that answers no ping; returns when the server has given it up."""
    handshake = (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as sock, sock.makefile("rb") as stream:
        sock.sendall(handshake.encode())
        while stream.readline().strip():
            pass
        opcode = 0
        while opcode != 0x88:
            opcode, size = stream.read(2)
            stream.read(size)


class TestMany:
    """Many clients."""

    def test_one_after_the_other(self, any_lab: RealServer) -> None:
        """50 clients opened and closed, blocking and awaited: threads, descriptors and tasks are as before."""
        any_lab.wait_live(0)
        with connect(any_lab.url) as first:
            first.reset()
            before = our_threads(), descriptors(), portal_tasks()

            async def awaited() -> None:
                async with GenericEnvClient(any_lab.url) as client:
                    await client.reset()

            for number in range(50):
                if number % 2:
                    asyncio.run(awaited())
                    continue
                with connect(any_lab.url) as env:
                    env.reset()
            eventually(lambda: (our_threads(), descriptors(), portal_tasks()) == before)
        any_lab.wait_live(0)

    def test_at_once(self, lab: RealServer) -> None:
        """200 clients at once have one thread, and each its own session."""
        lab.wait_live(0)
        with connect(lab.url) as parent:
            outcomes = in_threads(*[lambda: [parent.new_session() for _ in range(25)]] * 8)
            envs = [env for made in outcomes for env in made]
            assert len(envs) == 200 and len(our_threads()) == 1
            sessions = in_threads(*(lambda part=part: reset_all(part) for part in (envs[:100], envs[100:])))
            assert len({session for part in sessions for session in part}) == 200
            assert len(our_threads()) == 1 and portal_tasks() == set()
        lab.wait_live(0)
        assert {env.status for env in envs} == {"closed"}


def reset_all(envs: list[Env]) -> list[str]:
    """Begin an episode in each; return their sessions."""
    return [env.reset().observation.session for env in envs]


class TestProcesses:
    """Forks and ends of processes."""

    @pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
    @pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
    def test_forked_workers(self, any_lab: RealServer, loop: str) -> None:
        """B20: workers forked with our client hang nowhere: the session is lost there and says why, reset() opens
        their own, and the parent's is unharmed."""
        said = run_program("forked", any_lab.url, OPENENV_NOTEBOOK_LOOP=loop.replace("uvloop", ""))
        assert said["codes"] == [0, 0, 0, 0]
        assert said["mine"] == ["mine", 2, True]
        assert [item[0] for item in said["read"]] == list(range(8))
        for index, *between, value in said["read"]:
            assert value == index
            if index < 4:
                assert "the process that this one was forked from" in between[0]
            else:
                assert between == []
        any_lab.wait_live(0)

    @pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
    def test_an_interpreter_that_ends_with_everything_open(
        self, any_lab: RealServer, far_gate: FileGate, loop: str
    ) -> None:
        """B21: with clients, servers, subscribers and a call that is never answered the interpreter ends, quietly."""
        run_program("exiting", any_lab.url, far_gate.path, OPENENV_NOTEBOOK_LOOP=loop.replace("uvloop", ""))
        far_gate.open()
        any_lab.wait_live(0)

    @pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
    def test_a_script_that_closes_nothing_waits_for_the_goodbye_alone(self, any_lab: RealServer, loop: str) -> None:
        """A script that leaves its session open ends while one whose server says no goodbye still waits for it."""

        def silent(peer: Peer) -> None:
            peer.prove()
            peer.say(Replier()(peer.receive()))
            peer.pongs = False
            peer.wait_for_end()

        with SocketServer(silent) as other, unclosed(other.url, loop) as waiting, unclosed(any_lab.url, loop) as ending:
            for process in (waiting, ending):
                assert process.stdin is not None
                process.stdin.close()
            assert ending.wait() == 0
            assert waiting.poll() is None
            assert waiting.wait() == 0
        any_lab.wait_live(0)


_UNCLOSED = (
    "import sys, openenv_notebook as on; e = on.connect(sys.argv[1]); e.reset(); print(flush=True); sys.stdin.read()"
)


def unclosed(url: str, loop: str) -> subprocess.Popen[bytes]:
    """Start a program that has a session open, and ends without closing it when its input ends."""
    variables = {"PYTHONPATH": str(ROOT), "OPENENV_NOTEBOOK_LOOP": loop.replace("uvloop", "")}
    command = [sys.executable, "-W", "error", "-c", _UNCLOSED, url]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **variables})
    assert process.stdout is not None and process.stdout.readline()
    return process


def test_closing_does_not_leave_the_socket_to_the_server(gate: threading.Event) -> None:
    """A client that closes ends its side of TCP itself, though the server never ends its own."""
    gone = threading.Event()

    def script(peer: Peer) -> None:
        peer.prove()
        try:
            peer.serve()
        except (Ended, InvalidState):
            if peer.sock.recv(1) == b"":
                gone.set()
            gate.wait()

    with SocketServer(script) as server:
        with GenericEnvClient(server.url).sync() as env:
            env.reset()
        eventually(gone.is_set)
        gate.set()
