"""Lists, dictionaries, unions, free JSON and folded fields in a form."""

from __future__ import annotations

from typing import Any

import ipywidgets
from pydantic import TypeAdapter
from support.front_end import click, edit, labels, living, named, shown


def test_lists_are_added_to_removed_from_and_reordered(form: Any) -> None:
    """A list's entries can be added, moved and removed, and keep what was typed."""
    made = form("ArrIntM")
    edit(named(made.widget, "[0]"), "1")
    for place in (1, 2):
        click(named(made.widget, "+ Add"))
        edit(named(made.widget, f"[{place}]"), str(place + 1))
    click(named(made.widget, "↑", place=2))
    assert made.value["tokens"] == [1, 3, 2]
    click(named(made.widget, "✕"))
    assert made.value["tokens"] == [3, 2]
    click(named(made.widget, "↓"))
    assert made.value["tokens"] == [2, 3]
    click(named(made.widget, "↓", place=1))
    assert made.value["tokens"] == [2, 3]


def test_removed_entries_leave_no_widgets(form: Any) -> None:
    """Adding and removing entries a hundred times leaves as many widgets as before."""
    made = form("ArrObjM")
    click(named(made.widget, "+ Add"))
    click(named(made.widget, "✕"))
    before = living()
    for _ in range(20):
        click(named(made.widget, "+ Add"))
        click(named(made.widget, "✕"))
    assert living() == before


def test_a_list_of_objects_has_their_fields(form: Any) -> None:
    """Each object of a list has its own fields, with their ticks."""
    made = form("ArrObjM")
    click(named(made.widget, "+ Add"))
    click(named(made.widget, "+ Add"))
    edit(named(made.widget, "y", place=1), "4")
    assert made.value == {"path": [{}, {"y": 4}]}


def test_a_list_can_be_written_as_json(form: Any) -> None:
    """A long list is pasted as JSON, and goes back into rows where it fits."""
    made = form("chat")
    click(named(made.widget, "JSON"))
    edit(named(made.widget, "tokens", ipywidgets.Textarea), "[1, 2")
    assert "is not JSON" in made.errors["tokens"]
    edit(named(made.widget, "tokens", ipywidgets.Textarea), "[1, 2, 3]")
    assert made.value == {"tokens": [1, 2, 3]}
    click(named(made.widget, "Rows"))
    assert named(made.widget, "[2]").value == "3" and made.value == {"tokens": [1, 2, 3]}


def test_entries_of_the_wrong_kind_stay_in_json(form: Any) -> None:
    """What has no row is not thrown away; the error names the entry."""
    made = form("chat")
    click(named(made.widget, "JSON"))
    edit(named(made.widget, "tokens", ipywidgets.Textarea), '[1, "x"]')
    click(named(made.widget, "Rows"))
    assert named(made.widget, "tokens", ipywidgets.Textarea).value == '[1, "x"]'
    assert made.errors == {"tokens": "[1]: must be a whole number, not 'x'"}


def test_dictionaries_need_names_that_differ(form: Any) -> None:
    """An entry without a name, or with one that is there, is an error."""
    made = form("FreeTypedM")
    edit(named(made.widget, "send weights"), True)
    click(named(made.widget, "+ Add"))
    edit(named(made.widget, "value"), "1")
    assert made.errors == {"weights": "an entry needs a name"}
    edit(named(made.widget, "name"), "a")
    assert made.value == {"weights": {"a": 1}}
    click(named(made.widget, "+ Add"))
    edit(named(made.widget, "name", place=1), "a")
    assert "twice" in made.errors["weights"]


def test_a_discriminated_union_is_chosen_and_sent_exactly(form: Any) -> None:
    """A32: the variants are offered by their discriminator, and it is sent untouched."""
    made = form("agent_world_model")
    choice = named(made.widget, "type", ipywidgets.Dropdown)
    assert labels(choice) == ("choose…", "list_tools", "call_tool")
    assert made.value == {} and made.errors == {"type": "is required"}
    edit(choice, "call_tool")
    edit(named(made.widget, "tool_name"), "search")
    assert made.value == {"type": "call_tool", "tool_name": "search"}
    edit(choice, "list_tools")
    assert made.value == {"type": "list_tools"}
    edit(choice, "call_tool")
    assert made.value == {"type": "call_tool", "tool_name": "search"}


