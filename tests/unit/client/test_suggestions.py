"""Better words for an action the server refused."""

from __future__ import annotations

from typing import Any

import pytest
from support.recorded import schemas

from openenv_notebook.client.suggestions import with_suggestions
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.wire.replies import error_lines

CONNECT4 = schemas()["connect4"]["action"]


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
    assert (error.errors, error.hint) == (before, None)


def test_odd_details_are_left_alone() -> None:
    """Lines about nested places, or of no known form, stay as they are."""
    error = refused("odd", {"type": "extra_forbidden", "loc": ["a", "b"], "msg": "no", "input": 1}, {"loc": None})
    before = list(error.errors)
    assert with_suggestions(error, CONNECT4).errors == before
    assert with_suggestions(InvalidAction(details={"errors": "text"}), CONNECT4).hint is None


def test_a_hint_that_is_there_is_kept() -> None:
    """A better hint is not replaced."""
    error = refused({"type": "missing", "loc": ["column"], "msg": "Field required"})
    error.hint = "mine"
    assert with_suggestions(error, CONNECT4).hint == "mine"


@pytest.mark.parametrize("schema", [None, {"properties": {"column": {"type": "integer"}}}])
def test_an_option_that_the_server_refused_is_told(schema: Any) -> None:
    """Also where no schema was known when the action went out."""
    wrong = [{"type": "extra_forbidden", "loc": ["timeout"], "msg": "no", "input": 5}]
    error = with_suggestions(InvalidAction("no", errors=["x"], details={"errors": wrong}), schema)
    assert "timeout is no field but an option" in str(error)
    assert (schema is None) or "fields: column; " in str(error)
