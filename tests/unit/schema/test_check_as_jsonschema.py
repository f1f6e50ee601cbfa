"""Held against another's reading of JSON Schema: what the package `jsonschema` says of a value, ours says too."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from typing import Any

import pytest
from support.judge import theirs
from support.made_schemas import made_schema
from support.pace import storm
from support.recorded import exchanges, results, schemas, shapes

from openenv_notebook.schema.action import given_fields
from openenv_notebook.schema.check import problems
from openenv_notebook.schema.moves import choices, legal_actions
from openenv_notebook.schema.random_action import sample_action
from openenv_notebook.schema.reader import action_shape

# These say whether an object may have more fields. Where nothing is said it may not, for servers of OpenEnv.
TOLD: dict[str, Mapping[str, Any]] = {
    **{name: told.get("action", told) for name, told in schemas().items()},
    **{f"made {seed}": made_schema(random.Random(seed)) for seed in range(storm(20, 2000))},
}
ACTIONS: dict[str, Mapping[str, Any]] = {**TOLD, **shapes()}
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e9, 10**12, -0.0, "", "x", "a" * 5000, [], [1], ["a"], [[1]], {}, {"a": 1},
)  # fmt: skip


def results_of(name: str) -> list[Any]:
    """The observations of a recording."""
    return [result.observation for result in results(name)] if name in exchanges() else []


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
    for _ in range(storm(15, 300)):
        action = sample_action(shape, None, rng)
        assert theirs(ACTIONS[name], action) == [], action


@pytest.mark.parametrize("name", TOLD)
def test_the_check_refuses_what_jsonschema_refuses_and_nothing_else(name: str) -> None:
    """Of actions with a field that is odd, missing or too many, ours and jsonschema refuse the same."""
    shape, rng = action_shape(TOLD[name]), random.Random(2)
    refused = 0
    for _ in range(storm(60, 1000)):
        action = spoiled(sample_action(shape, None, rng), rng)
        wrong, found = theirs(TOLD[name], action), problems(shape, action)
        assert bool(wrong) == bool(found), (action, wrong, found)
        refused += bool(wrong)
    assert refused or shape.field_names is None


@pytest.mark.parametrize("name", ACTIONS)
def test_all_values_that_are_listed_are_valid(name: str) -> None:
    """Where a field has few values, all that are listed for it are taken by jsonschema."""
    schema = ACTIONS[name]
    for field in given_fields(action_shape(schema)):
        for value in choices(field) or () if field.name in schema.get("properties", {}) else ():
            assert theirs(schema, value, field.name) == [], value


@pytest.mark.parametrize("name", [name for name in schemas() if results_of(name)])
def test_legal_actions_are_valid(name: str) -> None:
    """What an observation of a real server lists can be sent, by jsonschema, as each of the fields it is for."""
    for observation in results_of(name):
        found = legal_actions(observation, action_shape(ACTIONS[name]))
        for field in found.fields if found is not None else ():
            for value in found.values if found is not None else ():
                assert theirs(ACTIONS[name], value, field) == [], (field, value)
