"""Whatever a server sends: escaped, bounded, never an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.markup import check_html, check_text
from support.pace import SLOW

from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.as_html import LONGEST, size_without_pictures
from openenv_notebook.schema.describe import branch_name, facts, fields_line, kind
from openenv_notebook.schema.reader import action_shape, read_shape
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import EnvironmentFailed, OpenEnvError
from openenv_notebook.values.messages import StepResult

texts = st.one_of(st.sampled_from(hostile.TEXTS), st.text(st.characters(codec=None), max_size=60))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts)
values = st.recursive(
    scalars, lambda inside: st.one_of(st.lists(inside, max_size=6), st.dictionaries(texts, inside, max_size=6))
)
schema_words = st.sampled_from(
    ["type", "title", "properties", "required", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs",
     "description", "default", "minimum", "maxLength", "pattern", "format", "items", "object", "integer", "string",
     "null", "#/$defs/A"]
)  # fmt: skip
schemas = st.recursive(
    st.one_of(scalars, schema_words),
    lambda inside: st.one_of(
        st.lists(inside, max_size=4), st.dictionaries(st.one_of(schema_words, texts), inside, max_size=6)
    ),
)


def check(value: Any) -> None:
    """Check both forms of a value."""
    written, text = to_html(value), to_text(value)
    assert text is not None
    check_text(text) if len(text) <= 60 * 241 and "\n" in text else text.encode()
    if not isinstance(value, OpenEnvError):
        assert written is not None
        check_html(written)
        assert size_without_pictures(written) <= LONGEST


@pytest.mark.parametrize("name", hostile.values())
def test_hostile_values_are_escaped(name: str) -> None:
    """Script tags, handlers, addresses, broken markup, ANSI, bidi and null characters in every place of every value."""
    check(hostile.values()[name])


@given(values)
@SLOW
def test_any_observation_is_escaped_and_bounded(value: Any) -> None:
    """Any JSON value as an observation, and as its metadata."""
    check(StepResult(value, 0.5, False, {"x": value}))
    if isinstance(value, dict):
        check(AttributeDict(value)) if not {"properties", "action"} & value.keys() else None


@given(st.dictionaries(st.one_of(schema_words, texts), schemas, max_size=6))
@SLOW
def test_any_schema_is_shown_somehow(schema: dict[str, Any]) -> None:
    """A schema that is none still gives text; where HTML is written it is escaped."""
    for value in (AttributeDict(schema), Tool(name="tool", input_schema=schema)):
        text, written = to_text(value), to_html(value)
        assert text is not None
        text.encode()
        assert len(text) <= 60 * 241
        if written is not None:
            check_html(written)


@given(st.dictionaries(st.one_of(schema_words, texts), schemas, max_size=6))
@SLOW
def test_any_field_has_a_kind(schema: dict[str, Any]) -> None:
    """What a field takes is said in a clean, short word however its schema is made."""
    shape = read_shape(schema)
    for shown in (kind(shape), facts(shape), branch_name(shape), fields_line(action_shape(schema))):
        shown.encode()
        assert "\n" not in shown and len(shown) < 1500


@given(texts)
def test_any_error_is_text(text: str) -> None:
    """A server's words in an error can be written, and steer no terminal."""
    error = EnvironmentFailed(text)
    str(error).encode()
    check(error)
    assert to_html(error) is None
    assert "\x1b" not in "".join(error._render_traceback_())


def test_formulas_are_not_typeset() -> None:
    """No dollar sign and no backslash stands beside other text: no front end finds a formula in it."""
    written = to_html(StepResult("$\\href{javascript:x}{y}$")) or ""
    assert "<span>$</span><span>\\</span>href" in written
    assert "}<span>$</span>" in written


def test_nothing_large_is_written_out() -> None:
    """Millions of values, thousands of fields, deep nests, long names: at most 60 lines and 60 kB."""
    deep: Any = "end"
    for _ in range(500):
        deep = {"a": [deep]}
    circle: dict[str, Any] = {}
    circle["self"] = circle
    for value in (
        {"a": list(range(1_000_000))},
        {"a": [[[1.5] * 84] * 84] * 4},
        {str(place): "x" * 1000 for place in range(5_000)},
        {"a": [{str(place): "&" * 500} for place in range(500)]},
        {"&" * 100_000: '"' * 100_000},
        {"text": '<&">' * 100_000},
        {"lines": "\n" * 100_000},
        {"rows": [["&&&&"] * 20] * 20},
        {"words": ["&" * 80] * 5_000},
        {"big": 10**10_000, "nested": [10**5000] * 30},
        {"deep": deep},
        {"circle": circle},
    ):
        check(StepResult(value))


def test_what_cannot_be_written_is_still_shown() -> None:
    """A value whose own methods fail gives a text, and no HTML."""

    class Failing:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert to_html(StepResult({"a": Failing()})) is None
    assert to_text(StepResult({"a": Failing()})) is None
    assert to_text(AttributeDict(action={"properties": {"x": 5}}, observation={})) is not None
