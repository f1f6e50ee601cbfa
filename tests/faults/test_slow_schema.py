"""A schema that is slow, or does not come: a call keeps its own time, and nothing untrue is remembered."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from support.recorded import schemas
from support.sockets import Peer, Script, SocketServer
from support.waiting import eventually

from openenv_notebook.client.learnt import action_schema
from openenv_notebook.client.step_all import step_all
from openenv_notebook.play.policy import Policy
from openenv_notebook.values.errors import (
    ConnectTimeout,
    HandshakeRejected,
    InvalidAction,
    MisuseError,
    NotSupportedHere,
    ReplyTimeout,
)

JSON = {"Content-Type": "application/json"}


def hangs(peer: Peer) -> None:
    """Never answer."""
    peer.wait_for_end()


def tells(peer: Peer) -> None:
    """Answer with a schema."""
    peer.answer_http(200, json.dumps(schemas()["connect4"]).encode(), JSON)


def app(*answers: Script) -> Script:
    """Make a script whose WebSocket works and whose HTTP requests are answered one after the other, the last on."""
    left = list(answers)

    def script(peer: Peer) -> None:
        if peer.read_request().path.endswith("/ws"):
            peer.prove()
            peer.serve()
            return
        (left.pop(0) if len(left) > 1 else left[0])(peer)

    return script


def asked(server: SocketServer) -> int:
    """Count the questions over HTTP."""
    return sum(peer.request is not None and not peer.request.path.endswith("/ws") for peer in server.peers)


def test_a_step_by_keyword_keeps_its_time(serve: Any, make_env: Any) -> None:
    """A hidden question for the schema takes a part of the step's own time; the step is made."""
    env = make_env(serve(app(hangs)))
    env.reset()
    assert env.options(timeout=1).step(column=3).observation.echo == {"column": 3}
    env.known.patience = 0.1
    assert env.step(column=3).observation.echo == {"column": 3}
    assert env.known.asking is not None


async def test_an_awaited_step_keeps_its_time(serve: Any, make_env: Any) -> None:
    """The same for the asynchronous client."""
    client = make_env(serve(app(hangs))).async_client
    await client.reset()
    assert (await client.options(timeout=1).step(column=3)).observation.echo == {"column": 3}
    with pytest.raises(ReplyTimeout):
        await client.options(timeout=0.3).step(3)


