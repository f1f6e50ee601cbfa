"""JSON Schema -> shapes: every construct that servers write, and nothing that raises."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter
from support import hostile
from support.pace import SLOW
from support.recorded import schemas, shapes

from openenv_notebook.client.actions import wire_action
from openenv_notebook.client.known import Known
from openenv_notebook.client.tools import tool_signature
from openenv_notebook.schema.action import action_fields, holds_secret, only_required_field, takes_text
from openenv_notebook.schema.check import check
from openenv_notebook.schema.describe import bounds, facts, fields_line, kind
from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.moves import choices, legal_actions
from openenv_notebook.schema.random_action import sample_action
from openenv_notebook.schema.reader import action_shape, read_shape
from openenv_notebook.schema.shapes import (
    ABSENT,
    Array,
    Boolean,
    Choice,
    Const,
    Dictionary,
    Json,
    Number,
    Object,
    Shape,
    Text,
    Tuple,
    Union,
)
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.secrets import secret_names

SCHEMAS = {**shapes(), **{name: schema["action"] for name, schema in schemas().items() if "action" in schema}}


def only(part: Any, required: bool = True, **root: Any) -> Shape:
    """Read a schema of one field."""
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"] if required else [], **root}
    shape = action_shape(schema)
    assert isinstance(shape, Object)
    (field,) = shape.fields
    return field


def field(name: str, schema: str) -> Shape:
    """Read a field of a recorded schema."""
    shape = action_shape(SCHEMAS[schema])
    assert isinstance(shape, Object)
    return next(field for field in shape.fields if field.name == name)


def test_plain_types_have_their_shapes() -> None:
    """Each plain type has a shape of its own."""
    found = [type(only({"type": kind})) for kind in ("integer", "number", "boolean", "string", "array", "object")]
    assert found == [Number, Number, Boolean, Text, Array, Json]


def test_a_field_knows_what_its_schema_says() -> None:
    """Name, title, description, default and whether it is required come with the shape."""
    made = field("code", "TextM")
    assert (made.name, made.title, made.description) == ("code", "Code", "Python code to execute")
    assert made.required and made.default is ABSENT
    assert field("note", "TextM").default == "" and not field("note", "TextM").required


def test_references_and_enums_are_followed() -> None:
    """A48: an enum by ``$ref`` is a choice with the default that stands beside the reference."""
    made = field("color", "EnumM")
    assert isinstance(made, Choice)
    assert made.values == ("red", "green", "blue") and made.default == "green"


def test_an_optional_is_what_it_is_or_null() -> None:
    """A48: ``Optional[int]`` is a number that may be null, not a union."""
    made = field("x", "OptM")
    assert isinstance(made, Number)
    assert made.is_whole and made.nullable and made.default is None


def test_an_optional_literal_of_one_value_is_no_constant() -> None:
    """What may be null is not always sent: one value or null is a choice."""
    made = only(TypeAdapter(Literal["a"] | None).json_schema(), required=False)
    assert isinstance(made, Choice)
    assert made.values == ("a",) and made.nullable


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"type": "null"}]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}], "minimum": 1, "maximum": 5},
        {"allOf": [{"type": "integer", "minimum": 0}, {"minimum": 1}, {"maximum": 5}]},
        {"allOf": [{"$ref": "#/$defs/N"}], "maximum": 5},
        {"$ref": "#/$defs/N", "maximum": 5, "description": "beside a reference"},
        {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
    ],
)
def test_bounds_hold_wherever_they_stand(schema: Any) -> None:
    """Bounds inside and beside anyOf, allOf and ``$ref`` all count, and the tighter one wins."""
    made = only(schema, **{"$defs": {"N": {"type": "integer", "minimum": 1, "maximum": 9}}})
    assert isinstance(made, Number)
    assert (made.minimum, made.maximum) == (1, 5)


def test_an_exclusive_bound_of_an_old_schema_is_understood() -> None:
    """JSON Schema 4 writes ``exclusiveMinimum: true``."""
    made = only({"type": "number", "minimum": 0, "exclusiveMinimum": True})
    assert isinstance(made, Number)
    assert (made.minimum, made.above) == (None, 0)


def test_a_union_is_told_by_its_discriminator() -> None:
    """A32: a union of actions at the root has its branches, named by their constant."""
    shape = action_shape(SCHEMAS["agent_world_model"])
    assert isinstance(shape, Union)
    assert shape.discriminator == "type"
    assert [type(branch) for branch in shape.branches] == [Object, Object]


def test_a_discriminator_is_found_where_none_is_named() -> None:
    """The field that is another constant in each branch tells the branches apart."""
    made = field("v", "UnionModelsM")
    assert isinstance(made, Union)
    assert made.discriminator == "pet"


def test_a_nested_union_is_one_union() -> None:
    """``int | (str | None)`` has two branches and may be null."""
    made = only({"anyOf": [{"type": "integer"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}]})
    assert isinstance(made, Union)
    assert made.nullable and [type(branch) for branch in made.branches] == [Number, Text]


def test_dictionaries_lists_and_tuples() -> None:
    """A48: ``dict[str, float]``, ``list[int]`` and ``tuple[int, str]`` know what is in them."""
    made = only(TypeAdapter(dict[str, float]).json_schema())
    assert isinstance(made, Dictionary) and isinstance(made.values, Number)
    made = field("tokens", "chat")
    assert isinstance(made, Array) and isinstance(made.item, Number) and made.fewest == 1
    made = only(TypeAdapter(tuple[int, str]).json_schema())
    assert isinstance(made, Tuple) and [type(item) for item in made.items] == [Number, Text]


class Tree(BaseModel):
    """A model that holds itself."""

    name: str
    children: list[Tree] = Field(default=[], description="more of them")


def test_recursion_ends_as_json() -> None:
    """What holds itself is a shape once, and JSON inside."""
    made = only({"$ref": "#/$defs/Tree"}, **{"$defs": Tree.model_json_schema()["$defs"]})
    assert isinstance(made, Object)
    children = made.fields[1]
    assert isinstance(children, Array) and isinstance(children.item, Json)


def test_a_recursive_root_is_read() -> None:
    """pydantic writes a model that holds itself as a reference at the root."""
    shape = action_shape(Tree.model_json_schema())
    assert isinstance(shape, Object)
    assert [field.name for field in shape.fields] == ["name", "children"]


@pytest.mark.parametrize(
    "schema",
    [None, True, [], "x", {}, {"type": "object"}, {"type": "string"}, {"anyOf": [{"type": "integer"}]}, {"$ref": "#"},
     {"$ref": "https://example.org/schema"}, {"type": ["array", "null"]}],
)  # fmt: skip
def test_a_root_that_names_no_fields_is_json(schema: Any) -> None:
    """An action is an object; where the schema does not say which, any object."""
    shape = action_shape(schema)
    assert isinstance(shape, Json) and shape.kind == "object"


def test_an_object_without_fields_is_no_json() -> None:
    """A tool that takes no arguments has nothing to fill in."""
    assert action_shape({"type": "object", "properties": {}}) == Object(fields=())


def test_a_required_field_without_a_schema_is_json() -> None:
    """What is required and described nowhere can be given all the same."""
    shape = action_shape({"type": "object", "properties": {}, "required": ["x"]})
    assert shape == Object(fields=(Json(name="x"),))


def test_other_fields_are_known() -> None:
    """``additionalProperties`` beside fields says what other fields look like."""
    shape = action_shape({"properties": {"x": {"type": "string"}}, "additionalProperties": {"type": "integer"}})
    assert isinstance(shape, Object) and isinstance(shape.others, Number)


def test_a_field_of_a_name_with_tokens_is_a_number() -> None:
    """A48: nothing is guessed by a name but the size of the box."""
    made = only({"type": "integer"}, required=False)
    assert made == action_shape({"properties": {"x": {"type": "integer"}}}).fields[0]  # type: ignore[attr-defined]
    assert isinstance(TypeAdapter(int).json_schema(), dict)
    shape = action_shape({"properties": {"max_tokens": {"type": "integer"}, "code": {"type": "string"}}})
    assert isinstance(shape, Object)
    assert isinstance(shape.fields[0], Number) and isinstance(shape.fields[1], Text)
    assert shape.fields[1].is_long


def test_a_schema_that_describes_a_huge_tree_is_read_in_a_bounded_time() -> None:
    """Definitions that name each other many times are cut off and become JSON."""
    names = [f"D{place}" for place in range(30)]
    definitions = {
        name: {"type": "object", "properties": {f"f{at}": {"$ref": f"#/$defs/{other}"} for at in range(9)}}
        for name, other in zip(names, [*names[1:], "D0"], strict=True)
    }
    shape = action_shape({"$ref": "#/$defs/D0", "$defs": definitions})
    assert isinstance(shape, Object) and len(repr(shape)) < 2_000_000


def test_all_parts_that_name_each_other_are_read_in_a_bounded_time() -> None:
    """``allOf`` in circles ends."""
    parts = [{"$ref": "#/$defs/A"}] * 12
    shape = action_shape({"$ref": "#/$defs/A", "$defs": {"A": {"allOf": parts, "properties": {"x": {}}}}})
    assert isinstance(shape, (Object, Json))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_recorded_schema_is_read(name: str) -> None:
    """No recorded schema is left as JSON, but for what says nothing about its fields."""
    assert isinstance(action_shape(SCHEMAS[name]), (Object, Union))


_WORDS = st.sampled_from(
    ["type", "title", "properties", "required", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs", "items",
     "description", "default", "minimum", "exclusiveMinimum", "maxLength", "pattern", "format", "prefixItems", "object",
     "integer", "string", "array", "null", "#/$defs/A", "additionalProperties", "discriminator", "propertyName", "A",
     "minItems", "multipleOf", "examples", "nullable"]
)  # fmt: skip
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(hostile.TEXTS), _WORDS)
strange = st.recursive(
    _SCALARS,
    lambda inside: st.one_of(st.lists(inside, max_size=4), st.dictionaries(st.one_of(_WORDS, st.text()), inside)),
)


@given(strange, strange)
@SLOW
def test_nothing_raises(schema: Any, value: Any) -> None:
    """Whatever stands in a schema, it is read, and any value can be held against it."""
    for each in (
        schema,
        {"properties": schema},
        {"type": "object", "properties": {"x": schema}, "$defs": {"A": schema}},
    ):
        shape = action_shape(each)
        assert isinstance(shape, Shape)
        assert all(isinstance(message, str) for _, message in check(shape, value))


def test_a_hostile_schema_is_read() -> None:
    """Every word of a schema may be hostile."""
    assert isinstance(action_shape(hostile.schema()), Object)


def test_a_root_union_by_annotation() -> None:
    """A union that pydantic writes itself has its discriminator and branches."""

    class Move(BaseModel):
        type: Literal["move"] = "move"
        column: int

    class Resign(BaseModel):
        type: Literal["resign"] = "resign"

    schema = TypeAdapter(Annotated[Move | Resign, Field(discriminator="type")]).json_schema()
    shape = action_shape(schema)
    assert isinstance(shape, Union) and shape.discriminator == "type"
    assert all(isinstance(branch, Object) and isinstance(branch.fields[0], Const) for branch in shape.branches)


@pytest.mark.parametrize(
    ("told", "left"),
    [
        (None, {}),
        (True, {}),
        ({"properties": {"a": True, "b": 3}}, {"properties": {"a": True}}),
        ({"properties": [], "required": None, "type": 3, "enum": {}, "$ref": 1}, {}),
        ({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 0}),
        (
            {"type": "number", "maximum": 9, "exclusiveMaximum": True, "minimum": 1},
            {"type": "number", "exclusiveMaximum": 9, "minimum": 1},
        ),
        ({"type": "number", "maximum": 9, "exclusiveMaximum": False}, {"type": "number", "maximum": 9}),
        ({"required": ["a", 1], "type": ["string", 2]}, {"required": ["a"], "type": ["string"]}),
        ({"required": ["a", 1], "type": "object"}, {"required": ["a"], "type": "object"}),
        ({"anyOf": [3, {"minimum": "0", "type": "integer"}], "oneOf": None}, {"type": "integer"}),
        ({"type": "string", "minLength": 2.0, "maxLength": -1, "pattern": 3}, {"type": "string", "minLength": 2}),
        ({"type": "string", "maxLength": 2.5, "minLength": 10**400, "examples": "x"}, {"type": "string"}),
        ({"type": "array", "items": [], "minItems": 10**400, "uniqueItems": 1}, {"type": "array"}),
        ({"type": "number", "multipleOf": 0, "minimum": True}, {"type": "number"}),
        (
            {"type": "number", "maximum": float("nan"), "minimum": 10**400, "exclusiveMinimum": 1},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        (
            {"allOf": [{"type": "integer", "maximum": False}, {"maximum": 3}, {"maximum": float("nan")}]},
            {"type": "integer", "maximum": 3},
        ),
        ({"const": [None], "default": {"a": 1}, "title": 3, "x-mine": 3}, {"const": [None], "default": {"a": 1}}),
    ],
)
def test_what_breaks_the_rules_says_nothing(told: Any, left: Any) -> None:
    """A keyword with a value that JSON Schema does not allow is passed over; all others count."""
    assert read_shape(told) == read_shape(left)


def test_empty_lists_say_nothing() -> None:
    """No required fields, no values, no examples: as if they were not there."""
    assert read_shape({"required": [], "enum": [], "examples": [], "type": "string"}) == Text()


def test_a_schema_is_read_once() -> None:
    """Each step asks what an action looks like: the tree of a schema that was read is remembered."""
    schema = SCHEMAS["connect4"]
    assert action_shape(schema) is action_shape(schema)
    assert action_shape(dict(schema)) is not action_shape(schema)


ODD: list[Any] = [
    None, True, False, 3, -1, 1.5, 10**400, float("nan"), "x", "", "#/", [], {}, [3], [None], [True], ["null"],
    {"a": 1}, {"$ref": "#"}, {"$ref": "#/$defs/none"}, {"anyOf": [True, None]}, {"type": ["string", 3]},
    [{"const": 1}, {"const": [2]}],
]  # fmt: skip
KEYWORDS = [
    *("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs", "properties", "required", "items"),
    *("additionalProperties", "prefixItems", "default", "minimum", "maximum", "exclusiveMinimum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties"),
    *("title", "description", "examples", "writeOnly"),
]


@given(st.sampled_from(sorted(SCHEMAS)), st.randoms(use_true_random=False))
def test_nothing_that_a_server_tells_breaks_what_reads_it(name: str, rng: random.Random) -> None:
    """Whatever stands anywhere in a schema, the form, the model, the magics and a random policy read the rest."""
    told = spoilt(copy.deepcopy(SCHEMAS[name]), rng)
    action = Known(schema=AttributeDict({"action": told})).action
    if action is not None:
        fields = action_fields(action)
        assert len(model_from_schema(action).model_fields) <= len(fields)
        only_required_field(action), action.field_names, fields_line(action), holds_secret(action)
        [(kind(field), bounds(field), facts(field), takes_text(field), choices(field)) for field in fields]
        sample = sample_action(action, {}, rng)
        legal_actions({"legal_actions": [1, "a"]}, action), check(action, sample), wire_action(sample, action)
    action_shape(told), secret_names(told)
    tool_signature(Tool(name="t", input_schema=told))


def spoilt(schema: Any, rng: random.Random) -> Any:
    """Put odd values in some places of a schema."""
    for _ in range(rng.randint(1, 4)):
        holder, key = rng.choice(list(places({"": schema})))
        odd = copy.deepcopy(rng.choice(ODD))
        if isinstance(holder[key], dict) and rng.random() < 0.5:
            holder[key][rng.choice(KEYWORDS)] = odd
        elif key:
            holder[key] = odd
    return schema


def places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: what holds it, and its key there."""
    keys = list(holder) if isinstance(holder, dict) else range(len(holder))
    for key in keys:
        yield holder, key
        if isinstance(holder[key], (dict, list)):
            yield from places(holder[key])


