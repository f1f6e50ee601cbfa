"""What a person does in a form is what would be sent: types, ticks, lists, unions, More."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import ipywidgets
import pytest
from pydantic import BaseModel, Field
from support.front_end import classes, click, edit, enter, labels, named, shown


class Position(BaseModel):
    """A place."""

    x: int
    y: int = 0


class Everything(BaseModel):
    """What case A48 names."""

    level: Literal["low", "high"]
    steer: Annotated[float, Field(ge=-1, le=1)]
    max_tokens: int
    at: Position
    limit: int | None = None
    numbers: list[int] = []
    weights: dict[str, float] = {}
    block: bool = True


def test_typed_values_have_their_types(form: Any) -> None:
    """A48: what is typed into boxes is sent as numbers, lists and objects, never as texts."""
    made = form(Everything.model_json_schema())
    root = made.widget
    edit(named(root, "level"), "high")
    edit(named(root, "steer"), "-0.5")
    edit(named(root, "max_tokens"), "128")
    edit(named(root, "x"), "3")
    click(named(root, "▸ More (4)"))
    edit(named(root, "limit"), " 7 ")
    edit(named(root, "send numbers"), True)
    click(named(root, "+ Add"))
    edit(named(root, "[0]"), "1")
    edit(named(root, "block"), "false")
    edit(named(root, "send weights"), True)
    click(named(root, "+ Add", place=1))
    edit(named(root, "name"), "a")
    edit(named(root, "value"), "2.5")
    assert made.errors == {}
    assert made.value == {
        "level": "high", "steer": -0.5, "max_tokens": 128, "at": {"x": 3}, "limit": 7, "numbers": [1],
        "block": False, "weights": {"a": 2.5},
    }  # fmt: skip
    assert Everything.model_validate(made.value, strict=True).max_tokens == 128


def test_untouched_optional_fields_are_left_out(form: Any) -> None:
    """C27, A28: only what was filled in is sent, also of a nested optional object."""
    schema = {
        "properties": {
            "need": {"type": "string"},
            "text": {"type": "string", "default": "x"},
            "number": {"type": "number"},
            "list": {"type": "array", "items": {"type": "string"}},
            "inner": {"properties": {"a": {"type": "string"}}},
        },
        "required": ["need"],
    }
    made = form(schema)
    edit(named(made.widget, "need"), "this")
    assert made.value == {"need": "this"} and made.errors == {}


def test_empty_and_null_are_choices_that_are_seen(form: Any) -> None:
    """C27: a ticked empty text is sent as empty, a ticked null as null, and without its tick nothing is sent."""
    made = form("git")
    edit(named(made.widget, "send target_dir"), True)
    assert made.value == {"target_dir": ""}
    edit(named(made.widget, "null"), True)
    assert made.value == {"target_dir": None}
    edit(named(made.widget, "send target_dir"), False)
    assert made.value == {}


def test_null_alone_ticks_its_field(form: Any) -> None:
    """Asking for null is asking to send it."""
    made = form("git")
    edit(named(made.widget, "null"), True)
    assert made.value == {"target_dir": None}


def test_taking_null_back_leaves_an_empty_text(form: Any) -> None:
    """Without null the field is still ticked, and its empty box is what is sent."""
    made = form("git")
    edit(named(made.widget, "null"), True)
    edit(named(made.widget, "null"), False)
    assert made.value == {"target_dir": ""} and made.errors == {}


def test_an_edit_ticks_and_an_emptied_number_unticks(form: Any) -> None:
    """Whoever types wants to send it; a number that was taken away is not sent."""
    made = form("OptM")
    box, tick = named(made.widget, "x"), named(made.widget, "send x")
    edit(box, "5")
    assert tick.value and made.value == {"x": 5}
    edit(box, "")
    assert not tick.value and made.value == {}


def test_a_tick_shows_the_default_to_be_changed(form: Any) -> None:
    """A default is a hint until its field is ticked; then it stands in the box and is sent."""
    made = form("atari")
    assert named(made.widget, "game_name").placeholder == "pong"
    edit(named(made.widget, "send game_name"), True)
    assert named(made.widget, "game_name").value == "pong"
    edit(named(made.widget, "send obs_type"), True)
    assert made.value == {"game_name": "pong", "obs_type": "rgb"}


def test_a_constant_is_sent_and_not_seen(form: Any) -> None:
    """A field with one value needs no control."""
    made = form("ConstM")
    assert not [each for each in shown(made.widget) if getattr(each, "description", "") == "kind"]
    edit(named(made.widget, "x"), "1")
    assert made.value == {"kind": "move", "x": 1}


def test_integers_keep_every_digit(form: Any) -> None:
    """An integer beyond 2**53 is sent as it was typed."""
    made = form("IntBigM")
    edit(named(made.widget, "seed"), "9007199254740993")
    assert made.value == {"seed": 9007199254740993}


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("+7", 7), ("−7", -7), ("1e3", 1000), ("2.0", 2), (" 3 ", 3)])
def test_whole_numbers_are_read_as_people_write_them(form: Any, text: str, value: int) -> None:
    """Signs, a typographic minus and whole decimals are integers."""
    made = form("connect4")
    edit(named(made.widget, "column"), text)
    assert made.value == {"column": value} and isinstance(made.value["column"], int)


@pytest.mark.parametrize("text", ["x", "1.5", "1_000", "0x10", "٣", "1e400", "--1", "nan", "1" * 5000])
def test_what_is_no_whole_number_is_not_sent(form: Any, text: str) -> None:
    """Other texts are errors at their field."""
    made = form("connect4")
    edit(named(made.widget, "column"), text)
    assert made.value == {}
    assert "must be a whole number" in made.errors["column"]


def test_a_required_tick_is_true_or_false(form: Any) -> None:
    """A required boolean is one tick; an optional one can also be left out."""
    made = form("BoolM")
    assert made.value == {"flag": False}
    edit(named(made.widget, "flag"), True)
    edit(named(made.widget, "block"), "true")
    assert made.value == {"flag": True, "block": True}
    edit(named(made.widget, "block"), "default: true")
    assert made.value == {"flag": True}


def test_code_has_a_box_that_grows(form: Any) -> None:
    """Several lines are written in a monospaced box with as many rows as they need, within bounds."""
    made = form("coding")
    box = named(made.widget, "code", ipywidgets.Textarea)
    assert "openenv-form-code" in classes(box)
    rows = box.rows
    edit(box, "\n".join("x = 1" for _ in range(8)))
    assert box.rows > rows
    edit(box, "\n" * 500)
    assert box.rows <= 14
    assert made.value == {"code": "\n" * 500}


def test_a_text_with_lines_gets_room_for_them(form: Any) -> None:
    """A one-line box would lose line ends: setting such a text makes it a larger one."""
    made = form("chess")
    made.set({"move": "e2e4\r\nor not"})
    assert isinstance(named(made.widget, "move"), ipywidgets.Textarea)
    assert made.value == {"move": "e2e4\r\nor not"}


@pytest.mark.parametrize("schema", [{"type": "string", "format": "password"}, {"type": "string", "writeOnly": True}])
def test_secrets_are_not_shown(form: Any, schema: Any) -> None:
    """A secret by its schema or its name is typed into a password box, and its default is no hint."""
    made = form({"properties": {"x": {**schema, "default": "hush"}, "api_key": {"type": "string", "default": "hush"}}})
    for name in ("x", "api_key"):
        assert isinstance(named(made.widget, name), ipywidgets.Password)
    assert not any("hush" in str(each.get_state()) for each in shown(made.widget))


def test_very_many_choices_are_completed(form: Any) -> None:
    """Two hundred words are typed with completion, and only one of them is taken."""
    made = form("Big")
    box = named(made.widget, "word", ipywidgets.Combobox)
    edit(box, "option_01")
    assert made.value == {} and "did you mean" in made.errors["word"]
    edit(box, "option_010")
    assert made.value == {"word": "option_010"}


def test_choices_that_read_alike_are_told_apart(form: Any) -> None:
    """1 and "1" are two entries, and each is sent as it is."""
    made = form({"properties": {"x": {"enum": [1, "1", True, None]}}, "required": ["x"]})
    choice = named(made.widget, "x")
    assert labels(choice) == ("choose…", "1", "1 (2)", "true", "null")
    for label, value in zip(labels(choice)[1:], (1, "1", True, None), strict=True):
        edit(choice, label)
        assert (made.value["x"], type(made.value["x"])) == (value, type(value))


def test_changes_and_enter_are_told(form: Any) -> None:
    """Each edit, set and clear is told once, and Enter in a one-line box."""
    changes: list[dict[str, Any]] = []
    entered: list[bool] = []
    made = form("connect4", on_change=lambda: changes.append(made.value), on_enter=lambda: entered.append(True))
    box = named(made.widget, "column")
    edit(box, "3")
    enter(box)
    made.set({"column": 4})
    made.clear()
    assert changes == [{"column": 3}, {"column": 4}, {}] and entered == [True]


def test_nothing_is_heard_while_disabled(form: Any) -> None:
    """A disabled form has only disabled controls and hears no Enter; enabled again, null still forbids its box."""
    entered: list[bool] = []
    made = form("wildfire", on_enter=lambda: entered.append(True))
    made.set({"action": "wait", "x": None})
    made.disabled = True
    assert all(each.disabled for each in shown(made.widget) if each.has_trait("disabled"))
    enter(named(made.widget, "action"))
    assert entered == [] and made.disabled
    made.disabled = False
    assert [named(made.widget, name).disabled for name in ("action", "x", "y")] == [False, True, False]


def test_some_fields_are_filled_and_the_others_kept(form: Any) -> None:
    """``fill`` leaves alone what it does not name, also what is not valid yet."""
    made = form("wildfire")
    edit(named(made.widget, "x"), "abc")
    made.fill({"action": "water"})
    assert made.value == {"action": "water"} and "x" in made.errors
