"""One-click actions, found in real observations and in schemas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy
import pytest
from pydantic import BaseModel
from support.recorded import exchanges, results, schemas, shapes

from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.moves import KEYS, Legal, choices
from openenv_notebook.schema.moves import legal_actions as legal_in
from openenv_notebook.schema.reader import action_shape, read_shape

COLUMN: dict[str, Any] = {"properties": {"column": {"type": "integer"}}, "required": ["column"]}
MOVE: dict[str, Any] = {"properties": {"move": {"type": "string"}}, "required": ["move"]}
PAIR: dict[str, Any] = {
    "properties": {"row": {"type": "integer"}, "column": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["row", "column", "name"],
}
FIELD = {
    "atari": "action_id",
    "atari_ram": "action_id",
    "chess": "move",
    "connect4": "column",
    "grid_world": "action",
    "maze": "action",
    "openspiel": "action_id",
}


def legal_actions(observation: Any, schema: dict[str, Any] | None) -> Legal | None:
    """Find the legal actions by a JSON Schema."""
    return legal_in(observation, None if schema is None else action_shape(schema))


def only(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of an action with one required field."""
    return {"properties": {"x": part}, "required": ["x"]}


@pytest.mark.parametrize("name", [name for name in exchanges() if f"{name}" in schemas()])
def test_every_recorded_observation(name: str) -> None:
    """What a recorded observation lists is offered for the one field it is meant for, and is sent as it stands."""
    action, game = schemas()[name].get("action", {}), name.removeprefix("legacy/").split("@")[0]
    for result in results(name):
        listed = next((result.observation[key] for key in KEYS if key in result.observation), None)
        found = legal_actions(result.observation, action)
        if game not in FIELD or listed == []:
            assert found is None
            continue
        assert found is not None
        assert found.fields == (FIELD[game],)
        assert list(found.values) == (["UP", "DOWN", "LEFT", "RIGHT"] if listed is None else listed)
        assert found.source == ("schema" if listed is None else "legal_moves" if game == "chess" else "legal_actions")
        for value in found.values:
            model_from_schema(action_shape(action)).model_validate({FIELD[game]: value})


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("below", ["", "info", "metadata"])
def test_where_they_stand(key: str, below: str) -> None:
    """They are found under each of their names, at the top, in info and in metadata."""
    listed: dict[str, Any] = {key: [3, 1, 3]}
    observation = {below: listed} if below else listed
    assert legal_actions(observation, COLUMN) == Legal(("column",), (3, 1), f"{below}.{key}".lstrip("."))


class Way(Enum):
    """A choice."""

    UP = "up"


class Board(BaseModel):
    """A model of an observation."""

    legal_moves: list[Way]


@dataclass
class Info:
    """Something with attributes."""

    legal_moves: Any


@dataclass
class Holder:
    """Something whose attribute holds it."""

    info: Info


class Raises:
    """An object that answers nothing."""

    @property
    def legal_actions(self) -> Any:
        """Fail."""
        raise RuntimeError("no")


@pytest.mark.parametrize("observation", [Board(legal_moves=[Way.UP]), Info(["up"]), Holder(Info(("up",)))])
def test_objects_with_attributes(observation: Any) -> None:
    """Models, dataclasses and other objects are read like mappings; enums are sent by value."""
    found = legal_actions(observation, MOVE)
    assert found is not None
    assert (found.fields, found.values) == (("move",), ("up",))


def test_arrays_are_lists() -> None:
    """A numpy array gives plain numbers."""
    found = legal_actions({"legal_actions": numpy.array([0, 2])}, COLUMN)
    assert found is not None
    assert [type(value) for value in found.values] == [int, int]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("e2e4, d2d4", ("e2e4", "d2d4")),
        ("e2e4 d2d4", ("e2e4", "d2d4")),
        ("['up', 'down']", ("up", "down")),
        ('["up"]', ("up",)),
        ("go north\ngo south", ("go north", "go south")),
    ],
)
def test_a_text_that_is_a_list(text: str, values: tuple[str, ...]) -> None:
    """A text that plainly is a list is taken apart."""
    assert legal_actions({"legal_moves": text}, MOVE) == Legal(("move",), values, "legal_moves")


@pytest.mark.parametrize("text", ["no legal moves", "", "anything you like"])
def test_a_text_that_is_none(text: str) -> None:
    """A sentence is no list."""
    assert legal_actions({"legal_moves": text}, MOVE) is None


def test_numbers_written_as_text() -> None:
    """Numbers in a text, or written as texts, belong to the field for numbers, and travel as numbers."""
    assert legal_actions({"legal_moves": "0, 1, 5"}, COLUMN) == Legal(("column",), (0, 1, 5), "legal_moves")
    assert legal_actions({"legal_moves": ["0", "4"]}, COLUMN) == Legal(("column",), (0, 4), "legal_moves")


