"""How much of a traceback a notebook cell shows."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from types import FrameType

from openenv_notebook.values.front_end import cell_name
from openenv_notebook.values.known_secrets import foreign_text

# What we wait by, and the shell, which older versions decorate, say as little of what a person did as we.
_NOT_THEIRS = ("openenv_notebook", "IPython", "ipykernel", "decorator", "threading", "asyncio")

_is_full = False


def show_full_tracebacks(on: bool) -> None:
    """Choose between short errors in a notebook cell (the default) and, when on, every frame of their tracebacks."""
    global _is_full
    _is_full = on


def full_traceback(error: BaseException) -> list[str] | None:
    """Give the lines of every frame of an error, where the person asked for that; None where errors are short."""
    return foreign_text("".join(traceback.format_exception(error)).rstrip()).split("\n") if _is_full else None


def shorten(error: BaseException) -> None:
    """Have a cell show only where the person's own code was, for an interrupt or a cancellation; errors stay whole."""
    if not isinstance(error, Exception):
        error._render_traceback_ = _OwnLines()  # type: ignore[attr-defined]


class _OwnLines:
    """Gives IPython the lines of the error it shows. It does not hold the error, which holds what its frames hold."""

    def __call__(self) -> list[str]:
        shown = (sys.exc_info()[1], getattr(sys, "last_value", None))
        error = next((each for each in shown if getattr(each, "_render_traceback_", None) is self), None)
        if error is None:
            return ["interrupted"]
        return full_traceback(error) or list(_own_lines(error))


def _own_lines(error: BaseException) -> Iterator[str]:
    yield "Traceback (most recent call last):"
    frames = traceback.walk_tb(error.__traceback__)
    for frame in traceback.StackSummary.extract((frame, line) for frame, line in frames if _is_theirs(frame)):
        place = cell_name(frame.filename) or f'File "{frame.filename}"'
        within = "" if frame.name == "<module>" else f", in {frame.name}"
        yield f"  {place}, line {frame.lineno}{within}"
        if frame.line:
            yield f"    {frame.line}"
    yield from "".join(traceback.format_exception_only(error)).rstrip().split("\n")


def _is_theirs(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] not in _NOT_THEIRS
