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

    It must be playable as soon as it is built: servers accept a step before any reset.
    ``reset`` and ``step`` may be plain or ``async def``. A plain one runs on the server's
    loop and has to be quick; an ``async`` one holds up its own session only.

    Attributes:
        action_type: The model of its actions.
        observation_type: The model of its observations.
        state_type: The model of its state.
        version: Its version, for /metadata.
    """

    action_type: ClassVar[type[Action]]
    observation_type: ClassVar[type[Observation]]
    state_type: ClassVar[type[State]]
    version: ClassVar[str] = "1.0.0"

    @abstractmethod
    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> ObsT | Awaitable[ObsT]:
        """Begin a new episode.

        Args:
            seed: Whole number that decides everything random; None picks one.
            episode_id: A name for the episode; None makes one up.
            kwargs: What else the environment can be asked for.

        Returns:
            The first observation.

        Raises:
            ValueError: An argument is out of range; the running episode goes on.
        """

    @abstractmethod
    def step(self, action: ActT) -> ObsT | Awaitable[ObsT]:
        """Make one move.

        Args:
            action: The move, checked against ``action_type``.

        Returns:
            What is seen after it, with reward and done.
        """

    @property
    @abstractmethod
    def state(self) -> StateT:
        """The state of the episode, as ``state_type``."""

    def close(self) -> None:
        """Let go of what the environment holds. Called once, when its session ends."""


def checked_seed(seed: Any) -> int:
    """Check the seed of a reset, or pick one.

    Args:
        seed: What came over the wire.

    Returns:
        The seed itself, or a random one below 2**31 for None, so that any episode can be
        played again.

    Raises:
        ValueError: It is not a whole number.
    """
    if seed is None:
        return random.SystemRandom().randrange(_SEEDS)
    return checked_integer("seed", seed)


def checked_integer(name: str, value: Any) -> int:
    """Check a whole number that came over the wire.

    Args:
        name: The argument's name, for the message.
        value: What came.

    Returns:
        The number.

    Raises:
        ValueError: It is something else, such as a text or a bool.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    return value


def checked_episode_id(episode_id: Any) -> str:
    """Check the name of an episode, or make one up.

    Args:
        episode_id: What came over the wire.

    Returns:
        The name itself, or a new UUID for None.

    Raises:
        ValueError: It is not a text.
    """
    if episode_id is None:
        return str(uuid.uuid4())
    if not isinstance(episode_id, str):
        raise ValueError(f"episode_id must be a text, not {episode_id!r}")
    return episode_id
