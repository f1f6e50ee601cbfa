"""How much of a traceback a notebook cell shows."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from openenv_notebook.values.front_end import as_typed, cell_name
from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.secrets import HIDDEN, is_secret_name

# What we wait by, and the shell, which older versions decorate, say as little of what a person did as we.
_NOT_THEIRS = {"openenv_notebook", "IPython", "ipykernel", "decorator", *sys.stdlib_module_names}

# The first of the person's lines, and the last ones, say enough of a deep call.
_MOST_LINES = 6

_WORD = re.compile(r"[\w-]+")
# A text in quotes, or what stands behind a =.
_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|([\w-]=)[^\s'"(){}\[\],]+""")
_HOLD_SECRETS = ("header", "headers", "--header", "env_vars")

_INSTALLED = {"site-packages", "dist-packages"}

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


def cell_lines(error: BaseException) -> list[str]:
    """Say where the person's own code was when an error came: a line for the place, and one of code.

    An error names itself in a few words; in a cell of many calls that does not tell which of them it was. Nothing is
    said of a cell of one line, and where no cell runs.
    """
    places = list(_places(error))
    cells = [file for is_cell, file, *_ in places if is_cell]
    if not cells or (len(places) == 1 and len("".join(linecache.getlines(cells[0])).strip().splitlines()) < 2):
        return []
    lines = [line for *_, place, code in places for line in (place, *code)]
    return lines if len(lines) <= _MOST_LINES else [*lines[:2], "  …", *lines[2 - _MOST_LINES :]]


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
    for *_, place, code in _places(error):
        yield from (place, *code)
    yield from "".join(traceback.format_exception_only(error)).rstrip().split("\n")


def _places(error: BaseException) -> Iterator[tuple[bool, str, str, list[str]]]:
    """Go through the person's own frames: whether it is a cell's, its file, the place, and its line."""
    for frame in traceback.StackSummary.extract(_theirs(error)):
        cell = cell_name(frame.filename)
        place = cell or f'File "{frame.filename}"'
        # IPython 7 gives each line of a cell a name.
        within = "" if frame.name.startswith(("<module>", "<cell line")) else f", in {frame.name}"
        code = [f"    {_without_secrets(as_typed(frame.line))}"] if frame.line else []
        yield cell is not None, frame.filename, f"  {place}, line {frame.lineno}{within}", code


def _without_secrets(line: str) -> str:
    """Hide all values in a line of code that names a secret, headers or an environment: it is kept with the output."""
    words = _WORD.findall(line)
    if not any(is_secret_name(word) or word in _HOLD_SECRETS for word in words):
        return line
    return _VALUE.sub(lambda found: f"{found[1] or ''}{HIDDEN}", line)


def _theirs(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    """Go through the frames that say what a person did: what we call of an installed package does not."""
    is_within_ours = False
    for frame, line in traceback.walk_tb(error.__traceback__):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in _NOT_THEIRS:
            is_within_ours |= package == __name__.partition(".")[0]
        elif not is_within_ours or not _INSTALLED.intersection(Path(frame.f_code.co_filename).parts):
            is_within_ours = False
            yield frame, line
