"""Every recorded reply of every environment, shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.markup import check_html, check_text
from support.recorded import exchanges, results, schemas, shapes

from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.as_html import LONGEST, size_without_pictures
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.messages import StepResult


def check(value: Any) -> str:
    """Check both forms of a value; return its text."""
    written, text = to_html(value), to_text(value)
    assert written is not None and text is not None
    check_html(written)
    check_text(text)
    assert size_without_pictures(written) <= LONGEST
    return text


@pytest.mark.parametrize("name", exchanges())
def test_each_result_is_bounded_and_escaped(name: str) -> None:
    """Results and observations of every environment: known tags only, within 60 kB and 60 lines."""
    for result in results(name):
        check(result)
        check(result.observation)


@pytest.mark.parametrize("name", exchanges())
def test_each_state_is_shown(name: str) -> None:
    """States are shown as fields."""
    frames = [json.loads(each["frame"]) for each in exchanges()[name] if each["dir"] == "recv"]
    for frame in frames:
        if frame.get("type") == "state":
            assert "step_count" in check(AttributeDict(frame["data"]))


@pytest.mark.parametrize("name", schemas())
def test_each_schema_is_a_table(name: str) -> None:
    """A row for each field of an action, whatever else the server has; the others are folded."""
    schema = AttributeDict(schemas()[name])
    text = check(schema)
    if "action" in schema:
        fields = schema["action"].get("properties", {})
        assert all(field in text for field in fields)
        assert "observation: " in text
        assert str(to_text(schema["action"])).split("\n")[0] in text


@pytest.mark.parametrize("name", shapes())
def test_each_shape_of_a_schema_is_a_table(name: str) -> None:
    """Whatever pydantic writes for an action can be shown."""
    check(AttributeDict(shapes()[name]))


def test_a_picture_takes_a_few_lines() -> None:
    """An atari reset is a few lines of text, not 460,000 characters, and a picture in HTML."""
    first = results("atari")[0]
    text, written = to_text(first), to_html(first)
    assert text is not None and written is not None
    assert len(text) < 1_000
    assert "[screen: PNG picture, 160×210]" in text
    assert 'width="160" height="210"' in written
    assert written.count("<img ") == 1


def test_a_board_is_lines() -> None:
    """A connect4 result in a terminal: reward and end first, the board as it stands, the rest below."""
    shown: list[StepResult[Any]] = results("connect4")
    assert to_text(shown[3]) == (
        "reward 0  ·  done no\n"
        "board          6×7, · is 0\n"
        "                   0  1  2  3  4  5  6\n"
        "               0   ·  ·  ·  ·  ·  ·  ·\n"
        "               1   ·  ·  ·  ·  ·  ·  ·\n"
        "               2   ·  ·  ·  ·  ·  ·  ·\n"
        "               3   ·  ·  ·  ·  ·  ·  ·\n"
        "               4   ·  ·  ·  1  ·  ·  ·\n"
        "               5  -1  ·  ·  1  ·  ·  ·\n"
        "legal_actions  [0, 1, 2, 3, 4, 5, 6]\n"
        "metadata       next_player -1"
    )


def test_a_question_is_text() -> None:
    """A reasoning_gym reset: the question with its line ends, what is None in one row."""
    assert to_text(results("reasoning_gym")[0]) == (
        "reward 0  ·  done no\n"
        "question  Your task is to count how many legs there are in total when given a list of animals.\n"
        "\n"
        "          Now, how many legs are there in total if you have 3 sea slugs, 12 deers, 2 giraffes, 11 elephants?\n"
        "None      score, correct_answer, dataset_metadata"
    )
