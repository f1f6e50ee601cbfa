"""The one hook by which a front end says who it is: whose cell runs, what a cell is called, where a run is shown.

Without a front end there is no owner, so nothing is ever closed for the caller, cells are files, and a line shows
nothing.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True)
class Owner:
    """Who connected: ``key`` is the cell, or the name, and the same for each ``run`` of it."""

    key: Hashable
    run: Hashable


class Line:
    """One line of text that changes in place. This one is seen by nobody: a program has no screen."""

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""

    def close(self, text: str) -> None:
        """Show the last text; it stays."""


@dataclass(frozen=True)
class FrontEnd:
    """What a front end says; what it leaves out is as in a program.

    ``owner`` names who is connecting now, None where nobody can be named. ``line`` makes the line of a run, in the
    thread that waits for it. ``cell_name`` names the cell that a file holds, such as ``Cell In[5]``, or None: a
    shell's files are temporary. ``as_typed`` gives a line of a cell as the person typed it.
    """

    owner: Callable[[], Owner | None] = lambda: None
    line: Callable[[], Line] = Line
    cell_name: Callable[[str], str | None] = lambda file: None
    as_typed: Callable[[str], str] = lambda line: line


# One run of a cell, or a program: the file its code stands in, and how many cells had been run by then.
Cell = tuple[str, int]
_front_end = FrontEnd()
_at_interrupt: list[Callable[[Cell], object]] = []


def install(front_end: FrontEnd | None) -> None:
    """Install a front end; None takes it away."""
    global _front_end
    _front_end = front_end or FrontEnd()


def current_owner() -> Owner | None:
    """Name who is connecting now, or None."""
    return _front_end.owner()


def new_line() -> Line:
    """Make the line of a run; one that nobody sees where there is no front end."""
    return _front_end.line()


def cell_name(file: str) -> str | None:
    """Name the cell that a file holds, or None."""
    return _front_end.cell_name(file)


def running_cell() -> Cell | None:
    """Find the cell, or the program, whose code called; None on a thread where nobody's did."""
    return _outermost(reversed([frame for frame, _ in traceback.walk_stack(sys._getframe(1))]))


def at_interrupt(end: Callable[[Cell], object]) -> None:
    """Have a function called with a cell that was interrupted, for what that has begun."""
    _at_interrupt.append(end)


def interrupted(error: BaseException) -> None:
    """Say that a cell was interrupted, by what its code raised."""
    cell = _outermost(frame for frame, _ in traceback.walk_tb(error.__traceback__))
    if cell is not None:
        for end in _at_interrupt:
            end(cell)


def _outermost(frames: Iterable[FrameType]) -> Cell | None:
    """Find the first of some frames that runs code of the person's own, where names of the notebook are global."""
    names = getattr(sys.modules.get("__main__"), "__dict__", {})
    file = next((frame.f_code.co_filename for frame in frames if frame.f_globals is names), None)
    return (file, len(names.get("In", ()))) if file is not None else None


def as_typed(line: str) -> str:
    """Give a line of code as the person typed it; the front end may have made Python of it."""
    return _front_end.as_typed(line)
