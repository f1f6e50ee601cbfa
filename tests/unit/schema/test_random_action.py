"""Random actions."""

from __future__ import annotations

import random
from typing import Any

import jsonschema
import pytest
from pydantic import TypeAdapter
from support.judge import theirs
from support.pace import storm
from support.recorded import results, schemas, shapes

from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.random_action import sample_action
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values.messages import CallToolAction, ListToolsAction

ACTIONS = {name: action_shape(schema["action"]) for name, schema in schemas().items() if "action" in schema}
SEEDS = range(storm(10, 200))


def only(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of an action with one required field."""
    return {"properties": {"x": part}, "required": ["x"]}


@pytest.mark.parametrize("name", ACTIONS)
def test_samples_of_every_recorded_action_validate(name: str) -> None:
    """Every random action of a recorded environment is one that its schema takes."""
    model = model_from_schema(ACTIONS[name])
    for seed in SEEDS:
        sample = sample_action(ACTIONS[name], {}, random.Random(seed))
        assert theirs(schemas()[name]["action"], sample) == []
        model.model_validate(sample)


@pytest.mark.parametrize("name", shapes())
def test_samples_of_every_shape_validate(name: str) -> None:
    """Every random action of a schema, whatever its shape, is one that it takes."""
    shape = action_shape(shapes()[name])
    model = model_from_schema(shape)
    for seed in SEEDS:
        sample = sample_action(shape, {}, random.Random(seed))
        assert theirs(shapes()[name], sample) == []
        model.model_validate(sample)


@pytest.mark.parametrize("name", ["connect4", "chess", "maze", "openspiel", "atari"])
def test_legal_actions_are_preferred(name: str) -> None:
    """Where the observation lists what is legal, only that is chosen."""
    for result in results(name):
        listed = result.observation.get("legal_actions") or result.observation.get("legal_moves")
        for seed in SEEDS if listed else ():
            (value,) = sample_action(ACTIONS[name], result.observation, random.Random(seed)).values()
            assert value in listed


def test_all_legal_actions_come_up() -> None:
    """Every one of them is chosen at times, and the same seed chooses the same."""
    observation = results("connect4")[0].observation

    def chosen() -> list[Any]:
        return [sample_action(ACTIONS["connect4"], observation, random.Random(seed))["column"] for seed in range(50)]

    assert set(chosen()) == {0, 1, 2, 3, 4, 5, 6}
    assert chosen() == chosen()


def test_a_union_is_told_by_its_type() -> None:
    """One branch is chosen, and the constant that tells it is sent."""
    union: TypeAdapter[Any] = TypeAdapter(CallToolAction | ListToolsAction)
    samples = [sample_action(action_shape(union.json_schema()), {}, random.Random(seed)) for seed in SEEDS]
    assert {type(union.validate_python(sample)) for sample in samples} == {CallToolAction, ListToolsAction}
    assert {sample["type"] for sample in samples} == {"call_tool", "list_tools"}


@pytest.mark.parametrize(
    "part",
    [
        {"type": "integer", "minimum": 5},
        {"type": "integer", "maximum": -5},
        {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
        {"type": "integer", "minimum": 2**60, "maximum": 2**60 + 1},
        {"type": "integer", "minimum": 1, "maximum": 20, "multipleOf": 7},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9},
        {"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.25},
        {"type": "number", "minimum": 0.5, "maximum": 0.5, "multipleOf": 0.5},
        {"type": "number", "minimum": 3},
        {"type": "number", "maximum": -3},
        {"type": "string", "minLength": 30},
        {"type": "string", "maxLength": 1},
        {"type": ["integer", "null"]},
        {"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 3, "maxItems": 3, "uniqueItems": True},
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
        {"type": "object", "additionalProperties": {"type": "number"}, "minProperties": 2},
        {"type": "object", "properties": {"deep": {"$ref": "#/$defs/Node"}}, "required": ["deep"]},
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": "^a+$", "examples": ["aa"]},
        {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        {},
    ],
)
def test_bounds_are_kept(part: dict[str, Any]) -> None:
    """Bounds, lengths, patterns with an example, and schemas that contain themselves are kept to."""
    node = {
        "type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
        "required": ["next"],
    }
    schema = {"$defs": {"Node": node}, **only(part)}
    shape = action_shape(schema)
    for seed in SEEDS:
        sample = sample_action(shape, {}, random.Random(seed))
        jsonschema.validate(sample, schema, jsonschema.Draft202012Validator)
        model_from_schema(shape).model_validate(sample)


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 3}, {1, 2, 3}),
        ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 4}, {1, 2, 3}),
        ({"type": "integer", "minimum": 0, "exclusiveMaximum": 6, "multipleOf": 3}, {0, 3}),
        ({"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.5}, {0, 0.5, 1}),
        ({"type": "boolean"}, {False, True}),
    ],
)
def test_every_value_within_the_bounds_comes_up(part: dict[str, Any], values: set[Any]) -> None:
    """Of few values none is left out, also not one at an end."""
    shape = action_shape(only(part))
    found = [sample_action(shape, {}, random.Random(seed)) for seed in range(100)]
    assert {value for sample in found for value in sample.values()} == values


def test_a_number_without_an_upper_bound_varies() -> None:
    """Where one end is open, it is not always the other end."""
    shape = action_shape(only({"type": "integer", "minimum": 5}))
    found = {value for seed in SEEDS for value in sample_action(shape, {}, random.Random(seed)).values()}
    assert min(found) == 5 and len(found) > 3


def test_only_what_is_required_is_sent() -> None:
    """Optional fields keep their defaults; without a schema there is nothing to send."""
    schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}}, "required": ["a"]}
    assert list(sample_action(action_shape(schema), None, random.Random(0))) == ["a"]
    assert sample_action(None, None, random.Random(0)) == {}
