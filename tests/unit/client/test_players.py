"""Whose an episode is: two who reset each other's are told so, and a run's is its own."""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from support.waiting import eventually
from support.wire import FarEnd, result_frame, scripted

from openenv_notebook.client.clients import EnvClient, GenericEnvClient, SyncEnvClient
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.play.run_episodes import run_episodes
from openenv_notebook.values.errors import MisuseError, OpenEnvWarning

Env = SyncEnvClient[Any, Any, Any]
STEP = {"column": 1}


def cautions(work: Callable[[], Any]) -> list[str]:
    """Do something and give what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OpenEnvWarning)
        work()
    return [str(each.message) for each in caught if each.category is OpenEnvWarning]


def both(first: str, second: str, text: str) -> bool:
    """Tell whether a text names both, and what to do."""
    return first in text and second in text and "env.new_session()" in text


class Own(GenericEnvClient):
    """A class with a reset of its own."""

    async def reset(self, /, **kwargs: Any) -> Any:
        return await super().reset(**kwargs)


class TestTwoPlayers:
    """Two tasks, two threads, a task and a thread."""

    @pytest.mark.parametrize("kind", ["async", "blocking"])
    def test_two_tasks(self, client: GenericEnvClient, kind: str) -> None:
        """R21: two tasks that play on one client are told once, both by name, and of new_session()."""

        async def play(name: str) -> None:
            for _ in range(3):
                if kind == "async":
                    await client.reset()
                else:
                    client.sync().reset()
                await client.step(STEP)
                await asyncio.sleep(0)

        async def main() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(play("a"), name="left")
                group.create_task(play("b"), name="right")

        told = cautions(lambda: asyncio.run(main()))
        assert len(told) == 1
        assert both("the task 'left'", "the task 'right'", told[0])

    @pytest.mark.parametrize("cls", [GenericEnvClient, Own])
    def test_two_threads(self, far_end: FarEnd, cls: type[EnvClient[Any, Any, Any]]) -> None:
        """R21: so are two threads, also where the reset is one of the class's own."""
        env = scripted(cls("scripted.test:80"), far_end).sync()
        turns = [threading.Event(), threading.Event()]

        def play(mine: threading.Event, other: threading.Event) -> None:
            for _ in range(2):
                assert mine.wait(10)
                mine.clear()
                env.reset()
                env.step(STEP)
                other.set()
            other.set()

        def main() -> None:
            threads = [
                threading.Thread(target=play, args=(turns[number], turns[1 - number]), name=name)
                for number, name in enumerate(("left", "right"))
            ]
            for thread in threads:
                thread.start()
            turns[0].set()
            for thread in threads:
                thread.join(10)

        told = cautions(main)
        assert len(told) == 1
        assert both("the thread 'left'", "the thread 'right'", told[0])
        env.close()

    def test_a_thread_in_the_episode_of_the_main_one(self, playing: Env) -> None:
        """R21: a reset by a helper thread in the middle of this one's episode is told before it is sent."""

        def main() -> None:
            thread = threading.Thread(target=playing.reset, name="helper")
            thread.start()
            thread.join(10)

        told = cautions(main)
        assert len(told) == 1
        assert both("'helper'", "'MainThread'", told[0])

    async def test_one_that_is_coming(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """R21: two resets at the same time are two episodes as well."""
        with pytest.warns(OpenEnvWarning, match="in the middle of the episode"):
            await asyncio.gather(client.reset(), client.reset())


class TestOnePlayer:
    """What is none of it."""

    def test_one_who_resets_again(self, playing: Env) -> None:
        """One who begins anew in the middle is not warned."""
        assert cautions(lambda: (playing.step(STEP), playing.reset())) == []

    def test_calls_that_are_tasks_of_their_own(self, client: GenericEnvClient) -> None:
        """A task that is over plays no more: wait_for, a second asyncio.run, a cell."""

        async def main() -> None:
            for _ in range(2):
                await asyncio.wait_for(asyncio.ensure_future(client.reset()), 5)
                await asyncio.create_task(client.step(STEP))

        assert cautions(lambda: (asyncio.run(main()), asyncio.run(main()), client.sync().reset())) == []

    def test_who_waits_for_what_it_began(self, playing: Env, client: GenericEnvClient) -> None:
        """Who runs a loop, a task or a function in a thread, and waits for it, plays by it."""

        async def main() -> None:
            await client.reset()
            await asyncio.to_thread(playing.reset)
            await asyncio.create_task(client.reset())
            await client.reset()

        assert cautions(lambda: asyncio.run(main())) == []

    def test_a_thread_that_has_ended(self, env: Env) -> None:
        """A thread that has ended plays no more."""

        def main() -> None:
            thread = threading.Thread(target=env.reset)
            thread.start()
            thread.join(10)
            env.reset()

        assert cautions(main) == []

    def test_an_episode_that_is_over(self, env: Env, far_end: FarEnd) -> None:
        """After the end of an episode anybody may begin the next, one after the other."""
        far_end.policy = lambda request: result_frame({}, 1.0, request["type"] == "step")

        async def play() -> None:
            env.reset()
            env.step(STEP)
            await asyncio.sleep(0)

        async def main() -> None:
            await asyncio.gather(play(), play(), play())

        assert cautions(lambda: asyncio.run(main())) == []

    def test_sessions_of_their_own(self, client: GenericEnvClient) -> None:
        """With a session each nobody is told anything."""

        async def play(each: GenericEnvClient) -> None:
            for _ in range(2):
                await each.reset()
                await each.step(STEP)

        async def main() -> None:
            await asyncio.gather(play(client), play(await client.new_session()))

        assert cautions(lambda: asyncio.run(main())) == []

    def test_a_person_sees_what_there_is(self, playing: Env) -> None:
        """A click on Reset is meant."""

        def main() -> None:
            thread = threading.Thread(target=playing.options(actor="person").reset)
            thread.start()
            thread.join(10)

        assert cautions(main) == []


class TestRuns:
    """A run's session is its own."""

    @pytest.mark.parametrize("fresh", [True, False])
    @pytest.mark.parametrize("actor", ["code", "person"])
    def test_a_reset_during_a_run_is_refused(self, playing: Env, far_end: FarEnd, fresh: bool, actor: str) -> None:
        """R21: a reset by hand during a run is refused and not sent; the run goes on, and ends as ever."""
        may_go, asked = threading.Event(), threading.Event()

        def policy(observation: Any) -> Any:
            asked.set()
            may_go.wait(10)
            return STEP

        run = Rollout(playing, policy, steps=2, fresh=fresh).start()
        assert asked.wait(5)
        before = len(far_end.requests)
        with pytest.raises(MisuseError, match=r"a run of policy is under way.*MainThread.*stop\(\).*new_session\(\)"):
            playing.options(actor=actor).reset()
        assert len(far_end.requests) == before
        may_go.set()
        assert run.wait(5)
        assert (run.error, run.steps_made) == (None, 2)
        assert cautions(playing.reset) == []

    def test_a_reset_from_another_task(self, env: Env, client: GenericEnvClient) -> None:
        """R21: so is an awaited one, and one from a thread."""
        run = Rollout(env, lambda seen: STEP, episodes=None, max_steps=5).start()
        eventually(lambda: run.steps_made)
        with pytest.raises(MisuseError, match="the task"):
            asyncio.run(client.reset())
        caught: list[BaseException] = []

        def reset() -> None:
            try:
                env.reset()
            except MisuseError as error:
                caught.append(error)

        thread = threading.Thread(target=reset, name="helper")
        thread.start()
        thread.join(10)
        assert "the thread 'helper'" in str(caught[0])
        run.stop()
        assert run.wait(5)

    def test_a_run_in_the_episode_of_who_started_it(self, playing: Env) -> None:
        """Who has played by hand and lets a policy play now is not warned, nor afterwards."""
        playing.step(STEP)

        def main() -> None:
            run_episodes(playing, lambda seen: STEP, max_steps=2)
            playing.reset()

        assert cautions(main) == []

    def test_what_a_run_does_itself(self, env: Env, client: GenericEnvClient) -> None:
        """A policy may reset its own session: also an asynchronous one, on the run's loop."""

        async def policy(observation: Any) -> Any:
            await client.reset()
            return STEP

        run = Rollout(env, policy, steps=2).start()
        assert run.wait(5)
        assert run.error is None
