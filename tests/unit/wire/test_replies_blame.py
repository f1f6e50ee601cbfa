"""Whose fault a validation error is: the action's, or the environment's own."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator
from support.wire import error_frame

from openenv_notebook.values.errors import EnvironmentFailed, InvalidAction
from openenv_notebook.wire.protocol import frame
from openenv_notebook.wire.replies import reply_error


class Own(BaseModel):
    """A model of the environment's own."""

    score: int


class Point(BaseModel):
    """A part of an action."""

    x: int
    y: int = 0


class Move(BaseModel):
    """An action of one kind."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["move"] = "move"
    column: int
    at: Point | None = None
    path: list[Point] = []
    score: str | None = None


class Say(BaseModel):
    """One of another."""

    kind: Literal["say"] = "say"
    text: str = Field(max_length=3)

    @model_validator(mode="after")
    def _checked(self) -> Say:
        if self.text == "no":
            raise ValueError("not that")
        return self


class Either(RootModel[Move | Say]):
    """A union of both, which may be told apart by nothing."""


def refused(model: Any, value: Any) -> list[Any]:
    """What pydantic says of a value, as a server sends it."""
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    return list(json.loads(caught.value.json(include_url=False)))


def blamed(errors: Any, sent: dict[str, Any], kind: Any = "step") -> Any:
    """The error that a client makes of it."""
    return reply_error(error_frame("VALIDATION_ERROR", "Invalid message", errors=errors), kind, frame(kind, sent))


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        (Move, {"column": "x"}),
        (Move, {}),
        (Move, {"column": 1, "at": {"x": "a"}}),
        (Move, {"column": 1, "at": {}}),
        (Move, {"column": 1, "path": [{"x": 1}, {"x": None}]}),
        (Move, {"column": 1, "colour": "red"}),
        (Move, {"column": float("nan")}),
        (Say, {"text": "long enough"}),
        (Say, {"text": "no"}),
        (Either, {"column": "x", "text": "far too long"}),
        (Either, {"nothing": 1}),
    ],
)
def test_a_refused_action_is_the_action_s_fault(model: Any, sent: dict[str, Any]) -> None:
    """R14: what names a place of the action and the value that was sent there is told as refused, a line a field."""
    error = blamed(refused(model, sent), sent)
    assert isinstance(error, InvalidAction) and error.errors


@pytest.mark.parametrize(
    ("wrong", "sent"),
    [
        ({"score": "high"}, {"column": 1}),
        ({"score": "high"}, {"column": 1, "score": "low"}),
        ({"score": "high"}, {}),
        ({"score": None}, {"column": 1, "at": {"score": None}}),
        ({}, {"column": 1}),
        ([], {"column": 1}),
    ],
)
@pytest.mark.parametrize("kind", ["step", "reset"])
def test_a_failure_of_its_own_is_never_the_action_s(wrong: Any, sent: dict[str, Any], kind: str) -> None:
    """R14: what fits neither a place of the action nor its value is the environment's own, and may have happened."""
    error = blamed(refused(Own, wrong), sent, kind)
    assert isinstance(error, EnvironmentFailed) and "not the action's fault" in str(error)
    assert "may have happened" in str(error) and error.details["errors"]


def test_a_state_has_no_fields_to_blame() -> None:
    """R14: nothing is sent with the question for a state, so what does not fit is the environment's."""
    said = error_frame("VALIDATION_ERROR", "Invalid message", errors=refused(Own, {"score": "high"}))
    assert isinstance(reply_error(said, "state", b'{"type":"state"}'), EnvironmentFailed)


@pytest.mark.parametrize("errors", [None, [], "no", [1], [{"msg": "no"}], [{"loc": ["column"], "msg": "too far"}]])
def test_what_does_not_say_is_taken_at_its_word(errors: Any) -> None:
    """A server that lists no places or no values is believed that the action was refused."""
    assert isinstance(blamed(errors, {"column": 1}), InvalidAction)
