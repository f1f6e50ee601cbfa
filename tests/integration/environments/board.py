"""A small board game, on whichever openenv is installed: three pieces on the bottom row end it."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

COLUMNS, ROWS = 4, 2


class BoardAction(Action):
    """Where to drop a piece."""

    column: int = Field(ge=0, lt=COLUMNS, description="where to drop a piece")


class BoardObservation(Observation):
    """The board, and how the game was asked for."""

    board: list[list[int]]
    asked: dict[str, str]


class Board(Environment):
    """Drops pieces. A full column cannot be played."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self.board = [[0] * COLUMNS for _ in range(ROWS)]
        self.asked: dict[str, str] = {}
        self.steps = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, game: Any = None) -> BoardObservation:
        self.board = [[0] * COLUMNS for _ in range(ROWS)]
        self.steps = 0
        self.asked = {"seed": f"{type(seed).__name__} {seed}", "game": f"{type(game).__name__} {game}"}
        return self._seen(0.0)

    def step(self, action: BoardAction, timeout_s: float | None = None) -> BoardObservation:
        row = next((row for row in reversed(self.board) if not row[action.column]), None)
        if row is None:
            raise ValueError(f"column {action.column} is full")
        row[action.column] = 1
        self.steps += 1
        return self._seen(1.0)

    def _seen(self, reward: float) -> BoardObservation:
        board = [list(row) for row in self.board]
        return BoardObservation(board=board, asked=self.asked, reward=reward, done=sum(board[-1]) == 3)

    @property
    def state(self) -> State:
        return State(episode_id="game", step_count=self.steps)


def make_app(sessions: int = 16) -> Any:
    """Make the application that serves it."""
    return create_app(Board, BoardAction, BoardObservation, env_name="board", max_concurrent_envs=sessions)
