"""What servers tell, or fail to tell, over HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from support.recorded import schemas
from support.sockets import Peer, SocketServer

from openenv_notebook.values.errors import (
    ConnectFailed,
    HandshakeRejected,
    InvalidAction,
    MisuseError,
    NotAnOpenEnvServer,
    NotSupportedHere,
    OpenEnvError,
    ReplyTimeout,
)
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire.http import Discovery, fetch

JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}


def app(routes: dict[str, Any]) -> Any:
    """Make a script of a server with HTTP routes and a WebSocket that works."""

    def script(peer: Peer) -> None:
        path = peer.read_request().path.partition("?")[0]
        if path.endswith("/ws"):
            peer.prove()
            peer.serve()
            return
        found = routes.get(path, (404, b'{"detail":"Not Found"}', JSON))
        if callable(found):
            found(peer)
        elif isinstance(found, tuple):
            peer.answer_http(*found)
        else:
            peer.answer_http(200, json.dumps(found).encode(), JSON)

    return script


def discovery(server: SocketServer, timeout: float = 10.0, **headers: str) -> Discovery:
    """Make the HTTP side of a server."""
    address = parse_target(server.url)
    assert isinstance(address, Address)
    return Discovery(address, headers, timeout)


def test_a_silence_is_not_its_own_cause(serve: Any) -> None:
    """A request without an answer in time is a TimeoutError, which a debugger can follow to its end."""
    address = parse_target(serve(lambda peer: peer.wait_for_end()).url)
    assert isinstance(address, Address)
    with pytest.raises(TimeoutError) as caught:
        fetch(address, "GET", "/health", headers={}, timeout=0.1)
    assert caught.value.__cause__ is not caught.value


def test_what_a_server_tells_is_read(serve: Any, make_env: Any) -> None:
    """health, metadata and schema are dicts with attributes; the schema is asked for once."""
    server = serve(
        app({"/health": {"status": "healthy"}, "/metadata": {"name": "x"}, "/schema": schemas()["connect4"]})
    )
    env = make_env(server)
    assert env.health() == {"status": "healthy"}
    assert env.metadata().name == "x"
    assert env.schema()["action"]["properties"]["column"]
    env.schema()
    assert [peer.request.path for peer in server.peers] == ["/health", "/metadata", "/schema"]
    assert server.peers[0].request.headers["Accept"] == "application/json"


def test_none_of_it_touches_the_session(serve: Any, make_env: Any) -> None:
    """Asking over HTTP opens no session."""
    env = make_env(serve(app({"/health": {"status": "healthy"}})))
    env.health()
    assert env.status == "new"


def test_the_schema_is_asked_when_it_is_needed(serve: Any, make_env: Any) -> None:
    """Keywords and bare values ask for it, once; a dict goes out without."""
    server = serve(app({"/schema": schemas()["connect4"]}))
    env = make_env(server)
    env.reset()
    env.step({"column": 1})
    assert [peer.request.path for peer in server.peers] == ["/ws"]
    assert env.step(3).observation.echo == {"column": 3}
    with pytest.raises(InvalidAction, match="did you mean 'column'"):
        env.step(colum=3)
    assert [peer.request.path for peer in server.peers] == ["/ws", "/schema"]


@pytest.mark.parametrize("answer", [(404, b"{}", JSON), (500, b"oops", {}), (200, b"<html>", HTML), (200, b"[]", JSON)])
def test_a_server_without_a_schema_works(serve: Any, make_env: Any, answer: Any) -> None:
    """Keywords go out as they are; a bare value is refused with how to write it; it is asked for once."""
    server = serve(app({"/schema": answer}))
    env = make_env(server)
    env.reset()
    assert env.step(column=3).observation.echo == {"column": 3}
    with pytest.raises(MisuseError, match="the server tells no schema"):
        env.step(3)
    env.step(column=3)
    assert [peer.request.path for peer in server.peers].count("/schema") == 1


CASES: list[tuple[str, Any, type[OpenEnvError], str]] = [
    ("no such route", (404, b'{"detail":"Not Found"}', JSON), NotSupportedHere, "no /health (HTTP 404: Not Found)"),
    ("not implemented", (501, b'{"detail":"no tasks"}', JSON), NotSupportedHere, "(HTTP 501: no tasks)"),
    ("unauthorized", (401, b"", {}), HandshakeRejected, "HTTP 401: /health"),
    ("broken factory", (500, b'{"detail":"Oops"}', JSON), HandshakeRejected, "HTTP 500: /health failed: Oops"),
    ("web page", (200, b" <!doctype html>", HTML), NotAnOpenEnvServer, "/health answers with a web page"),
    ("text", (200, b"ok", {"Content-Type": "text/plain"}), NotAnOpenEnvServer, "something that is not JSON"),
    ("empty", (200, b"", JSON), NotAnOpenEnvServer, "something that is not JSON"),
    ("list", (200, b"[]", JSON), NotAnOpenEnvServer, "/health answers list, not an object"),
    ("garbage", lambda peer: peer.raw(b"\x00\x01\x02\r\n\r\n"), ConnectFailed, "what answers there does not speak"),
    ("hangs up", lambda peer: peer.sock.close(), ConnectFailed, "no answer to GET /health: the connection was"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "kind", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_no_answer_is_told_apart(
    serve: Any, make_env: Any, answer: Any, kind: type[OpenEnvError], text: str
) -> None:
    """Each has its own error; foreign exceptions end here."""
    env = make_env(serve(app({"/health": answer})))
    with pytest.raises(kind) as caught:
        env.health()
    assert type(caught.value) is kind
    assert text in str(caught.value)


async def test_a_server_that_hangs_is_left(serve: Any) -> None:
    """A route that does not answer is a timeout that names it, and the session does not need it."""
    server = serve(app({"/metadata": lambda peer: peer.wait_for_end()}))
    with pytest.raises(ReplyTimeout, match=r"no reply to metadata\(\) within 0\.1 s.*session does not need it"):
        await discovery(server, timeout=0.1).get("/metadata")


async def test_the_loop_goes_on_meanwhile(serve: Any, gate: threading.Event) -> None:
    """A slow answer blocks no loop: it is waited for in a thread of its own."""

    def slow(peer: Peer) -> None:
        gate.wait()
        peer.answer_http(200, b"{}", JSON)

    task = asyncio.create_task(discovery(serve(app({"/health": slow}))).get("/health"))
    await asyncio.sleep(0)
    gate.set()
    assert await task == {}


def test_nothing_listens(make_env: Any) -> None:
    """A refused connection is a failed connect, with the address."""
    with SocketServer(app({})) as server:
        url = server.url
    with pytest.raises(ConnectFailed, match=r"no answer to GET /health: nothing listens there.*127\.0\.0\.1") as caught:
        make_env(url).health()
    assert "rrno" not in str(caught.value)
    with pytest.raises(ConnectFailed, match="the host name is not known"):
        make_env("http://no-such-host.invalid").health()


async def test_a_redirect_elsewhere_gets_none_of_the_headers(serve: Any) -> None:
    """A redirect to another origin is followed without the person's headers; at home it keeps them."""
    other = serve(app({"/health": {"status": "other"}, "/here": {"status": "here"}}))
    server = serve(
        app(
            {
                "/health": (307, b"", {"Location": f"{other.url}/health"}),
                "/home": (307, b"", {"Location": "/here"}),
                "/here": {"status": "here"},
            }
        )
    )
    asked = discovery(server, Authorization="Bearer secret", **{"X-Key": "abc"})
    assert (await asked.get("/health"))["status"] == "other"
    headers = {name.lower() for name in other.peers[0].request.headers}
    assert not {"authorization", "x-key"} & headers
    assert (await asked.get("/home"))["status"] == "here"
    assert server.peers[-1].request.headers["X-Key"] == "abc"


