"""Models made from the schemas of real environments."""

from __future__ import annotations

import inspect
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ValidationError
from support.recorded import schemas, shapes

from openenv_notebook.schema.model import model_from_schema, python_type
from openenv_notebook.schema.reader import action_shape, read_shape
from openenv_notebook.values.to_json import fields_of

ACTIONS = {name: schema["action"] for name, schema in schemas().items() if "action" in schema}


@pytest.mark.parametrize("name", ACTIONS)
def test_every_recorded_action_becomes_a_model(name: str) -> None:
    """The model of each recorded action has the fields of its schema and refuses any other."""
    model = model_from_schema(action_shape(ACTIONS[name]))
    assert issubclass(model, BaseModel)
    with pytest.raises(ValidationError):
        model(no_such_field_at_all=1)


@pytest.mark.parametrize("name", shapes())
def test_every_shape_of_a_field_becomes_a_model(name: str) -> None:
    """Every shape a schema may have builds a model whose schema can be read again."""
    assert model_from_schema(action_shape(shapes()[name])).model_json_schema()


def test_only_what_was_given_is_sent() -> None:
    """Fields left alone are not sent, constants are, and null is sent where it was given."""
    schema: dict[str, Any] = {
        "properties": {
            "kind": {"const": "move", "default": "move"},
            "column": {"type": "integer", "minimum": 0, "maximum": 6},
            "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "speed": {"type": "number", "default": 1.5},
        },
        "required": ["column"],
    }
    model = model_from_schema(action_shape(schema))
    assert fields_of(model(column=3)) == {"kind": "move", "column": 3}
    assert fields_of(model(column=3, name=None, speed=2)) == {"kind": "move", "column": 3, "name": None, "speed": 2.0}
    assert list(inspect.signature(model).parameters) == ["column", "kind", "name", "speed"]
    with pytest.raises(ValidationError, match="less than or equal to 6"):
        model(column=9)


@pytest.mark.parametrize(
    ("keyword", "bound", "taken", "refused"),
    [
        ("minimum", 0.5, 1, 0),
        ("exclusiveMinimum", 0.5, 1, 0),
        ("exclusiveMinimum", 1, 2, 1),
        ("maximum", 1.5, 1, 2),
        ("exclusiveMaximum", 1.5, 1, 2),
        ("exclusiveMaximum", 2.0, 1, 2),
        ("maximum", 1e30, 10**29, 10**31),
    ],
)
def test_a_bound_of_a_whole_number_may_be_any_number(keyword: str, bound: float, taken: int, refused: int) -> None:
    """A bound that is a fraction, or beyond what a machine counts to, takes the whole numbers within it."""
    model: Any = model_from_schema(action_shape({"properties": {"x": {"type": "integer", keyword: bound}}}))
    assert model(x=taken).x == taken
    with pytest.raises(ValidationError):
        model(x=refused)


@pytest.mark.parametrize(("beyond", "within"), [(2**63, 2**63 - 1), (-(2**63) - 1, -(2**63))])
def test_a_choice_beyond_64_bits_is_left_to_the_server(beyond: int, within: int) -> None:
    """Old versions of pydantic take no larger integer as a choice: the model takes any value there."""
    schema = {"properties": {"n": {"enum": [1, beyond]}}, "required": ["n"]}
    model_from_schema(action_shape(schema)).model_validate({"n": 5})
    schema = {"properties": {"n": {"enum": [1, within]}}, "required": ["n"]}
    with pytest.raises(ValidationError):
        model_from_schema(action_shape(schema)).model_validate({"n": 5})


def test_names_that_python_cannot_write_travel_as_they_are() -> None:
    """A field called class, or with a dash, has a Python name and keeps its own on the wire."""
    schema = {"properties": {"class": {"type": "string"}, "max-steps": {"type": "integer"}, "json": {"type": "string"}}}
    made: Any = model_from_schema(action_shape(schema))(class_="a", max_steps=3, json_="x")
    assert fields_of(made) == {"class": "a", "max-steps": 3, "json": "x"}


@pytest.mark.parametrize(
    ("name", "attribute"),
    [("X", "X"), ("X_x", "X_x"), ("_hidden", "hidden"), ("2nd", "field_2nd"), ("_", "field"), ("a b", "a_b")],
)
def test_a_name_is_written_as_python_can(name: str, attribute: str) -> None:
    """A field is known by a name near its own, and travels under its own."""
    model = model_from_schema(action_shape({"properties": {name: {"type": "integer"}}}))
    assert list(model.model_fields) == [attribute]
    assert fields_of(model(**{attribute: 3})) == {name: 3}


