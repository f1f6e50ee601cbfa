"""An environment whose action model refuses in every way, and its app."""

from __future__ import annotations

import decimal
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field, field_validator, model_validator


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


app = create_app(Strict, Ruled, Observation, env_name="ruled")
