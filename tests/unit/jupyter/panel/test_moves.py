"""Actions of one click, and the box for a move."""

from __future__ import annotations

import pytest
from support.front_end import is_visible
from support.panel_hands import PanelHands
from support.wire import FarEnd, result_frame

from openenv_notebook.values.attribute_dict import attribute_dict

from .conftest import Env, MakePanel, PanelOf, fields


def test_enter_in_the_move_box_steps(hands: PanelHands, far_end: FarEnd) -> None:
    """The Move box reads what %openenv step reads, shows what it will send, and Enter sends it."""
    hands.fill("Move", "4")
    hands.expect(sends="env.step(column=4)")
    for text in ("4", "column=5", '{"column": 6}'):
        hands.enter("Move", text)
        hands.finish()
        assert hands.value("Move") == ""
    assert far_end.steps == [{"column": 4}, {"column": 5}, {"column": 6}]


def test_what_is_no_move_is_refused_and_kept(hands: PanelHands, far_end: FarEnd) -> None:
    """A move that cannot be read stays in its box, with the reason."""
    hands.enter("Move", '{"column": ')
    hands.expect(said="not JSON")
    assert hands.value("Move") == '{"column": '
    assert far_end.steps == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [("1000", "100"), ("word", "word"), ('{"other": 3}', "guess"), ("guess=3 other=3", "other"), ("guess=0", "1")],
)
def test_a_move_is_checked_before_it_is_sent(panel_of: PanelOf, far_end: FarEnd, wrong: str, told: str) -> None:
    """What the schema refuses is refused in the Move box too: bounds, kinds, missing and unknown fields."""
    schema = fields(guess={"type": "integer", "minimum": 1, "maximum": 100})
    hands = panel_of(schema | {"required": ["guess"], "additionalProperties": False})
    hands.enter("Move", wrong)
    hands.expect(said=told)
    assert hands.is_alarmed
    assert hands.value("Move") == wrong
    assert far_end.steps == []


def test_a_server_without_a_schema_takes_json(env: Env, make_panel: MakePanel, far_end: FarEnd) -> None:
    """Where the server tells no schema, fields are typed as key=value or JSON."""
    env.known.schema = attribute_dict({})
    env.known.tools = []
    env.reset()
    hands = make_panel(env)
    for text in ("go=3", '{"go": 3}'):
        hands.enter("Move", text)
        hands.finish()
    assert far_end.steps == [{"go": 3}] * 2


def test_many_legal_moves_are_completed(panel_of: PanelOf, far_end: FarEnd) -> None:
    """More than twelve legal moves are one box with completion, where Enter steps."""
    moves = [f"{file}{rank}" for file in "abcd" for rank in range(1, 5)]
    far_end.policy = lambda request: result_frame({"legal_moves": moves})
    hands = panel_of(fields("move"))
    assert list(hands.control("Move").options) == moves
    assert hands.moves == {}
    hands.enter("Move", "c3")
    hands.finish()
    assert far_end.steps == [{"move": "c3"}]


def test_legal_numbers_go_out_as_numbers(panel_of: PanelOf, far_end: FarEnd) -> None:
    """A button sends the value as the environment listed it, not its text, and is marked as what Step would send."""
    far_end.policy = lambda request: result_frame({"legal_actions": [0, 5]})
    hands = panel_of(fields("action_id", kind="integer"))
    hands.carry_out("5")
    assert far_end.steps == [{"action_id": 5}]
    assert hands.chosen_moves == ["5"]


def test_a_move_for_one_of_two_fields_is_filled_in_only(panel_of: PanelOf, far_end: FarEnd) -> None:
    """With two fields that take the legal values a click fills one in and does not step."""
    far_end.policy = lambda request: result_frame({"legal_moves": ["a1", "b2"]})
    hands = panel_of(fields("source", "target"))
    hands.press("a1")
    hands.expect(sends="source='a1'")
    assert hands.panel.form.value == {"source": "a1"}
    hands.press("b2")
    hands.expect(sends="env.step(source='a1', target='b2')")
    assert hands.panel.form.value == {"source": "a1", "target": "b2"}
    assert far_end.steps == []
    hands.carry_out("Step ▸")
    assert far_end.steps == [{"source": "a1", "target": "b2"}]


def test_a_legal_move_waits_for_what_else_is_required(panel_of: PanelOf, far_end: FarEnd) -> None:
    """Where another field is missing, a click fills its own in and says what is missing."""
    far_end.policy = lambda request: result_frame({"legal_actions": [1, 2]})
    schema = fields("column", kind="integer", note={"type": "string", "minLength": 2})
    hands = panel_of(schema | {"required": ["column", "note"]})
    hands.press("2")
    hands.expect(sends="column=2")
    assert "note: is required" in hands.sends
    assert far_end.steps == []
    hands.fill("note", "go")
    hands.carry_out("Step ▸")
    assert far_end.steps == [{"column": 2, "note": "go"}]


def test_buttons_keep_their_places(panel_of: PanelOf, far_end: FarEnd) -> None:
    """Where a field has few values each keeps its button; what is not legal now is disabled, also at the end."""
    legal = iter((["left", "down"], ["up"], []))
    far_end.policy = lambda request: result_frame({"legal_actions": next(legal)})
    choices = ["up", "down", "left", "right"]
    hands = panel_of({"type": "object", "properties": {"direction": {"enum": choices}}, "required": ["direction"]})
    for can_be_pressed, move in ((["down", "left"], "left"), (["up"], "up"), ([], "")):
        assert list(hands.moves) == choices
        assert [name for name, can in hands.moves.items() if can] == can_be_pressed
        assert not is_visible(hands.panel.form.widget), "the buttons are the form"
        if move:
            hands.carry_out(move)
