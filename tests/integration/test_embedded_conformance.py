"""The embedded server beside a real one: the same frames, the same replies."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.real_servers import Farm
from support.waiting import eventually
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.servers.embedded.server import EmbeddedServer
from openenv_notebook.values.messages import Action, Observation, State

# The same as in environments/toy.py, which is written for the official package.
VALUES = {"nan": [math.nan, math.inf], "bytes": b"abc", "set": (1, {2}), "object": object(), "half": "\ud83d"}
REWARDS = {"nan": math.nan, "none": None, "whole": 3, "true": True}


class ToyAction(Action):
    """What to do."""

    what: str
    number: int = 0


class ToyObservation(Observation):
    """What came of it."""

    value: Any = None


class ToyEnvironment(DemoEnvironment[ToyAction, ToyObservation, State]):
    """Returns all sorts of values."""

    action_type = ToyAction
    observation_type = ToyObservation
    state_type = State

    def __init__(self) -> None:
        self.steps = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> ToyObservation:  # type: ignore[override]
        self.steps = 0
        return ToyObservation(value=seed, metadata={"begun": True})

    def step(self, action: ToyAction) -> ToyObservation:
        self.steps += 1
        if action.what == "raise":
            raise RuntimeError("it broke")
        reward = REWARDS.get(action.what, 0.5)
        return ToyObservation(value=VALUES.get(action.what), reward=reward, done=action.what == "end")

    @property
    def state(self) -> State:
        return State(episode_id="e", step_count=self.steps, more={"a": [1]})


def _step(**data: Any) -> str:
    return json.dumps({"type": "step", "data": data})


def _mcp(**data: Any) -> str:
    return json.dumps({"type": "mcp", "data": {"jsonrpc": "2.0", **data}})


ANSWERED = [
    '{"type":"state"}',
    '{"type":"reset"}',
    '{"type":"reset","data":{"seed":3,"unknown":1}}',
    '{"type":"reset","data":null}',
    *(_step(what=what) for what in ("go", "end", "raise", *VALUES, *REWARDS)),
    _step(),
    _step(what=1, number="x", more=True),
    _step(what="go", number="7"),
    '{"type":"step"}',
    '{"type":"step","data":[1]}',
    '{"type":"step","data":{"what":"go"},"request_id":1}',
    '{"type":"step","data":{"what":NaN,"number":1e999}}',
    '{"type":"state","data":{}}',
    '{"type":"close","data":{}}',
    '{"type":"bogus"}',
    '{"type":["x"]}',
    '{"type":null}',
    "{}",
    "",
    "{bad",
    '{"type":"mcp"}',
    '{"type":"mcp","data":{}}',
    _mcp(method="tools/list", id=1),
    _mcp(method="tools/call", id=2, params={"name": "x"}),
    _mcp(method="tools/call", id="three"),
    _mcp(method="bogus"),
    _mcp(method="bogus", params=[1]),
    _mcp(method="openenv/session/close", id=4),
    _mcp(method="openenv/session/close", id=5, params={"session_id": "other"}),
    '{"type":"state"}',
]
ENDING: list[str | bytes] = ["[1]", "null", '"x"', b'{"type":"state"}', "[" * 100_000, '{"type":"close"}']


@pytest.fixture(scope="module")
def real_server(farm: Farm) -> Iterator[str]:
    """The official server with the toy environment, for one session."""
    with farm.server("toy") as server:
        yield server.url.replace("http", "ws", 1)


@pytest.fixture(scope="module")
def embedded_server() -> Iterator[str]:
    """The embedded server with the toy environment, for one session."""
    with EmbeddedServer(ToyEnvironment, name="toy", sessions=1) as server:
        yield server.url.replace("http", "ws", 1)


def converse(url: str, frames: list[str | bytes]) -> list[Any]:
    """Send frames one by one and collect what comes back, up to the close code."""
    came: list[Any] = []
    with connect(f"{url}/ws", proxy=None, compression=None, open_timeout=30) as connection:
        try:
            for frame in frames:
                connection.send(frame)
                came.append(json.loads(connection.recv(timeout=20)))
            if frames[-1] in ENDING:
                connection.recv(timeout=20)
        except ConnectionClosed as closed:
            came.append(closed.rcvd.code if closed.rcvd else 1006)
    return came


def converse_when_free(url: str, frames: list[str | bytes]) -> list[Any]:
    """Converse, again while the one slot is not free yet or the server still starts."""

    def attempt() -> list[Any]:
        try:
            came = converse(url, frames)
        except ConnectionRefusedError:
            return []
        return [] if "CAPACITY_REACHED" in json.dumps(came) else came

    found: list[Any] = eventually(attempt, 40.0)
    return found


@pytest.mark.server
def test_every_reply_is_that_of_a_real_server(real_server: str, embedded_server: str) -> None:
    """All requests, wrong ones and odd values included, are answered as by the official server, word for word."""
    frames: list[str | bytes] = list(ANSWERED)
    real, ours = converse_when_free(real_server, frames), converse_when_free(embedded_server, frames)
    for frame, expected, reply in zip(frames, real, ours, strict=True):
        assert reply == expected, frame


@pytest.mark.server
@pytest.mark.parametrize("frame", ENDING)
def test_a_session_ends_as_on_a_real_server(real_server: str, embedded_server: str, frame: str | bytes) -> None:
    """Frames that end a session end it the same way: same code of the error, same close code."""

    def outline(came: list[Any]) -> list[Any]:
        return [one["data"]["code"] if isinstance(one, dict) else one for one in came]

    real, ours = converse_when_free(real_server, [frame]), converse_when_free(embedded_server, [frame])
    assert outline(ours) == outline(real)


@pytest.mark.server
def test_a_full_server_speaks_as_a_real_one(real_server: str, embedded_server: str) -> None:
    """One client too many gets the same words and the same close code, without having asked."""

    def refused(url: str) -> list[Any]:
        assert converse_when_free(url, ['{"type":"state"}'])
        with connect(f"{url}/ws", proxy=None) as holding:
            holding.send('{"type":"state"}')
            holding.recv(timeout=20)
            with connect(f"{url}/ws", proxy=None) as refused:
                came: list[Any] = [json.loads(refused.recv(timeout=20))]
                with pytest.raises(ConnectionClosed) as caught:
                    refused.recv(timeout=20)
        assert caught.value.rcvd is not None
        return [*came, caught.value.rcvd.code]

    assert refused(embedded_server) == refused(real_server)


@pytest.mark.server
@pytest.mark.parametrize("path", ["/", "/ws/", "/health"])
def test_other_paths_are_refused_as_on_a_real_server(real_server: str, embedded_server: str, path: str) -> None:
    """A handshake anywhere else gets the same HTTP status."""

    def status(url: str) -> str:
        with pytest.raises(Exception, match="HTTP") as caught, connect(url + path, proxy=None):
            pass
        found = re.search(r"HTTP \d+", str(caught.value))
        assert found is not None
        return found[0]

    assert converse_when_free(real_server, ['{"type":"state"}'])
    assert status(embedded_server) == status(real_server) == "HTTP 403"
