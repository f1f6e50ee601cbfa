"""Runs that are waited for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.waiting import eventually
from support.wire import FarEnd, result_frame

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.play.rollout import THREAD_NAME
from openenv_notebook.play.run_episodes import run_episodes, watch
from openenv_notebook.values.errors import WrongThread
from openenv_notebook.values.front_end import FrontEnd, Line, install, new_line

Env = SyncEnvClient[Any, Any, Any]


class Screen(Line):
    """A line that remembers."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.closed: list[str] = []

    def show(self, text: str) -> None:
        """Take a text in."""
        self.shown.append(text)

    def close(self, text: str) -> None:
        """Take the last one in."""
        self.closed.append(text)


@pytest.fixture
def screen() -> Iterator[Screen]:
    """The screen there is."""
    made = Screen()
    install(FrontEnd(line=lambda: made))
    yield made
    install(None)


def column(observation: Any) -> int:
    """A policy that always does the same, by a bare value."""
    return 3


def hold_once(far_end: FarEnd) -> Callable[[Any], None]:
    """Have what comes after the first step held."""
    holds = iter([far_end.hold])
    return lambda result: next(holds, lambda: None)()


def no_run_is_left() -> bool:
    """Tell whether all threads of runs have ended."""
    return not any(thread.name == THREAD_NAME for thread in threading.enumerate())


def test_episodes_are_returned(env: Env, screen: Screen, caplog: pytest.LogCaptureFixture) -> None:
    """The episodes come back, as they stand in the record; the summary is shown once and logged."""
    with caplog.at_level(logging.INFO, "openenv_notebook"):
        episodes = run_episodes(env, column, 3, max_steps=2)
    assert episodes == env.episodes
    assert [episode.length for episode in episodes] == [2, 2, 2]
    assert len(screen.closed) == 1
    assert screen.closed[0].startswith("3 episodes · 6 steps · ")
    assert screen.closed[0].endswith(" · mean return 2")
    assert screen.closed[0] in caplog.text
    assert no_run_is_left()


def test_seeds_are_an_episode_each(env: Env) -> None:
    """Where no number of episodes is given, each seed has one; without seeds it is one."""
    played = run_episodes(env, column, max_steps=1, seeds=[5, 6, 7])
    assert [episode.reset_arguments["seed"] for episode in played] == [5, 6, 7]
    assert len(run_episodes(env, column, max_steps=1)) == 1


def test_without_a_screen_nothing_is_shown(env: Env, capsys: pytest.CaptureFixture[str]) -> None:
    """A program prints nothing."""
    run_episodes(env, column, max_steps=1, seeds=[1], reset={"size": 2}, fps=1000)
    assert capsys.readouterr() == ("", "")
    new_line().show("nothing")


def test_it_says_how_far_it_is(env: Env, screen: Screen) -> None:
    """E28: while it runs, the line is shown about ten times a second."""
    run_episodes(env, column, 2, max_steps=10, fps=25)
    assert 3 <= len(screen.shown) <= 10
    assert all(text.startswith(("episode 1/2 · ", "episode 2/2 · ")) for text in screen.shown)


def test_a_long_run_says_it_more_rarely() -> None:
    """C26: a run of hours stays below a thousand lines: the longer it runs, the more rarely it says so."""

    class Run:
        progress, now = "episode", 0.0

        def wait(self, seconds: float) -> bool:
            self.now += seconds
            return self.now > 3600

    run, screen = Run(), Screen()
    watch(run, screen, lambda: run.now)  # type: ignore[arg-type]
    assert 500 < len(screen.shown) < 900


def test_an_interrupt_ends_it(env: Env, far_end: FarEnd, screen: Screen) -> None:
    """■ stops the run, gives control back, keeps the record, and says that it was stopped."""
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: len(far_end.steps) > 3):
        run_episodes(env, column, 10**6)
    assert no_run_is_left()
    made = len(far_end.steps)
    assert env.episode.length == made
    assert screen.closed[0].startswith("stopped in episode 1/1000000 · ")
    assert env.step(column=1).reward == 1.0


