"""The one hook by which a front end says who it is: whose cell runs, what a cell is called, where a run is shown.

Without a front end there is no owner, so nothing is ever closed for the caller, cells are files, and a line shows
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Owner:
    """Who connected.

    Attributes:
        key: The cell, or the name; the same for each run of it.
        run: Which run of it.
    """

    key: Hashable
    run: Hashable


_owner: Callable[[], Owner | None] | None = None


def set_owner(provider: Callable[[], Owner | None] | None) -> None:
    """Install what names the owner of a new client; None takes it away.

    Args:
        provider: Returns the owner, or None where nobody can be named.
    """
    global _owner
    _owner = provider


def current_owner() -> Owner | None:
    """Name who is connecting now, or None."""
    return _owner() if _owner is not None else None


_cell_of: Callable[[str], str | None] | None = None


def set_cell_names(cell_of: Callable[[str], str | None] | None) -> None:
    """Install what names cells: a shell's files of them are temporary.

    Args:
        cell_of: Gives the name of the cell that a file holds, such as ``Cell In[5]``, or None.
            None in its place takes it away.
    """
    global _cell_of
    _cell_of = cell_of


def cell_name(file: str) -> str | None:
    """Name the cell that a file holds, or None."""
    return _cell_of(file) if _cell_of is not None else None


class Line:
    """One line of text that changes in place. This one is seen by nobody: a program has no screen."""

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""

    def close(self, text: str) -> None:
        """Show the last text; it stays."""


_line: Callable[[], Line] = Line


def set_line(factory: Callable[[], Line] | None) -> None:
    """Install what makes the line of a run; None takes it away.

    Args:
        factory: Makes a line, in the thread that waits for the run.
    """
    global _line
    _line = factory or Line


def new_line() -> Line:
    """Make the line of a run; one that nobody sees where none was installed."""
    return _line()
