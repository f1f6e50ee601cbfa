"""Returns all sorts of values: the environment of test_embedded_conformance.py, written for the official package."""

from __future__ import annotations

import math
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

VALUES = {"nan": [math.nan, math.inf], "bytes": b"abc", "set": (1, {2}), "object": object(), "half": "\ud83d"}
REWARDS = {"nan": math.nan, "none": None, "whole": 3, "true": True}


class ToyAction(Action):
    """What to do."""

    what: str
    number: int = 0


class ToyObservation(Observation):
    """What came of it."""

    value: Any = None


class ToyEnvironment(Environment):  # type: ignore[type-arg]
    """Returns what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def reset(self, seed: Any = None, episode_id: Any = None) -> ToyObservation:  # type: ignore[override]
        self.steps = 0
        return ToyObservation(value=seed, metadata={"begun": True})

    def step(self, action: ToyAction, timeout_s: float | None = None) -> ToyObservation:  # type: ignore[override]
        self.steps += 1
        if action.what == "raise":
            raise RuntimeError("it broke")
        return ToyObservation(
            value=VALUES.get(action.what), reward=REWARDS.get(action.what, 0.5), done=action.what == "end"
        )

    @property
    def state(self) -> State:
        return State(episode_id="e", step_count=self.steps, more={"a": [1]})


def make_app() -> Any:
    """Make the application, for one session."""
    return create_app(ToyEnvironment, ToyAction, ToyObservation, env_name="toy")
