"""A project as ``openenv init`` makes them, of the official package."""

from __future__ import annotations

import os
from typing import Any

from models import Count, Counted
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State


class Counting(Environment):
    """Counts."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Counted:
        self.steps = 0
        return Counted(pid=os.getpid())

    def step(self, action: Count, timeout_s: float | None = None, **_: Any) -> Counted:
        self.steps += 1
        return Counted(number=action.to, pid=os.getpid())

    @property
    def state(self) -> State:
        return State(step_count=self.steps)


app = create_app(Counting, Count, Counted, env_name="counting", max_concurrent_envs=4)