CALLS: dict[str, Any] = {
    "step": lambda env: env.options(timeout=0.1).step(3),
    "step_many": lambda env: env.options(timeout=0.1).step_many([3, 4]),
    "step_all": lambda env: step_all([env], [3], timeout=0.1),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_bare_value_without_a_schema_in_time_is_a_timeout(serve: Any, make_env: Any, name: str) -> None:
    """The call says that it was not sent and how to do without a schema; none is said not to exist."""
    server = serve(app(hangs))
    env = make_env(server)
    env.reset()
    with pytest.raises(ReplyTimeout, match=rf"no reply to {name}\(\) within \d\.\d s.*name the field") as caught:
        CALLS[name](env)
    assert not caught.value.sent
    assert env.episode.length == 0


def test_all_calls_share_one_patience(serve: Any, make_env: Any) -> None:
    """A schema that hangs is waited for once: by what the magic asks, the step behind it and the next ones together."""
    server = serve(app(hangs))
    env = make_env(server)
    env.reset()
    env.known.patience = 0.3
    assert action_schema(env) is None
    assert env.known.patience == 0.0
    for _ in range(3):
        with pytest.raises(ReplyTimeout, match="name the field"):
            env.step("right")
        assert action_schema(env) is None
        assert env.step(column=3).observation.echo == {"column": 3}
    assert asked(server) == 1
    assert env.known.asking is not None


def test_a_slow_schema_is_asked_for_again(serve: Any, make_env: Any) -> None:
    """Nothing is remembered of a question that was not answered: the next bare value finds the schema."""
    server = serve(app(lambda peer: peer.sock.close(), tells))
    env = make_env(server)
    env.reset()
    with pytest.raises(OSError, match="name the field"):
        env.step(3)
    assert env.step(3).observation.echo == {"column": 3}
    with pytest.raises(InvalidAction, match="did you mean 'column'"):
        env.step(colum=3)
    assert asked(server) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_not_asked_by_each_step(serve: Any, make_env: Any, status: int) -> None:
    """Steps by keyword ask once and then leave a server alone that said it is busy; a bare value asks at once."""
    server = serve(app(lambda peer: peer.answer_http(status, b"", {}), tells))
    env = make_env(server)
    env.reset()
    for _ in range(20):
        env.step(column=3)
    assert env.known.asking is None
    assert asked(server) == 1
    assert env.step(3).observation.echo == {"column": 3}
    assert asked(server) == 2


def test_a_server_that_was_busy_is_asked_again_beside_the_steps(serve: Any, make_env: Any) -> None:
    """After a 503 a step by keyword waits for no schema, and finds it once it was told."""
    server = serve(app(lambda peer: peer.answer_http(503, b"", {}), tells))
    env = make_env(server)
    env.reset()
    with pytest.raises(HandshakeRejected, match="name the field"):
        env.step(3)
    env.known.asked_at -= 60.0  # a minute ago
    env.step(column=3)
    eventually(lambda: env.known.schema is not None)
    with pytest.raises(InvalidAction, match="did you mean 'column'"):
        env.step(colum=3)


def test_what_is_said_not_to_exist_is_remembered(serve: Any, make_env: Any) -> None:
    """A 404 is asked for once, and a bare value is told so."""
    server = serve(app(lambda peer: peer.answer_http(404, b"{}", JSON)))
    env = make_env(server)
    env.reset()
    for _ in range(2):
        with pytest.raises(MisuseError, match="the server tells no schema"):
            env.step(3)
    assert asked(server) == 1


def test_what_schema_is_told_is_remembered(serve: Any, make_env: Any) -> None:
    """After schema() was told that there is none, or that the server is busy, steps by keyword do not ask again."""
    for status, expected in ((404, NotSupportedHere), (503, HandshakeRejected)):
        server = serve(app(lambda peer, status=status: peer.answer_http(status, b"{}", JSON), tells))
        env = make_env(server)
        env.reset()
        with pytest.raises(expected):
            env.schema()
        assert env.known.schema_refused == (status == 404)
        env.step(column=3)
        assert asked(server) == 1
        assert env.schema()["action"]["properties"]["column"]
        assert asked(server) == 2


@pytest.mark.parametrize("name", ["health", "metadata", "schema", "list_environments", "list_splits"])
def test_a_question_has_the_call_s_time(serve: Any, make_env: Any, name: str) -> None:
    """options(timeout=) holds for questions over HTTP as well, and the error names the method."""
    env = make_env(serve(app(hangs)))
    method = "list_environments" if name == "list_splits" else name
    with pytest.raises(ReplyTimeout, match=rf"^no reply to {method}\(\) within 0\.1 s") as caught:
        getattr(env.options(timeout=0.1), name)()
    assert not caught.value.sent


def test_a_dripping_answer_has_the_call_s_time(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """The limit is for the whole answer, not for each byte of it."""

    def drips(peer: Peer) -> None:
        peer.read_request()
        peer.raw(b"HTTP/1.1 200 OK\r\n")
        while not gate.wait(0.1):
            peer.raw(b"X: y\r\n")

    env = make_env(serve(app(drips)))
    with pytest.raises(ReplyTimeout):
        env.options(timeout=0.3).health()


def test_a_new_session_has_the_call_s_time(serve: Any, make_env: Any) -> None:
    """A server that opens no second session in time is a ConnectTimeout."""

    def script(peer: Peer) -> None:
        if peer.number:
            peer.accept()
            peer.wait_for_end()
        peer.prove()
        peer.serve()

    env = make_env(serve(script))
    env.reset()
    with pytest.raises(ConnectTimeout, match=r"longer than 0\.1 s"):
        env.options(timeout=0.1).new_session()


TOOLS = {"list_tools": lambda env: env.list_tools(), "call_tool": lambda env: env.tools.look()}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_that_hangs_is_named_as_it_was_called(serve: Any, make_env: Any, name: str) -> None:
    """No word of the wire stands in the error of a tool call."""

    def script(peer: Peer) -> None:
        peer.prove()
        peer.wait_for_end()

    env = make_env(serve(script))
    env.connect()
    with pytest.raises(ReplyTimeout, match=rf"^no reply to {name}\(\) within 0\.2 s"):
        TOOLS[name](env.options(timeout=0.2))


def test_there_is_no_model_without_a_schema(serve: Any, make_env: Any) -> None:
    """``Action`` on a server that has no schema says how to do without; where it was only busy, to ask again."""
    env = make_env(serve(app(lambda peer: peer.answer_http(404, b"{}", JSON))))
    for _ in range(2):
        with pytest.raises(MisuseError, match=r"tells no schema.*env\.step\(field=value\)") as caught:
            _ = env.Action
        assert "schema()" not in str(caught.value)
    busy = make_env(serve(app(lambda peer: peer.answer_http(503, b"", {}), tells)))
    with pytest.raises(MisuseError, match=r"not known yet: the server answered HTTP 503.*schema\(\)"):
        _ = busy.Action
    assert busy.Action(column=3).column == 3


def test_random_actions_need_a_schema_that_was_told(serve: Any, make_env: Any) -> None:
    """A server that was only busy is not said to have none."""
    env = make_env(serve(app(lambda peer: peer.answer_http(503, b"", {}), tells)))
    policy = Policy("random", env)
    with pytest.raises(HandshakeRejected, match="HTTP 503"):
        policy({})
    assert set(policy({})) <= {"column"}
