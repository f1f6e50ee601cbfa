"""Play in the panel: a policy acts, Stop ends it, the person takes over and hands back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from support.front_end import click, edit, enter
from support.waiting import eventually, eventually_here
from support.wire import FarEnd, result_frame

from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.values.errors import ClientClosed, MisuseError, NotSupportedHere, ReplyTimeout

from .conftest import Env, rows, said, settled


def seven(observation: Any) -> dict[str, int]:
    """A policy that always does the same."""
    return {"column": 6}


def ends_after(number: int) -> Callable[[dict[str, Any]], bytes]:
    """A server whose episodes are done after so many steps."""
    made = 0

    def answer(request: dict[str, Any]) -> bytes:
        nonlocal made
        made = 0 if request["type"] == "reset" else made + 1
        return result_frame({"legal_actions": [1, 2]}, 1.0, made >= number)

    return answer


def test_play_makes_random_legal_moves_until_done(panel: Panel, env: Env, far_end: FarEnd) -> None:
    """Play begins an episode where there is none, acts legally, and ends when it is done."""
    far_end.policy = ends_after(5)
    click(panel._controller.play.view._play)
    eventually(lambda: env.done and not panel.is_playing)
    settled(panel)
    assert len(far_end.steps) == 5
    assert {step["column"] for step in far_end.steps} <= {1, 2}
    assert {step.actor for step in env.episode if step.kind == "step"} == {"policy"}
    assert "5 steps" in said(panel)


def test_a_policy_is_played_by_its_name(playing: Env, make_panel: Callable[..., Panel], far_end: FarEnd) -> None:
    """panel.play(NAME) plays a policy of the panel; another name, and what is no policy, is refused at once."""
    panel = make_panel(playing, policies={"always": seven})
    assert panel.play("always", steps=2).wait(5)
    assert far_end.steps == [{"column": 6}] * 2
    with pytest.raises(MisuseError, match=r"no policy named 'alway' in this panel; did you mean 'always'\?"):
        panel.play("alway")
    with pytest.raises(MisuseError, match="not 3"):
        panel.play(3)
    assert panel._controller.play.view._who.options == ("random legal", "always"), "nothing was added to the menu"


@pytest.mark.parametrize(("policies", "told"), [([seven], "policies go by name"), ({"a": 3}, "'a' is no function")])
def test_policies_are_functions_by_name(env: Env, policies: Any, told: str) -> None:
    """What is no policy is refused when the panel is made."""
    with pytest.raises(MisuseError, match=told):
        Panel(env, policies=policies)


def test_play_makes_as_many_steps_as_were_asked_for(live: Panel, far_end: FarEnd) -> None:
    """A number beside Play bounds the run; what is no number is refused."""
    edit(live._controller.play.view._count, "3")
    click(live._controller.play.view._play)
    eventually(lambda: len(far_end.steps) == 3 and not live.is_playing)
    settled(live)
    edit(live._controller.play.view._count, "three")
    click(live._controller.play.view._play)
    eventually(lambda: "three&#x27; is no number of steps" in said(live))
    assert len(far_end.steps) == 3


def test_stop_ends_a_run_before_its_next_step(live: Panel, far_end: FarEnd) -> None:
    """Stop acts at once, also while the run waits between two steps; only then it can be pressed."""
    live._publisher.flush_on_events_thread()
    assert live._controller.play.view.stop_button.disabled
    run = live.play(seven, fps=0.01)
    eventually(lambda: not live._controller.play.view.stop_button.disabled)
    click(live._controller.play.view.stop_button)
    assert run.wait(5)
    settled(live)
    assert not live.is_playing
    assert "stopped" in said(live)


def test_nothing_else_can_be_started_while_a_policy_plays(live: Panel, far_end: FarEnd) -> None:
    """Step and Reset wait for the end of a run; a second run is refused."""
    far_end.hold()
    live.play(seven, steps=1)
    far_end.wait_for(1)
    live._publisher.flush_on_events_thread()
    assert live._controller.actions.step_button.disabled
    assert live._controller.header.reset_button.disabled
    with pytest.raises(MisuseError, match="plays in this panel already"):
        live.play(seven)
    far_end.release()
    eventually(lambda: not live.is_playing)


def test_a_failing_policy_is_told(live: Panel) -> None:
    """What a policy raises is told with the step it failed at, and kept with its traceback."""

    def broken(observation: Any) -> Any:
        raise ValueError("no idea")

    live.play(broken).wait(5)
    settled(live)
    assert isinstance(live.last_error, ValueError)
    assert "no idea" in said(live)
    assert "step 1" in said(live)


def test_the_person_takes_over_and_hands_back(live: Panel, far_end: FarEnd) -> None:
    """While "I play" is pressed the person's actions are the run's; the record says who acted."""
    run = live.play(seven, fps=20)
    eventually(lambda: len(far_end.steps) >= 2)
    edit(live._controller.play.view._by_hand, True)
    eventually(lambda: live._controller.play.question is not None)
    eventually(lambda: "Your move" in said(live))
    count = len(far_end.steps)
    live.form.set({"column": 0})
    live._publisher.flush_on_events_thread()
    assert live._controller.actions.step_button.description == "Answer ▸"
    click(live._controller.actions.step_button)
    eventually(lambda: len(far_end.steps) == count + 1)
    eventually(lambda: live._controller.play.question is not None)
    assert far_end.steps[-1] == {"column": 0}
    edit(live._controller.play.view._by_hand, False)
    eventually(lambda: len(far_end.steps) >= count + 3)
    run.stop()
    run.wait(5)
    who = [step.actor for step in live.client.episode if step.kind == "step"]
    assert who[count] == "person"
    assert set(who[:count] + who[count + 1 :]) == {"policy"}


def test_stop_ends_a_run_that_waits_for_the_person(live: Panel) -> None:
    """Stop takes the question back, and nothing hangs."""
    edit(live._controller.play.view._by_hand, True)
    run = live.play(seven)
    eventually(lambda: live._controller.play.question is not None)
    live._publisher.flush_on_events_thread()
    click(live._controller.play.view.stop_button)
    assert run.wait(5)
    eventually(lambda: live._controller.play.question is None)
    assert live.last_error is None


async def test_a_question_is_answered_by_step(live: Panel, far_end: FarEnd) -> None:
    """The action that is chosen is the answer; no step is made."""
    asked = asyncio.ensure_future(live._controller.play.ask(5))
    await eventually_here(lambda: live._controller.play.question is not None)
    box = live._controller.actions._moves.box
    edit(box, "4")
    enter(box)
    assert await asked == {"column": 4}
    assert far_end.steps == []


def test_a_policy_that_asks_is_the_person(live: Panel, far_end: FarEnd) -> None:
    """What a policy got from the person stands in the record as the person's."""

    async def ask(observation: Any) -> Any:
        return await live._controller.play.ask(5)

    run = live.play(ask, steps=1)
    eventually(lambda: live._controller.play.question is not None)
    edit(live._controller.actions._moves.box, "4")
    enter(live._controller.actions._moves.box)
    assert run.wait(5)
    assert far_end.steps == [{"column": 4}]
    assert live.client.episode[-1].actor == "person"


