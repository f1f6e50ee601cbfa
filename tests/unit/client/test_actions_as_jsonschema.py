"""What an error suggests for an action, held against the schema as another reads it: it is there, and it is taken."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from support.judge import theirs
from support.made_schemas import made_schema
from support.pace import storm
from support.recorded import schemas, shapes

from openenv_notebook.client.actions import wire_action, with_suggestions
from openenv_notebook.schema.check import check
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values.errors import InvalidAction, MisuseError

SCHEMAS: dict[str, Any] = {
    **shapes(),
    **{name: told["action"] for name, told in schemas().items() if "action" in told},
    **{f"made {seed}": made_schema(random.Random(seed)) for seed in range(storm(25, 300))},
}
NAMED = {name: schema for name, schema in SCHEMAS.items() if schema.get("properties")}
_WORDS = [f"word{place}" for place in range(12)]


def misspelt(name: str) -> str:
    """Write a name as a hasty person does."""
    return name[:-1] if len(name) > 4 else f"{name}{name[-1:]}"


def meant(text: str) -> str | None:
    """The name that an error's text offers."""
    found = re.search(r"did you mean '(.*?)'\?", text)
    return found[1] if found else None


def refusal(schema: dict[str, Any], name: str, *, by_server: bool) -> InvalidAction | None:
    """The error of a field of that name, found here or told by the server; None where it is taken."""
    shape = action_shape(schema)
    if by_server:
        wrong = [{"type": "extra_forbidden", "loc": [name], "msg": "Extra inputs are not permitted"}]
        return with_suggestions(InvalidAction("no", errors=[f"{name}: no"], details={"errors": wrong}), shape)
    try:
        wire_action({name: 1}, shape)
    except InvalidAction as error:
        return error
    return None


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("by_server", [False, True])
def test_the_names_that_are_suggested_are_the_schemas(name: str, by_server: bool) -> None:
    """The nearest name, and the fields that are listed, are properties of the schema, whoever found the mistake."""
    properties = NAMED[name]["properties"]
    for field in properties:
        error = refusal(NAMED[name], misspelt(field), by_server=by_server)
        if error is None or misspelt(field) in properties:
            continue
        assert meant(error.errors[0]) in (*properties, None)
        if error.hint == InvalidAction.default_hint:
            continue
        listed = [each for each in (error.hint or "").removeprefix("fields: ").split(", ") if each]
        assert set(listed) <= {*properties, "none"}
        assert len(field) < 5 or meant(error.errors[0]), (field, error.errors)


@pytest.mark.parametrize("name", NAMED)
def test_the_call_that_is_suggested_has_the_schemas_fields(name: str) -> None:
    """Where a bare value says too little, the call that is shown instead names fields that the schema has."""
    try:
        wire_action("x", action_shape(NAMED[name]))
    except MisuseError as error:
        (call,) = re.findall(r"env\.step\((.*)\)", str(error))
        assert {part.partition("=")[0] for part in call.split(", ") if part} <= set(NAMED[name]["properties"])


@pytest.mark.parametrize("values", [["left", "right"], _WORDS, [1, 2], ["two words", "é", "a.b"]])
def test_each_value_that_a_refusal_lists_is_taken(values: list[Any]) -> None:
    """The values that a refusal lists, and the one that it takes for meant, are valid."""
    schema = {"type": "object", "properties": {"x": {"enum": values}}, "required": ["x"]}
    ((_, said),) = check(action_shape(schema), {"x": "wodr3"})
    listed = said.removeprefix("must be one of ").partition(", not ")[0].replace(", …", "").split(", ")
    for each in [*listed, *([found] if (found := meant(said)) else [])]:
        value = int(each) if values == [1, 2] else each
        assert theirs(schema, {"x": value}) == []
    assert len(values) < 9 or meant(said) == "word3"