def test_they_belong_to_the_field_whose_type_takes_them() -> None:
    """With two candidate fields both are named; fields of another type, and of another range, are none."""
    assert legal_actions({"legal_actions": [1, 2]}, PAIR) == Legal(("row", "column"), (1, 2), "legal_actions")
    assert legal_actions({"legal_actions": ["a"]}, PAIR) == Legal(("name",), ("a",), "legal_actions")
    assert legal_actions({"legal_actions": [1, "a"]}, PAIR) is None
    assert legal_actions({"legal_actions": [7]}, only({"type": "integer", "maximum": 6})) is None
    assert legal_actions({"legal_actions": [True]}, COLUMN) is None


def test_optional_fields_where_none_is_required() -> None:
    """Where no field is required, the optional ones are candidates; metadata and constants never are."""
    schema = {"properties": {"kind": {"const": "go"}, "metadata": {}, "to": {"type": "string", "default": "a"}}}
    assert legal_actions({"legal_actions": ["a", "b"]}, schema) == Legal(("to",), ("a", "b"), "legal_actions")


def test_what_is_no_list_is_passed_over() -> None:
    """A number, a mapping, an object that fails or no schema leave nothing; an empty list means none."""
    for odd in (3, {"a": 1}, object(), None):
        assert legal_actions({"legal_actions": odd}, COLUMN) is None
    assert legal_actions(Raises(), COLUMN) is None
    assert legal_actions("text", COLUMN) is None
    assert legal_actions({"legal_actions": [1]}, None) is None
    assert legal_actions({"legal_actions": []}, only({"enum": ["a", "b"]})) is None


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ({"enum": ["a", "b"]}, ("a", "b")),
        ({"type": "boolean"}, (False, True)),
        ({"type": "integer", "minimum": 1, "exclusiveMaximum": 4}, (1, 2, 3)),
        ({"type": "integer", "minimum": 0, "maximum": 6, "multipleOf": 3}, (0, 3, 6)),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, ("a", None)),
        ({"anyOf": [{"const": "go"}, {"const": "stop"}]}, ("go", "stop")),
    ],
)
def test_choices_of_the_schema(part: dict[str, Any], values: tuple[Any, ...]) -> None:
    """The only required field's few values are offered where the observation lists none."""
    assert legal_actions({}, only(part)) == Legal(("x",), values, "schema")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "integer"},
        {"type": "integer", "minimum": 0, "maximum": 255},
        {"type": "string"},
        {"anyOf": [{"enum": ["a"]}, {"type": "string"}]},
        {"$ref": "#/$defs/Circle"},
    ],
)
def test_what_is_no_choice(part: dict[str, Any]) -> None:
    """What has many values, or turns in a circle, is no choice."""
    circle = {"anyOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Circle"}]}
    assert legal_actions({}, {"$defs": {"Circle": circle}, **only(part)}) is None


def test_a_schema_that_turns_in_a_circle_ends() -> None:
    """A schema that contains itself is looked at to a depth, and what is deeper is taken."""
    circle = {"anyOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Circle"}]}
    schema = {"$defs": {"Circle": circle}, **only({"$ref": "#/$defs/Circle"})}
    assert legal_actions({"legal_actions": [1]}, schema) == Legal(("x",), (1,), "legal_actions")


def test_a_choice_between_the_branches_of_a_union_is_none() -> None:
    """The type of an action alone is no action, where its branches want more."""
    assert legal_actions({}, schemas()["agent_world_model"]["action"]) is None


@pytest.mark.parametrize("name", shapes())
def test_every_shape_of_a_field(name: str) -> None:
    """Every shape a schema may have is read, and what is offered validates."""
    found = legal_actions({}, shapes()[name])
    for value in found.values if found is not None else ():
        model_from_schema(action_shape(shapes()[name])).model_validate({found.fields[0]: value})  # type: ignore[union-attr]


def test_what_the_check_refuses_is_no_move() -> None:
    """Lengths, steps and parts of a value count as its type does: no button is made for what would be refused."""
    move = {"type": "string", "maxLength": 4}
    assert legal_actions({"legal_moves": ["e2e4", "e7e8q"]}, only(move)) is None
    assert legal_actions({"legal_actions": [1, 2]}, only({"type": "integer", "multipleOf": 2})) is None
    pair = {"type": "array", "items": {"type": "integer"}}
    assert legal_actions({"legal_actions": [[1, 2]]}, only(pair)) == Legal(("x",), ([1, 2],), "legal_actions")
    assert legal_actions({"legal_actions": [[1, "a"]]}, only(pair)) is None


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, [False, True, None]),
        ({"anyOf": [{"type": "boolean"}, {"type": "integer"}]}, None),
        ({"type": "number", "minimum": 0, "maximum": 1}, None),
    ],
)
def test_all_values_are_listed_or_none(schema: Any, values: list[Any] | None) -> None:
    """What cannot be listed whole is not listed at all."""
    assert choices(read_shape(schema)) == values
