"""The local check: what a server would refuse, said at the field before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.judge import theirs
from support.pace import HEAVY
from support.recorded import schemas, shapes
from support.shape_values import fitting

from openenv_notebook.schema.check import check, fitting_branch, own_problems, same
from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import (
    Array,
    Boolean,
    Choice,
    Const,
    Dictionary,
    Json,
    Number,
    Object,
    Shape,
    Text,
    Tuple,
    Union,
)

SCHEMAS = {**shapes(), **{name: schema["action"] for name, schema in schemas().items() if "action" in schema}}
POINT = Object(fields=(Number(name="x", is_whole=True), Number(name="y", is_whole=True, required=False)))


@pytest.mark.parametrize(
    ("shape", "value", "expected"),
    [
        (Number(is_whole=True), True, "must be a whole number, not True"),
        (Number(is_whole=True), "3", "must be a whole number, not '3'"),
        (Number(is_whole=True), 1.5, "must be a whole number, not 1.5"),
        (Number(), None, "must be a number, not None"),
        (Number(minimum=0), -1, "must be 0 or more"),
        (Number(maximum=6), 7, "must be 6 or less"),
        (Number(above=0), 0, "must be more than 0"),
        (Number(below=1), float("nan"), "must be less than 1"),
        (Number(multiple_of=0.1), 0.25, "must be a multiple of 0.1"),
        (Text(), 3, "must be text, not a number"),
        (Text(longest=3), "four", "takes at most 3 characters, not 4"),
        (Text(shortest=1), "", "needs at least 1 character"),
        (Boolean(), 1, "must be true or false, not 1"),
        (Choice(values=("a", 1)), True, "must be one of a, 1, not True"),
        (Const(value="x"), "y", "must be 'x'"),
        (Const(value=1), True, "must be 1"),
        (Array(item=Text(), fewest=2), ["a"], "needs at least 2 items"),
        (Array(item=Text(), is_set=True), ["a", "a"], "must not have an item twice"),
        (Array(item=Text()), "a", "must be a list, not a text"),
        (Array(item=Text(), most=1), ["a", "b"], "takes at most 1 item, not 2"),
        (Tuple(items=(Text(), Number())), ["a"], "must have 2 items"),
        (Tuple(items=(Text(),)), {}, "must be a list, not a dict"),
        (Dictionary(values=Text(), most=1), {"a": "", "b": ""}, "takes at most 1 entry, not 2"),
        (Dictionary(values=Text(), fewest=1), {}, "needs at least 1 entry"),
        (Json(kind="object"), [], "must be an object, not a list"),
    ],
)
def test_what_is_wrong_is_said_in_words(shape: Shape, value: Any, expected: str) -> None:
    """Each rule has a message that reads well after a field's name."""
    assert check(shape, value) == [("", expected)]


def test_a_number_that_cannot_be_written_is_refused() -> None:
    """Python writes no number of more than 4300 digits; none of them is an error of ours."""
    assert check(Number(is_whole=True), 2**40_000) == [("", "is too big a number")]
    assert check(Boolean(), 2**40_000) == [("", "must be true or false, not so big a number")]


def test_a_value_of_any_depth_is_held_against_its_shape() -> None:
    """What is nested deeper than Python can compare is refused, and no error of ours."""
    deep, other = [0], [0]
    for _ in range(100_000):
        deep, other = [deep], [other]
    assert check(Const(value=deep), other) == [("", "is nested too deep")]


def test_other_names_are_taken_where_they_may_be() -> None:
    """An object that allows others takes any name, and holds what stands there against what others look like."""
    assert check(Object(fields=(), others=Json()), {"a": 1}) == []
    assert check(Object(fields=(), others=Text()), {"a": 1}) == [("a", "must be text, not a number")]


def test_paths_name_the_place() -> None:
    """Errors inside lists and objects say where."""
    shape = Object(fields=(Array(name="path", item=POINT), Dictionary(name="weights", values=Number())))
    wrong = {"path": [{"x": 1}, {"y": 2, "z": 3}], "weights": {"a.b": "heavy"}}
    assert check(shape, wrong) == [
        ("path[1].x", "is required"),
        ("path[1].z", "no such field"),
        ("weights.a.b", "must be a number, not 'heavy'"),
    ]


