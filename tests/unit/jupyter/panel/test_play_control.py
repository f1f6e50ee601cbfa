"""Play in the panel: a policy acts, Stop ends it, the person takes over and hands back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from support.front_end import classed
from support.panel_hands import PanelHands
from support.waiting import eventually
from support.wire import FarEnd, result_frame

from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.values.errors import MisuseError

from .conftest import Env, MakePanel


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


def test_play_makes_random_legal_moves_until_done(fresh: PanelHands, env: Env, far_end: FarEnd) -> None:
    """Play begins an episode where there is none, acts legally, and ends when it is done."""
    far_end.policy = ends_after(5)
    fresh.press("Play")
    eventually(lambda: env.done and not fresh.panel.is_playing)
    fresh.expect(said="5 steps")
    assert len(far_end.steps) == 5
    assert {step["column"] for step in far_end.steps} <= {1, 2}
    assert {step.actor for step in env.episode if step.kind == "step"} == {"policy"}


def test_a_policy_is_played_by_its_name(playing: Env, make_panel: MakePanel, far_end: FarEnd) -> None:
    """panel.play(NAME) plays a policy of the panel; another name, and what is no policy, is refused at once."""
    hands = make_panel(playing, policies={"always": seven})
    assert hands.panel.play("always", steps=2).wait(5)
    assert far_end.steps == [{"column": 6}] * 2
    with pytest.raises(MisuseError, match=r"'alway' .*did you mean 'always'"):
        hands.panel.play("alway")
    with pytest.raises(MisuseError, match="not 3"):
        hands.panel.play(3)
    hands.expect_enabled("Play")
    assert hands.labels("Policy") == ("random legal", "always"), "nothing was added to the menu"


def test_a_function_that_was_played_is_offered(hands: PanelHands, far_end: FarEnd) -> None:
    """A function that panel.play got can be played again from the menu, by its name."""
    assert hands.panel.play(seven, steps=1).wait(5)
    eventually(lambda: hands.labels("Policy") == ("random legal", "seven"))
    hands.fill("×", "1")
    hands.press("Play")
    eventually(lambda: far_end.steps == [{"column": 6}] * 2)


@pytest.mark.parametrize(("policies", "told"), [([seven], "policies go by name"), ({"a": 3}, "'a' is no function")])
def test_policies_are_functions_by_name(env: Env, policies: Any, told: str) -> None:
    """What is no policy is refused when the panel is made."""
    with pytest.raises(MisuseError, match=told):
        Panel(env, policies=policies)


def test_play_makes_as_many_steps_as_were_asked_for(hands: PanelHands, far_end: FarEnd) -> None:
    """A number beside Play bounds the run; what is no number is refused."""
    hands.fill("×", "3")
    hands.press("Play")
    hands.expect(said="3 steps")
    eventually(lambda: not hands.panel.is_playing)
    hands.fill("×", "three")
    hands.press("Play")
    hands.expect(said="'three'")
    assert hands.is_alarmed
    assert len(far_end.steps) == 3


def test_stop_ends_a_run_before_its_next_step(hands: PanelHands, far_end: FarEnd) -> None:
    """Stop acts at once, also while the run waits between two steps; only then it can be pressed."""
    hands.expect_disabled("Stop")
    run = hands.panel.play(seven, fps=0.01)
    eventually(lambda: len(far_end.steps) == 1)
    hands.press("Stop")
    assert run.wait(5)
    hands.expect(said="stopped")
    hands.expect_disabled("Stop")
    assert not hands.panel.is_playing
    assert len(far_end.steps) == 1


def test_nothing_else_can_be_started_while_a_policy_plays(hands: PanelHands, far_end: FarEnd) -> None:
    """Step and Reset wait for the end of a run; a second run is refused."""
    far_end.hold()
    hands.panel.play(seven, steps=1)
    far_end.wait_for(1)
    hands.expect_disabled("Step ▸", "Reset", "Play")
    with pytest.raises(MisuseError, match="plays in this panel already"):
        hands.panel.play(seven)
    far_end.release()
    hands.expect_enabled("Reset", "Play")


def test_a_failing_policy_is_told(hands: PanelHands) -> None:
    """What a policy raises is told with the step it failed at, and kept with its traceback."""

    def broken(observation: Any) -> Any:
        raise ValueError("no idea")

    hands.panel.play(broken).wait(5)
    hands.expect(said="no idea")
    assert "step 1" in hands.said
    assert isinstance(hands.panel.last_error, ValueError)


def test_the_person_takes_over_and_hands_back(hands: PanelHands, far_end: FarEnd) -> None:
    """While "I play" is pressed the person's actions are the run's; the record says who acted."""
    run = hands.panel.play(seven, fps=20)
    eventually(lambda: len(far_end.steps) >= 2)
    hands.press("I play")
    hands.expect(said="Your move")
    count = len(far_end.steps)
    hands.panel.form.set({"column": 0})
    far_end.hold()
    hands.press("Answer ▸")
    far_end.wait_for(1)
    assert far_end.steps[count:] == [{"column": 0}]
    hands.expect(said="playing")
    far_end.release()
    hands.expect(said="Your move")
    hands.press("I play")
    eventually(lambda: len(far_end.steps) >= count + 3)
    run.stop()
    run.wait(5)
    who = [step.actor for step in hands.panel.client.episode if step.kind == "step"]
    assert who[count] == "person"
    assert set(who[:count] + who[count + 1 :]) == {"policy"}


def test_stop_ends_a_run_that_waits_for_the_person(hands: PanelHands) -> None:
    """Stop takes the question back, and nothing hangs."""
    hands.press("I play")
    run = hands.panel.play(seven)
    hands.expect(said="Your move")
    hands.press("Stop")
    assert run.wait(5)
    eventually(lambda: hands.is_seen("Step ▸") and not hands.is_seen("Answer ▸"))
    assert hands.panel.last_error is None


def test_a_fast_run_is_written_seldom_and_to_its_end(hands: PanelHands) -> None:
    """A quick run of many steps is seen at most 15 times a second, and its last state always."""
    writes: list[str] = []
    (chart,) = classed(hands.panel.widget, "chart")
    chart.observe(lambda change: writes.append(change["new"]), "value")
    run = hands.panel.play(seven, steps=600)
    run.wait(30)
    hands.expect_rows(200, "600 ")
    assert len(writes) <= 15 * (run.progress.seconds + 1) + 2
    assert threading.active_count() < 20


class MuteError(Exception):
    """Its own text fails, and so do its notes."""

    def __init__(self) -> None:
        self.__notes__ = 3  # type: ignore[assignment]

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_a_policy_that_fails_oddly_ends_its_run(playing: Env, make_panel: MakePanel) -> None:
    """Whatever a policy raises, the panel says its name and can play again."""

    def fails(observation: Any) -> Any:
        raise MuteError

    hands = make_panel(playing)
    assert hands.panel.play(fails).wait(5)
    eventually(lambda: not hands.panel.is_playing)
    hands.expect(said="MuteError")
    assert hands.panel.play(seven, steps=1).wait(5)
