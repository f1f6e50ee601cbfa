"""Schemas that stand for trees of any size: what is read of them is bounded, told by calls of functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from support.wire import FarEnd, scripted

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.values.attribute_dict import attribute_dict

# Calls of functions: for each character of the schema, for the bounded tree that is read of any, for its model.
A_CHARACTER, TREE, MODEL = 20, 120_000, 200_000

Schema = dict[str, Any]


def ref(number: int) -> Schema:
    """Refer to a definition."""
    return {"$ref": f"#/$defs/L{number}"}


def document(levels: int, make: Callable[[int], Schema]) -> Schema:
    """Write an action with one field, whose schema goes down so many levels."""
    defs = {f"L{number}": make(number) for number in range(levels - 1)} | {f"L{levels - 1}": {"type": "integer"}}
    return {"type": "object", "required": ["expr"], "properties": {"expr": ref(0)}, "$defs": defs}


def trees(kinds: int, *, tagged: bool = True) -> Schema:
    """Write what pydantic does for an expression tree of so many kinds of nodes, with two children each."""
    child = {"anyOf": [{"type": "integer"}, *(ref(number) for number in range(kinds))]}

    def node(number: int) -> Schema:
        tag = {"kind": {"const": f"N{number}", "type": "string"}} if tagged else {}
        return {"type": "object", "properties": {**tag, "left": child, "right": child}, "required": ["left", "right"]}

    defs = {f"L{number}": node(number) for number in range(kinds)}
    return {"type": "object", "required": ["expr"], "properties": {"expr": child}, "$defs": defs}


def options(number: int) -> Schema:
    """Ten objects, each with a field of the next level."""
    return {"anyOf": [{"type": "object", "title": f"b{n}", "properties": {"c": ref(number + 1)}} for n in range(10)]}


SCHEMAS: dict[str, Schema] = {
    **{f"a tree of {kinds} kinds": trees(kinds) for kinds in (5, 6, 7, 8, 30)},
    "a tree without tags": trees(8, tagged=False),
    "12 levels of 10 objects": document(12, options),
    "12 levels of 10 references": document(12, lambda number: {"anyOf": [ref(number + 1)] * 10}),
    "12 levels of 10 fields": document(
        12, lambda number: {"type": "object", "properties": {f"f{n}": ref(number + 1) for n in range(10)}}
    ),
    "12 levels of tuples": document(
        12, lambda number: {"type": "array", "prefixItems": [ref(number + 1)] * 10, "minItems": 10, "maxItems": 10}
    ),
    "12 levels of all of two": document(12, lambda number: {"allOf": [ref(number + 1), ref(number + 1)]}),
    "12 levels of lists of kinds": document(
        12,
        lambda number: {
            "type": ["object", "array", "null"],
            "properties": {"a": ref(number + 1)},
            "items": ref(number),
        },
    ),
    "a chain of 500": document(500, lambda number: ref(number + 1)),
}


def calls(work: Callable[[], object]) -> int:
    """Count the functions of Python that are called; it goes no further than the test allows."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"
        assert count < 2 * MODEL, "no end is in sight"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_first_step(far_end: FarEnd, name: str) -> None:
    """T04: the first step on any schema costs so much at most; the next ones, right and wrong, next to nothing."""
    env = scripted(GenericEnvClient("scripted.test:80", message_timeout_s=10), far_end).sync()
    schema = SCHEMAS[name]
    env.async_client.known.take_schema(attribute_dict({"action": schema}))
    env.reset()
    limit = TREE + A_CHARACTER * len(json.dumps(schema))
    assert calls(lambda: env.step(expr=3)) < limit
    assert far_end.steps[-1] == {"expr": 3}
    for action in ({"expr": {"left": {"left": 1, "right": 2}, "right": 3}}, {"expr": {"kind": "N1", "c": {"c": 1}}}, 3):
        assert calls(lambda given=action: env.step(given)) < 2000  # type: ignore[misc]
    with pytest.raises(Exception, match="did you mean 'expr'"):
        env.step(exprr=3)
    env.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_completion_is_bounded(far_end: FarEnd, name: str) -> None:
    """T04: the model that completes an action is made in bounded time, too, and only where it is asked for."""
    env = scripted(GenericEnvClient("scripted.test:80", message_timeout_s=10), far_end).sync()
    env.async_client.known.take_schema(attribute_dict({"action": SCHEMAS[name]}))
    env.reset()
    env.step(expr=3)
    assert "Action" not in vars(env), "a step makes no model"
    assert calls(lambda: env.Action) < MODEL
    env.close()
