"""What a person gives to step -> the fields that travel; better words for what the server refused."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel
from support.recorded import schemas, shapes

from openenv_notebook.client.actions import NOT_GIVEN, given_action, wire_action, with_suggestions
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values.errors import InvalidAction, MisuseError
from openenv_notebook.values.messages import Action, GenericAction
from openenv_notebook.wire.replies import error_lines

ACTIONS = {name: action_shape(schema["action"]) for name, schema in schemas().items() if "action" in schema}
CONNECT4, GRID, CHESS, ECHO = (ACTIONS[name] for name in ("connect4", "grid_world", "chess", "echo"))
SHAPES = {name: action_shape(schema) for name, schema in shapes().items()}


class Drop(Action):
    """A typed action."""

    column: int


@dataclasses.dataclass
class DropData:
    """The same as a dataclass."""

    column: int


def meant(*args: Any, schema: Any = CONNECT4, **fields: Any) -> dict[str, Any]:
    """Go the way step goes: from its arguments to the fields that travel."""
    return wire_action(given_action(args[0] if args else NOT_GIVEN, fields), schema)


@pytest.mark.parametrize("action", [{"column": 3}, GenericAction(column=3), DropData(3)], ids=repr)
def test_a31_a_record_is_the_action(action: Any) -> None:
    """A31: a dict, a generic action and a dataclass are the same on the wire."""
    assert meant(action) == {"column": 3}


def test_a31_a_model_and_keywords_are_the_same() -> None:
    """A31: keywords and a bare value mean what the dict means; a model sends its metadata along."""
    assert meant(column=3) == meant(3) == {"column": 3}
    assert meant(Drop(column=3)) == {"metadata": {}, "column": 3}


@pytest.mark.parametrize(
    ("schema", "value", "field"),
    [
        (CONNECT4, 3, "column"),
        (CHESS, "e2e4", "move"),
        (GRID, "UP", "action"),
        (ECHO, "echo_message", "tool_name"),
        (SHAPES["ConstM"], 1, "x"),
        (SHAPES["ArrIntM"], [1, 2], "tokens"),
        (SHAPES["BoolM"], False, "flag"),
        (SHAPES["IntEnumM"], np.int64(2), "level"),
        (CHESS, "", "move"),
        (CONNECT4, None, "column"),
    ],
)
def test_a_bare_value_is_the_one_required_field(schema: Any, value: Any, field: str) -> None:
    """A bare value, empty and None included, goes into the only required field."""
    assert meant(value, schema=schema) == {field: value}


def test_a_required_constant_is_filled_in() -> None:
    """A constant that must be sent is added to a bare value, for which it does not count."""
    schema = action_shape({"properties": {"kind": {"const": "move"}, "to": {}}, "required": ["kind", "to"]})
    assert meant(3, schema=schema) == {"kind": "move", "to": 3}


def test_a_bare_value_needs_one_required_field() -> None:
    """Where there is no single required field, the fields are named."""
    with pytest.raises(MisuseError, match="no single required field") as caught:
        meant(3, schema=ACTIONS["git"])
    assert "env.step(action_type=..., repo_name=..., " in str(caught.value)
    assert "metadata" not in str(caught.value)


def test_a_bare_value_needs_a_schema() -> None:
    """Where the server tells no schema, a bare value is refused with how to write it."""
    with pytest.raises(MisuseError, match=re.escape("a bare int is no action here") + ".*tells no schema.*field=value"):
        meant(3, schema=None)


@pytest.mark.parametrize("record", [{"x": 1}, Drop(column=1), DropData(1), GenericAction(x=1)], ids=repr)
def test_action_alone_with_a_record_is_the_action(record: Any) -> None:
    """step(action=X) with a dict, model or dataclass is the action X, as code for upstream writes it."""
    assert given_action(NOT_GIVEN, {"action": record}) is record


@pytest.mark.parametrize("value", ["UP", 3, None, ["UP"], np.int64(1)], ids=repr)
def test_action_with_a_bare_value_is_the_field(value: Any) -> None:
    """step(action="UP") is the field of that name."""
    assert meant(action=value, schema=GRID) == {"action": value}


def test_action_beside_other_fields_is_a_field() -> None:
    """step(action=X, y=1) names two fields, whatever X is."""
    assert given_action(NOT_GIVEN, {"action": {"a": 1}, "y": 1}) == {"action": {"a": 1}, "y": 1}


def test_an_action_and_fields_are_too_much() -> None:
    """Giving the action and keywords is refused, and tells where options of a call go."""
    with pytest.raises(MisuseError, match=r"not both \(got both and timeout\).*options\(timeout=5\)"):
        given_action({"column": 3}, {"timeout": 5})


def test_no_arguments_are_an_action_without_fields() -> None:
    """step() acts where no field is required."""
    assert meant(schema=SHAPES["OptM"]) == {}


def test_none_is_a_value_like_any_other() -> None:
    """step(None) gave something: it is not taken for nothing."""
    assert given_action(None, {}) is None
    assert repr(NOT_GIVEN) == "..."


def test_an_unknown_field_is_refused_with_the_nearest_name() -> None:
    """An unknown field is named with its nearest, and the fields there are."""
    with pytest.raises(InvalidAction) as caught:
        meant(colum=3, zzz=1)
    assert caught.value.errors == ["colum: no such field; did you mean 'column'?", "zzz: no such field"]
    assert caught.value.hint == "fields: column"
    assert caught.value.code == "VALIDATION_ERROR"


@pytest.mark.parametrize("name", ACTIONS)
def test_every_recorded_environment_refuses_unknown_fields(name: str) -> None:
    """No environment recorded lets a misspelt field pass."""
    with pytest.raises(InvalidAction, match="nonsense: no such field"):
        meant(nonsense=1, schema=ACTIONS[name])


def test_a_union_of_actions_refuses_unknown_fields() -> None:
    """A top-level union knows the fields of its branches."""
    schema = ACTIONS["agent_world_model"]
    assert meant(tool_name="f", arguments={}, schema=schema) == {"tool_name": "f", "arguments": {}}
    with pytest.raises(InvalidAction, match="did you mean 'tool_name'"):
        meant(tool_nam="f", schema=schema)


@pytest.mark.parametrize("kind", ["call_tool", "list_tools"])
def test_tool_actions_pass_beside_the_schema(kind: str) -> None:
    """Tools are actions of their own, whatever the environment's schema says."""
    assert meant({"type": kind, "tool_name": "f"})["type"] == kind


