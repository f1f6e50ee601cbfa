"""Finding boards: nested lists of small values, rows of characters, chess positions."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from typing import Any

from openenv_notebook.jupyter.show.blocks import Board

_MOST_CELLS, _LEAST_SIDE, _MOST_SIDE = 400, 3, 40
_LONGEST_CELL, _LONGEST_NAME = 4, 100
# Rows of characters look like any list of words of equal length, so the name must tell.
_NAMES = re.compile(r"board|grid|map|maze|field|lake|rows|level|world|screen|render", re.IGNORECASE)
_FEN = re.compile(
    r"([pnbrqkPNBRQK1-8]{1,8}(?:/[pnbrqkPNBRQK1-8]{1,8}){7}) [wb] [KQkqA-Ha-h-]{1,4} (?:-|[a-h][1-8])(?: .*)?"
)
_PIECES = dict(zip("kqrbnpKQRBNP", "♚♛♜♝♞♟♔♕♖♗♘♙", strict=True))
_EMPTY = "·"
_QUIET = frozenset({_EMPTY, "", " ", ".", "_", "-"})


def board_of_rows(name: str, value: Any) -> Board | None:
    """Read a board from nested lists of small scalars, or, under a name such as ``board``, from rows of characters.

    None for what is none or is too large to be seen at once.
    """
    if not isinstance(value, (list, tuple)) or not _LEAST_SIDE <= len(value) <= _MOST_SIDE:
        return None
    if all(isinstance(row, str) for row in value) and not _NAMES.search(name[:_LONGEST_NAME]):
        return None
    kinds = (str,) if isinstance(value[0], str) else (list, tuple)
    if not all(isinstance(row, kinds) for row in value):
        return None
    width = len(value[0])
    if (
        not _LEAST_SIDE <= width <= _MOST_SIDE
        or width * len(value) > _MOST_CELLS
        or any(len(row) != width for row in value)
    ):
        return None
    return _board([list(row) for row in value])


def board_of_list(name: str, value: Any, shape: tuple[int, ...]) -> Board | None:
    """Read a board from a list that is nested, or flat with rows and columns in its shape; None for anything else."""
    if not isinstance(value, (list, tuple)) or not value:
        return None
    is_flat = len(shape) == 2 and not isinstance(value[0], (list, tuple, str))
    if is_flat and len(value) == math.prod(shape) <= _MOST_CELLS:
        value = [value[start : start + shape[1]] for start in range(0, len(value), shape[1])]
    found = board_of_rows(name, value)
    return replace(found, name=name[:_LONGEST_NAME]) if found is not None else None


def _board(rows: list[list[Any]]) -> Board | None:
    cells = [[_cell(value) for value in row] for row in rows]
    if any(cell is None for row in cells for cell in row):
        return None
    shown = [[cell or "" for cell in row] for row in cells]
    has_zero = any(isinstance(value, (int, float)) and value == 0 for row in rows for value in row)
    if has_zero:
        shown = [
            [
                _EMPTY if isinstance(value, (int, float)) and value == 0 else cell
                for cell, value in zip(*both, strict=True)
            ]
            for both in zip(shown, rows, strict=True)
        ]
    note = f"{len(shown)}×{len(shown[0])}" + (f", {_EMPTY} is 0" if has_zero else "")
    # What most cells hold is the ground that the others stand on.
    cell, times = Counter(cell for row in shown for cell in row).most_common(1)[0]
    quiet = _QUIET | {cell} if times * 2 > len(shown) * len(shown[0]) else _QUIET
    return Board(tuple(map(tuple, shown)), quiet, note)


def _cell(value: Any) -> str | None:
    """Write a cell; None where it is too long for one, or no scalar."""
    if value is None or isinstance(value, str):
        text = value or ""
    elif isinstance(value, bool):
        text = str(int(value))
    elif isinstance(value, float):
        text = f"{value:g}" if value.is_integer() else f"{value:.2f}"
    elif isinstance(value, int) and abs(value) < 10**_LONGEST_CELL:
        text = str(value)
    else:
        return None
    return text if len(text) <= _LONGEST_CELL else None


def board_of_fen(text: str) -> Board | None:
    """Draw the board of a chess position in Forsyth-Edwards notation; None for other texts."""
    found = _FEN.fullmatch(text) if len(text) < 120 else None
    if found is None:
        return None
    rows = [re.sub("[1-8]", lambda run: _EMPTY * int(run[0]), row) for row in found[1].split("/")]
    if any(len(row) != 8 for row in rows):
        return None
    return Board(
        tuple(tuple(_PIECES.get(cell, cell) for cell in row) for row in rows), _QUIET, "", "abcdefgh", "87654321"
    )
