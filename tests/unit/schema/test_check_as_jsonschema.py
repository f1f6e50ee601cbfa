"""Held against another's reading of JSON Schema: what the package `jsonschema` says of a value, ours says too."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from support.recorded import schemas

from openenv_notebook.schema.check import problems
from openenv_notebook.schema.random_action import sample_action
from openenv_notebook.schema.reader import action_shape

ACTIONS: dict[str, Mapping[str, Any]] = {name: told.get("action", told) for name, told in schemas().items()}
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e9, 10**12, -0.0, "", "x", "a" * 5000, [], [1], ["a"], [[1]], {}, {"a": 1},
)  # fmt: skip


def theirs(action: Mapping[str, Any], value: Any) -> list[str]:
    """What jsonschema has against a value."""
    return [error.message for error in jsonschema.Draft202012Validator(action).iter_errors(value)]


def spoiled(value: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Put something odd into a field, take one out, or add one."""
    made = copy.deepcopy(value)
    name = rng.choice([*made, "nosuch"])
    if name in made and rng.random() < 0.2:
        del made[name]
    else:
        made[name] = rng.choice(ODD)
    return made


@pytest.mark.parametrize("name", ACTIONS)
def test_a_random_action_is_valid(name: str) -> None:
    """What chance chooses fits the schema, by jsonschema."""
    shape, rng = action_shape(ACTIONS[name]), random.Random(1)
    for _ in range(100):
        action = sample_action(shape, None, rng)
        assert theirs(ACTIONS[name], action) == [], action


@pytest.mark.parametrize("name", ACTIONS)
def test_the_check_refuses_what_jsonschema_refuses_and_nothing_else(name: str) -> None:
    """Of actions with a field that is odd, missing or too many, ours and jsonschema refuse the same."""
    shape, rng = action_shape(ACTIONS[name]), random.Random(2)
    refused = 0
    for _ in range(400):
        action = spoiled(sample_action(shape, None, rng), rng)
        wrong, found = theirs(ACTIONS[name], action), problems(shape, action)
        assert bool(wrong) == bool(found), (action, wrong, found)
        refused += bool(wrong)
    assert refused or shape.field_names is None