async def test_the_query_travels_to_each_route(serve: Any) -> None:
    """What stood behind the question mark of the address is sent with each request."""
    server = serve(app({"/a/health": {}}))
    address = parse_target(f"{server.url}/a?key=1")
    assert isinstance(address, Address)
    await Discovery(address).get("/health")
    assert server.peers[0].request.path == "/a/health?key=1"


TASKS: dict[str, Any] = {
    "/list_environments": ["grid"],
    "/grid/splits": [{"name": "train", "type": "train"}],
    "/grid/tasks": {"tasks": [{"id": 1}]},
    "/grid/num_tasks": {"num_tasks": 2},
    "/grid/task": {"task": {"id": 1}},
    "/grid/task_range": {"tasks": [{"id": 0}, {"id": 1}]},
}


def test_tasks_are_asked_for(serve: Any, make_env: Any) -> None:
    """Splits and tasks are read; without a name the server's own environment is meant."""
    server = serve(app(TASKS))
    env = make_env(server)
    assert env.list_environments() == ["grid"]
    assert env.list_splits() == env.list_splits("grid") == [{"name": "train", "type": "train"}]
    assert env.list_tasks("train") == [{"id": 1}]
    assert env.num_tasks("train", env_name="grid") == 2
    assert env.get_task("train", 1).id == 1
    assert env.get_task_range("train", 0, 2) == [{"id": 0}, {"id": 1}]
    assert json.loads(server.peers[-1].body) == {"split": "train", "start": 0, "stop": 2}


@pytest.mark.parametrize("answer", [[], {}, 3, {"tasks": 3}])
def test_an_odd_answer_about_tasks_is_told(serve: Any, make_env: Any, answer: Any) -> None:
    """An answer without what was asked for is an error of ours, never a KeyError."""
    env = make_env(serve(app({**TASKS, "/grid/task": answer})))
    with pytest.raises(NotAnOpenEnvServer, match="/grid/task"):
        env.get_task("train", 0)


def test_tasks_without_a_task_api_are_told(serve: Any, make_env: Any) -> None:
    """A server without the task API, or an environment without tasks, is NotSupportedHere."""
    with pytest.raises(NotSupportedHere, match="no /list_environments"):
        make_env(serve(app({}))).list_splits()
    routes = {"/list_environments": ["grid"], "/grid/splits": (501, b'{"detail":"has no tasks"}', JSON)}
    with pytest.raises(NotSupportedHere, match="has no tasks"):
        make_env(serve(app(routes))).list_splits()


@pytest.mark.parametrize("answer", [[], {}, "x", [3], None])
def test_an_odd_list_of_environments_is_told(serve: Any, make_env: Any, answer: Any) -> None:
    """A list that names nothing is an error of ours, never an IndexError."""
    env = make_env(serve(app({"/list_environments": answer})))
    with pytest.raises(OpenEnvError):
        env.list_splits()


def test_a_first_step_waits_for_no_hanging_schema(serve: Any, make_env: Any) -> None:
    """A /schema that hangs does not stop a step by dict, and close() is not held up by it."""
    server = serve(app({"/schema": lambda peer: peer.wait_for_end()}))
    env = make_env(server, message_timeout_s=1e6)
    env.reset()
    env.known.patience = 0.1
    env.step(column=1)
    assert env.known.asking is not None
    assert env.step({"column": 1}).observation.step == 2
    env.close()
    assert env.status == "closed"