def test_a_named_discriminator_wins() -> None:
    """Where the schema says which field tells the branches apart, another one that would do is not taken."""
    branches = [
        {"properties": {"a": {"const": value}, "b": {"const": value}}, "required": ["a", "b"]} for value in ("x", "y")
    ]
    made = only({"oneOf": branches, "discriminator": {"propertyName": "b"}})
    assert isinstance(made, Union)
    assert made.discriminator == "b"


@pytest.mark.parametrize(
    "reference", [{"$ref": "#/$defs/Node"}, {"allOf": [{"$ref": "#/$defs/Node"}]}], ids=["alone", "wrapped"]
)
def test_a_circle_knows_its_kind_and_ends_at_once(reference: Any) -> None:
    """What holds itself, also as one of several, is JSON of the same kind inside, with its own words."""
    node = {"type": "object", "title": "Node", "properties": {"next": {"anyOf": [reference, {"type": "null"}]}}}
    made = only({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": node}})
    assert isinstance(made, Object)
    assert made.fields == (Json(name="next", title="Node", kind="object", nullable=True, required=False),)
    word = {"anyOf": [{"$ref": "#/$defs/Word"}, {"type": "string"}]}
    made = only({"$ref": "#/$defs/Word"}, **{"$defs": {"Word": word}})
    assert isinstance(made, Union)
    assert made.branches == (Json(), Text())


def test_nothing_but_null_is_a_constant() -> None:
    """A union of nulls takes null, like null alone."""
    assert only({"anyOf": [{"type": "null"}, {"const": None}]}) == only({"type": "null"})


def test_what_stands_beside_and_in_a_definition_holds_together() -> None:
    """A field that two parts of allOf describe is bounded by both."""
    parts = [{"properties": {"x": {"type": "number", "minimum": 0}}}, {"properties": {"x": {"maximum": 5}}}]
    made = only({"type": "object", "allOf": parts})
    assert isinstance(made, Object)
    assert made.fields == (Number(name="x", minimum=0, maximum=5, required=False),)
    made = only({"type": "object", "allOf": [{"required": ["a"]}, {"required": ["b", "a"]}]})
    assert isinstance(made, Object)
    assert [(field.name, field.required) for field in made.fields] == [("a", True), ("b", True)]
    assert only({"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 4, 1]}]}) == Choice(name="x", values=(3, 1))
    assert only(
        {"allOf": [{"minLength": 1, "type": "string"}, {"minLength": 3, "maxLength": 9}, {"maxLength": 5}]}
    ) == (Text(name="x", shortest=3, longest=5))


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        ({"items": {"type": "string"}}, Array(name="x", item=Text())),
        (
            {"enum": ["a"], "title": "A", "description": "the only one", "default": "a"},
            Const(name="x", value="a", title="A", description="the only one", default="a"),
        ),
        ({"type": "array", "items": {}, "maxItems": 0}, Array(name="x", item=Json(), most=0)),
        ({"type": "string", "examples": ["a", 3]}, Text(name="x", examples=("a",))),
        (
            {"properties": {"a": {}}, "patternProperties": {"^b": {}}},
            Object(name="x", fields=(Json(name="a", required=False),), others=Json()),
        ),
        ({"type": "object", "properties": {}, "additionalProperties": True}, Json(name="x", kind="object")),
    ],
)
def test_keywords_are_read_as_json_schema_has_them(part: Any, shape: Shape) -> None:
    """What says its type by its keywords, a bound of nothing, and names by pattern are understood."""
    assert only(part) == shape


def test_an_action_is_an_object_and_never_null() -> None:
    """Null beside an object is no action, and what may be anything is an object there."""
    fields = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert action_shape({"anyOf": [fields, {"type": "null"}]}).nullable is False
    union = action_shape({"anyOf": [fields, {}, {"type": "null"}]})
    assert isinstance(union, Union)
    assert (union.nullable, union.branches[1]) == (False, Json(kind="object"))


@pytest.mark.parametrize("as_branch", [False, True])
def test_what_lies_very_deep_is_json(as_branch: bool) -> None:
    """A schema that is nested without end in sight is read to a depth that a person can follow."""
    schema: dict[str, Any] = {"type": "object", "properties": {"leaf": {"type": "string"}}}
    for _ in range(50):
        schema = {"anyOf": [schema, {"type": "string"}]} if as_branch else schema
        schema = {"type": "object", "properties": {"x": schema}}
    shape: Shape = action_shape(schema)
    depth = 0
    while not isinstance(shape, Json):
        shape = shape.branches[0] if isinstance(shape, Union) else shape
        assert isinstance(shape, Object)
        (shape,), depth = shape.fields, depth + 1
    assert 1 < depth < 20
