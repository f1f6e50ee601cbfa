"""What a field takes, in words: one describer for form, magics, display and completion."""

from __future__ import annotations

from typing import Any

import pytest
from support.recorded import schemas

from openenv_notebook.schema.describe import bounds, branch_name, facts, fields_line, kind, value_text
from openenv_notebook.schema.reader import action_shape, read_shape
from openenv_notebook.schema.shapes import Array, Boolean, Choice, Const, Dictionary, Number, Object, Shape, Text, Union


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": "string"}, "text"),
        ({"type": "boolean"}, "bool"),
        ({"type": "array", "items": {"type": "integer"}}, "list of int"),
        ({"type": "array"}, "list"),
        ({"type": "object"}, "object"),
        ({"type": "object", "properties": {"a": {}}}, "object"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object"),
        ({}, "any"),
        ({"const": "go"}, "go"),
        ({"enum": ["up", "down", 1]}, "up|down|1"),
        ({"enum": list(range(9))}, "0|1|2|3|4|5|…"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "int"),
        ({"type": ["integer", "string"]}, "int or text"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "string", "maxLength": 3}]}, "int or text"),
    ],
)
def test_a_kind_is_a_word(schema: Any, word: str) -> None:
    """Types have the same short words everywhere; few values are named themselves."""
    assert kind(read_shape(schema)) == word


def test_a_long_value_is_cut() -> None:
    """Of a value of any length there are 40 characters in a word."""
    assert kind(Choice(values=("x" * 40, "y" * 41))) == f"{'x' * 40}|{'y' * 40}…"
    assert kind(Const(value="z" * 1000)) == f"{'z' * 40}…"


def test_references_in_a_union_are_followed() -> None:
    """An optional enum, which stands in a definition of its own, is read as its values."""
    way = {"anyOf": [{"$ref": "#/$defs/Way"}, {"type": "null"}], "default": None}
    schema = {"properties": {"way": way}, "$defs": {"Way": {"type": "string", "enum": ["up", "down"]}}}
    assert fields_line(action_shape(schema)) == "way: up|down?"


def test_an_action_is_a_line() -> None:
    """Fields that a person gives, the optional ones with a question mark; six at most; none where nobody knows."""
    assert fields_line(action_shape(schemas()["connect4"]["action"])) == "column: int"
    fields = tuple(Text(name=name, required=name == "a") for name in ("a", "b", "metadata"))
    assert fields_line(Object(fields=(Const(name="k", value=1), *fields))) == "a: text · b: text?"
    many = Object(fields=tuple(Number(name=f"n{place}") for place in range(8)))
    assert fields_line(many).endswith("n5: float · …")
    assert fields_line(None) == fields_line(Text()) == ""


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Number(name="x", is_whole=True), "int · required"),
        (Number(name="x", minimum=0.0, maximum=60.0, default=0.5, required=False), "float · 0 to 60 · default 0.5"),
        (Number(name="x", above=0, below=1), "float · required · 0 to 1, not 0 or 1"),
        (Number(name="x", above=0), "float · required · from 0, not 0"),
        (Number(name="x", maximum=9, multiple_of=3), "float · required · up to 9 · in steps of 3"),
        (Text(name="x", longest=10, required=False), "text · at most 10 characters"),
        (Text(name="x", shortest=2, longest=2, format="date"), "text · required · 2 characters · date"),
        (Text(name="api_key", default="hush", required=False), "text · has a default"),
        (Array(name="x", item=Number(), fewest=1, required=False), "list of float · at least 1 item"),
        (Array(name="x", item=Text(), fewest=2, most=3, required=False), "list of text · 2 to 3 items"),
        (Choice(name="x", values=("a",)), "required"),
        (Choice(name="x", values=("a",), default="a", required=False), ""),
        (Boolean(name="x"), ""),
        (Text(name="x", pattern="^a+$", format="password"), "text · required · matches ^a+$"),
        (Number(name="x", is_secret=True, default=3, required=False), "float · has a default"),
        (Dictionary(name="x", values=Text(), most=2), "object · required · at most 2 entries"),
    ],
)
def test_facts_are_a_few_words(shape: Shape, expected: str) -> None:
    """Kind, whether it is required, bounds and default stand in a line."""
    assert facts(shape) == expected


def test_bounds_of_a_union_are_those_of_its_branches() -> None:
    """What may be one of several is bounded as each of them is."""
    union = Union(branches=(Number(minimum=0), Text(longest=5), Array(item=Text(), fewest=1)))
    assert bounds(union) == ["from 0", "at most 5 characters", "at least 1 item"]


def test_a_branch_has_a_name() -> None:
    """A branch is called by its constant under the discriminator, else by its title, else by what it takes."""
    shape = action_shape(schemas()["agent_world_model"]["action"])
    assert isinstance(shape, Union)
    assert [branch_name(branch, "type") for branch in shape.branches] == ["list_tools", "call_tool"]
    assert branch_name(Object(title="Cat", fields=())) == "Cat"
    assert branch_name(Number(is_whole=True)) == "int" and branch_name(Const(value=3)) == "3"


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (None, "null"), ("", '""'), ("a\nb", "a⏎b"), (0.1 + 0.2, "0.3"), ({"a": [1]}, '{"a": [1]}')],
)
def test_a_value_is_written_as_json(value: Any, text: str) -> None:
    """A default or a choice is read as JSON, texts without quotes, in a line."""
    assert value_text(value) == text
    assert len(value_text("x" * 1000)) == 81