def test_a_union_without_discriminator_is_chosen_by_kind(form: Any) -> None:
    """A union of plain types offers their kinds; set chooses the one that fits."""
    made = form({"properties": {"x": TypeAdapter(int | list[str] | None).json_schema()}, "required": ["x"]})
    choice = named(made.widget, "x", ipywidgets.Dropdown)
    assert labels(choice) == ("choose…", "int", "list of text", "null")
    edit(choice, "null")
    assert made.value == {"x": None}
    made.set({"x": ["a"]})
    assert choice.label == "list of text" and made.value == {"x": ["a"]}


def test_free_objects_are_json(form: Any) -> None:
    """A free object is written as JSON, checked, and the error says what is usually meant."""
    made = form("openspiel")
    box = named(made.widget, "game_params", ipywidgets.Textarea)
    edit(box, "{'rows': 8}")
    assert made.errors["game_params"].endswith("JSON has double quotes")
    edit(box, '{"ok": True}')
    assert made.errors["game_params"].endswith("JSON says true, false, null")
    edit(box, "[8]")
    assert made.errors["game_params"] == "must be an object, not a list"
    edit(box, '{"rows": 8}')
    assert made.value == {"game_params": {"rows": 8}}


def test_a_field_that_can_only_be_null_is_sent_where_it_was_set(form: Any) -> None:
    """Nobody can fill it in, so it is left out, unless code gave it."""
    made = form({"properties": {"a": {"type": "null"}}})
    assert made.value == {}
    made.set({"a": None})
    assert made.value == {"a": None}
    made.clear()
    assert made.value == {}


def test_metadata_is_folded_away(form: Any) -> None:
    """The field that every action has and hardly anyone fills in takes no room until it is asked for."""
    made = form("chess")
    assert not [each for each in shown(made.widget) if getattr(each, "description", "") == "metadata"]
    click(named(made.widget, "▸ More (1)"))
    edit(named(made.widget, "metadata"), '{"a": 1}')
    edit(named(made.widget, "move"), "e2e4")
    assert made.value == {"move": "e2e4", "metadata": {"a": 1}}


def test_required_fields_come_first_and_many_are_folded(form: Any) -> None:
    """Over six fields, those that are not needed are folded; a filter finds them."""
    names = [f"option_{place}" for place in range(8)]
    made = form({"properties": {name: {"type": "string"} for name in [*names, "need"]}, "required": ["need"]})
    texts = [each.description for each in shown(made.widget) if isinstance(each, ipywidgets.Text)]
    assert texts == ["need"]
    click(named(made.widget, "▸ More (8)"))
    edit(named(made.widget, "Filter"), "_3")
    texts = [each.description for each in shown(made.widget) if isinstance(each, ipywidgets.Text)]
    assert texts == ["need", "Filter", "option_3"]
    edit(named(made.widget, "option_3"), "x")
    click(named(made.widget, "▾ Fewer (8)"))
    texts = [each.description for each in shown(made.widget) if isinstance(each, ipywidgets.Text)]
    assert texts == ["need", "option_3"]
    made.clear()
    assert named(made.widget, "option_3").value == ""


def test_what_was_sent_last_stays_open(form: Any) -> None:
    """A folded field that is set comes into view."""
    made = form("Kitchen")
    made.set({"tool": "click", "x": 3})
    assert named(made.widget, "x").value == "3"


def test_other_fields_are_kept(form: Any) -> None:
    """Where a schema takes fields that it does not name, they are set, edited and sent."""
    made = form({"properties": {"x": {"type": "integer"}}, "additionalProperties": True})
    made.set({"x": 1, "more": [1]})
    assert made.value == {"x": 1, "more": [1]}
    edit(named(made.widget, "name"), "x")
    assert made.errors == {"x": "is there already"}
    made.set({})
    assert made.value == {}