def test_what_may_be_left_out_without_a_default_may_be_none() -> None:
    """None stands for nothing where nothing else is said; where there is a default, it is no value."""
    schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 3}}}
    model = model_from_schema(action_shape(schema))
    assert fields_of(model(a=None)) == {"a": None}
    with pytest.raises(ValidationError):
        model(b=None)


def test_nested_objects_enums_and_circles() -> None:
    """Nested objects become models of their own, enums literals, and a schema that contains itself ends."""
    schema = {
        "$defs": {
            "Way": {"enum": ["up", "down"], "type": "string"},
            "Point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        },
        "properties": {
            "way": {"$ref": "#/$defs/Way"},
            "point": {"$ref": "#/$defs/Point"},
            "node": {"$ref": "#/$defs/Node"},
        },
        "required": ["way", "point"],
    }
    model = model_from_schema(action_shape(schema))
    assert fields_of(model(way="up", point={"x": 1})) == {"way": "up", "point": {"x": 1}}
    for wrong in ({"way": "left", "point": {"x": 1}}, {"way": "up", "point": {"y": 1}}):
        with pytest.raises(ValidationError):
            model(**wrong)
    assert model(way="up", point={"x": 1}, node={"next": {"next": {}}})


@pytest.mark.parametrize(
    ("field", "fits", "wrong"),
    [
        ({"type": "string", "minLength": 2, "maxLength": 3}, "abc", ("a", "abcd")),
        ({"type": "array", "minItems": 1, "maxItems": 2}, [1], ([], [1, 2, 3])),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5, (0, 1)),
        ({"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]}, None, ("ab",)),
    ],
)
def test_bounds_are_those_of_the_schema(field: Any, fits: Any, wrong: Any) -> None:
    """Lengths and open ends are held to, beside null too."""
    model: Any = model_from_schema(action_shape({"properties": {"x": field}, "required": ["x"]}))
    assert fields_of(model(x=fits)) == {"x": fits}
    for value in wrong:
        with pytest.raises(ValidationError):
            model(x=value)


def test_a_schema_that_allows_other_fields_makes_a_model_that_does() -> None:
    """What step() would send is taken by the model as well; a misspelt field of any other schema is refused."""
    schema = {"properties": {"x": {"type": "integer"}}, "additionalProperties": True}
    made: Any = model_from_schema(action_shape(schema))(x=1, more="y")
    assert fields_of(made) == {"x": 1, "more": "y"}
    with pytest.raises(ValidationError):
        model_from_schema(action_shape({"properties": schema["properties"]}))(x=1, more="y")


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "integer"}, int),
        ({"type": ["string", "null"]}, str | None),
        ({"enum": ["up", "down"]}, Literal["up", "down"]),
        ({"type": "array"}, list),
        ({"type": "array", "items": {"type": "number"}}, list[float]),
        ({"type": "object", "properties": {"x": {}}}, dict),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, dict[str, bool]),
        ({"type": ["integer", "string"]}, int | str),
        ({"enum": [[1], [2]]}, Any),
        ({}, Any),
    ],
)
def test_a_shape_has_a_python_type(schema: Any, kind: Any) -> None:
    """What a schema takes is said in Python's own types, for signatures."""
    assert python_type(read_shape(schema)) == kind


@pytest.mark.parametrize(
    "names",
    [
        ["user-id", "user_id", "_type", "type"],
        ["a b", "a_b", "a-b", "a_b_2"],
        ["class", "class_", "_class", "class_2"],
        ["copy", "copy_", "model_dump", "model_dump_"],
        ["ﬁ", "fi", "_fi"],
        ["1", "field_1", "field-1"],
        ["", "field", "_", "__"],
        ["日", "本", "_日"],
    ],
)
def test_names_that_python_writes_alike_stay_apart(names: list[str]) -> None:
    """R16: each field has a name of its own in Python, all are taken by the wire's names, and travel by those."""
    made = model_from_schema(action_shape({"properties": {name: {"type": "integer"} for name in names}}))
    values = {name: place for place, name in enumerate(names)}
    assert made(**values).model_dump(by_alias=True) == values
    assert len(made.model_fields) == len(names)
    assert all(name.isidentifier() for name in made.model_fields)
    # By the names of Python as well, of which none means two.
    by_python = {name: name if info.alias is None else info.alias for name, info in made.model_fields.items()}
    again = made(**{name: values[wire] for name, wire in by_python.items()})
    assert again.model_dump(by_alias=True) == values
    assert all(getattr(again, name) == values[wire] for name, wire in by_python.items())
