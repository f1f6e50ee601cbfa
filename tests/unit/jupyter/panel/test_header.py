"""The head of the panel: how an episode and a session begin."""

from __future__ import annotations

import pytest
from support.panel_hands import PanelHands
from support.waiting import eventually
from support.wire import FarEnd


def test_reset_takes_what_is_filled_in_and_nothing_else(fresh: PanelHands, far_end: FarEnd) -> None:
    """Seed and further arguments go out typed as a line of %openenv reset would be; what is empty is left out (A28)."""
    fresh.carry_out("Reset")
    fresh.press("⋯")
    fresh.fill("seed", "7")
    fresh.fill("Reset with", 'game=pong level=3 map={"size": 2}')
    fresh.carry_out("Reset")
    assert [request["data"] for request in far_end.requests] == [
        {},
        {"seed": 7, "game": "pong", "level": 3, "map": {"size": 2}},
    ]
    assert "env.reset(seed=7" in fresh.said


@pytest.mark.parametrize(
    ("box", "text", "told"), [("seed", "abc", "whole number, not 'abc'"), ("Reset with", '{"level": ', "not JSON")]
)
def test_what_reset_cannot_take_is_told_and_nothing_is_sent(
    fresh: PanelHands, far_end: FarEnd, box: str, text: str, told: str
) -> None:
    """A seed that is no whole number, and arguments that cannot be read, are refused with their reason."""
    fresh.press("⋯")
    fresh.fill(box, text)
    fresh.press("Reset")
    fresh.expect(said=told)
    assert fresh.is_alarmed
    assert far_end.requests == []


def test_enter_in_a_box_of_the_head_resets(fresh: PanelHands, far_end: FarEnd) -> None:
    """Enter in the seed's box does what Reset does."""
    fresh.enter("seed", "-3")
    fresh.finish()
    assert [request["data"] for request in far_end.requests] == [{"seed": -3}]


def test_a_new_session_is_another_thing_than_a_reset(hands: PanelHands, far_end: FarEnd) -> None:
    """New session gives the session up and begins in another; Reset stays in the one there is (A35)."""
    hands.carry_out("Reset")
    assert len(far_end.wires) == 1
    hands.press("⋯")
    hands.carry_out("New session")
    assert len(far_end.wires) == 2
    assert far_end.kinds == ["reset", "reset", "reset"]
    assert hands.panel.client.status == "open"


def test_a_new_session_can_be_had_while_a_step_hangs(hands: PanelHands, far_end: FarEnd) -> None:
    """New session and Close work also while an answer does not come."""
    hands.press("⋯")
    hands.panel.form.set({"column": 2})
    far_end.hold()
    hands.press("Step ▸")
    far_end.wait_for(1)
    hands.expect_disabled("Step ▸", "Reset")
    hands.expect_enabled("New session", "Close")
    far_end.held.clear()
    far_end.holding = False
    hands.press("New session")
    eventually(lambda: len(far_end.wires) == 2)
    hands.finish()
    assert hands.panel.client.status == "open"


def test_a_closed_session_is_told(hands: PanelHands) -> None:
    """Close ends the session; the panel says so and stays readable."""
    hands.press("⋯")
    hands.carry_out("Close")
    assert "closed" in hands.said
    assert hands.panel.client.status == "closed"
    hands.expect_rows(1, "reset")
    hands.expect_disabled("Step ▸", "Reset", "New session", "Close")
