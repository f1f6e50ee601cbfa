"""A run itself, step by step: when an episode begins, whom it asks, where it pauses."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.policy import Chosen, Policy
from openenv_notebook.play.progress import Progress
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.messages import StepResult

# Of a run without an end, as many episodes are kept as the record of a session keeps.
_KEPT = 1000
_NO_SEED = object()


@dataclass
class Plan:
    """What a run is to do.

    Attributes:
        episodes: How many; None for no end.
        max_steps: Most steps in an episode.
        steps: Most steps in all.
        fps: Most steps a second; may change.
        seeds: Where each reset's seed comes from.
        reset: Further arguments of each reset.
        fresh: True begins with a reset.
        on_step: Called with each step's result.
    """

    episodes: int | None
    max_steps: int | None
    steps: int | None
    fps: float | None
    seeds: Iterator[Any] | None
    reset: Mapping[str, Any]
    fresh: bool
    on_step: Callable[[StepResult[Any]], object] | None


class Player:
    """Plays a plan, on the thread that calls :meth:`play`.

    Args:
        env: The client, whose calls name the actor.
        policy: Whom it asks.
        plan: What it does.
        progress: Where it counts.

    Attributes:
        stopping: Set, it ends before its next step.
        changed: Set, a pause is looked at anew.
        episodes: Those it played in.
    """

    def __init__(self, env: SyncEnvClient[Any, Any, Any], policy: Policy, plan: Plan, progress: Progress) -> None:
        self.stopping, self.changed = threading.Event(), threading.Event()
        self.episodes: deque[Episode] = deque(maxlen=_KEPT if progress.episodes is None else None)
        self._env, self._policy, self._plan, self._progress = env, policy, plan, progress
        self._in_episode, self._paced = 0, 0.0
        self._counting: Episode | None = None

    def play(self) -> None:
        """Play until the plan is done, the policy gives None, or it is to stop.

        Raises:
            BaseException: What the policy or the session raised, with a note on where.
        """
        lost = self._env.status == "lost"
        playing = not self._plan.fresh and (lost or (self._env.last is not None and not self._env.done))
        try:
            while not self.stopping.is_set() and self._progress.steps != self._plan.steps:
                if playing and not self._is_over():
                    if not self._act():
                        return
                elif self._progress.begun != self._plan.episodes and self._begin():
                    playing = True
                else:
                    return
        finally:
            self._count_ended()

    def _is_over(self) -> bool:
        """Tell whether the episode is: it is done, or as long as it may be. A lost one shows when it is stepped."""
        done = self._env.done and self._env.status != "lost"
        return done or self._in_episode == self._plan.max_steps

    def _begin(self) -> bool:
        """Begin an episode; False where there is no seed for it."""
        arguments = dict(self._plan.reset)
        if self._plan.seeds is not None:
            seed = next(self._plan.seeds, _NO_SEED)
            if seed is _NO_SEED:
                return False
            arguments["seed"] = seed
            self._policy.seed(arguments["seed"])
        with _naming(f"the reset of episode {self._progress.begun + 1} failed"):
            self._env.reset(**arguments)
        self._progress.begin()
        self._paced = time.monotonic()
        self._look()
        return True

    def _look(self) -> Any:
        """Return the observation there is; whoever made it."""
        episode, last = self._env.episode, self._env.last
        if not self.episodes or self.episodes[-1] is not episode:
            self._count_ended()
            self.episodes.append(episode)
            self._in_episode, self._counting = 0, episode
            self._progress.begun = max(1, self._progress.begun)
            self._progress.so_far = episode.total_reward
        return last.observation if last is not None else None

    def _count_ended(self) -> None:
        """Count the episode, once, if it is over by now; whoever ended it, all of the record counts."""
        episode = self._counting
        if episode is not None and (episode.done or self._in_episode == self._plan.max_steps):
            self._counting = None
            self._progress.end(episode.total_reward)

    def _act(self) -> bool:
        """Make a step, if the policy wants one; False ends the run."""
        if not self._pause():
            return False
        if self._is_over():
            return True  # by somebody else, meanwhile
        observation = self._look()
        where = f"step {self._in_episode + 1} of episode {self._progress.begun}"
        with _naming(f"the policy failed at {where}"):
            action = self._policy(observation)
        if action is None or self.stopping.is_set():
            return False
        if self._is_over():
            return True  # by somebody else, while the policy thought
        with _naming(f"{where} failed"):
            result = self._step(action)
        self._in_episode += 1
        self._progress.step(self.episodes[-1].total_reward)
        self._count_ended()
        if self._plan.on_step is not None:
            with _naming(f"on_step failed at {where}"):
                self._plan.on_step(result)
        return True

    def _step(self, action: Any) -> StepResult[Any]:
        if isinstance(action, Chosen):
            return self._env.options(actor="person").step(dict(action))
        return self._env.step(action)

    def _pause(self) -> bool:
        """Wait until the next step is due; False when the run is to stop."""
        while not self.stopping.is_set() and self._plan.fps is not None:
            left = self._paced + 1 / self._plan.fps - time.monotonic()
            if left <= 0:
                break
            self.changed.wait(left)
            self.changed.clear()
        self._paced = time.monotonic()
        return not self.stopping.is_set()


@contextlib.contextmanager
def _naming(what: str) -> Iterator[None]:
    """Say in an error where it happened."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"openenv: {what}; what happened before stands in the record: env.episodes")
        raise
