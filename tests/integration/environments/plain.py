"""An environment that does next to nothing: what its server costs is the server's own."""

from __future__ import annotations

import base64
import random
from functools import cache
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class PlainAction(Action):
    """What to return."""

    kind: str = "echo"
    size: int = 0


class PlainObservation(Observation):
    """A value."""

    value: Any = None


@cache
def value(kind: str, size: int) -> Any:
    """Make a value that takes that many bytes as JSON, once."""
    numbers = random.Random(0)
    if kind == "base64":
        return base64.b64encode(numbers.randbytes(size * 3 // 4)).decode()
    if kind == "floats":
        return [numbers.random() for _ in range(size // 20)]
    return kind


class Plain(Environment):
    """Returns what it is asked for."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> PlainObservation:
        return PlainObservation()

    def step(self, action: PlainAction, timeout_s: float | None = None) -> PlainObservation:
        return PlainObservation(value=value(action.kind, action.size), reward=1.0)

    @property
    def state(self) -> State:
        return State()


def make_app(sessions: int = 16) -> Any:
    """Make the application that serves it."""
    return create_app(Plain, PlainAction, PlainObservation, env_name="plain", max_concurrent_envs=sessions)
