"""What changed since the step before, marked by more than a colour."""

from __future__ import annotations

from typing import Any

import pytest
from support.markup import check_html
from support.recorded import results

from openenv_notebook.jupyter.show.as_html import write_html
from openenv_notebook.jupyter.show.as_text import write_text
from openenv_notebook.jupyter.show.changes import changed_names, changes_text, is_same
from openenv_notebook.jupyter.show.observations import changes, of_observation
from openenv_notebook.values.messages import Observation, StepResult

NAN = float("nan")


class Seen(Observation):
    """A typed observation."""

    score: int = 0


@pytest.mark.parametrize(
    ("now", "before", "names"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, ()),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, ("b",)),
        ({"a": 1, "new": None}, {"a": 1}, ("new",)),
        ({"a": 1}, {"a": 1, "gone": 2, "nothing": None}, ("gone",)),
        ({"metadata": {"x": 1, "y": 2}}, {"metadata": {"x": 0, "y": 2}}, ("x",)),
        ({"metadata": {"x": 1}}, {}, ("metadata",)),
        ({"inside": {"x": [1, {"y": 2}]}}, {"inside": {"x": [1, {"y": 3}]}}, ("inside",)),
        ({"a": NAN}, {"a": NAN}, ()),
        (Seen(score=2), Seen(score=1), ("score",)),
        ("text", "text", ()),
        ([1, 2], [1, 3], ("value",)),
        ({"a": 1}, "text", ("value",)),
    ],
)
def test_changed_fields_are_named(now: Any, before: Any, names: tuple[str, ...]) -> None:
    """New, changed and vanished fields are named, of metadata those inside it; a value without fields is one."""
    assert changed_names(now, before) == names


def test_names_are_few_in_a_line() -> None:
    """Four names at most are written out, and that nothing changed is said."""
    assert changes_text(("board", "next_player")) == "changed: board, next_player"
    assert changes_text(tuple("abcdef")) == "changed: a, b, c, d and 2 more"
    assert changes_text(()) == "nothing changed"
    assert changes(StepResult({"a": 1}), None) == ""


def test_whatever_cannot_be_compared_has_changed() -> None:
    """Values whose comparison fails are not the same, arrays are compared item by item."""
    circle: list[Any] = []
    circle.append(circle)
    other: list[Any] = []
    other.append(other)
    assert not is_same(circle, other)
    assert is_same(circle, circle)
    numpy = pytest.importorskip("numpy")
    assert is_same(numpy.ones(3), numpy.ones(3))
    assert not is_same(numpy.ones(3), numpy.zeros(3))
    assert not is_same(numpy.ones(3), numpy.ones(4))


def test_a_changed_cell_is_marked_by_a_ring_and_by_words() -> None:
    """A move in connect4: its cell is ringed and bold in HTML, in brackets in text, and named above the board."""
    shown = results("connect4")
    block = of_observation(shown[3], shown[2])
    text, written = write_text(block), write_html(block)
    assert "   4   ·   ·   · [ 1]  ·   ·   ·".strip() in text
    assert text.startswith("6×7, · is 0 · changed: row 4 column 3\n")
    assert "metadata *     next_player -1" in text
    assert "legal_actions  [" in text
    assert written.count("outline:2px") == 1
    assert "changed: row 4 column 3" in check_html(written)
    assert "<b style=" in written.partition("next_player")[0].rpartition("<td role")[2]


def test_only_what_was_before_is_compared() -> None:
    """The first observation marks nothing, and a board of another size is another board."""
    first = of_observation(results("connect4")[0])
    assert "changed" not in write_text(first) and "*" not in write_text(first)
    small, large = StepResult({"board": [[0] * 3] * 3}), StepResult({"board": [[0] * 4] * 4})
    text = write_text(of_observation(large, small))
    assert "[" not in text and "cells" not in text


def test_flat_boards_and_chess_positions_are_compared() -> None:
    """Cells of a flat grid and of a position in FEN are marked too; many are counted."""
    shown = results("wildfire")
    assert "12 cells changed" in write_text(of_observation(shown[3], shown[2]))
    before = StepResult({"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"})
    after = StepResult({"fen": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"})
    assert write_text(of_observation(after, before)).startswith("changed: e4, e2\n")


def test_new_messages_are_marked() -> None:
    """In a conversation the messages that were not there before are new, by a word."""
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]
    block = of_observation(StepResult({"messages": said}), StepResult({"messages": said[:1]}))
    assert write_text(block) == "user         Hello\nassistant *  Good day"
    written = write_html(block)
    assert "<b>assistant</b> · new" in written
    assert "<b>user</b><" in written
    check_html(written)
