"""Schemas that servers tell, and what is left of one that breaks the rules."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.recorded import schemas, shapes

from openenv_notebook.client.known import Known
from openenv_notebook.client.tools import tool_signature
from openenv_notebook.jupyter.show import fields_line
from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.moves import legal_actions
from openenv_notebook.schema.random_action import sample_action
from openenv_notebook.schema.reader import action_fields, only_required_field, takes_any_field
from openenv_notebook.schema.shape_reader import action_shape
from openenv_notebook.schema.tool import Tool
from openenv_notebook.schema.well_formed import well_formed
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.secrets import secret_names

KNOWN = {name: schema["action"] for name, schema in schemas().items() if "action" in schema} | shapes()
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


@pytest.mark.parametrize("name", KNOWN)
def test_what_follows_the_rules_stays(name: str) -> None:
    """A schema of a real environment, and of any shape that JSON Schema allows, is returned as it was told."""
    assert well_formed(KNOWN[name]) == KNOWN[name]


@pytest.mark.parametrize(
    ("told", "left"),
    [
        (None, {}),
        (True, {}),
        ({"properties": {"a": True, "b": 3}}, {"properties": {"a": True}}),
        ({"properties": [], "required": None, "type": 3, "enum": {}, "$ref": 1}, {}),
        ({"required": [], "enum": [], "examples": []}, {"required": [], "enum": [], "examples": []}),
        ({"minimum": 0, "exclusiveMinimum": True}, {"exclusiveMinimum": 0}),
        ({"maximum": 9, "exclusiveMaximum": True, "minimum": 1}, {"exclusiveMaximum": 9, "minimum": 1}),
        ({"maximum": 9, "exclusiveMaximum": False}, {"maximum": 9}),
        ({"required": ["a", 1], "type": ["string", 2]}, {"required": ["a"], "type": ["string"]}),
        ({"anyOf": [3, {"minimum": "0"}], "oneOf": None}, {"anyOf": [{}]}),
        ({"minLength": 2.0, "maxLength": -1, "minItems": 10**400, "multipleOf": 0}, {"minLength": 2}),
        ({"minimum": True, "maximum": float("nan"), "exclusiveMinimum": 1}, {"exclusiveMinimum": 1}),
        ({"const": [None], "default": {"a": 1}, "x-mine": 3}, {"const": [None], "default": {"a": 1}, "x-mine": 3}),
    ],
)
def test_what_breaks_them_is_left_out(told: Any, left: Any) -> None:
    """A keyword with a value that JSON Schema does not allow says nothing; all others stay."""
    assert well_formed(told) == left


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(KNOWN)), st.randoms(use_true_random=False))
def test_nothing_that_a_server_tells_breaks_what_reads_it(name: str, rng: random.Random) -> None:
    """Whatever stands anywhere in a schema, the form, the model, the magics and a random policy read the rest."""
    told = spoilt(copy.deepcopy(KNOWN[name]), rng)
    schema = Known(schema=AttributeDict({"action": told})).action
    if schema is not None:
        fields = action_fields(schema)
        model = model_from_schema(schema)
        assert len(model.model_fields) <= len(fields)
        only_required_field(schema), takes_any_field(schema), fields_line(schema), secret_names(schema)
        sample_action(schema, {}, rng)
        legal_actions({"legal_actions": [1, "a"]}, schema)
    action_shape(told)
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