def test_an_interrupt_waits_for_no_slow_step(env: Env, far_end: FarEnd, screen: Screen) -> None:
    """■ during a step that is held gives control back; the step's reply is waited for by the run alone."""
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: far_end.held):
        run_episodes(env, column, 10**6, on_step=lambda result: far_end.hold())
    assert not no_run_is_left()
    far_end.release()
    eventually(no_run_is_left)
    assert (env.episode.length, env.owed) == (2, 0)


def test_a_run_again_waits_for_the_step_in_flight(env: Env, far_end: FarEnd, screen: Screen) -> None:
    """T06: after ■ during a slow step the cell may be run again at once: it waits for that step, and says so."""
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: far_end.held):
        run_episodes(env, column, 10**6, on_step=hold_once(far_end))
    waiting = "waiting for the run before, which was stopped, to end its step"

    def let_go() -> None:
        eventually(lambda: waiting in screen.shown)
        far_end.release()

    helper = threading.Thread(target=let_go)
    helper.start()
    (episode,) = run_episodes(env, column, max_steps=2)
    helper.join()
    assert (episode.length, [each.length for each in env.episodes]) == (2, [2, 2])
    assert screen.closed[1].startswith("1 episode · 2 steps")


def test_a_run_again_may_be_interrupted_while_it_waits(env: Env, far_end: FarEnd, screen: Screen) -> None:
    """T06: ■ ends the one that waits as well, and says so; the third has its turn."""
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: far_end.held):
        run_episodes(env, column, 10**6, on_step=hold_once(far_end))
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: any("waiting" in shown for shown in screen.shown)):
        run_episodes(env, column, 10**6)
    assert screen.closed[1].startswith("stopped while waiting for the run before")
    eventually(lambda: len(screen.closed) == 2)
    far_end.release()
    assert run_episodes(env, column, max_steps=2)[0].length == 2


def test_an_interrupt_while_the_line_is_written_ends_it(env: Env) -> None:
    """■ at any other moment of the wait does the same, and is as short in a cell."""

    class Interrupted(Screen):
        def show(self, text: str) -> None:
            raise KeyboardInterrupt

    install(FrontEnd(line=Interrupted))
    with pytest.raises(KeyboardInterrupt) as caught:
        run_episodes(env, column, 10**6)
    install(None)
    assert hasattr(caught.value, "_render_traceback_")
    assert no_run_is_left()


def test_a_failing_policy_is_raised(env: Env, screen: Screen) -> None:
    """What the policy raised is raised, with a note on the step; the line says that it failed."""
    with pytest.raises(ZeroDivisionError) as caught:
        run_episodes(env, lambda observation: 1 // 0)
    assert "step 1 of episode 1" in caught.value.__notes__[0]
    assert screen.closed[0].startswith("failed in episode 1/1 · ")


def test_a_screen_that_fails_stops_the_run(env: Env, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that raises ends the call, and leaves no run behind."""
    monkeypatch.setattr(screen, "show", lambda text: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_episodes(env, column, 10**6)
    assert no_run_is_left()


async def test_it_refuses_to_wait_for_itself(env: Env, far_end: FarEnd) -> None:
    """On the thread of the connections it raises at once instead of waiting for ever."""
    env.connect()
    portal = conversation_of(env).session.lease.portal
    with pytest.raises(WrongThread, match=r"run_episodes\(\) blocks.*await Rollout"):
        portal.call(lambda: run_episodes(env, column))


def test_an_environment_that_is_over_at_once(env: Env, far_end: FarEnd) -> None:
    """A23: an episode that is done by its reset is not stepped."""
    far_end.policy = lambda request: result_frame({}, None, True)
    assert [episode.length for episode in run_episodes(env, column, 2)] == [0, 0]
    assert far_end.steps == []