async def test_a_question_nobody_answers_times_out(live: Panel) -> None:
    """ask(timeout) ends with a timeout, and another question can be asked."""
    with pytest.raises(ReplyTimeout, match="ask"):
        await live._controller.play.ask(0.05)
    assert live._controller.play.question is None


async def test_a_cancelled_question_is_over(live: Panel) -> None:
    """Cancelling the wait takes the question back."""
    asked = asyncio.ensure_future(live._controller.play.ask(None))
    await eventually_here(lambda: live._controller.play.question is not None)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert live._controller.play.question is None


async def test_one_question_at_a_time(live: Panel) -> None:
    """A second question is refused while the first waits."""
    asked = asyncio.ensure_future(live._controller.play.ask(None))
    await eventually_here(lambda: live._controller.play.question is not None)
    with pytest.raises(MisuseError, match="asked already"):
        await live._controller.play.ask(None)
    asked.cancel()


async def test_closing_the_panel_ends_the_question(live: Panel) -> None:
    """Whoever waits for the person is told that the panel is gone."""
    asked = asyncio.ensure_future(live._controller.play.ask(None))
    await eventually_here(lambda: live._controller.play.question is not None)
    live.close()
    with pytest.raises(ClientClosed, match="panel was closed"):
        await asked


async def test_asking_without_a_notebook_is_refused_at_once(live: Panel) -> None:
    """Where nobody can click, ask() says so and what to do instead (C04)."""
    with pytest.raises(NotSupportedHere, match="no notebook here"):
        await live.ask()


def test_a_fast_run_is_written_seldom_and_to_its_end(live: Panel) -> None:
    """A quick run of many steps is seen at most 15 times a second, and its last state always."""
    writes = 0
    chart = live._controller.play.view._chart

    def count(change: Any) -> None:
        nonlocal writes
        writes += 1

    chart.observe(count, "value")
    run = live.play(seven, steps=600)
    run.wait(30)
    eventually(lambda: rows(live)[0].startswith("600 "))
    assert writes <= 15 * (run.progress.seconds + 1) + 2
    assert threading.active_count() < 20
