"""Boards, numbers, conversations, secrets: what a value holds decides how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from openenv_notebook.jupyter.show.any_value import repr_of, to_html, to_text
from openenv_notebook.jupyter.show.find_board import board_of_fen, board_of_rows
from openenv_notebook.jupyter.show.numbers import number, read_array, sparkline, summary
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.messages import Observation, StepResult
from openenv_notebook.values.secrets import hides, is_secret_schema


def shown(value: Any) -> str:
    """The text of an observation without the line of its result."""
    return (to_text(StepResult(value)) or "").partition("\n")[2]


@pytest.mark.parametrize(
    ("name", "value", "is_board"),
    [
        ("x", [[0, 1, 2], [3, 4, 5], [6, 7, 8]], True),
        ("x", [["X", "O", None], ["", "X", "."], ["O", "@", "#"]], True),
        ("x", [[True, False, True]] * 3, True),
        ("x", [[0.25, 1.0, float("nan")]] * 3, True),
        ("board", ["...", ".#.", "..G"], True),
        ("words", ["cat", "dog", "emu"], False),
        ("x", [[0, 1], [2, 3]], False),
        ("x", [[0, 1, 2], [3, 4], [5, 6, 7]], False),
        ("x", [["longer than a cell"] * 3] * 3, False),
        ("x", [[{}, 1, 2]] * 3, False),
        ("x", [[0] * 41] * 41, False),
        ("x", [[100_000, 1, 2]] * 3, False),
        ("board", ["...", 1, "..."], False),
        ("x", "...", False),
    ],
)
def test_boards_are_small_grids_of_short_values(name: str, value: Any, is_board: bool) -> None:
    """Grids that can be seen at once are boards; rows of characters only under a name that says so."""
    assert (board_of_rows(name, value) is not None) == is_board


def test_a_position_of_chess_is_drawn() -> None:
    """A FEN gives eight rows with the names chess players use; other texts give none."""
    board = board_of_fen("rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq - 1 1")
    assert board is not None
    assert "".join(board.cells[0]) == "♜♞♝♛♚♝♞♜"
    assert board.cells[5][2] == "♘"
    assert (board.rows[0], board.columns[0]) == ("8", "a")
    for text in ("", "8/8/8", "9/8/8/8/8/8/8/8 w - - 0 1", "7/8/8/8/8/8/8/8 w - - 0 1", "x" * 200):
        assert board_of_fen(text) is None


def test_the_ground_of_a_board_is_quiet() -> None:
    """What fills most of a board is written plainly, what stands on it boldly: a cell table, or lines where large."""
    small = to_html(StepResult({"board": [["a", "a", "a"], ["a", "b", "a"], ["a", "a", "a"]]})) or ""
    assert small.count("font-weight:600") == 1
    large = to_html(StepResult({"grid": [1] * 255 + [2], "width": 16, "height": 16})) or ""
    assert "<pre" in large
    assert large.count("> 2</b>") == 1


def test_arrays_are_summed_up() -> None:
    """Arrays of numbers give shape, least, greatest and mean, and their numbers in a closed fold."""
    value = {"a": [[[0.0, 1.0]] * 3] * 4, "b": list(range(100)), "c": [float("nan")] * 40}
    assert shown(value) == (
        "a  4×3×2 numbers · min 0 · max 1 · mean 0.5\n"
        "b  100 numbers · min 0 · max 99 · mean 49.5  ▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇████\n"
        "c  40 numbers · 40 not finite"
    )
    written = to_html(StepResult(value)) or ""
    assert written.count("<details><summary>the numbers</summary>") == 3


def test_arrays_of_numpy_are_read() -> None:
    """Typed observations may hold arrays of numpy; a picture among them is drawn."""
    numpy = pytest.importorskip("numpy")
    written = to_html(StepResult({"a": numpy.zeros((20, 30, 3), "uint8"), "b": numpy.float64(0.5)})) or ""
    assert "a: PNG picture, 30×20" in written
    assert "0.5" in written
    assert "array(" in shown({"a": numpy.zeros((1000, 1000))})


@pytest.mark.parametrize("value", [[], [[]], [[1], [1, 2]], [1, "x"], [[1], 2], "12", {"a": 1}, [[[]]], [[1], [[2]]]])
def test_what_is_no_rectangle_of_numbers_is_no_array(value: Any) -> None:
    """Ragged, mixed and empty lists are read as lists."""
    assert read_array(value) is None


def test_numbers_are_short() -> None:
    """Numbers take some ten characters, whatever they are."""
    assert [number(value) for value in (0.45999999999999996, 3, True, -0.0, 1e300)] == [
        "0.46",
        "3",
        "True",
        "-0",
        "1e+300",
    ]
    assert number(10**5000) == "about 10^5000"
    assert number(-(10**20)) == "about -10^20"
    assert number(float("inf")) == "inf"
    array = read_array([10**400, 1, 2])
    assert array is not None
    assert "min 1" in summary(array)[0]


def test_a_curve_is_a_line_of_blocks() -> None:
    """The lowest is ▁, the highest █; a level line stays at the bottom."""
    assert sparkline([0, 1, 2, 3]) == "▁▃▅█" or sparkline([0, 1, 2, 3])[0] + sparkline([0, 1, 2, 3])[-1] == "▁█"
    assert sparkline([5, 5]) == "▁▁"
    assert sparkline([]) == ""
    assert len(sparkline(range(1000))) == 32


def test_conversations_are_read_as_such() -> None:
    """Messages: who spoke, and what, line ends kept; parts of texts are joined, calls stand below."""
    value = {
        "messages": [
            {"role": "user", "content": "Where?\nSay it."},
            {"role": "assistant", "content": [{"type": "text", "text": "South."}], "tool_calls": [{"name": "go"}]},
        ]
    }
    text = shown(value)
    assert "user       Where?\n                     Say it." in text
    assert "assistant  South." in text
    assert "go" in text
    long = {"messages": [{"role": "user", "content": str(place)} for place in range(100)]}
    assert "90 earlier messages" in shown(long)


def test_long_texts_are_folded() -> None:
    """The beginning is seen, the rest is in a closed fold, and how much there is is said."""
    written = to_html(StepResult({"log": "line\n" * 100}))
    assert written is not None
    assert "<details><summary>101 lines, 500 characters</summary>" in written
    assert "101 lines" in shown({"log": "line\n" * 100})


def test_texts_that_look_like_values_are_quoted() -> None:
    """A text '5' is not taken for a number, nor '' for nothing."""
    assert (
        shown({"a": "5", "b": "", "c": "None", "d": "five", "e": " x"}) == "a  '5'\nb  ''\nc  'None'\nd  five\ne  ' x'"
    )


def test_lists_of_objects_are_tables() -> None:
    """Objects of the same few fields stand below each other, numbers to the right."""
    rows = [{"name": "left", "score": 1}, {"name": "right", "score": 22}]
    assert shown({"moves": rows}) == "moves  name   score\n       left       1\n       right     22"


def test_nested_objects_fold() -> None:
    """Few short fields stand in a line, more open or closed by how deep they are."""
    value = {"few": {"a": 1, "b": "x"}, "many": {"in": {str(key): {"k": [1, "x"]} for key in range(9)}}}
    assert shown(value) == "few   a 1  ·  b x\nmany  in  … 9 fields: 0, 1, 2, 3, 4, 5, 6, 7"
    assert "<details><summary>9 fields" in (to_html(StepResult(value)) or "")


@pytest.mark.parametrize(
    ("name", "value", "is_hidden"),
    [
        ("password", "x", True), ("db_password", 1234, True), ("api_key", "x", True), ("apiKey", "x", True),
        ("APIKey", "x", True), ("hf_token", "x", True), ("accessToken", "x", True), ("Authorization", "x", True),
        ("client_secret", {"value": "x"}, True), ("secrets", ["x"], True), ("private-key", "x", True),
        ("cookie", "x", True), ("token", "x", True), ("x-api-key", "x", True), ("credentials", {"a": 1}, True),
        ("token", 17, False), ("tokens", [1, 2], False), ("max_tokens", 5, False), ("key", "x", False),
        ("keyboard", "x", False), ("secretary", "x", False), ("password", "", False), ("password", None, False),
        ("has_password", True, False), ("monkey", "x", False), ("secret", [], False),
    ],
)  # fmt: skip
def test_secrets_are_known_by_their_names(name: str, value: Any, is_hidden: bool) -> None:
    """Names that say secret hide their value, in any way of writing; numbers of tokens do not."""
    assert hides(name, value) == is_hidden


def test_secrets_are_shown_nowhere() -> None:
    """Not in a field, a nested object, a row of a table, a result's metadata, text or HTML."""
    result = StepResult(
        {
            "api_key": "hunter2",
            "nested": {"password": "hunter2", "a": 1},
            "deep": {"a": {"b": {"c": {"token": "hunter2"}}}},
            "rows": [{"name": "x", "secret": "hunter2"}] * 2,
            "long": [{"secret": "hunter2", "x": [{}]}] * 30,
            "far": {"a": [{"b": [{"c": [{"d": {"e": [1, {"token": "hunter2"}]}}]}]}]},
            "messages": [{"role": "user", "content": "x", "tool_calls": [{"arguments": {"api_key": "hunter2"}}]}],
        },
        metadata={"authorization": "Bearer hunter2"},
    )
    sent = Step("step", {"arguments": {"api_key": "hunter2"}, "password": "hunter2"}, result)
    made = Episode()
    made.append(sent)
    for value in (result, [result], sent, [sent], made, AttributeDict(result.observation)):
        for written in (to_text(value), to_html(value), repr_of(value) if isinstance(value, dict) else ""):
            assert written is not None
            assert "hunter2" not in written
    for written in (to_text(result), to_html(result)):
        assert written is not None
        assert "hunter2" not in written
        assert "••••••" in written


def test_schemas_say_what_is_secret() -> None:
    """``format: password`` and ``writeOnly`` hide a model's field and a schema's default; so does SecretStr."""

    class Seen(Observation):
        pin: str = Field("", json_schema_extra={"writeOnly": True})
        phrase: str = Field("", json_schema_extra={"format": "password"})
        kept: SecretStr = SecretStr("")

    @dataclass
    class Account:
        name: str
        code: str = field(repr=False)

    class Holder(BaseModel):
        account: Account

    seen = Seen(pin="hunter2", phrase="hunter2", kept=SecretStr("hunter2"))
    schema = {"properties": {"pin": {"type": "string", "format": "password", "default": "hunter2"}}}
    for value in (seen, StepResult(seen), AttributeDict(schema), StepResult(Holder(account=Account("x", "hunter2")))):
        for written in (to_text(value), to_html(value)):
            assert written is not None
            assert "hunter2" not in written
    assert is_secret_schema({"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]})
    assert not is_secret_schema({"type": "string"})
    assert not is_secret_schema(lambda schema: None)
