"""A run, step by step, on the thread that asks for it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from support.wire import FarEnd, result_frame

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.play.loop import EpisodeLoop, Plan
from openenv_notebook.play.policy import Chosen
from openenv_notebook.values.errors import MisuseError

from .conftest import column, ends_after

Env = SyncEnvClient[Any, Any, Any]


def plan(**settings: Any) -> Plan:
    """One fresh episode, or what is said otherwise."""
    usual: dict[str, Any] = {"episodes": 1, "reset": {}, "fresh": True}
    rest = dict.fromkeys(("max_steps", "steps", "fps", "seeds", "on_step"))
    return Plan(**{**rest, **usual, **settings})


def played(env: Env, policy: Any = column, **settings: Any) -> EpisodeLoop:
    """Play to the end."""
    run = EpisodeLoop(env.options(actor="policy"), policy, plan(**settings))
    run.play()
    return run


def test_nothing_is_stepped_after_done(env: Env, far_end: FarEnd) -> None:
    """A23: a finished episode is never stepped: the next one begins with a reset, or the run ends."""
    far_end.policy = ends_after(2)
    run = played(env, episodes=3)
    assert far_end.kinds == ["reset", "step", "step"] * 3
    assert [episode.total_reward for episode in run.episodes] == [2.0, 2.0, 2.0]
    assert played(env, fresh=False).progress.steps == 2
    assert far_end.kinds[-3:] == ["reset", "step", "step"]


def test_an_episode_that_somebody_else_ends_is_not_stepped(env: Env, far_end: FarEnd) -> None:
    """A23: when another caller ends the episode while the policy thinks, its action is not made."""
    far_end.policy = ends_after(2)

    def policy(observation: Any) -> Any:
        if observation.step == 1:
            env.step(column=0)
        return {"column": 1}

    assert played(env, policy).progress.steps == 1
    assert far_end.steps == [{"column": 1}, {"column": 0}]


def test_limits(env: Env, far_end: FarEnd) -> None:
    """max_steps ends an episode that is not done, steps ends the run wherever it is."""
    played(env, episodes=2, max_steps=2)
    assert far_end.kinds == ["reset", "step", "step"] * 2
    run = played(env, episodes=None, max_steps=2, steps=3)
    assert far_end.kinds[6:] == ["reset", "step", "step", "reset", "step"]
    assert [episode.length for episode in run.episodes] == [2, 1]


def test_it_goes_on_in_the_running_episode(playing: Env, far_end: FarEnd) -> None:
    """Without a fresh start the episode in progress is gone on with; where there is none, one is begun."""
    playing.step(column=1)
    run = played(playing, fresh=False, steps=2)
    assert far_end.kinds == ["reset", "step", "step", "step"]
    assert list(run.episodes) == [playing.episode]


def test_without_an_episode_one_is_begun(env: Env, far_end: FarEnd) -> None:
    """A session that was never reset is reset first, whatever was asked for."""
    played(env, fresh=False, steps=1)
    assert far_end.kinds == ["reset", "step"]


def test_none_ends_it(env: Env) -> None:
    """A policy that returns None ends the run; that is a good end."""
    actions = iter([{"column": 1}, None])
    run = played(env, lambda observation: next(actions), episodes=None)
    assert run.progress.steps == 1


def test_the_newest_observation_counts(env: Env) -> None:
    """What others do in the session meanwhile is what the policy sees next."""
    seen: list[int] = []

    def other(result: Any) -> None:
        env.step(column=6)

    played(env, lambda observation: seen.append(observation.step) or {"column": 1}, steps=2, on_step=other)
    assert seen == [0, 2]


def test_an_episode_begun_by_others_belongs_to_it(env: Env) -> None:
    """A reset by somebody else goes into the run's episodes, and max_steps counts anew."""
    once = iter([True])
    run = played(env, max_steps=2, on_step=lambda result: next(once, False) and env.reset())
    assert [episode.length for episode in run.episodes] == [1, 2]


def test_what_others_end_is_counted(env: Env, far_end: FarEnd) -> None:
    """An episode that another caller's step ends is over for the run's counts, with all of its rewards."""
    far_end.policy = ends_after(2)
    run = played(env, episodes=2, on_step=lambda result: env.step(column=0))
    assert [episode.total_reward for episode in run.episodes] == [2.0, 2.0]
    assert (run.progress.steps, run.progress.ended, run.progress.mean_return) == (2, 2, 2.0)


def test_what_others_begin_is_counted_by_itself(env: Env, far_end: FarEnd) -> None:
    """Somebody else's reset cuts an episode short, which counts for no mean; the next begins at 0."""
    far_end.policy = ends_after(3)
    once = iter([True])
    run = played(env, on_step=lambda result: next(once, False) and env.reset())
    assert [episode.total_reward for episode in run.episodes] == [1.0, 3.0]
    assert (run.progress.ended, run.progress.mean_return) == (1, 3.0)


def test_random_actions_are_legal(env: Env, far_end: FarEnd) -> None:
    """The random policy takes what the observation lists; the same seeds give the same run."""
    far_end.policy = lambda request: result_frame({"legal_actions": [2, 5]})
    runs = [played(env, "random", episodes=None, seeds=[1, 2], max_steps=20) for _ in range(2)]
    chosen = [[step.action for step in run.episodes[0]] for run in runs]
    assert {action["column"] for action in chosen[0][1:]} == {2, 5}
    assert chosen[0] == chosen[1]


def test_a_policy_may_say_who_chose(env: Env) -> None:
    """An action that a policy passes on for somebody else stands in the record as theirs."""
    run = played(env, lambda observation: Chosen(column=3) if observation.step else {"column": 1}, steps=2)
    assert [(step.actor, step.action.get("column")) for step in run.episodes[0]] == [
        ("policy", None),
        ("policy", 1),
        ("person", 3),
    ]


def test_how_many_episodes_are_expected() -> None:
    """The count that is told is that of the episodes or of the seeds, whichever is less; else it is open."""
    assert plan(episodes=3).expected_episodes == 3
    assert plan(episodes=3, seeds=[1, 2]).expected_episodes == 2
    assert plan(episodes=None, seeds=range(4)).expected_episodes == 4
    assert plan(episodes=None).expected_episodes is None
    assert plan(episodes=None, seeds=itertools.count()).expected_episodes is None
    with pytest.raises(MisuseError, match="max_steps"):
        plan(max_steps=0)


def test_what_it_raises_says_where(env: Env) -> None:
    """What a policy raises leaves the loop with a note on the step, and the time stands."""
    run = EpisodeLoop(env, lambda observation: 1 / 0, plan())
    with pytest.raises(ZeroDivisionError) as caught:
        run.play()
    assert all(fact in caught.value.__notes__[0] for fact in ("policy", "step 1", "episode 1"))
    took = run.progress.seconds
    assert run.progress.seconds == took