def test_without_a_schema_every_field_passes() -> None:
    """Where the server tells no schema, the server decides."""
    assert meant(anything=1, schema=None) == {"anything": 1}
    assert meant(anything=1, schema=action_shape({})) == {"anything": 1}


class Nested(BaseModel):
    """A model as the value of a field."""

    x: int = 0


def test_models_as_values_are_taken_apart() -> None:
    """A field's value may be a model or hold some."""
    assert meant(pos=Nested(x=1), target=None, schema=SHAPES["NestM"]) == {"pos": {"x": 1}, "target": None}
    assert meant([Nested(x=2)], schema=SHAPES["ArrObjM"]) == {"path": [{"x": 2}]}


def test_the_given_dict_is_not_changed() -> None:
    """Making the action that travels leaves the person's own alone."""
    action = {"column": np.int64(3)}
    wire_action(action, CONNECT4)["more"] = 1
    assert action == {"column": np.int64(3)}


def test_an_option_among_the_fields_is_told_where_it_stands() -> None:
    """A timeout given to step() is an unknown field, and the hint says where options stand."""
    schema = action_shape({"properties": {"column": {"type": "integer"}}, "required": ["column"]})
    with pytest.raises(InvalidAction, match=r"fields: column; timeout is no field but an option: env\.options"):
        wire_action({"column": 1, "timeout": 5}, schema)
    timed = action_shape({"properties": {"timeout": {"type": "number"}}})
    assert wire_action({"timeout": 5}, timed) == {"timeout": 5}


def refused(*wrong: Any) -> InvalidAction:
    """Make the error of a refusal as the wire floor does."""
    return InvalidAction("no", errors=error_lines(list(wrong)), details={"errors": list(wrong)})


def test_an_unknown_field_gets_its_nearest_name() -> None:
    """A line about an unknown field names the nearest one; the others stay as the server wrote them."""
    error = with_suggestions(
        refused(
            {"type": "missing", "loc": ["column"], "msg": "Field required"},
            {"type": "extra_forbidden", "loc": ["colum"], "msg": "Extra inputs are not permitted", "input": 3},
        ),
        CONNECT4,
    )
    assert error.errors == ["column: Field required", "colum: no such field; did you mean 'column'?"]
    assert error.hint == "fields: column"


def test_a_field_that_the_schema_names_is_not_suggested_for_itself() -> None:
    """Where the server refuses a field of its own schema, the line says that, not "did you mean" the same."""
    error = with_suggestions(
        refused({"type": "extra_forbidden", "loc": ["column"], "msg": "Extra inputs", "input": 3}), CONNECT4
    )
    assert error.errors == ["column: no such field; the server's schema names it"]


def test_without_a_schema_nothing_is_added() -> None:
    """Where the server tells no schema, its own words stand."""
    error = refused({"type": "extra_forbidden", "loc": ["x"], "msg": "no", "input": 1})
    before = list(error.errors)
    assert with_suggestions(error, None) is error
    assert (error.errors, error.hint) == (before, InvalidAction.default_hint)


def test_odd_details_are_left_alone() -> None:
    """Lines about nested places, or of no known form, stay as they are."""
    error = refused("odd", {"type": "extra_forbidden", "loc": ["a", "b"], "msg": "no", "input": 1}, {"loc": None})
    before = list(error.errors)
    assert with_suggestions(error, CONNECT4).errors == before
    assert with_suggestions(InvalidAction(details={"errors": "text"}), CONNECT4).hint == InvalidAction.default_hint


def test_a_hint_that_is_there_is_kept() -> None:
    """A better hint is not replaced."""
    error = refused({"type": "missing", "loc": ["column"], "msg": "Field required"})
    error.hint = "mine"
    assert with_suggestions(error, CONNECT4).hint == "mine"


@pytest.mark.parametrize("schema", [None, action_shape({"properties": {"column": {"type": "integer"}}})])
def test_an_option_that_the_server_refused_is_told(schema: Any) -> None:
    """Also where no schema was known when the action went out."""
    wrong = [{"type": "extra_forbidden", "loc": ["timeout"], "msg": "no", "input": 5}]
    error = with_suggestions(InvalidAction("no", errors=["x"], details={"errors": wrong}), schema)
    assert "timeout is no field but an option" in str(error)
    assert (schema is None) or "fields: column; " in str(error)