def test_the_nearest_name_is_offered() -> None:
    """A misspelt field is answered with what was probably meant."""
    shape = Object(fields=(Text(name="column", required=False),))
    assert check(shape, {"colum": 1}) == [("colum", "no such field; did you mean 'column'?")]


def test_null_is_taken_where_it_may_be() -> None:
    """A nullable field takes null and its own values."""
    assert check(Number(nullable=True, minimum=0), None) == []
    assert check(Number(nullable=True, minimum=0), -1) == [("", "must be 0 or more")]


def test_numbers_without_an_exact_step_are_multiples_all_the_same() -> None:
    """0.3 is a multiple of 0.1."""
    assert check(Number(multiple_of=0.1), 0.3) == []


def test_a_union_takes_what_a_branch_takes() -> None:
    """The branch is told by its constant, else by what fits, and its errors are those of the value."""
    cat = Object(fields=(Const(name="pet", value="cat"), Text(name="meow")))
    union = Union(branches=(cat, POINT, Number()), discriminator="pet")
    assert [fitting_branch(union, value) for value in ({"pet": "cat"}, {"x": 1}, 3)] == [0, 1, 2]
    assert check(union, {"pet": "cat", "meow": 1}) == [("meow", "must be text, not a number")]


@pytest.mark.parametrize(
    "other",
    [
        Const(value="x"), Choice(values=("x", "y")), Boolean(), Text(), Array(item=Text()), Tuple(items=(Text(),)),
        Object(fields=()), Dictionary(values=Text()), Json(kind="array"), Json(kind="object"),
    ],
    ids=lambda shape: type(shape).__name__,
)  # fmt: skip
def test_a_value_out_of_bounds_still_tells_its_branch(other: Shape) -> None:
    """Of a number that is too big it is said that it is too big, whatever else might have stood there."""
    assert fitting_branch(Union(branches=(other, Number(maximum=0))), 5) == 1


def test_a_branch_without_the_discriminator_is_passed_over() -> None:
    """The branch is found behind one that has no constant, and behind one that is no object."""
    told = Object(fields=(Const(name="type", value="a"), Number(name="n")))
    union = Union(branches=(Text(), POINT, told), discriminator="type")
    assert fitting_branch(union, {"type": "a"}) == 2


def test_what_is_wrong_with_a_value_itself_is_told_from_its_parts() -> None:
    """A list that is too short is wrong itself; an item that does not fit, or a field that is missing, is a part."""
    assert [problem.message for problem in own_problems(Array(item=Text(), fewest=2), [3])] == [
        "needs at least 2 items"
    ]
    assert own_problems(POINT, {"y": "no"}) == []
    assert [problem.path for problem in own_problems(POINT, 3)] == [()]


def test_true_is_not_one() -> None:
    """JSON tells true from 1, and not 1 from 1.0."""
    assert not same(True, 1) and same(1, 1.0) and same([{"a": 1}], [{"a": 1.0}]) and not same([1], [True])
    assert not same({"a": 1}, {"a": 1, "b": 2}) and not same({"a": 1}, {"a": 2}) and not same([1], [1, 2])


@pytest.mark.parametrize("name", SCHEMAS)
@given(data=st.data())
@HEAVY
def test_values_that_fit_are_taken_by_the_server_too(name: str, data: st.DataObject) -> None:
    """What the check lets through, jsonschema and a model of the same schema take; A48."""
    schema = SCHEMAS[name]
    value = data.draw(fitting(action_shape(schema)))
    assert check(action_shape(schema), value) == []
    assert theirs(schema, value) == []
    model_from_schema(action_shape(schema)).model_validate(value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_missing_is_missed_by_both(name: str) -> None:
    """An empty action is refused here exactly where a model refuses it for more than a missing constant."""
    shape = action_shape(SCHEMAS[name])
    if isinstance(shape, Union):
        return
    try:
        model_from_schema(shape).model_validate({})
        missing: set[str] = set()
    except ValidationError as error:
        missing = {str(each["loc"][0]) for each in error.errors()}
    assert {path for path, _ in check(shape, {})} == missing
