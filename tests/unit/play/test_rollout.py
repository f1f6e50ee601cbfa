"""Runs: a policy that plays episodes in a session, on a thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
import os
import threading
from typing import Any

import pytest
from support.interrupts import interrupted_when, main_thread_is_in
from support.waiting import eventually, in_threads
from support.wire import FarEnd, error_frame, result_frame

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.play.rollout import THREAD_NAME, Rollout
from openenv_notebook.play.run_episodes import run_episodes
from openenv_notebook.threads.latch import Latch
from openenv_notebook.values.errors import (
    ClientClosed,
    EnvironmentFailed,
    MisuseError,
    NotSupportedHere,
    SessionLost,
    WrongThread,
)

from .conftest import column, ends_after

Env = SyncEnvClient[Any, Any, Any]
WITHIN = 5.0


def played(env: Env, policy: Any = column, **settings: Any) -> Rollout:
    """Run to the end."""
    run = Rollout(env, policy, **settings).start()
    assert run.wait(WITHIN), "the run does not end"
    return run


def threads() -> list[str]:
    """The threads of runs."""
    return [thread.name for thread in threading.enumerate() if thread.name == THREAD_NAME]


def main_thread_waits() -> bool:
    """Tell whether the main thread is in a slice of Rollout.wait()."""
    return main_thread_is_in(Latch.wait, Rollout.wait)


class TestPlaying:
    """What is played."""

    def test_an_episode_is_played_until_it_is_done(self, env: Env, far_end: FarEnd) -> None:
        """A run resets, steps until the episode is done, and says who acted."""
        far_end.policy = ends_after(3)
        seen: list[Any] = []
        run = played(env, lambda observation: seen.append(observation.step) or {"column": 1})
        assert far_end.kinds == ["reset", "step", "step", "step"]
        assert seen == [0, 1, 2]
        assert (run.finished, run.running, run.error, run.steps_made) == (True, False, None, 3)
        assert [step.actor for step in env.episode] == ["policy"] * 4
        assert run.episodes == [env.episode]
        assert threads() == []

    def test_an_episode_that_ends_in_a_pause_is_not_stepped(self, env: Env, far_end: FarEnd) -> None:
        """A23: when another caller ends the episode within a pause, the policy is not asked."""
        far_end.policy = ends_after(1)
        run = Rollout(env, column, fps=1e-6).start()
        eventually(lambda: run.progress.begun == 1)
        env.step(column=0)
        run.fps = None
        assert run.wait(WITHIN)
        assert (run.steps_made, far_end.steps) == (0, [{"column": 0}])

    def test_seeds_and_arguments_of_the_reset(self, env: Env, far_end: FarEnd) -> None:
        """Each reset gets its seed and the other arguments; where the seeds run out, the run ends."""
        far_end.policy = ends_after(1)
        run = played(env, episodes=None, seeds=[4, 5], reset={"size": 3})
        resets = [request["data"] for request in far_end.requests if request["type"] == "reset"]
        assert resets == [{"size": 3, "seed": 4}, {"size": 3, "seed": 5}]
        assert str(run.progress).startswith("episode 2/2 · ")
        assert len(played(env, seeds=itertools.count()).episodes) == 1

    def test_the_counts_are_there_with_the_step(self, env: Env, far_end: FarEnd) -> None:
        """on_step sees the counts with its step taken in; a stopped run keeps the return so far."""
        far_end.policy = ends_after(2)
        told: list[Any] = []
        run = Rollout(env, column, episodes=2, steps=3, on_step=lambda result: told.append(counts()))

        def counts() -> Any:
            return run.progress.ended, run.progress.returned, run.progress.so_far

        assert run.start().wait(WITHIN)
        assert told == [(0, 0.0, 1.0), (1, 2.0, 0.0), (1, 2.0, 1.0)]
        assert counts() == told[-1]

    def test_results_are_told(self, env: Env) -> None:
        """on_step gets each step's result, on the run's thread."""
        told: list[Any] = []
        played(env, steps=2, on_step=lambda result: told.append((result.reward, threading.current_thread().name)))
        assert told == [(1.0, THREAD_NAME)] * 2

    def test_the_async_twin_may_be_given(self, env: Env) -> None:
        """A run takes either twin of a client."""
        assert played(env.async_client, steps=1).steps_made == 1  # type: ignore[arg-type]


class TestSpeed:
    """How fast."""

    def test_steps_are_paced(self, env: Env) -> None:
        """fps is kept: that many steps a second, at most."""
        run = played(env, steps=5, fps=50)
        assert run.progress.seconds >= 0.08

    def test_the_speed_may_change(self, env: Env) -> None:
        """A new speed holds at once, also within a pause."""
        run = Rollout(env, column, steps=2, fps=1e-6).start()
        eventually(lambda: run.progress.begun == 1)
        run.fps = None
        assert run.wait(WITHIN)
        assert run.fps is None

    def test_a_pause_ends_by_stop(self, env: Env) -> None:
        """stop() ends a pause at once, and no step follows."""
        run = Rollout(env, column, fps=1e-6).start()
        eventually(lambda: run.progress.begun == 1)
        run.stop()
        assert run.wait(WITHIN)
        assert (run.steps_made, run.error) == (0, None)


class TestEnds:
    """How it ends."""

    def test_stop_waits_for_nobody(self, env: Env, far_end: FarEnd) -> None:
        """stop() returns while a step is in flight; the run ends with its reply, which is in the record."""
        run = Rollout(env, column, episodes=None, on_step=lambda result: far_end.hold()).start()
        far_end.wait_for(1)
        run.stop()
        assert (run.running, run.stopping, run.finished) == (True, True, False)
        assert not run.wait(0.01)
        far_end.release()
        assert run.wait(WITHIN)
        assert (run.steps_made, env.episode.length, env.owed) == (2, 2, 0)

    def test_stopped_before_it_starts(self, env: Env, far_end: FarEnd) -> None:
        """A run that was stopped before it started does nothing."""
        run = Rollout(env, column)
        run.stop()
        assert run.start().wait(WITHIN)
        assert far_end.requests == []

    def test_what_a_policy_decides_after_stop_is_not_done(self, env: Env, far_end: FarEnd) -> None:
        """An action that comes after stop() is not made."""
        run: Rollout | None = None

        def policy(observation: Any) -> Any:
            assert run is not None
            run.stop()
            return {"column": 1}

        run = Rollout(env, policy)
        assert run.start().wait(WITHIN)
        assert far_end.steps == []

    def test_a_failing_policy(self, env: Env) -> None:
        """A policy that raises ends the run; its error has its traceback and names the step, and the record is kept."""

        def policy(observation: Any) -> Any:
            return {"column": 1} if observation.step < 2 else 1 / 0

        run = played(env, policy)
        assert isinstance(run.error, ZeroDivisionError)
        assert all(fact in run.error.__notes__[0] for fact in ("policy", "step 3", "episode 1"))
        frames = []
        trace = run.error.__traceback__
        while trace is not None:
            frames.append(trace.tb_frame.f_code.co_name)
            trace = trace.tb_next
        assert frames[-1] == "policy"
        assert env.episode.length == 2
        assert "ended by ZeroDivisionError" in repr(run)

    def test_a_failing_environment(self, env: Env, far_end: FarEnd) -> None:
        """An environment that raises in a step or a reset ends the run, and the note says where."""
        far_end.policy = lambda request: (
            error_frame("EXECUTION_ERROR", "boom") if request["type"] == "step" else result_frame({})
        )
        run = played(env)
        assert isinstance(run.error, EnvironmentFailed)
        assert all(fact in run.error.__notes__[-1] for fact in ("step 1", "episode 1"))
        far_end.policy = lambda request: error_frame("EXECUTION_ERROR", "boom")
        run = played(env)
        assert all(fact in run.error.__notes__[-1] for fact in ("reset", "episode 1"))  # type: ignore[union-attr]

    def test_a_failing_callback(self, env: Env) -> None:
        """An on_step that raises ends the run as a policy does."""
        run = played(env, on_step=lambda result: 1 / 0)
        assert isinstance(run.error, ZeroDivisionError)
        assert all(fact in run.error.__notes__[-1] for fact in ("on_step", "step 1", "episode 1"))

    def test_a_lost_session(self, env: Env, far_end: FarEnd) -> None:
        """A lost session ends the run; going on gives the same error, and a fresh start begins anew."""
        run = Rollout(env, column, on_step=lambda result: far_end.hold()).start()
        far_end.wait_for(1)
        far_end.end(1011, "gone")
        assert run.wait(WITHIN)
        assert isinstance(run.error, SessionLost)
        assert isinstance(played(env, fresh=False).error, SessionLost)
        far_end.holding = False
        assert played(env, steps=1).error is None

    def test_a_closed_client(self, env: Env, far_end: FarEnd) -> None:
        """Closing the client ends the run, which leaves no thread."""
        run = Rollout(env, column, episodes=None).start()
        eventually(lambda: run.steps_made > 2)
        env.close()
        assert run.wait(WITHIN)
        assert isinstance(run.error, (ClientClosed, SessionLost))
        assert threads() == []

    def test_an_interrupt_stops_it(self, env: Env) -> None:
        """wait() is left by an interrupt though the run is in a pause, and the run stops."""
        run = Rollout(env, column, fps=1e-6).start()
        with pytest.raises(KeyboardInterrupt), interrupted_when(main_thread_waits):
            run.wait()
        assert run.wait(WITHIN)
        assert run.error is None

    def test_callbacks_at_the_end(self, env: Env, caplog: pytest.LogCaptureFixture) -> None:
        """Whoever asked is told of the end, once; one that fails is logged; late ones are told at once."""
        told: list[str] = []
        run = Rollout(env, column, steps=1)
        with caplog.at_level(logging.ERROR, "openenv_notebook"):
            run.on_end(lambda ended: told.append(f"first {ended.finished}"))
            run.on_end(lambda ended: 1 / 0)
            run.on_end(lambda ended: told.append("never"))()
            run.on_end(lambda ended: told.append("last"))
            assert run.start().wait(WITHIN)
        run.on_end(lambda ended: told.append("late"))
        assert told == ["first True", "last", "late"]
        assert "callback" in caplog.text and "ZeroDivisionError" in caplog.text

    def test_a_slow_callback_keeps_nobody(self, env: Env, gate: threading.Event) -> None:
        """A callback at the end that takes long, or waits for whoever waits, does not hold wait() up."""
        run = Rollout(env, column, steps=1)
        run.on_end(lambda ended: gate.wait())
        assert run.start().wait()
        assert not run.running
        gate.set()
        eventually(lambda: threads() == [])

    def test_waits_from_many_threads(self, env: Env) -> None:
        """Any number of threads may wait for it."""
        run = Rollout(env, column, steps=20).start()
        assert in_threads(*[lambda: run.wait(WITHIN)] * 4) == [True] * 4


class TestAsynchronousPolicies:
    """Policies that are awaited."""

    def test_it_is_awaited_on_a_loop_of_the_run(self, env: Env) -> None:
        """An async function is awaited, on the same loop for the whole run, which is not the portal's."""
        loops: list[Any] = []

        async def policy(observation: Any) -> Any:
            await asyncio.sleep(0)
            loops.append(asyncio.get_running_loop())
            return {"column": 1}

        assert played(env, policy, steps=3).error is None
        assert len(set(map(id, loops))) == 1
        assert loops[0] is not conversation_of(env).session.lease.portal.loop
        assert loops[0].is_closed()

    def test_it_may_use_the_async_client(self, env: Env) -> None:
        """It may await calls of the same session."""

        async def policy(observation: Any) -> Any:
            return {"column": (await env.async_client.state()).step_count}

        assert [step.action.get("column") for step in played(env, policy, steps=2).episodes[0]] == [None, 0, 1]

    def test_stop_cancels_what_it_waits_for(self, env: Env, far_end: FarEnd) -> None:
        """A policy that waits for a person is cancelled by stop(); that is a good end."""
        asked, cleaned = threading.Event(), threading.Event()

        async def policy(observation: Any) -> Any:
            asked.set()
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                cleaned.set()

        run = Rollout(env, policy).start()
        assert asked.wait(WITHIN)
        run.stop()
        assert run.wait(WITHIN)
        assert cleaned.is_set()
        assert (run.error, far_end.steps) == (None, [])

    def test_its_own_cancellation_is_an_error(self, env: Env) -> None:
        """A policy that is cancelled by somebody else ends the run with that."""

        async def policy(observation: Any) -> Any:
            raise asyncio.CancelledError("by the person")

        assert isinstance(played(env, policy).error, asyncio.CancelledError)

    async def test_the_end_is_awaited(self, env: Env) -> None:
        """ended() awaits the end on any loop, and a cancelled wait stops the run."""
        run = Rollout(env, column, steps=2).start()
        await run.ended()
        assert run.finished
        endless = Rollout(env, column, episodes=None).start()
        waiting = asyncio.create_task(endless.ended())
        # A task that has not begun is cancelled without a word to its coroutine.
        await asyncio.sleep(0)
        while endless.steps_made < 3:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert endless.wait(WITHIN)


