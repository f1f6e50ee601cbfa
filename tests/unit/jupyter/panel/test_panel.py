"""The panel: what a person does, what is seen, and the one record of both."""

from __future__ import annotations

from typing import Any

import pytest
from support.panel_hands import PanelHands
from support.waiting import eventually, in_threads
from support.wire import FarEnd, error_frame, result_frame

from openenv_notebook.record.episode import Episode
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import EnvironmentFailed, InvalidAction

from .conftest import Env, MakePanel


def test_reset_and_a_legal_move_are_two_clicks(fresh: PanelHands, env: Env, far_end: FarEnd) -> None:
    """Reset begins an episode, and a click on a move makes the step; both stand in the record as a person's (E07)."""
    far_end.policy = lambda request: result_frame({"legal_actions": [0, 3]}, 1.0)
    fresh.carry_out("Reset")
    fresh.carry_out("3")
    assert far_end.steps == [{"column": 3}]
    assert [step.actor for step in env.episode] == ["person", "person"]
    assert Episode.from_jsonl(env.episode.to_jsonl()) == env.episode


def test_step_does_what_is_shown(hands: PanelHands, far_end: FarEnd) -> None:
    """The line beside Step is the Python that Step does."""
    hands.panel.form.set({"column": 2})
    hands.expect(sends="env.step(column=2)")
    hands.carry_out("Step ▸")
    assert far_end.steps == [{"column": 2}]
    hands.expect_rows(2, "1 you column=2 +1")


def test_clicks_while_a_step_is_under_way_are_ignored(hands: PanelHands, far_end: FarEnd) -> None:
    """Ten clicks during one long step make one step; the buttons are disabled meanwhile (C11, C01)."""
    hands.panel.form.set({"column": 2})
    far_end.hold()
    hands.press("Step ▸")
    for _ in range(9):
        hands.press_late("Step ▸")
    far_end.wait_for(1)
    hands.expect_disabled("Step ▸", "Reset")
    far_end.release()
    hands.finish()
    assert far_end.steps == [{"column": 2}]
    hands.expect_enabled("Step ▸", "Reset")


def test_a_double_click_is_one_step(hands: PanelHands, far_end: FarEnd) -> None:
    """A second click right after a quick step is ignored, and so are clicks that queued up behind a cell."""
    hands.panel.form.set({"column": 2})
    hands.press("Step ▸")
    eventually(lambda: len(hands.panel.client.episode) == 2)
    for _ in range(5):
        hands.press_late("Step ▸")
    hands.finish()
    assert far_end.steps == [{"column": 2}]


def test_a_finished_episode_asks_for_a_reset(hands: PanelHands, far_end: FarEnd) -> None:
    """After the end nothing is sent: Step is disabled and the panel says what to do (A23)."""
    far_end.policy = lambda request: result_frame({}, 1.0, request["type"] == "step")
    hands.panel.client.step(column=1)
    hands.expect_disabled("Step ▸")
    hands.expect(said="Reset")
    hands.panel.form.set({"column": 2})
    hands.press_late("Step ▸")
    hands.expect(said="over")
    assert "Reset" in hands.said
    assert far_end.steps == [{"column": 1}]
    assert hands.panel.client.episode.total_reward == 1.0


def test_an_error_is_seen_and_kept(hands: PanelHands, far_end: FarEnd) -> None:
    """A failed step is told in the panel, as an alert; the exception is kept, and the buttons work again (C08)."""
    far_end.policy = lambda request: error_frame("EXECUTION_ERROR", "the <b>engine</b> broke")
    hands.panel.form.set({"column": 2})
    hands.carry_out("Step ▸")
    assert hands.is_alarmed
    assert "the <b>engine</b> broke" in hands.said, "read as text, not as tags"
    assert isinstance(hands.panel.last_error, EnvironmentFailed)
    assert hands.panel.last_error.__traceback__ is not None
    assert "failed" in hands.rows[0]
    hands.expect_enabled("Step ▸")


