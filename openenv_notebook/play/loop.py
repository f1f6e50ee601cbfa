"""A run, step by step: when an episode begins, whom it asks, where it pauses."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import length_hint
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.policy import Chosen, Policy
from openenv_notebook.play.progress import Progress
from openenv_notebook.record.episode import Episode
from openenv_notebook.threads.latch import Latch
from openenv_notebook.values.checks import check_callback, check_counts, check_fps, check_seeds
from openenv_notebook.values.ending import note
from openenv_notebook.values.messages import StepResult

# Of a run without an end, as many episodes are kept as the record of a session keeps.
_KEPT = 1000
_NO_SEED = object()


@dataclass(frozen=True)
class Plan:
    """What a run is to do, as the arguments of a Rollout say; raises MisuseError where one of them cannot be meant."""

    episodes: int | None
    max_steps: int | None
    steps: int | None
    fps: float | None
    seeds: Iterable[Any] | None
    reset: Mapping[str, Any]
    fresh: bool
    on_step: Callable[[StepResult[Any]], object] | None

    def __post_init__(self) -> None:
        check_counts(episodes=self.episodes, max_steps=self.max_steps, steps=self.steps)
        check_fps(self.fps)
        check_seeds(self.seeds)
        if self.on_step is not None:
            check_callback("on_step", self.on_step, "on_step=print")

    @property
    def expected_episodes(self) -> int | None:
        """How many episodes there will be at most; None where that is open."""
        counts = (self.episodes, length_hint(self.seeds, 0) if self.seeds is not None else None)
        return min((count for count in counts if count), default=None)


class EpisodeLoop:
    """Plays a plan, on the thread that calls :meth:`play`; the rest may be called from any.

    The client's calls name the actor. A policy that :func:`policy_function` does not take raises MisuseError.
    ``episodes`` are those it played in; ``fps`` is None for no limit; once ``stopping`` is set, it ends before its next
    step.
    """

    def __init__(self, env: SyncEnvClient[Any, Any, Any], policy: Any, plan: Plan) -> None:
        self.progress = Progress(plan.expected_episodes)
        self.episodes: deque[Episode] = deque(maxlen=_KEPT if self.progress.episodes is None else None)
        self.fps, self.stopping = plan.fps, Latch()
        self._env, self._policy, self._plan = env, Policy(policy, env), plan
        self._seeds = iter(plan.seeds) if plan.seeds is not None else None
        self._woken: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._in_episode, self._paced = 0, 0.0
        self._counting: Episode | None = None

    def stop(self) -> None:
        """End it before its next step; what the policy waits for is cancelled."""
        self.stopping.set()
        self._woken.put(None)
        self._policy.cancel()

    def change_fps(self, fps: float | None) -> None:
        """Go on at another speed, also where it pauses now."""
        self.fps = fps
        self._woken.put(None)

    def play(self) -> None:
        """Play until the plan is done, the policy gives None, or it is to stop; what is raised has a note on where."""
        self.progress.start()
        try:
            self._play()
        except asyncio.CancelledError:
            if not self.stopping.is_set():
                raise
        finally:
            self._count_ended()
            with contextlib.suppress(Exception):
                self._policy.close()
            self.progress.stop()

    def _play(self) -> None:
        lost = self._env.status == "lost"
        playing = not self._plan.fresh and (lost or (self._env.last is not None and not self._env.done))
        while not self.stopping.is_set() and self.progress.steps != self._plan.steps:
            if playing and not self._is_over():
                if not self._act():
                    return
            elif self.progress.begun != self._plan.episodes and self._begin():
                playing = True
            else:
                return

    def _is_over(self) -> bool:
        """Tell whether the episode is: it is done, or as long as it may be. A lost one shows when it is stepped."""
        done = self._env.done and self._env.status != "lost"
        return done or self._in_episode == self._plan.max_steps

    def _begin(self) -> bool:
        """Begin an episode; False where there is no seed for it."""
        arguments = dict(self._plan.reset)
        if self._seeds is not None:
            seed = next(self._seeds, _NO_SEED)
            if seed is _NO_SEED:
                return False
            arguments["seed"] = seed
            self._policy.seed(seed)
        with _naming(f"the reset of episode {self.progress.begun + 1} failed"):
            self._env.reset(**arguments)
        self.progress.begin()
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
            self.progress.join(episode.total_reward)
        return last.observation if last is not None else None

    def _count_ended(self) -> None:
        """Count the episode, once, if it is over by now; whoever ended it, all of the record counts."""
        episode = self._counting
        if episode is not None and (episode.done or self._in_episode == self._plan.max_steps):
            self._counting = None
            self.progress.end(episode.total_reward)

    def _act(self) -> bool:
        """Make a step, if the policy wants one; False ends the run."""
        if not self._pause():
            return False
        if self._is_over():
            return True  # by somebody else, meanwhile
        observation = self._look()
        where = f"step {self._in_episode + 1} of episode {self.progress.begun}"
        with _naming(f"the policy failed at {where}"):
            action = self._policy(observation)
        if action is None or self.stopping.is_set():
            return False
        if self._is_over():
            return True  # by somebody else, while the policy thought
        with _naming(f"{where} failed"):
            result = self._step(action)
        self._in_episode += 1
        self.progress.step(self.episodes[-1].total_reward)
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
        while not self.stopping.is_set() and (fps := self.fps) is not None:
            left = self._paced + 1 / fps - time.monotonic()
            if left <= 0:
                break
            with contextlib.suppress(queue.Empty):
                self._woken.get(timeout=left)
        self._paced = time.monotonic()
        return not self.stopping.is_set()


@contextlib.contextmanager
def _naming(what: str) -> Iterator[None]:
    """Say in an error where it happened."""
    try:
        yield
    except BaseException as error:
        note(error, f"{what}; what happened before stands in the record: env.episodes")
        raise
