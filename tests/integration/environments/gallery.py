"""Environments to look at: a board, picture frames, a conversation, a wide form. On whichever openenv is installed."""

from __future__ import annotations

from typing import Any, Literal

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import BaseModel, Field

WIDTH, HEIGHT = 80, 64
_BRICKS = ((214, 84, 84), (226, 140, 70), (226, 196, 84), (96, 178, 110))


class _Shown(Environment):
    """An environment with a name of its own."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    NAME = "gallery"

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(name=self.NAME, description="something to look at")

    @property
    def state(self) -> State:
        return State(episode_id=self.NAME, step_count=self.steps)


class Move(Action):
    """Where the paddle goes."""

    action_id: int = Field(ge=0, le=3, description="0 stays, 1 serves, 2 goes right, 3 goes left")


class Frame(Observation):
    """What is on the screen."""

    screen: list[int]
    screen_shape: list[int]
    legal_actions: list[int]
    lives: int


class Bricks(_Shown):
    """A ball, a paddle and four rows of bricks; each step is a frame."""

    NAME = "bricks"

    def __init__(self) -> None:
        super().__init__()
        self.ball, self.way, self.paddle = (40, 40), (2, -2), 34
        self.bricks: set[tuple[int, int]] = set()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Frame:
        self.steps, self.paddle, self.way = 0, 34, (2, -2)
        self.ball = (20 + (seed or 0) * 7 % 40, 44)
        self.bricks = {(row, column) for row in range(4) for column in range(8)}
        return self._seen(0.0)

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Frame:
        self.steps += 1
        self.paddle = min(max(self.paddle + {2: 4, 3: -4}.get(action.action_id, 0), 0), WIDTH - 12)
        (x, y), (right, down) = self.ball, self.way
        right = -right if not 1 <= x + right <= WIDTH - 3 else right
        on_paddle = y >= HEIGHT - 8 and self.paddle - 2 <= x <= self.paddle + 12
        down = 2 if y <= 2 else -2 if on_paddle else down
        hit = ((y + down - 8) // 4, (x + right) // 10)
        gained = hit in self.bricks
        if gained:
            self.bricks.discard(hit)
            down = -down
        self.ball, self.way = (x + right, y + down), (right, down)
        return self._seen(1.0 if gained else 0.0)

    def _seen(self, reward: float) -> Frame:
        done = self.ball[1] > HEIGHT - 4
        return Frame(
            screen=self._drawn(),
            screen_shape=[HEIGHT, WIDTH, 3],
            legal_actions=[0, 1, 2, 3],
            lives=0 if done else 1,
            reward=reward,
            done=done,
        )

    def _drawn(self) -> list[int]:
        rows = [[(24, 28, 38)] * WIDTH for _ in range(HEIGHT)]
        for row, column in self.bricks:
            _fill(rows, column * 10, 8 + row * 4, 9, 3, _BRICKS[row])
        _fill(rows, self.paddle, HEIGHT - 5, 12, 2, (120, 170, 240))
        _fill(rows, *self.ball, 2, 2, (240, 240, 240))
        return [channel for line in rows for pixel in line for channel in pixel]


def _fill(rows: list[list[tuple[int, int, int]]], x: int, y: int, wide: int, tall: int, colour: Any) -> None:
    for line in rows[max(y, 0) : y + tall]:
        line[x : x + wide] = [colour] * len(line[x : x + wide])


class Say(Action):
    """What to say."""

    message: str = Field(description="a question, or a guess")


class Talked(Observation):
    """All that was said."""

    messages: list[dict[str, str]]
    questions_left: int


class Talk(_Shown):
    """Twenty questions, answered by a server that does not think."""

    NAME = "twenty questions"

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Talked:
        self.steps = 0
        self.said = [{"role": "system", "content": "I think of an animal. Ask me questions with yes or no."}]
        return self._seen(0.0)

    def step(self, action: Say, timeout_s: float | None = None, **_: Any) -> Talked:
        self.steps += 1
        answer = "Yes. It is the largest of them all." if "whale" in action.message else "Yes, and it sings."
        self.said = [*self.said, {"role": "user", "content": action.message}, {"role": "assistant", "content": answer}]
        return self._seen(1.0 if "whale" in action.message else 0.0)

    def _seen(self, reward: float) -> Talked:
        return Talked(messages=self.said, questions_left=20 - self.steps, reward=reward, done=reward > 0)


class Address(BaseModel):
    """Where it goes."""

    street: str
    city: str = "Lisbon"


class Order(Action):
    """An order with much to fill in."""

    dish: Literal["soup", "pasta", "salad"] = Field(description="what to cook")
    portions: int = Field(ge=1, le=12, description="for how many")
    notes: str = Field(default="", description="what the kitchen should know", max_length=400)
    spicy: bool = Field(default=False, description="hot or not")
    sides: list[str] = Field(default_factory=list, description="what comes with it")
    tip: float | None = Field(default=None, ge=0, description="in euros")
    coupon: str | None = Field(default=None, pattern="^[A-Z]{4}$", description="four capitals")
    deliver_to: Address | None = Field(default=None, description="left out: eaten here")
    api_key: str | None = Field(default=None, description="of the kitchen")
    priority: Literal["low", "normal", "high"] = Field(default="normal", description="how soon")


class Served(Observation):
    """What the kitchen says."""

    status: str
    queue: int
    minutes: list[float]


class Kitchen(_Shown):
    """Takes orders."""

    NAME = "kitchen"

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Served:
        self.steps = 0
        return Served(status="open", queue=3, minutes=[12.0], reward=0.0)

    def step(self, action: Order, timeout_s: float | None = None, **_: Any) -> Served:
        self.steps += 1
        status = f"{action.portions} × {action.dish} ordered"
        minutes = [12 + (place * 7 % 5) for place in range(10 + self.steps)]
        return Served(status=status, queue=3 + self.steps, minutes=minutes, reward=0.5)


class Drop(Action):
    """Where to drop a piece."""

    column: int = Field(description="where to drop a piece")


class Dropped(Observation):
    """The board after both have moved."""

    board: list[list[int]]
    legal_actions: list[int]
    next_player: int


class Four(_Shown):
    """Seven columns, six rows; whoever answers drops its piece one column further."""

    NAME = "four in a row"

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Dropped:
        self.steps, self.board = 0, [[0] * 7 for _ in range(6)]
        return self._seen(False)

    def step(self, action: Drop, timeout_s: float | None = None, **_: Any) -> Dropped:
        self.steps += 1
        self._drop(action.column, 1)
        won = self._has_four()
        if not won:
            self._drop((action.column + self.steps % 3) % 7, -1)
        return self._seen(won)

    def _drop(self, column: int, player: int) -> None:
        row = next((row for row in reversed(self.board) if not row[column]), None)
        if row is None:
            raise ValueError(f"column {column} is full")
        row[column] = player

    def _has_four(self) -> bool:
        lines = [*self.board, *zip(*self.board, strict=True)]
        return any("1111" in "".join(str(abs(each)) if each > 0 else "." for each in line) for line in lines)

    def _seen(self, won: bool) -> Dropped:
        legal = [column for column in range(7) if not self.board[0][column]]
        return Dropped(
            board=[list(row) for row in self.board],
            legal_actions=legal,
            next_player=1,
            reward=1.0 if won else 0.0,
            done=won or not legal,
        )


KINDS: dict[str, tuple[type[Environment], type[Action], type[Observation]]] = {
    "four": (Four, Drop, Dropped),
    "frames": (Bricks, Move, Frame),
    "talk": (Talk, Say, Talked),
    "form": (Kitchen, Order, Served),
}


def make_app(kind: str = "frames", sessions: int = 16) -> Any:
    """Make the application that serves one of them."""
    environment, action, observation = KINDS[kind]
    return create_app(environment, action, observation, env_name=kind, max_concurrent_envs=sessions)
