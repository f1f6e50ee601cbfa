"""What a front end installs is asked; without one nobody owns, names or shows anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from openenv_notebook.values import front_end
from openenv_notebook.values.front_end import Line, Owner


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave no front end behind."""
    yield
    front_end.set_owner(None)
    front_end.set_cell_names(None)
    front_end.set_line(None)


class Shown(Line):
    """A line that notes what it is to show."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def show(self, text: str) -> None:
        """Note it."""
        self.told.append(text)

    def close(self, text: str) -> None:
        """Note it."""
        self.told.append(f"{text}.")


def test_without_a_front_end_there_is_nobody() -> None:
    """A plain program has no owner and no cells, and the line of a run shows nothing."""
    assert front_end.current_owner() is None
    assert front_end.cell_name("/tmp/1.py") is None
    line = front_end.new_line()
    line.show("half")
    line.close("done")


def test_what_a_front_end_installs_is_asked_each_time() -> None:
    """Owner, names of cells and lines come from the front end, until it takes them away."""
    line, runs = Shown(), iter((1, 2))
    front_end.set_owner(lambda: Owner("cell", next(runs)))
    front_end.set_cell_names(lambda file: "Cell In[5]" if file == "a" else None)
    front_end.set_line(lambda: line)
    assert [front_end.current_owner(), front_end.current_owner()] == [Owner("cell", 1), Owner("cell", 2)]
    assert [front_end.cell_name("a"), front_end.cell_name("b")] == ["Cell In[5]", None]
    assert front_end.new_line() is line
    front_end.set_owner(None)
    assert front_end.current_owner() is None
