"""The smallest environment: it says what it is told."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import Field

from openenv_notebook.demo.environment import DemoEnvironment, checked_episode_id
from openenv_notebook.values.messages import Action, Observation, State


class EchoAction(Action):
    """Something to say."""

    message: str = Field(description="The text that comes back")
    delay: float = Field(default=0.0, ge=0.0, le=60.0, description="Seconds to wait before it comes back")


class EchoObservation(Observation):
    """What came back."""

    message: str = Field(description="What came back")
    length: int = Field(description="How many characters it has")


class EchoEnvironment(DemoEnvironment[EchoAction, EchoObservation, State]):
    """Says what it is told.

    A tenth of a point for every character, and no end. A `delay` makes a step as slow as
    you like, up to a minute: good for trying out timeouts and the stop button.
    """

    action_type = EchoAction
    observation_type = EchoObservation
    state_type = State

    def __init__(self) -> None:
        self._state = State(episode_id=checked_episode_id(None))

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> EchoObservation:
        """Begin again. Nothing here is random, so the seed changes nothing."""
        self._state = State(episode_id=checked_episode_id(episode_id))
        return EchoObservation(message="Ready. Say something.", length=0)

    async def step(self, action: EchoAction) -> EchoObservation:
        """Wait for the action's delay and give its message back."""
        if action.delay > 0:
            await asyncio.sleep(action.delay)
        self._state.step_count += 1
        length = len(action.message)
        return EchoObservation(message=action.message, length=length, reward=length / 10)

    @property
    def state(self) -> State:
        """Episode and steps so far."""
        return self._state
