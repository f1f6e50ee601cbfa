"""Environment classes as people write them in a notebook, of the official package."""

from __future__ import annotations

import threading
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel


class Move(Action):
    """A number to divide by."""

    by: int


class Board(Observation):
    """What came of it."""

    number: int = 0
    thread: int = 0


class Divider(Environment[Move, Board, State]):
    """Divides; works on the thread that made it only, as browsers and databases do."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    closed: list[int]

    def __init__(self, start: int = 100) -> None:
        super().__init__()
        self.start = start
        self.thread = threading.get_ident()
        self.steps = 0

    def _check(self) -> None:
        if threading.get_ident() != self.thread:
            raise RuntimeError("this is bound to another thread")

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Board:
        self._check()
        return Board(number=self.start, thread=self.thread)

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
        self._check()
        self.steps += 1
        quotient = self.start // action.by
        return Board(number=quotient, thread=self.thread)

    @property
    def state(self) -> State:
        self._check()
        return State(step_count=self.steps)

    def close(self) -> None:
        self._check()
        CLOSED.append(self.thread)


CLOSED: list[int] = []


class Score(BaseModel):
    """What the environment keeps of its own; the names are chosen to mislead."""

    score: int = 0
    by: int = 0


class Scorer(Divider):
    """Counts a step, and fails on data of its own."""

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
        super().step(action)
        if action.by == 13:
            Score.model_validate_json('{"score":"high"}')
        if action.by == 14:
            Score.model_validate({"by": "14 or so"})
        return Board(number=self.steps)


class Alone(Divider):
    """Takes one session at a time."""

    SUPPORTS_CONCURRENT_SESSIONS = False


class Broken(Divider):
    """Cannot be built."""

    def __init__(self) -> None:
        raise LookupError("the level is missing")


class Annotated(Environment):  # type: ignore[type-arg]
    """Names its models by the annotations of its methods alone."""

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Board:
        return Board()

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
        return Board(number=action.by)

    @property
    def state(self) -> State:
        return State()


class Untyped(Environment):  # type: ignore[type-arg]
    """Names no models."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Any:
        return Board()

    def step(self, action: Any, timeout_s: Any = None, **_: Any) -> Any:
        return Board(number=action.by)

    @property
    def state(self) -> Any:
        return State()


class Awaited(Annotated):
    """Steps asynchronously."""

    async def step_async(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
        if action.by == 0:
            raise ValueError("by zero, asynchronously")
        return Board(number=action.by)


def make_divider(start: int = 50) -> Divider:
    """Build one, as a factory."""
    return Divider(start)


class Gated(Divider):
    """Waits in each step until it is let go."""

    begun = threading.Event()
    go = threading.Event()
    ended = threading.Event()

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
        self.begun.set()
        self.go.wait(20)
        self.ended.set()
        return super().step(action)
