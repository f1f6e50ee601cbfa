"""The game of the official introduction, on whichever openenv is installed: catch a ball that falls."""

from __future__ import annotations

import random
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

ROWS, COLUMNS = 10, 5


class CatchAction(Action):
    """Which way the paddle goes: 0 left, 1 stay, 2 right."""

    action_id: int = Field(ge=0, le=2)
    game_name: str = "catch"
    game_params: dict[str, Any] = Field(default_factory=dict)


class CatchObservation(Observation):
    """The grid as one long list, as the official games give it."""

    info_state: list[float]
    legal_actions: list[int]
    game_phase: str = "playing"
    current_player_id: int = 0
    opponent_last_action: int | None = None


class CatchState(State):
    """What the official games keep."""

    game_name: str = "catch"
    agent_player: int = 0
    num_players: int = 1


class Catch(Environment):
    """A ball falls a row a step; the paddle moves in the last row."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self.row = self.ball = self.paddle = self.steps = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> CatchObservation:
        self.row, self.steps, self.paddle = 0, 0, COLUMNS // 2
        self.ball = random.Random(seed).randrange(COLUMNS)
        return self._seen()

    def step(self, action: CatchAction, timeout_s: float | None = None, **_: Any) -> CatchObservation:
        self.paddle = min(COLUMNS - 1, max(0, self.paddle + action.action_id - 1))
        self.row += 1
        self.steps += 1
        return self._seen()

    def _seen(self) -> CatchObservation:
        cells = [0.0] * (ROWS * COLUMNS)
        cells[self.row * COLUMNS + self.ball] = cells[(ROWS - 1) * COLUMNS + self.paddle] = 1.0
        done = self.row == ROWS - 1
        reward = float(done and self.ball == self.paddle)
        phase = "terminal" if done else "playing"
        return CatchObservation(
            info_state=cells, legal_actions=[0, 1, 2], game_phase=phase, done=done, reward=reward
        )  # fmt: skip

    @property
    def state(self) -> CatchState:
        return CatchState(episode_id="catch", step_count=self.steps)


def make_app(sessions: int = 16) -> Any:
    """Make the application that serves it."""
    return create_app(Catch, CatchAction, CatchObservation, env_name="catch", max_concurrent_envs=sessions)
