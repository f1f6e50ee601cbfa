"""Errors of a form: at their field, at the right time, and never from what a server wrote."""

from __future__ import annotations

import json
from typing import Any

import ipywidgets
import numpy as np
import pytest
from support import hostile
from support.front_end import classed, click, edit, labels, named, shown, words
from support.markup import IN_PANEL, check_html
from support.recorded import schemas, shapes

from openenv_notebook.jupyter.panel.form import FORM_CSS, Form
from openenv_notebook.values.errors import InvalidAction, MisuseError

IS_OLD = ipywidgets.__version__.startswith("7.")
SCHEMAS = {**shapes(), **{name: schema["action"] for name, schema in schemas().items() if "action" in schema}}


def test_an_untouched_form_shows_no_errors() -> None:
    """What a person has not come to yet is not wrong; after a failed send it is."""
    form = Form(SCHEMAS["wildfire"])
    assert form.errors == {"action": "is required"}
    assert "openenv-error" not in words(form.widget)
    form.reveal_errors()
    assert "is required" in words(form.widget)
    form.clear()
    assert "openenv-error" not in words(form.widget)


def test_an_error_stands_under_its_field_once_it_was_touched() -> None:
    """An edit shows what is wrong with that field and no other, and a right one takes it back."""
    form = Form(SCHEMAS["NumM"])
    edit(named(form.widget, "steer"), "2")
    assert words(form.widget).count('class="openenv-error"') == 1
    assert "must be 1 or less" in words(form.widget)
    edit(named(form.widget, "steer"), "0.5")
    assert "openenv-error" not in words(form.widget)


def test_errors_have_paths() -> None:
    """Errors inside lists and objects are named by their place."""
    form = Form(SCHEMAS["ArrObjM"])
    click(named(form.widget, "+ Add"))
    edit(named(form.widget, "y"), "high")
    assert form.errors == {"path[0].y": "must be a whole number, not 'high'"}
    nested = Form(SCHEMAS["NestM"])
    edit(named(nested.widget, "x"), "far")
    assert list(nested.errors) == ["pos.x"]


def test_a_servers_errors_are_placed_at_their_fields() -> None:
    """The lines of InvalidAction stand under the fields they name; the others come back."""
    form = Form(SCHEMAS["NestM"])
    form.set({"pos": {"x": 1}, "target": {"x": 2}})
    lines = ["pos.x: Input should be less (got 1)", "target: too far (got {})", "speed: Field required", "(action): no"]
    assert form.show_errors(lines) == ["speed: Field required", "(action): no"]
    assert "Input should be less (got 1)" in words(form.widget) and "too far" in words(form.widget)
    assert form.errors == {}
    edit(named(form.widget, "x"), "3")
    assert "Input should be less" not in words(form.widget) and "too far" in words(form.widget)
    assert form.show_errors([]) == [] and "openenv-error" not in words(form.widget)


@pytest.mark.parametrize(
    ("schema", "action", "line"),
    [
        ("UnionM", {"pet": {"pet": "dog"}}, "pet.dog.bark: wrong"),
        ("UnionModelsM", {"v": {"pet": "cat"}}, "v.Cat.meow: wrong"),
        ("agent_world_model", {"type": "call_tool", "tool_name": "x"}, "call_tool.tool_name: wrong"),
        ("ArrObjM", {"path": [{}, {"x": 1}]}, "path.1.x: wrong"),
        ("ArrIntM", {"tokens": [1]}, "tokens.7: wrong"),
        ("FreeTypedM", {"weights": {"a.b": 1}}, "weights.a.b: wrong"),
        ("FreeM", {"arguments": {"x": 1}}, "arguments.x.y: wrong"),
        ("OptM", {"x": 1}, "x.int: wrong"),
        ("Kitchen", {"tool": "click"}, "x: wrong"),
    ],
)
def test_a_servers_path_finds_its_field(schema: str, action: Any, line: str) -> None:
    """pydantic's paths name branches and places; the error stands as near as there is a field, also a folded one."""
    form = Form(SCHEMAS[schema])
    form.set(action)
    assert form.show_errors([line]) == []
    assert "wrong" in words(form.widget)


def test_an_error_inside_of_what_is_not_seen_is_shown_above_it() -> None:
    """The fields of an object that is not sent are not drawn; the error names its place at the object."""
    form = Form(SCHEMAS["NestM"])
    assert form.show_errors(["target.y: too far", "pos.z.q: unknown"]) == []
    assert "y: too far" in words(form.widget) and "z.q: unknown" in words(form.widget)


def test_recorded_refusals_find_their_fields() -> None:
    """What the real Atari server answered is shown at ``obs_type``."""
    form = Form(SCHEMAS["atari"])
    form.set({"action_id": 0, "obs_type": "ram"})
    assert form.show_errors(["obs_type: Input should be 'rgb', 'grayscale' or 'ram' (got 'hologram')"]) == []


