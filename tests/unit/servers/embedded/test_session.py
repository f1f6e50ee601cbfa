"""What a session answers to each frame, without a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import Field, field_validator

from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.servers.embedded.session import Session, SessionFault, accepted_arguments
from openenv_notebook.values.messages import Action, Observation, State


class Even(Action):
    """An even number up to ten."""

    number: int = Field(le=10)

    @field_validator("number")
    @classmethod
    def _is_even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("must be even")
        return number


class Halved(Observation):
    """Half of it."""

    half: Any = None


class Halving(DemoEnvironment[Even, Halved, State]):
    """Halves even numbers.

    Ten raises, eight cannot be sent.
    """

    action_type = Even
    observation_type = Halved
    state_type = State

    def __init__(self) -> None:
        self.arguments: list[Any] = []
        self.steps = 0

    # It takes fewer arguments than others, so the rest must be dropped.
    def reset(self, seed: int | None = None) -> Halved:  # type: ignore[override]
        self.arguments.append(seed)
        return Halved()

    async def step(self, action: Even) -> Halved:
        self.steps += 1
        await asyncio.sleep(0)
        if action.number == 10:
            raise RuntimeError("ten is too much")
        return Halved(half=object() if action.number == 8 else action.number // 2)

    @property
    def state(self) -> State:
        return State(episode_id="e", step_count=self.steps)


def ask(session: Session, frame: str | dict[str, Any]) -> dict[str, Any]:
    """Send one frame and give the reply's object."""
    text = frame if isinstance(frame, str) else json.dumps(frame)
    reply = asyncio.run(session.answer(text))
    assert reply is not None
    answer: dict[str, Any] = json.loads(reply)
    return answer


@pytest.fixture
def session() -> Session:
    """A session of the halving environment."""
    return Session(Halving())


def test_reset_step_and_state(session: Session) -> None:
    """The three requests give an observation, an observation and the state; unknown reset arguments are dropped."""
    assert ask(session, {"type": "reset", "data": {"seed": 3, "other": 1}})["type"] == "observation"
    assert isinstance(session.environment, Halving)
    assert session.environment.arguments == [3]
    assert ask(session, {"type": "step", "data": {"number": 4}})["data"]["observation"]["half"] == 2
    assert ask(session, {"type": "state"}) == {"type": "state", "data": {"episode_id": "e", "step_count": 1}}


@pytest.mark.parametrize(
    ("frame", "kinds", "where"),
    [
        ({"type": "step"}, ["missing"], ["data"]),
        ({"type": "step", "data": 5}, ["dict_type"], ["data"]),
        ({"type": "step", "data": {}}, ["missing"], ["number"]),
        ({"type": "step", "data": {"number": 2, "x": 1}}, ["extra_forbidden"], ["x"]),
        ({"type": "step", "data": {"number": 12}}, ["less_than_equal"], ["number"]),
        ({"type": "step", "data": {"number": 3}}, ["value_error"], ["number"]),
        ({"type": "step", "data": {"number": 2}, "top": 1}, ["extra_forbidden"], ["top"]),
        ({"type": "reset", "data": None}, ["dict_type"], ["data"]),
        ({"type": "state", "data": {}}, ["extra_forbidden"], ["data"]),
        ({"type": "close", "x": 1}, ["extra_forbidden"], ["x"]),
        ({"type": "mcp"}, ["missing"], ["data"]),
    ],
)
def test_what_does_not_fit_is_a_validation_error(
    session: Session, frame: dict[str, Any], kinds: list[str], where: list[str]
) -> None:
    """A message or action that does not fit names the field and the kind of error, and the environment is not asked."""
    answer = ask(session, frame)
    assert answer["type"] == "error"
    assert (answer["data"]["code"], answer["data"]["message"]) == ("VALIDATION_ERROR", "Invalid message")
    assert [entry["type"] for entry in answer["data"]["errors"]] == kinds
    assert answer["data"]["errors"][0]["loc"] == where
    assert {"msg", "input"} <= answer["data"]["errors"][0].keys()
    assert ask(session, {"type": "state"})["data"]["step_count"] == 0


def test_an_environment_that_raises_goes_on(session: Session) -> None:
    """What the environment raises is an EXECUTION_ERROR with its message, and so is a result that is no JSON."""
    raised = ask(session, {"type": "step", "data": {"number": 10}})
    assert raised == {"type": "error", "data": {"message": "ten is too much", "code": "EXECUTION_ERROR"}}
    unsendable = ask(session, {"type": "step", "data": {"number": 8}})
    assert unsendable["data"]["code"] == "EXECUTION_ERROR"
    assert "object" in unsendable["data"]["message"]
    assert ask(session, {"type": "state"})["data"]["step_count"] == 2


@pytest.mark.parametrize(
    ("frame", "kind"),
    [('{"type":"bogus"}', "bogus"), ("{}", ""), ('{"type":["a"]}', "['a']"), ('{"type":null}', "None")],
)
def test_an_unknown_type_is_named(session: Session, frame: str, kind: str) -> None:
    """A message of unknown type is answered with its type."""
    assert ask(session, frame)["data"] == {"message": f"Unknown message type: {kind}", "code": "UNKNOWN_TYPE"}


@pytest.mark.parametrize("frame", ["", "{bad", "nan", '{"a": 1} x'])
def test_what_is_no_json_is_said(session: Session, frame: str) -> None:
    """A text that is no JSON is INVALID_JSON with the place of the error."""
    data = ask(session, frame)["data"]
    assert data["code"] == "INVALID_JSON"
    assert data["message"].startswith("Invalid JSON: ")
    assert "char" in data["message"]


@pytest.mark.parametrize("frame", ["[1]", "null", '"x"', "5", b"{}", "[" * 100_000, "1" * 5000])
def test_what_is_no_message_ends_the_session(session: Session, frame: str | bytes) -> None:
    """A binary frame, another JSON value than an object and what JSON cannot decode end the session."""
    with pytest.raises(SessionFault):
        asyncio.run(session.answer(frame))


def test_close_is_not_answered(session: Session) -> None:
    """The wish to end the session has no reply."""
    assert asyncio.run(session.answer('{"type":"close"}')) is None


def test_the_session_over_json_rpc_is_this_one(session: Session) -> None:
    """Creating a session gives the id of this one, which cannot be closed that way."""
    created = ask(session, {"type": "mcp", "data": {"jsonrpc": "2.0", "method": "openenv/session/create", "id": "a"}})
    assert created["data"] == {"jsonrpc": "2.0", "id": "a", "result": {"session_id": session.session_id}}
    params = {"session_id": session.session_id}
    closing = {"jsonrpc": "2.0", "method": "openenv/session/close", "params": params}
    assert ask(session, {"type": "mcp", "data": closing})["data"]["error"]["code"] == -32600


def test_malformed_json_rpc_is_an_invalid_request(session: Session) -> None:
    """A JSON-RPC request that is none is answered inside an mcp reply."""
    answer = ask(session, {"type": "mcp", "data": {}})
    assert (answer["type"], answer["data"]["error"]["code"]) == ("mcp", -32600)


def test_arguments_are_taken_as_the_function_takes_them() -> None:
    """Only named parameters are passed, unless the function takes any."""

    def some(a: int, /, b: int, *rest: int, c: int = 0) -> None: ...

    def any_(**kwargs: int) -> None: ...

    given = {"a": 1, "b": 2, "c": 3, "rest": 4}
    assert accepted_arguments(some, given) == {"b": 2, "c": 3}
    assert accepted_arguments(any_, given) == given