class TestMistakes:
    """What cannot be meant."""

    def test_two_runs_on_one_session(self, env: Env) -> None:
        """A run that would mix its steps with those of another is refused; after its end it is not."""
        first = Rollout(env, column, episodes=None).start()
        with pytest.raises(MisuseError, match="another run is under way on this session"):
            run_episodes(env, column, max_steps=2)
        assert Rollout(env, column, fresh=False, steps=1).start().wait(WITHIN), "one that joins may"
        with pytest.raises(MisuseError, match="another run is under way on this session"):
            run_episodes(env, column, max_steps=2)
        first.stop()
        assert first.wait(WITHIN)
        assert len(run_episodes(env, column, max_steps=2)) == 1

    def test_those_that_wait_in_line(self, env: Env, far_end: FarEnd) -> None:
        """T06: one that waits for a stopped run holds the session: a third is refused; once it is stopped, too, not."""
        holds = iter([far_end.hold])
        first = Rollout(env, column, episodes=None, on_step=lambda result: next(holds, lambda: None)()).start()
        eventually(lambda: far_end.held)
        first.stop()
        second = Rollout(env, column, episodes=None).start()
        third = Rollout(env, column, max_steps=1)
        with pytest.raises(MisuseError, match="another run is under way on this session"):
            third.start()
        assert not third.running and not third.finished
        second.stop()
        third.start()
        eventually(lambda: "waiting for the run before" in repr(third))
        assert not second.steps_made
        far_end.release()
        assert third.wait(WITHIN) and third.error is None
        assert (first.finished, second.finished, second.steps_made, third.steps_made) == (True, True, 0, 1)

    def test_in_a_forked_child(self, env: Env) -> None:
        """T06: a run of the parent is none in a child: it may begin its own there, on a session that it opens anew."""
        run = Rollout(env, column, episodes=None).start()
        eventually(lambda: run.steps_made > 1)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                again = Rollout(env, column, steps=1).start()
                # No server of the test's is here: the run begins, and fails, which is no refusal.
                code = 0 if again.wait(WITHIN) and not isinstance(again.error, MisuseError) else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        run.stop()
        assert run.wait(WITHIN)

    @pytest.mark.parametrize(
        "settings",
        [
            {"episodes": 0},
            {"episodes": "3"},
            {"max_steps": True},
            {"steps": -1},
            {"fps": 0},
            {"fps": float("inf")},
            {"seeds": 7},
            {"seeds": "12"},
            {"actor": "robot"},
            {"policy": "greedy"},
            {"policy": None},
            {"policy": dict},
        ],
    )
    def test_arguments(self, env: Env, settings: dict[str, Any]) -> None:
        """What cannot be meant is refused when the run is made, and nothing is sent."""
        with pytest.raises(MisuseError):
            Rollout(env, **{"policy": column, **settings})

    def test_a_coroutine_is_no_policy(self, env: Env) -> None:
        """A policy that was called by mistake is refused, without a warning about it."""

        async def policy(observation: Any) -> Any:
            return 1

        with pytest.raises(MisuseError, match="a function that takes an observation"):
            Rollout(env, policy({}))

    def test_a_run_is_started_once(self, env: Env) -> None:
        """A second start() and a wait() before the first are refused."""
        run = Rollout(env, column, steps=1)
        with pytest.raises(MisuseError, match="not started"):
            run.wait()
        assert run.start().wait(WITHIN)
        with pytest.raises(MisuseError, match="started before"):
            run.start()

    def test_it_cannot_wait_for_itself(self, env: Env) -> None:
        """wait() on the run's own thread raises instead of waiting for ever."""
        run: Rollout | None = None

        def policy(observation: Any) -> Any:
            assert run is not None
            run.wait()

        run = Rollout(env, policy)
        assert run.start().wait(WITHIN)
        assert isinstance(run.error, WrongThread)

    def test_clients_of_others(self) -> None:
        """A client object of the official package keeps no record, so it is refused at once."""

        class Foreign:
            async def connect(self) -> None: ...
            async def reset(self) -> None: ...
            async def step(self, action: Any) -> None: ...
            async def close(self) -> None: ...

        with pytest.raises(NotSupportedHere):
            Rollout(SyncEnvClient(Foreign()), column)


def test_the_policy_runs_in_the_context_of_its_start(env: Env) -> None:
    """C05: what a policy prints belongs to the cell that started it: it runs in that cell's context."""
    cell: contextvars.ContextVar[int] = contextvars.ContextVar("cell", default=0)
    cell.set(3)
    seen: list[int] = []
    run = Rollout(env, lambda observation: seen.append(cell.get()), steps=1).start()
    cell.set(4)
    assert run.wait(WITHIN)
    assert seen == [3]
