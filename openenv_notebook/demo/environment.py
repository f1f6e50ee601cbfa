"""What a demo environment is: a few types, and reset, step and state in plain Python."""

from __future__ import annotations

import random
import uuid
from abc import ABC, abstractmethod
from collections.abc import Awaitable
from typing import Any, ClassVar, Generic

from openenv_notebook.values.messages import Action, ActT, Observation, ObsT, State, StateT

_SEEDS = 2**31


class DemoEnvironment(ABC, Generic[ActT, ObsT, StateT]):
    """An environment that the embedded server can serve.

    It must be playable as soon as it is built: servers accept a step before any reset. ``reset`` and ``step`` may be
    plain or ``async def``. A plain one runs on the server's loop and has to be quick; an ``async`` one holds up its own
    session only.

    Its three types are the models of what goes over the wire; ``version`` is for /metadata.
    """

    action_type: ClassVar[type[Action]]
    observation_type: ClassVar[type[Observation]]
    state_type: ClassVar[type[State]]
    version: ClassVar[str] = "1.0.0"

    @abstractmethod
    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> ObsT | Awaitable[ObsT]:
        """Begin a new episode and return the first observation.

        The seed, a whole number, decides everything random, and None picks one; None as ``episode_id`` makes up a name.
        More arguments are what else the environment can be asked for. One that is out of range raises ValueError, and
        the running episode goes on.
        """

    @abstractmethod
    def step(self, action: ActT) -> ObsT | Awaitable[ObsT]:
        """Make one move, checked against ``action_type``; what is seen after it has reward and done."""

    @property
    @abstractmethod
    def state(self) -> StateT:
        """The state of the episode, as ``state_type``."""

    def close(self) -> None:
        """Let go of what the environment holds. Called once, when its session ends."""


def checked_seed(seed: Any) -> int:
    """Check a reset's seed as a whole number; None picks one below 2**31, so that any episode can be played again."""
    if seed is None:
        return random.SystemRandom().randrange(_SEEDS)
    return checked_integer("seed", seed)


def checked_integer(name: str, value: Any) -> int:
    """Check a whole number from the wire; anything else, such as a text or a bool, raises a ValueError naming it."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    return value


def checked_episode_id(episode_id: Any) -> str:
    """Check an episode's name from the wire; None makes up a UUID, and what is no text raises ValueError."""
    if episode_id is None:
        return str(uuid.uuid4())
    if not isinstance(episode_id, str):
        raise ValueError(f"episode_id must be a text, not {episode_id!r}")
    return episode_id
