"""The embedded server over real sockets, driven by plain and by the official clients."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from openenv.core import EnvClient, GenericEnvClient
from openenv.core.client_types import StepResult
from support.waiting import eventually
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from openenv_notebook.demo import demo_names, find_demo
from openenv_notebook.demo.echo import EchoAction, EchoEnvironment, EchoObservation
from openenv_notebook.demo.grid import GridEnvironment
from openenv_notebook.servers.embedded.server import EmbeddedServer
from openenv_notebook.values.errors import MisuseError, ServerStartFailed
from openenv_notebook.values.messages import State


def server_threads() -> list[str]:
    """Name the threads of embedded servers that run."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv-server-")]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Fail a test that leaves a server's thread behind."""
    yield
    assert server_threads() == []


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """An echo server for two sessions."""
    with EmbeddedServer(EchoEnvironment, name="echo", sessions=2) as started:
        yield started


def open_socket(server: EmbeddedServer, path: str = "/ws", **options: Any) -> ClientConnection:
    """Open a WebSocket to a server."""
    options = {"proxy": None, "compression": None, "max_size": None, "close_timeout": 1, **options}
    return connect(server.url.replace("http", "ws", 1) + path, **options)


def ask(connection: ClientConnection, frame: Any) -> dict[str, Any]:
    """Send one frame and wait for the reply."""
    connection.send(json.dumps(frame))
    return receive(connection)


def receive(connection: ClientConnection) -> dict[str, Any]:
    """Wait for one frame."""
    reply: dict[str, Any] = json.loads(connection.recv(timeout=10))
    return reply


def close_code(connection: ClientConnection) -> int:
    """Wait for the end of a connection and give its close code."""
    with pytest.raises(ConnectionClosed) as caught:
        while True:
            connection.recv(timeout=10)
    assert caught.value.rcvd is not None
    return caught.value.rcvd.code


