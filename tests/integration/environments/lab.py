"""An environment that does what it is told, on whichever openenv is installed (0.2.3 to 0.10).

It counts: GET /made lists the tags of all steps that ran, GET /asked their ops, GET /live the environments there are.
"""

from __future__ import annotations

import base64
import fcntl
import os
import random
import time
import uuid
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, field_validator

MADE: list[Any] = []
BEGUN: list[Any] = []
ASKED: list[str] = []
LIVE: set[str] = set()
BUILD_GATE = ""


def pass_gate(path: str) -> None:
    """Wait until the test lets go of a file; "" is no gate."""
    if path:
        with open(path) as gate:
            fcntl.flock(gate, fcntl.LOCK_SH)


class LabAction(Action):
    """What to do, how long, and which gate is to be passed first."""

    op: str
    value: Any = None
    seconds: float = 0.0
    size: int = 0
    tag: Any = None
    even: int = 0
    gate: str = ""

    @field_validator("even")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


class LabObservation(Observation):
    """What came of it."""

    op: str = ""
    value: Any = None
    seen: str = ""
    tag: Any = None
    count: int = 0
    session: str = ""


class Score(BaseModel):
    """A model of the environment's own."""

    score: int


class Lab(Environment):
    """Makes each step in a worker thread of the server."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        pass_gate(BUILD_GATE)
        self.session = uuid.uuid4().hex
        self.count = 0
        LIVE.add(self.session)

    def reset(self, seed: int | None = None, episode_id: str | None = None, tag: Any = None) -> LabObservation:
        self.count = 0
        return LabObservation(
            op="reset", value=seed, tag=tag, session=self.session, reward=0.0, metadata={"progress": 0}
        )

    def step(self, action: LabAction, timeout_s: float | None = None) -> LabObservation:
        BEGUN.append(action.tag)
        return self._step(action)

    def _step(self, action: LabAction) -> LabObservation:
        self.count += 1
        ASKED.append(action.op)
        pass_gate(action.gate)
        time.sleep(action.seconds)
        value, reward = action.value, 1.0
        match action.op:
            case "raise":
                raise RuntimeError("the lab exploded")
            case "model":
                Score.model_validate_json('{"score":"high"}')
            case "exit":
                os._exit(3)
            case "nan":
                value = [float("nan"), float("inf"), float("-inf")]
            case "base64":
                value = base64.b64encode(random.Random(0).randbytes(action.size * 3 // 4)).decode()
            case "floats":
                numbers = random.Random(0)
                value = [numbers.random() for _ in range(action.size // 20)]
            case "object":
                value = object()
        MADE.append(action.tag)
        return LabObservation(
            op=action.op,
            value=value,
            seen=repr(action.value),
            tag=action.tag,
            count=self.count,
            session=self.session,
            reward=reward,
            done=action.op == "end",
            metadata={"progress": self.count},
        )

    @property
    def state(self) -> State:
        return State(episode_id=self.session, step_count=self.count, more={"a": [1]})

    def close(self) -> None:
        LIVE.discard(self.session)

    # The task API, which servers know from 0.4.2 on.

    def list_splits(self) -> list[Any]:
        return ["train", {"name": "hard", "type": "test"}]

    def list_tasks(self, split: str) -> list[Any]:
        return [{"id": f"{split}-{index}", "index": index} for index in range(5)]

    def num_tasks(self, split: str) -> int:
        return 5

    def get_task(self, split: str, index: int) -> Any:
        return self.list_tasks(split)[index]

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[Any]:
        return self.list_tasks(split)[start:stop]


class BlockingLab(Lab):
    """Makes each step on the server's own loop, which answers no ping meanwhile."""

    async def step_async(self, action: LabAction, timeout_s: float | None = None) -> LabObservation:
        BEGUN.append(action.tag)
        return self._step(action)


def make_app(kind: str = "lab", sessions: int = 256, build: str = "") -> Any:
    """Make the application that serves it.

    Args:
        kind: "lab", or "blocking" for steps on the server's loop.
        sessions: How many there may be at once.
        build: The gate that building one waits at.
    """
    global BUILD_GATE
    app = create_app(
        BlockingLab if kind == "blocking" else Lab,
        LabAction,
        LabObservation,
        env_name="lab",
        max_concurrent_envs=sessions,
    )
    app.get("/made")(lambda: list(MADE))
    app.get("/begun")(lambda: list(BEGUN))
    app.get("/asked")(lambda: list(ASKED))
    app.get("/live")(lambda: len(LIVE))
    BUILD_GATE = build
    return app
