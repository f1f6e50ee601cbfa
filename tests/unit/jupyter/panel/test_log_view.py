"""The log in the panel: steps of the past, pages of them, and what else stands in its place."""

from __future__ import annotations

from support.front_end import classed, named, text_of
from support.panel_hands import PanelHands
from support.waiting import eventually
from support.wire import FarEnd


def make_steps(hands: PanelHands, number: int) -> None:
    """Make so many steps in code, each in the next column, and wait until the log has them."""
    for place in range(number):
        hands.panel.client.step(column=place % 7)
    hands.expect_rows(min(number + 1, 200), f"{number} ")


def test_a_step_of_the_past_is_looked_at_until_live(hands: PanelHands, far_end: FarEnd) -> None:
    """Choosing a row shows that step again, and Step waits until the panel is live."""
    make_steps(hands, 5)
    hands.look_at(3)
    hands.expect(viewing="viewing #3 of 5", seen="column 2")
    hands.expect_disabled("Step ▸")
    hands.panel.form.set({"column": 2})
    hands.press_late("Step ▸")
    hands.expect(said="Live")
    assert len(far_end.steps) == 5
    hands.panel.client.step(column=6)
    hands.expect(viewing="viewing #3 of 6", seen="column 2")
    hands.press("Live")
    hands.expect(viewing="live", seen="column 6")
    hands.expect_enabled("Step ▸")


def test_the_episode_is_played_again(hands: PanelHands) -> None:
    """Replay walks through the steps from the first, and ends when the panel is live again."""
    make_steps(hands, 2)
    walked: list[str] = []
    (viewing,) = classed(hands.panel.widget, "viewing")
    viewing.observe(lambda change: walked.append(text_of(change["new"]).removeprefix("viewing ").split()[0]), "value")
    hands.press("Replay")
    eventually(lambda: "live" in walked, what="the end of the replay")
    assert walked == ["#0", "#1", "live"]
    eventually(lambda: not hands.value("Replay"))


def test_a_replay_can_be_ended(hands: PanelHands) -> None:
    """Pressing Replay again stops where it is; Live ends it as well."""
    make_steps(hands, 5)
    hands.press("Replay")
    hands.expect(viewing="viewing #1 of 5")
    hands.press("Replay")
    eventually(lambda: not hands.value("Replay"))
    assert "viewing #" in hands.viewing
    hands.press("Replay")
    hands.press("Live")
    eventually(lambda: not hands.value("Replay") and hands.viewing == "live")


def test_old_steps_are_on_further_pages(hands: PanelHands) -> None:
    """The log shows 200 steps at a time; older ones are a page away."""
    make_steps(hands, 250)
    hands.press("Older")
    hands.expect_rows(51)
    assert hands.rows[-1].startswith("reset")
    hands.press("Live")
    hands.expect_rows(200, "250 ")


def test_a_step_on_another_page_is_still_looked_at(hands: PanelHands) -> None:
    """Turning the page, and steps that push it to another one, leave the step that is looked at in view."""
    make_steps(hands, 210)
    hands.look_at(205)
    hands.expect(viewing="viewing #205 of 210")
    hands.press("Older")
    hands.expect(viewing="page 2 of 2")
    assert "viewing #205 of 210" in hands.viewing
    hands.expect_disabled("Step ▸")


def test_the_state_says_when_it_is_old(hands: PanelHands) -> None:
    """The state that was asked for is marked once a step was made after it."""
    hands.carry_out("State")
    hands.expect(code="step_count")
    assert "before the last steps" not in hands.code
    hands.panel.client.step(column=1)
    hands.expect(code="before the last steps")


def test_the_episode_is_seen_as_python(hands: PanelHands) -> None:
    """Python stands in the place of the log, and grows with it, until it is pressed again."""
    hands.press("Python")
    hands.expect(code="env.reset()")
    hands.panel.client.step(column=1)
    hands.expect(code="env.step(column=1)")
    assert not hands.is_seen("Steps")
    hands.press("Python")
    eventually(lambda: hands.is_seen("Steps") and not hands.is_seen("Text to copy"))


def test_the_slider_speaks_only_for_a_person(hands: PanelHands) -> None:
    """It sends what a person has chosen: a continuous one sends our own values back, and the log leaves live."""
    assert named(hands.panel.widget, "Step looked at").continuous_update is False
