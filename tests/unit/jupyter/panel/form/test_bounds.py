"""A form stays small, however much a schema has: the first fields, a filter, and the rest as JSON."""

from __future__ import annotations

import json
from typing import Any

import ipywidgets
import pytest
from support.front_end import living

from openenv_notebook.jupyter.panel.form import Form
from openenv_notebook.jupyter.panel.widgets import within

MANY = 10_000
# The reader of schemas has a bound of its own: what is beyond may be anything.
TYPED = 1_000
MOST_WIDGETS = 2_500


def record(count: int, kind: Any = None, required: int = 0) -> dict[str, Any]:
    """An object of many fields."""
    names = [f"f{number}" for number in range(count)]
    properties = dict.fromkeys(names, kind or {"type": "string"})
    return {"type": "object", "properties": properties, "required": names[:required], "additionalProperties": False}


def nested(depth: int, width: int) -> dict[str, Any]:
    """Objects in objects."""
    return record(width, nested(depth - 1, width) if depth else None, required=width)


DOORS = {
    "optional fields": record(MANY),
    "required fields": record(MANY, required=MANY),
    "numbers": record(MANY, {"type": "number"}),
    "constants": record(MANY, {"const": 1}),
    "objects": record(MANY, record(3)),
    "an object inside": record(1, record(MANY), required=1),
    "objects in objects": nested(4, 10),
    "a list of fixed length": record(1, {"type": "array", "prefixItems": [{"type": "integer"}] * MANY}, required=1),
    "fixed lists in one": record(
        1, {"type": "array", "prefixItems": [{"type": "array", "prefixItems": [{"type": "integer"}] * 100}] * 100}, 1
    ),
    "a long default": record(1, {"type": "array", "items": record(5), "default": [{}] * MANY}, required=1),
    "a list of at least": record(1, {"type": "array", "items": record(20, required=20), "minItems": MANY}, required=1),
    "lists in lists": record(
        1, {"type": "array", "minItems": 20, "items": {"type": "array", "minItems": 20, "items": record(9)}}, required=1
    ),
    "branches": record(1, {"anyOf": [record(3) for _ in range(300)]}, required=1),
    "values": record(50, {"enum": [f"v{number}" for number in range(MANY)]}, required=1),
}


def size(form: Form) -> int:
    """How many widgets there are of it, those that are folded away as well."""
    return len(within(form.widget))


@pytest.mark.parametrize("door", DOORS)
def test_no_schema_makes_a_large_form(door: str) -> None:
    """T15: Whatever a schema has many of, its form has a bounded number of widgets."""
    before = living()
    form = Form(DOORS[door])
    assert living() - before <= MOST_WIDGETS
    form.close()
    assert living() == before


def test_the_rest_is_filled_in_as_json(form: Any) -> None:
    """T15: What has no control is set, read, checked and sent as the others are, and no field is lost."""
    made = form(record(MANY, {"type": "integer"}))
    everything = {f"f{number}": number for number in range(MANY)}
    made.set(everything)
    assert made.value == everything and made.errors == {}
    made.fill({f"f{MANY - 1}": 7})
    assert made.value[f"f{MANY - 1}"] == 7
    made.clear()
    assert made.value == {} and made.errors == {}


def box(form: Form, name: str) -> Any:
    """The box of a field, which is unfolded."""
    more = [each for each in within(form.widget) if getattr(each, "description", "").startswith("▸ More")]
    for each in more:
        each.click()
    return next(each for each in within(form.widget) if getattr(each, "description", None) == name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"f999": "x"}', {"f999": "must be a whole number"}),
        ('{"nothing": 1}', {"nothing": "no such field"}),
        ("{", {"other fields": "is not JSON"}),
    ],
)
def test_what_is_wrong_in_the_rest_is_said(form: Any, text: str, says: dict[str, str]) -> None:
    """T15: A value of the rest that does not fit, and a name that is none, are told by their place."""
    made = form(record(TYPED, {"type": "integer"}))
    box(made, "other fields").value = text
    assert [(name, says[name] in message) for name, message in made.errors.items()] == [(each, True) for each in says]


def test_what_is_required_of_the_rest_is_asked_for(form: Any) -> None:
    """T15: A required field without a control stops the action as any other; one with a default has it already."""
    made = form(record(TYPED, {"type": "integer"}, required=TYPED))
    assert len(made.errors) == TYPED and made.errors["f999"] == "is required"
    assert form(record(TYPED, {"type": "integer", "default": 3}, required=TYPED)).value["f999"] == 3


def test_the_filter_finds_the_rest(form: Any) -> None:
    """T15: A field without a control gets one when the filter finds it; what stands in the JSON stays there."""
    made = form(record(TYPED))
    box(made, "Filter").value = "f"
    before = size(made)
    box(made, "Filter").value = "f998"
    assert size(made) - before < 20
    box(made, "f998").value = "found"
    assert made.value == {"f998": "found"}
    box(made, "Filter").value = ""
    box(made, "other fields").value = json.dumps({"f999": "as JSON"})
    box(made, "Filter").value = "f999"
    assert made.value == {"f998": "found", "f999": "as JSON"}


def test_secrets_of_many_fields_have_boxes_of_their_own(form: Any) -> None:
    """T15: JSON is seen by everybody: a secret is not among what is filled in as JSON."""
    schema = record(TYPED)
    schema["properties"]["password"] = {"type": "string"}
    made = form(schema)
    assert isinstance(box(made, "password"), ipywidgets.Password)
