"""Writing JSON, held against Python's own writer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import meaning, objects, values

from openenv_notebook.values.to_json import fields_of, to_bytes


@given(values)
def test_any_value_is_written_as_python_writes_it(value: Any) -> None:
    """What is written is UTF-8 and reads as what json writes: numbers that are not finite, halves of pairs, depth."""
    assert meaning(json.loads(to_bytes(value).decode())) == meaning(json.loads(json.dumps(value)))


@given(objects, st.integers(1, 60))
def test_fields_travel_as_python_writes_them(fields: dict[str, Any], levels: int) -> None:
    """An action's fields mean the same whichever writer they go through, at any depth."""
    deep: Any = fields
    for _ in range(levels):
        deep = [deep]
    sent = {"fields": fields, "deep": deep}
    assert meaning(json.loads(to_bytes(fields_of(sent)))) == meaning(json.loads(json.dumps(sent)))


@pytest.mark.parametrize("key", [None, True, False, 3, -0.0, 1.5, float("nan"), float("inf"), float("-inf")])
def test_what_is_no_text_names_as_it_does_for_python(key: Any) -> None:
    """A key of a nested dict that is no text becomes the name that json gives it."""
    sent = {"a": {key: 1, "b": [{key: 2}]}}
    assert json.loads(to_bytes(fields_of(sent))) == json.loads(json.dumps(sent))


@pytest.mark.parametrize("beside", [b"text", {1}, (1, 2), {"a": {b"\xff"}}])
def test_half_a_pair_changes_nothing_beside_it(beside: Any) -> None:
    """Values that are not JSON by themselves are written the same where half a surrogate pair stands beside them."""
    alone, both = json.loads(to_bytes({"v": beside})), json.loads(to_bytes({"v": beside, "w": "\ud83d"}))
    assert both == {**alone, "w": "\ud83d"}
