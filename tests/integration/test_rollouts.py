"""Runs on the embedded environments."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import openenv_notebook
from openenv_notebook import Episode, Rollout, connect, run_episodes


class Halving:
    """Guesses the middle of what is left."""

    def __call__(self, observation: Any) -> int:
        """Return the next guess."""
        if not observation.history:
            self.low, self.high = observation.low, observation.high
        elif observation.hint.startswith("Higher"):
            self.low = observation.history[-1] + 1
        else:
            self.high = observation.history[-1] - 1
        return int((self.low + self.high) // 2)


def test_a_policy_always_wins() -> None:
    """Halving the range wins each game of demo:guess, and the episodes say so."""
    with connect("demo:guess") as env:
        episodes = run_episodes(env, Halving(), 5, seeds=range(5))
        assert [episode.total_reward for episode in episodes] == [1.0] * 5
        assert all(episode.done for episode in episodes)
        assert [episode.reset_arguments["seed"] for episode in episodes] == [0, 1, 2, 3, 4]
        assert {step.actor for episode in episodes for step in episode} == {"policy"}


def test_random_actions_run_into_no_wall() -> None:
    """Chance only takes the directions that demo:grid says are open, and plays the same for the same seed."""
    with connect("demo:grid") as env:
        first, second = (run_episodes(env, seeds=[7], reset={"size": 4})[0] for _ in range(2))
        assert not any(step.result is not None and step.result.metadata["bumped"] for step in first)
        assert [step.action for step in first] == [step.action for step in second]
        assert first.done


@pytest.mark.parametrize("name", ["echo", "grid", "guess"])
def test_every_demo_takes_random_actions(name: str) -> None:
    """No random action of any demo is refused."""
    with connect(f"demo:{name}") as env:
        (episode,) = run_episodes(env, max_steps=30)
        assert all(step.error is None for step in episode)


def test_an_agent_and_a_person_play_by_turns() -> None:
    """A run ends after its steps, somebody else moves, and another run goes on in the same episode."""
    with connect("demo:grid") as env:
        run_episodes(env, seeds=[7], max_steps=2)
        env.options(actor="person").step(env.last.observation.legal_actions[0])  # type: ignore[union-attr]
        run = Rollout(env, "random", fresh=False, steps=2).start()
        assert run.wait(5)
        assert [step.actor for step in env.episode] == ["policy"] * 3 + ["person"] + ["policy"] * 2
        restored = Episode.from_jsonl(env.episode.to_jsonl())
        assert [step.actor for step in restored] == [step.actor for step in env.episode]


def test_two_runs_in_one_session_take_turns() -> None:
    """Two runs at once in one session make one step at a time, and none after the end of an episode."""
    with connect("demo:guess") as env:
        env.reset(seed=1)
        runs = [Rollout(env, lambda seen: seen.low, fresh=False, steps=3, actor=actor) for actor in ("policy", "code")]
        for run in runs:
            run.start()
        assert all(run.wait(5) for run in runs)
        assert [run.error for run in runs] == [None, None]
        assert env.episode.length == sum(run.steps_made for run in runs)


def test_nothing_is_left() -> None:
    """After a run and the close of its client no thread is left."""
    with connect("demo:grid") as env:
        run = Rollout(env, episodes=None).start()
        run.stop()
        assert run.wait(5)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv")] == []


def test_the_names_are_public() -> None:
    """Both stand at the top of the package."""
    assert {"Rollout", "run_episodes"} <= set(openenv_notebook.__all__)