@pytest.mark.parametrize("action", [{"colum": 1}, {"column": "3"}, {"column": 1, "metadata": []}, {"column": None}])
def test_what_the_form_cannot_show_changes_nothing(action: Any) -> None:
    """An unknown field or a value of another kind is refused with its place, and the form stays as it was."""
    form = Form(SCHEMAS["connect4"])
    form.set({"column": 3})
    with pytest.raises(InvalidAction) as caught:
        form.set(action)
    assert len(caught.value.errors) == 1
    assert form.value == {"column": 3}


def test_a_value_out_of_bounds_is_shown_with_its_error() -> None:
    """Code may fill in what is out of bounds: a person sees it, and what is wrong."""
    form = Form(SCHEMAS["NumM"])
    form.set({"g": 7})
    assert form.value == {} and form.errors == {"g": "must be less than 1"}
    assert "must be less than 1" in words(form.widget)


def test_python_values_are_taken() -> None:
    """Arrays, tuples and numpy numbers are filled in as their JSON; what is none is refused."""
    form = Form(SCHEMAS["chat"])
    form.set({"tokens": np.arange(3)})
    assert form.value == {"tokens": [0, 1, 2]}
    with pytest.raises(MisuseError):
        form.set({"tokens": object()})


def test_a_schema_without_fields_is_a_box_for_json() -> None:
    """Where nothing is known, an action is written as JSON."""
    for schema in ({}, {"type": "string"}, {"$ref": "#/nowhere"}):
        form = Form(schema)
        assert form.value == {} and form.errors == {}
        edit(named(form.widget, "action"), '{"x": 1}')
        assert form.value == {"x": 1}
        edit(named(form.widget, "action"), "3")
        assert form.errors == {"action": "must be an object, not a number"}
        form.set({"y": [2]})
        assert form.value == {"y": [2]}


def test_an_action_without_fields_says_so() -> None:
    """With nothing to fill in, the form is ready."""
    form = Form(SCHEMAS["NoFields"])
    assert form.value == {} and form.errors == {} and "no fields" in words(form.widget)


def test_recursion_is_json_with_its_error_below() -> None:
    """A model that holds itself is filled in down to where it repeats, and from there as JSON."""
    tree = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "left": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}},
        "required": ["name"],
    }
    form = Form({"$ref": "#/$defs/T", "$defs": {"T": tree}})
    form.set({"name": "a", "left": {"name": "b", "left": {"name": "c"}}})
    assert form.value == {"name": "a", "left": {"name": "b", "left": {"name": "c"}}}
    edit(named(form.widget, "left"), "{")
    assert "is not JSON" in form.errors["left"] and "is not JSON" in words(form.widget)


def test_a_hostile_schema_is_only_ever_text() -> None:
    """Every word of a schema may be hostile: HTML is escaped, labels are cleaned, nothing is changed on its way."""
    form = Form({**hostile.schema(), "description": hostile.TEXTS[0]})
    click(classed(form.widget, "form-more")[0])
    form.reveal_errors()
    form.show_errors([f"{name}: {name}" for name in hostile.TEXTS])
    check_html("<div class='all'>" + words(form.widget) + "</div>", IN_PANEL_WITH_ALERTS)
    for widget in shown(form.widget):
        texts = {trait: getattr(widget, trait, "") or "" for trait in ("description", "placeholder", "tooltip")}
        for trait, written in (*texts.items(), ("labels", labels(widget))):
            text = json.dumps(written, ensure_ascii=False)
            is_html = trait == "description" and IS_OLD
            assert not (is_html and "<" in text) and not (trait == "description" and "$" in text)
            assert "\x1b" not in text and "\u202e" not in text and "\ud800" not in text, (trait, text)
    form.close()


IN_PANEL_WITH_ALERTS = {**IN_PANEL, "details": set[str](), "summary": set[str](), "span": {"class"}}


def test_a_wrong_default_breaks_nothing() -> None:
    """A default that does not fit its own type is not filled in."""
    schema = {
        "properties": {
            "a": {"type": "integer", "default": "x"},
            "b": {"type": "array", "items": {"type": "integer"}, "default": {"not": "a list"}},
            "c": {"type": "string", "default": 7},
            "d": {"properties": {"e": {"type": "integer"}}, "default": 3},
            "f": {"enum": ["p", "q"], "default": "r"},
        }
    }
    for required in ([], list(schema["properties"])):
        form = Form({**schema, "required": required})
        for tick in classed(form.widget, "tick"):
            if tick.has_trait("value") and tick.value is False:
                edit(tick, True)
        assert all(form.errors.values())
        form.close()


def test_the_style_sheet_stays_within_the_panel() -> None:
    """No rule of the form's style sheet reaches out of the panel, and it loads nothing."""
    rules = [rule.split("{")[0] for rule in FORM_CSS.replace("@container (max-width: 380px) {", "").split("}")]
    selectors = [rule.strip() for rule in rules if rule.strip()]
    themed = "[data-jp-theme-light=false] .openenv-panel .openenv-form"
    assert selectors and all(selector.startswith((".openenv-panel .openenv-form", themed)) for selector in selectors)
    assert "url(" not in FORM_CSS and "@import" not in FORM_CSS
