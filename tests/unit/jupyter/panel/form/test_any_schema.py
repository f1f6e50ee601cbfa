"""Forms of schemas that nobody wrote: whatever is put together of the known constructs, set -> value holds."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.front_end import living
from support.pace import HEAVY
from support.shape_values import fitting

from openenv_notebook.jupyter.panel.form import Form
from openenv_notebook.schema.check import check, same
from openenv_notebook.schema.reader import action_shape

_NAMES = st.sampled_from(["a", "b", "code", "api_key", "max_tokens", "a.b", "c d", "", "ключ"])
_PLAIN: list[Any] = [
    {"type": "integer"},
    {"type": "integer", "minimum": 0, "maximum": 9, "default": 3},
    {"type": "number", "exclusiveMinimum": 0},
    {"type": "string"},
    {"type": "string", "maxLength": 5, "default": "x"},
    {"type": "string", "format": "textarea"},
    {"type": "boolean"},
    {"type": "null"},
    {"const": "k"},
    {"enum": ["p", "q", 1, True, None]},
    {"enum": ["only"]},
    {},
    True,
    {"type": "object"},
    {"$ref": "#/$defs/Node"},
    {"type": ["string", "integer", "null"]},
]
_DEFINITIONS = {"Node": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}}


def _composed(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.dictionaries(_NAMES, inside, max_size=4).flatmap(
        lambda fields: st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.just(fields)},
            optional={"required": st.lists(st.sampled_from(sorted(fields) or ["z"]), unique=True, max_size=3)},
        )
    )
    return st.one_of(
        objects,
        inside.map(lambda item: {"type": "array", "items": item}),
        inside.map(lambda item: {"type": "object", "additionalProperties": item}),
        inside.map(lambda item: {"anyOf": [item, {"type": "null"}], "default": None}),
        st.lists(inside, min_size=2, max_size=3).map(lambda branches: {"oneOf": branches}),
        st.lists(inside, min_size=2, max_size=2).map(
            lambda items: {"type": "array", "prefixItems": items, "minItems": 2, "maxItems": 2}
        ),
    )


schemas = st.recursive(st.sampled_from(_PLAIN), _composed, max_leaves=8)
actions = st.dictionaries(_NAMES, schemas, max_size=5).map(
    lambda fields: {"type": "object", "properties": fields, "required": sorted(fields)[::2], "$defs": _DEFINITIONS}
)


@given(actions, st.data())
@HEAVY
def test_what_fits_is_set_and_given_back(schema: Any, data: st.DataObject) -> None:
    """Any value that fits is filled in without an error and given back exactly; nothing is left behind."""
    action = data.draw(fitting(action_shape(schema)))
    before = living()
    form = Form(schema)
    if not check(form.shape, action):
        form.set(action)
        assert form.errors == {}, (schema, action)
        assert same(form.value, action), (form.value, action)
    form.reveal_errors()
    form.clear()
    assert all(form.errors.values()) or check(form.shape, form.value) == []
    form.close()
    assert living() == before