def test_a_refused_action_is_told_at_its_field(hands: PanelHands, far_end: FarEnd) -> None:
    """What the server says of a field stands under it; what fits no field stands at the bottom."""
    errors = [
        {"loc": ["column"], "msg": "not in this game", "type": "value_error"},
        {"loc": ["nowhere"], "msg": "unheard of", "type": "value_error"},
    ]
    far_end.policy = lambda request: error_frame("VALIDATION_ERROR", "Invalid action", errors=errors)
    hands.panel.form.set({"column": 2})
    hands.carry_out("Step ▸")
    assert isinstance(hands.panel.last_error, InvalidAction)
    hands.expect(words="not in this game", said="unheard of")


def test_a_refusal_says_why_at_the_bottom(hands: PanelHands, far_end: FarEnd) -> None:
    """The line at the bottom names the wrong field, also where the form is not seen."""
    errors = [{"loc": ["column"], "msg": "must be on the board", "type": "value_error"}]
    far_end.policy = lambda request: error_frame("VALIDATION_ERROR", "Invalid message", errors=errors)
    hands.panel.form.set({"column": 2})
    hands.carry_out("Step ▸")
    hands.expect(said="column: must be on the board")


def test_failures_leave_the_last_observation(hands: PanelHands, far_end: FarEnd) -> None:
    """However many steps fail in a row, the last observation is seen, and the failures stand in no chart."""
    client = hands.panel.client
    client.step(column=1)
    for code, error in (("EXECUTION_ERROR", EnvironmentFailed),) * 2 + (("VALIDATION_ERROR", InvalidAction),):
        far_end.policy = lambda request, code=code: error_frame(code, "broken")  # type: ignore[misc]
        with pytest.raises(error):
            client.step(column=2)
    hands.expect(said="InvalidAction")
    assert len(hands.rows) == 5
    assert "column 1" in hands.seen
    assert "1 step," in hands.chart


def test_steps_made_in_code_are_seen(hands: PanelHands, make_panel: MakePanel) -> None:
    """Two panels of one client show the same steps, whoever made them, in wire order."""
    client = hands.panel.client
    other = make_panel(client)
    in_threads(*(lambda column=column: client.step(column=column) for column in range(7)))
    hands.panel.form.set({"column": 0})
    hands.carry_out("Step ▸")
    for each in (hands, other):
        each.expect_rows(9)
    assert hands.rows == other.rows
    made = [step.action["column"] for step in client.episode if step.kind == "step"]
    assert [int(row.split("column=")[1].split()[0]) for row in reversed(hands.rows[:-1])] == made


def test_the_last_of_many_updates_is_shown(hands: PanelHands) -> None:
    """After a hundred quick steps the last observation is the one that is seen (C07)."""
    for _ in range(100):
        hands.panel.client.step(column=1)
    hands.expect_rows(101, "100 ")
    hands.expect(seen="changed 100")


def test_a_lost_session_offers_a_reset(hands: PanelHands, far_end: FarEnd) -> None:
    """A lost session is told with its code; Reset begins anew."""
    far_end.end(1011, "keepalive")
    hands.expect(title="lost", said="1011")
    assert "Reset" in hands.said and hands.is_alarmed
    hands.expect_disabled("Step ▸")
    hands.carry_out("Reset")
    assert hands.panel.client.status == "open"
    hands.expect(said="Ready")


def test_a_panel_of_a_lost_client_can_be_made(playing: Env, far_end: FarEnd, make_panel: MakePanel) -> None:
    """A panel opens also where the session is lost already, and offers Reset."""
    far_end.end(1006)
    eventually(lambda: playing.status == "lost")
    made = make_panel(playing)
    assert "Reset" in made.said and made.is_alarmed
    made.carry_out("Reset")
    assert playing.status == "open"


@pytest.mark.parametrize("schema", [None, {"type": "object"}, {"properties": {"tool_name": {"const": "call_tool"}}}])
def test_opening_a_panel_makes_no_step(make_panel: MakePanel, env: Env, far_end: FarEnd, schema: Any) -> None:
    """R35: Where a server knows no message for tools, opening a panel, its forms and its lists act on nothing."""
    usual = far_end.policy
    far_end.policy = lambda request: (
        error_frame("UNKNOWN_TYPE", "Unknown message type: mcp") if request["type"] == "mcp" else usual(request)
    )
    env.known.schema, env.known.schema_refused = None, schema is None
    if schema is not None:
        env.known.take_schema(attribute_dict({"action": schema}))
    env.reset()
    hands = make_panel(env)
    hands.control("Step ▸")
    assert far_end.steps == [] and len(env.episode) == 1
