"""Actions that a validator refuses: a line for the field, and the session lives, on every server that we start."""

from __future__ import annotations

import decimal
from collections.abc import Iterator
from typing import Any

import pytest
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field, field_validator, model_validator

from openenv_notebook import EnvironmentFailed, InvalidAction, connect, serve


class Part(BaseModel):
    """A part with a rule of its own."""

    size: int = 0

    @field_validator("size")
    @classmethod
    def even(cls, size: int) -> int:
        """Refuse odd ones."""
        assert size % 2 == 0, "must be even {size}"
        return size


class Ruled(Action):
    """Every way to refuse."""

    number: int = 0
    price: decimal.Decimal = Field(default=decimal.Decimal(0), le=decimal.Decimal("9.5"))
    text: str = Field(default="", max_length=5)
    parts: tuple[Part, ...] = ()
    pair: tuple[int, ...] = ()

    @field_validator("number")
    @classmethod
    def rule(cls, number: int) -> int:
        """Refuse 3 by words, 4 by a bug."""
        if number == 3:
            raise ValueError("three is taken")
        if number == 4:
            raise KeyError("a bug")
        return number

    @field_validator("pair", mode="before")
    @classmethod
    def odd_input(cls, pair: Any) -> Any:
        """Hand on what is no JSON."""
        return object() if pair else ()

    @model_validator(mode="after")
    def whole(self) -> Ruled:
        """Refuse a combination."""
        if self.number == 7 and self.text == "x":
            raise ValueError("7 does not go with x")
        return self


class Strict(Environment[Ruled, Observation, State]):
    """Counts what was taken."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[str] = []

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Observation:
        """Begin."""
        self.kinds = []
        return Observation()

    def step(self, action: Ruled, timeout_s: float | None = None, **_: Any) -> Observation:
        """Take one."""
        self.kinds.append(type(action).__name__ if type(action) is Ruled else "another class")
        return Observation(metadata={"kinds": self.kinds})

    @property
    def state(self) -> State:
        """How many."""
        return State(step_count=len(self.kinds))


@pytest.fixture(scope="module")
def env() -> Iterator[Any]:
    """A client on a served class."""
    with serve(Strict) as server, connect(server.url) as made:
        made.reset()
        yield made


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"number": 3}, "number: Value error, three is taken"),
        ({"parts": [{"size": 2}, {"size": 3}]}, "parts.1.size: Assertion failed, must be even {size}"),
        ({"number": 7, "text": "x"}, "(action): Value error, 7 does not go with x"),
        ({"price": 10}, "price: Input should be less than or equal to 9.5"),
        ({"pair": [1]}, "pair: Input should be a valid tuple"),
        ({"text": "\ud800 too long"}, "text: "),
        ({"number": "x"}, "number: Input should be a valid integer"),
        ({"unknown": 1}, "unknown: no such field"),
    ],
)
def test_a_validator_s_refusal_is_a_line(env: Any, fields: dict[str, Any], line: str) -> None:
    """R15: whatever a validator of a served class refuses is a line for its field, and the session lives."""
    made = env.state().step_count
    with pytest.raises(InvalidAction) as caught:
        env.step(fields)
    assert any(each.startswith(line) for each in caught.value.errors), caught.value.errors
    assert env.status == "open"
    assert env.state().step_count == made
    assert env.step(number=2).metadata["kinds"][-1] == "Ruled", "actions are of the class itself"


def test_a_bug_of_a_validator_is_the_environment_s(env: Any) -> None:
    """R15: a validator that fails otherwise is the environment's fault, and the session lives."""
    with pytest.raises(EnvironmentFailed, match="a bug"):
        env.step(number=4)
    assert env.step(number=2).done is False
