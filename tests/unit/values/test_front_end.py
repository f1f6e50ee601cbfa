"""What a front end says is asked; without one nobody owns, names or shows anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from openenv_notebook.values import front_end
from openenv_notebook.values.front_end import FrontEnd, Line, Owner


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave no front end behind."""
    yield
    front_end.install(None)


def test_without_a_front_end_there_is_nobody() -> None:
    """A plain program has no owner and no cells, and the line of a run shows nothing."""
    assert front_end.current_owner() is None
    assert front_end.cell_name("/tmp/1.py") is None
    line = front_end.new_line()
    line.show("half")
    line.close("done")


def test_what_a_front_end_says_is_asked_each_time() -> None:
    """Owner, names of cells and lines come from the front end, until it is taken away."""
    line, runs = Line(), iter((1, 2))
    front_end.install(
        FrontEnd(
            owner=lambda: Owner("cell", next(runs)),
            line=lambda: line,
            cell_name=lambda file: "Cell In[5]" if file == "a" else None,
        )
    )
    assert [front_end.current_owner(), front_end.current_owner()] == [Owner("cell", 1), Owner("cell", 2)]
    assert [front_end.cell_name("a"), front_end.cell_name("b")] == ["Cell In[5]", None]
    assert front_end.new_line() is line
    front_end.install(None)
    assert front_end.current_owner() is None
    assert front_end.new_line() is not line


def test_what_is_left_out_is_as_in_a_program() -> None:
    """A front end that only names cells has no owner and shows no line."""
    front_end.install(FrontEnd(cell_name=str.upper))
    assert (front_end.current_owner(), front_end.cell_name("a")) == (None, "A")
    assert type(front_end.new_line()) is Line
