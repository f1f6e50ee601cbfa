"""A small maze to find the way through."""

from __future__ import annotations

import base64
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from openenv_notebook.demo.environment import DemoEnvironment, checked_episode_id, checked_integer, checked_seed
from openenv_notebook.demo.maze import MOVES, START, Cell, build_maze, moved
from openenv_notebook.demo.picture import draw_board
from openenv_notebook.values.messages import Action, Observation, State

Outcome = Literal["playing", "won", "lost"]
SMALLEST, LARGEST = 3, 20
STEP_REWARD, BUMP_REWARD, GOAL_REWARD = -0.1, -0.5, 1.0


class Direction(StrEnum):
    """Where to go."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"


class GridAction(Action):
    """A move by one cell."""

    direction: Direction = Field(description="Where to go")


class GridObservation(Observation):
    """The maze as the player sees it."""

    board: list[list[str]] = Field(description="Rows of cells: . free, # wall, G goal, @ you")
    position: list[int] = Field(description="Where you are: row and column, from 0")
    goal: list[int] = Field(description="Where to go: row and column")
    text: str = Field(description="The board as a drawing")
    picture: str = Field(description="The board as a PNG picture, base64")
    legal_actions: list[str] = Field(description="The directions that no wall blocks")
    steps_left: int = Field(description="Moves until the game ends")


class GridState(State):
    """The game as the server keeps it, ``size`` cells a side; its seed lets reset play the same maze again."""

    seed: int = 0
    size: int = 8
    outcome: Outcome = "playing"


class GridEnvironment(DemoEnvironment[GridAction, GridObservation, GridState]):
    """Find the way through a maze.

    From the top left cell to the goal, one cell a step. A step costs 0.1, running into a
    wall 0.5, and the goal gives 1.0. The seed decides the walls and the goal; there always
    is a way. `size` at reset makes the maze smaller or larger (3 to 20 cells a side).
    """

    action_type = GridAction
    observation_type = GridObservation
    state_type = GridState

    def __init__(self) -> None:
        self.reset()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, *, size: int = 8, **kwargs: Any
    ) -> GridObservation:
        """Build a maze, 3 to 20 cells a side (else ValueError), and stand at its start; other arguments are ignored."""
        if not SMALLEST <= checked_integer("size", size) <= LARGEST:
            raise ValueError(f"size must be from {SMALLEST} to {LARGEST}, not {size}")
        state = GridState(episode_id=checked_episode_id(episode_id), seed=checked_seed(seed), size=size)
        self._state = state
        self._maze = build_maze(size, state.seed)
        self._position = START
        self._visited: set[Cell] = {START}
        # More than the longest way can take, so that a maze is never lost from the start.
        self._steps_left = size * size
        return self._observe()

    def step(self, action: GridAction) -> GridObservation:
        """Go one cell, unless a wall is in the way. After the end of a game nothing moves."""
        self._state.step_count += 1
        if self._state.outcome != "playing":
            return self._observe(reward=0.0)
        self._steps_left -= 1
        target = moved(self._position, MOVES[action.direction])
        bumped = not self._maze.is_open(target)
        if not bumped:
            self._position = target
            self._visited.add(target)
        reward = BUMP_REWARD if bumped else STEP_REWARD
        if self._position == self._maze.goal:
            self._state.outcome, reward = "won", GOAL_REWARD
        elif self._steps_left == 0:
            self._state.outcome = "lost"
        return self._observe(reward, bumped)

    @property
    def state(self) -> GridState:
        """Episode, steps, seed, size and how the game stands."""
        return self._state

    def _observe(self, reward: float | None = None, bumped: bool = False) -> GridObservation:
        board = self._draw()
        over = self._state.outcome != "playing"
        return GridObservation(
            board=board,
            position=list(self._position),
            goal=list(self._maze.goal),
            text="\n".join(" ".join(row) for row in board),
            picture=base64.b64encode(draw_board(board, frozenset(self._visited))).decode("ascii"),
            legal_actions=[] if over else self._maze.legal_moves(self._position),
            steps_left=self._steps_left,
            reward=reward,
            done=over,
            metadata={"outcome": self._state.outcome, "bumped": bumped},
        )

    def _draw(self) -> list[list[str]]:
        marks = {**dict.fromkeys(self._maze.walls, "#"), self._maze.goal: "G", self._position: "@"}
        cells = range(self._maze.size)
        return [[marks.get((row, column), ".") for column in cells] for row in cells]
