"""The fields of an action, on every schema that was recorded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter
from support.recorded import schemas, shapes

from openenv_notebook.schema.action import (
    action_fields,
    constants,
    given_fields,
    holds_secret,
    named,
    only_required_field,
    takes_text,
)
from openenv_notebook.schema.reader import action_shape, read_shape
from openenv_notebook.schema.shapes import Choice, Const, Json, Object, Shape

ACTIONS = {name: action_shape(schema["action"]) for name, schema in schemas().items() if "action" in schema}

ONLY = {
    "atari": "action_id",
    "atari_ram": "action_id",
    "browsergym": "action_str",
    "chat": "tokens",
    "chess": "move",
    "coding": "code",
    "coding_tools": "tool_name",
    "connect4": "column",
    "dipg_safety": "llm_response",
    "echo": "tool_name",
    "git": None,
    "grid_world": "action",
    "jupyter": "tool_name",
    "maze": "action",
    "opencode": "tool_name",
    "openspiel": "action_id",
    "reasoning_gym": "answer",
    "snake": "action",
    "terminus": "tool_name",
    "wildfire": "action",
    "agent_world_model": None,
}

SHAPES = {
    "EnumM": None,
    "IntEnumM": "level",
    "LiteralM": None,
    "ConstM": "x",
    "OptM": None,
    "UnionM": "pet",
    "UnionModelsM": "v",
    "NestM": "pos",
    "ArrObjM": "path",
    "ArrIntM": "tokens",
    "FreeM": None,
    "FreeTypedM": None,
    "AnyM": None,
    "NumM": "g",
    "IntBigM": "seed",
    "BoolM": "flag",
    "TextM": "code",
    "DefReqM": "b",
    "ExtraForbid": "move",
    "BytesM": None,
    "Big": "word",
    "NoFields": None,
    "Kitchen": "tool",
    "RawConst": None,
}


def short_name(name: str) -> str:
    """The environment a recording is of, without its version."""
    return name.removeprefix("legacy/").partition("@")[0]


@pytest.mark.parametrize("name", ACTIONS)
def test_every_recorded_schema_has_its_one_required_field(name: str) -> None:
    """Of every environment recorded, in every version, the field a bare value is for is found."""
    field = only_required_field(ACTIONS[name])
    assert (field.name if field else None) == ONLY[short_name(name)]


@pytest.mark.parametrize("name", shapes())
def test_every_shape_has_its_one_required_field(name: str) -> None:
    """Of every shape pydantic writes, the field a bare value is for is found."""
    field = only_required_field(action_shape(shapes()[name]))
    assert (field.name if field else None) == SHAPES[name]


@pytest.mark.parametrize("name", ACTIONS)
def test_every_recorded_action_has_metadata_and_refuses_others(name: str) -> None:
    """Every environment recorded names its fields, metadata among them, and takes no others."""
    assert "metadata" in [field.name for field in action_fields(ACTIONS[name])]
    assert ACTIONS[name].field_names is not None


@pytest.mark.parametrize("reference", ["#/$defs/Loop", "#/$defs/Missing", "other.json#/x", "#/$defs/Text", 3])
def test_a_reference_that_leads_nowhere_is_left(reference: Any) -> None:
    """Circles and references to nothing are passed over, never followed for ever."""
    schema = {
        "$defs": {"Loop": {"$ref": "#/$defs/Loop"}, "Text": "x"},
        "properties": {"a": {"$ref": reference}},
        "required": ["a"],
    }
    assert only_required_field(action_shape(schema)) is not None


def test_a_reference_may_have_escaped_names() -> None:
    """A definition whose name has a slash or a tilde is found."""
    schema = {"$defs": {"a/b~c": {"const": 1}}, "properties": {"x": {"$ref": "#/$defs/a~1b~0c"}}}
    assert isinstance(action_fields(action_shape(schema))[0], Const)


def test_a_constant_is_no_choice() -> None:
    """A field with one possible value is fixed; it is not what a bare value is for."""
    action = action_shape(shapes()["ConstM"])
    fields = {field.name: isinstance(field, Const) for field in action_fields(action)}
    assert fields == {"kind": True, "x": False}
    assert [field.name for field in given_fields(action)] == ["x"]


class Move(BaseModel):
    """One branch of a union."""

    type: Literal["move"]
    to: int


class Pass(BaseModel):
    """Another branch."""

    type: Literal["pass"]
    to: int
    why: str = ""


def union() -> dict[str, Any]:
    """The schema of a union with a discriminator."""
    return TypeAdapter(Annotated[Move | Pass, Field(discriminator="type")]).json_schema()


def test_a_union_has_the_fields_of_all_branches() -> None:
    """Of a top-level union all fields are known, required where every branch requires them."""
    required = {field.name: field.required for field in action_fields(action_shape(union()))}
    assert required == {"type": True, "to": True, "why": False}


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
@pytest.mark.parametrize("union", [[True, {"properties": {"a": {}}}], None, 3, "x", {}, [3, None]], ids=repr)
def test_branches_that_are_no_schemas_are_passed_over(key: str, union: Any) -> None:
    """A union with a boolean, or with what is no list of schemas, has the fields that can be read."""
    names = ["a"] if isinstance(union, list) and True in union else []
    assert [field.name for field in action_fields(action_shape({key: union}))] == names


def test_fields_that_are_no_schemas_take_anything() -> None:
    """A boolean in the place of a field's schema, which JSON Schema allows, is a field that takes anything."""
    assert action_fields(action_shape({"properties": {"a": True}})) == (Json(name="a", required=False),)