def fetch(url: str, **headers: str) -> tuple[int, Any]:
    """Get a page and decode it."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def step(message: str, delay: float = 0.0) -> dict[str, Any]:
    """Compose a step of the echo demo."""
    return {"type": "step", "data": {"message": message, "delay": delay}}


class TestLife:
    """Starting and stopping."""

    def test_it_runs_on_a_thread_of_its_own(self) -> None:
        """A started server has one daemon thread; a stopped one has neither thread nor port."""
        server = EmbeddedServer(EchoEnvironment, name="mine")
        assert "not started" in repr(server)
        with server.start() as same:
            assert same is server.start() is server
            assert server_threads() == ["openenv-server-mine"]
            assert server.running
            port = int(server.url.removeprefix("http://127.0.0.1:"))
            assert repr(server) == f"<EmbeddedServer mine at {server.url}, 0 of 64 sessions>"
        server.stop()
        assert not server.running
        assert "stopped" in repr(server)
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
            pass

    def test_it_listens_on_the_loopback_only(self, server: EmbeddedServer) -> None:
        """The port is bound to 127.0.0.1, so the same port of another loopback address is free."""
        port = int(server.url.rpartition(":")[2])
        with socket.socket() as other:
            other.bind(("127.0.0.2", port))

    def test_a_taken_port_is_a_start_failure(self, server: EmbeddedServer) -> None:
        """A port in use is reported as ServerStartFailed, and the server can try again later."""
        port = int(server.url.rpartition(":")[2])
        second = EmbeddedServer(EchoEnvironment, name="second", port=port)
        with pytest.raises(ServerStartFailed, match=r"'second' could not listen on port \d+: something else"):
            second.start()
        server.stop()
        with second:
            assert second.url == server.url

    def test_misuse_is_said(self) -> None:
        """An address before the start, a second start and an impossible number of sessions are refused."""
        server = EmbeddedServer(EchoEnvironment, name="x")
        server.stop()
        with pytest.raises(MisuseError, match="no address yet"):
            _ = server.url
        server.start().stop()
        with pytest.raises(MisuseError, match="was stopped"):
            server.start()
        with pytest.raises(ValueError, match="sessions must be"):
            EmbeddedServer(EchoEnvironment, name="x", sessions=0)
        with pytest.raises(ServerStartFailed):
            EmbeddedServer(EchoEnvironment, name="x", port=70000).start()

    def test_a_stop_ends_sessions_with_1012(self, server: EmbeddedServer) -> None:
        """Clients of a stopped server see close code 1012, also within a step that goes on for a minute."""
        with open_socket(server) as idle, open_socket(server) as busy:
            ask(idle, {"type": "state"})
            busy.send(json.dumps(step("late", delay=60)))
            eventually(lambda: server.sessions_active == 2)
            server.stop()
            assert close_code(idle) == close_code(busy) == 1012

    def test_a_stop_ends_those_who_never_said_anything(self, server: EmbeddedServer) -> None:
        """A connection without a request, and a client that does not answer the goodbye, do not hold up a stop."""
        address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        handshake = (
            f"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n"
        )
        with (
            socket.create_connection(address, timeout=5) as silent,
            socket.create_connection(address, timeout=5) as deaf,
        ):
            deaf.sendall(handshake.encode())
            assert b"101" in deaf.recv(4096)
            server.stop()
            with pytest.raises(ConnectionResetError):
                while silent.recv(4096):
                    pass
                raise ConnectionResetError  # An orderly end is as good.

    def test_a_stop_from_a_loop_does_not_need_that_loop(self) -> None:
        """A server can be started and stopped from within a running loop, as in a notebook cell."""

        async def cell() -> int:
            with EmbeddedServer(EchoEnvironment, name="cell") as server:
                status, _ = await asyncio.to_thread(fetch, f"{server.url}/health")
                return status

        assert asyncio.run(cell()) == 200


class TestHttp:
    """The pages a client reads."""

    def test_health_metadata_and_schema(self, server: EmbeddedServer) -> None:
        """The three pages answer with the shapes of a real server."""
        assert fetch(f"{server.url}/health?x=1") == (200, {"status": "healthy"})
        status, metadata = fetch(f"{server.url}/metadata")
        assert (status, metadata["name"], metadata["version"]) == (200, "echo", "1.0.0")
        assert metadata["description"] == "Says what it is told."
        assert set(metadata) == {"name", "description", "readme_content", "version", "author", "documentation_url"}
        status, schema = fetch(f"{server.url}/schema")
        assert status == 200
        assert set(schema) == {"action", "observation", "state", "reset_observation"}
        assert schema["action"]["required"] == ["message"]
        assert schema["action"]["properties"]["delay"]["maximum"] == 60.0

    @pytest.mark.parametrize("path", ["/", "/nope", "/ws", "/health/", "/mcp"])
    def test_other_pages_are_not_found(self, server: EmbeddedServer, path: str) -> None:
        """Every other page is 404 with a JSON body."""
        assert fetch(server.url + path) == (404, {"detail": "Not Found"})

    def test_a_full_server_is_healthy(self, server: EmbeddedServer) -> None:
        """Pages are answered while all sessions are taken."""
        with open_socket(server) as one, open_socket(server) as two:
            ask(one, {"type": "state"})
            ask(two, {"type": "state"})
            assert fetch(f"{server.url}/health") == (200, {"status": "healthy"})


class TestGate:
    """No web page from elsewhere may drive it."""

    def test_foreign_pages_are_refused_everywhere(self, server: EmbeddedServer) -> None:
        """A foreign Origin or Host is 403 for pages and for the handshake; no environment is built."""
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
            assert fetch(f"{server.url}/schema", **headers)[0] == 403
            assert fetch(f"{server.url}/nope", **headers)[0] == 403
        with pytest.raises(InvalidStatus, match="403"):
            open_socket(server, origin="http://evil.example")
        with pytest.raises(InvalidStatus, match="403"):
            open_socket(server, additional_headers={"Host": "evil.example"})
        assert server.sessions_active == 0

    def test_pages_of_this_machine_may(self, server: EmbeddedServer) -> None:
        """A page served from this machine, such as JupyterLab, may open a session."""
        with open_socket(server, origin="http://localhost:8888") as connection:
            assert ask(connection, {"type": "state"})["type"] == "state"

    def test_an_allowed_proxy_may(self) -> None:
        """A host on the allow-list may be the Host and the Origin of a request."""
        with EmbeddedServer(EchoEnvironment, name="x", allowed_hosts=["hub.example.org"]) as server:
            headers = {"Host": "hub.example.org", "Origin": "https://hub.example.org"}
            assert fetch(f"{server.url}/health", **headers)[0] == 200
            assert fetch(f"{server.url}/health", Host="other.example.org")[0] == 403

    @pytest.mark.parametrize("path", ["/", "/ws/", "/health", "/env/ws"])
    def test_sessions_are_at_ws_only(self, server: EmbeddedServer, path: str) -> None:
        """A handshake at another path is refused with 403."""
        with pytest.raises(InvalidStatus, match="403"):
            open_socket(server, path)


class TestSessions:
    """One connection, one environment."""

    def test_replies_come_in_order(self, server: EmbeddedServer) -> None:
        """Pipelined requests are answered one for one in order, slow ones included."""
        with open_socket(server) as connection:
            messages = [f"m{i}" for i in range(40)]
            for index, message in enumerate(messages):
                connection.send(json.dumps(step(message, delay=0.02 if index % 10 == 0 else 0.0)))
            replies = [receive(connection)["data"]["observation"]["message"] for _ in messages]
            assert replies == messages
            assert ask(connection, {"type": "state"})["data"]["step_count"] == 40

    def test_sessions_do_not_share_anything(self, server: EmbeddedServer) -> None:
        """A slow step of one session does not hold up another, and each has its own environment."""
        with open_socket(server) as slow, open_socket(server) as quick:
            slow.send(json.dumps(step("slow", delay=60)))
            assert ask(quick, step("quick"))["data"]["reward"] == 0.5
            assert ask(quick, {"type": "state"})["data"]["step_count"] == 1
            server.stop()

    def test_a_full_server_says_so_and_a_slot_comes_free(self, server: EmbeddedServer) -> None:
        """One client too many is told CAPACITY_REACHED and closed with 1000; a closed client makes room."""
        with open_socket(server) as one, open_socket(server) as two:
            ask(one, {"type": "state"})
            ask(two, {"type": "state"})
            with open_socket(server) as third:
                assert receive(third) == {
                    "type": "error",
                    "data": {
                        "message": "Server at capacity: 2/2 sessions active. Cannot accept new connections.",
                        "code": "CAPACITY_REACHED",
                        "active_sessions": 2,
                        "max_sessions": 2,
                    },
                }
                assert close_code(third) == 1000
            one.close()
            with open_socket(server) as fourth:
                assert ask(fourth, {"type": "state"})["type"] == "state"

    def test_a_running_step_keeps_its_slot(self) -> None:
        """When a client goes in the middle of a step, its slot is free as soon as the step ends."""
        loops: list[asyncio.AbstractEventLoop] = []
        gate = asyncio.Event()

        class Held(EchoEnvironment):
            async def step(self, action: EchoAction) -> EchoObservation:
                loops.append(asyncio.get_running_loop())
                await gate.wait()
                return await super().step(action)

        with EmbeddedServer(Held, name="held", sessions=2) as server, open_socket(server) as other:
            ask(other, {"type": "state"})
            with open_socket(server) as gone:
                gone.send(json.dumps(step("late")))
                eventually(lambda: loops)
            ask(other, {"type": "state"})
            assert server.sessions_active == 2
            loops[0].call_soon_threadsafe(gate.set)
            eventually(lambda: server.sessions_active == 1)
            assert ask(other, {"type": "state"})["type"] == "state"

    def test_a_broken_factory_is_told_by_name(self) -> None:
        """A factory that raises is FACTORY_ERROR with its name, then 1000; its slot is free again."""

        class Broken(EchoEnvironment):
            """Cannot be built."""

            def __init__(self) -> None:
                raise RuntimeError("no")

        with EmbeddedServer(Broken, name="broken", sessions=1) as server:
            for _ in range(2):
                with open_socket(server) as connection:
                    assert receive(connection)["data"] == {
                        "message": "Environment factory 'Broken' failed to create instance.",
                        "code": "FACTORY_ERROR",
                        "factory_name": "Broken",
                    }
                    assert close_code(connection) == 1000
            assert fetch(f"{server.url}/health")[0] == 200

    def test_a_factory_may_be_any_callable(self) -> None:
        """A function that builds environments is served with the types of what it builds."""
        with EmbeddedServer(lambda: GridEnvironment(), name="grid") as server:
            assert fetch(f"{server.url}/schema")[1]["action"]["title"] == "GridAction"

    @pytest.mark.parametrize("frame", ["[1]", "null", b'{"type":"state"}'])
    def test_what_is_no_message_ends_the_session(self, server: EmbeddedServer, frame: str | bytes) -> None:
        """Other JSON than an object, or a binary frame, is SESSION_ERROR and then 1000."""
        with open_socket(server) as connection:
            connection.send(frame)
            assert receive(connection)["data"]["code"] == "SESSION_ERROR"
            assert close_code(connection) == 1000
        eventually(lambda: server.sessions_active == 0)

    def test_a_session_made_elsewhere_is_unknown(self, server: EmbeddedServer) -> None:
        """Asking for a session by id is refused as unknown and takes no slot."""
        with open_socket(server, "/ws?session_id=abc") as connection:
            assert receive(connection)["data"] == {"message": "Unknown session_id: abc", "code": "SESSION_ERROR"}
            assert close_code(connection) == 1000

    def test_the_client_may_end_it(self, server: EmbeddedServer) -> None:
        """A close message has no reply; the server closes with 1000 and the slot is free."""
        with open_socket(server) as connection:
            connection.send('{"type":"close"}')
            assert close_code(connection) == 1000
        eventually(lambda: server.sessions_active == 0)

    def test_too_large_a_message_ends_it(self, server: EmbeddedServer) -> None:
        """A message of 16 MiB less a little is answered, one over 16 MiB is closed with 1009."""
        with open_socket(server) as connection:
            assert ask(connection, step("x" * (16 * 1024 * 1024 - 100)))["data"]["observation"]["length"] > 16_000_000
            connection.send('"' + "x" * (16 * 1024 * 1024) + '"')
            assert close_code(connection) == 1009


class OfficialEcho(EnvClient[EchoAction, EchoObservation, State]):
    """A typed client as people write it for the official package."""

    def _step_payload(self, action: EchoAction) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[EchoObservation]:
        observation = EchoObservation(**payload["observation"], reward=payload["reward"], done=payload["done"])
        return StepResult(observation=observation, reward=payload["reward"], done=payload["done"])

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


class TestOfficialClient:
    """The client of the official package drives it."""

    def test_generic_and_async(self, server: EmbeddedServer) -> None:
        """The generic client resets, steps, reads the state and gets errors, awaiting each."""

        async def play() -> None:
            async with GenericEnvClient(base_url=server.url) as env:
                result = await env.reset(seed=1, episode_id="mine")
                assert result.observation["length"] == 0
                result = await env.step({"message": "hello"})
                assert (result.observation["message"], result.reward, result.done) == ("hello", 0.5, False)
                with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
                    await env.step({"text": "hello"})
                assert (await env.state())["episode_id"] == "mine"

        asyncio.run(play())

    @pytest.mark.parametrize("name", demo_names())
    def test_generic_and_blocking(self, name: str) -> None:
        """The generic client plays every demo through its blocking face."""
        actions = {"echo": {"message": "a"}, "grid": {"direction": "down"}, "guess": {"guess": 50}}
        with EmbeddedServer(find_demo(name), name=name) as server, GenericEnvClient(base_url=server.url).sync() as env:
            first = env.reset(seed=7)
            assert first.observation == env.reset(seed=7).observation
            assert env.step(actions[name]).reward is not None
            assert env.state()["step_count"] == 1

    def test_typed(self, server: EmbeddedServer) -> None:
        """A typed client sends its own actions and parses its own observations and states."""
        with OfficialEcho(base_url=server.url).sync() as env:
            env.reset()
            result = env.step(EchoAction(message="abc"))
            assert isinstance(result.observation, EchoObservation)
            assert (result.observation.message, result.reward) == ("abc", 0.3)
            assert env.state().step_count == 1

    def test_an_error_of_the_environment_is_passed_on(self) -> None:
        """What an environment raises reaches the official client with its message, and the session goes on."""
        with (
            EmbeddedServer(GridEnvironment, name="grid") as server,
            GenericEnvClient(base_url=server.url).sync() as env,
        ):
            with pytest.raises(RuntimeError, match=r"size must be from 3 to 20.*EXECUTION_ERROR"):
                env.reset(size=99)
            assert len(env.reset(size=4).observation["board"]) == 4

    def test_a_full_server_is_an_error(self, server: EmbeddedServer) -> None:
        """One official client too many is told about the capacity."""
        with ExitStack() as stack:
            for _ in range(2):
                stack.enter_context(GenericEnvClient(base_url=server.url).sync()).reset()
            third = stack.enter_context(GenericEnvClient(base_url=server.url).sync())
            with pytest.raises(Exception, match=r"CAPACITY_REACHED|1000"):
                third.reset()