@pytest.mark.parametrize("key", ["oneOf", "anyOf"])
def test_what_tells_branches_apart_is_a_choice(key: str) -> None:
    """A field with another constant in each branch must be given, so no bare value can do."""
    action = action_shape({"$defs": union()["$defs"], key: union()["oneOf"]})
    kind = next(field for field in action_fields(action) if field.name == "type")
    assert isinstance(kind, Choice) and kind.values == ("move", "pass")
    assert only_required_field(action) is None


def test_a_union_takes_other_fields_only_where_a_branch_does() -> None:
    """Fields nobody knows are allowed if one branch allows any."""
    closed = {"properties": {"a": {}}, "additionalProperties": False}
    assert action_shape({"oneOf": [closed, closed]}).field_names is not None
    assert (
        action_shape({"oneOf": [closed, {"properties": {"b": {}}, "additionalProperties": True}]}).field_names is None
    )
    assert action_shape({"anyOf": [closed, {}]}).field_names is None


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}}, {"additionalProperties": True}])
def test_a_schema_without_fields_takes_any(schema: dict[str, Any]) -> None:
    """Where no field is named, none is refused, and there is none for a bare value."""
    action = action_shape(schema)
    assert action.field_names is None
    assert not action_fields(action)
    assert only_required_field(action) is None


def test_a_reference_wrapped_by_an_older_pydantic_is_followed() -> None:
    """A reference inside an allOf of one, as pydantic wrote it before 2.9, means what it names."""
    schema = {
        "$defs": {"Way": {"enum": ["up", "down"], "type": "string"}},
        "properties": {"way": {"allOf": [{"$ref": "#/$defs/Way"}], "description": "where to"}},
        "required": ["way"],
    }
    way = Choice(name="way", values=("up", "down"), description="where to")
    assert only_required_field(action_shape(schema)) == way


def test_a_bare_value_gets_its_name_and_the_constants() -> None:
    """Constants that must be sent stand beside it; without a single required field there is no name for it."""
    kind = Const(name="kind", value="move")
    action = Object(fields=(kind, Json(name="to"), Const(name="v", value=1, required=False)))
    assert constants(action) == {"kind": "move"}
    assert named(action, 3) == {"kind": "move", "to": 3}
    assert named(Object(fields=(Json(name="a"), Json(name="b"))), 3) is None
    assert named(None, 3) is None and constants(None) == {}


@pytest.mark.parametrize(
    ("schema", "is_text"),
    [
        ({"type": "string"}, True),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"enum": ["up", "down"]}, True),
        ({"const": "up"}, True),
        ({"anyOf": [{"enum": ["up"]}, {"type": "string"}]}, True),
        ({"enum": ["up", None]}, False),
        ({"enum": ["up", 1]}, False),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, False),
        ({}, False),
    ],
)
def test_what_takes_text_and_nothing_else(schema: Any, is_text: bool) -> None:
    """Only where characters can mean nothing but themselves a field is one for text."""
    assert takes_text(read_shape(schema)) is is_text


@pytest.mark.parametrize(
    ("field", "is_secret"),
    [
        ({"type": "string", "format": "password"}, True),
        ({"type": "integer", "writeOnly": True}, True),
        ({"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]}, True),
        ({"type": "array", "items": {"writeOnly": True, "type": "string"}}, True),
        ({"type": "object", "properties": {"pin": {"type": "string", "format": "password"}}}, True),
        ({"type": "object", "additionalProperties": {"type": "string", "format": "password"}}, True),
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string", "writeOnly": True}},
            True,
        ),
        (
            {"type": "array", "prefixItems": [{}, {"writeOnly": True, "type": "string"}], "minItems": 2, "maxItems": 2},
            True,
        ),
        ({"type": "string", "writeOnly": False}, False),
        ({}, False),
    ],
)
def test_a_secret_is_found_wherever_it_stands(field: Any, is_secret: bool) -> None:
    """What a schema marks as secret is known at any depth, in lists, objects and unions."""
    shape: Shape = action_shape({"properties": {"x": field}})
    assert holds_secret(shape) is is_secret
