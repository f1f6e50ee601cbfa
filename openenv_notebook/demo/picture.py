"""Pictures of a board, written as PNG with the standard library alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from openenv_notebook.values.png import encode_png

Colour = tuple[int, int, int]
Sprite = tuple[bytes, ...]

_FREE, _WALL, _LINE, _GOAL, _PLAYER, _TRAIL, _EYE = range(7)
_PALETTE: tuple[Colour, ...] = (
    (250, 250, 247),
    (55, 65, 81),
    (222, 224, 228),
    (22, 163, 74),
    (234, 88, 12),
    (219, 234, 254),
    (255, 255, 255),
)


def draw_board(board: Sequence[Sequence[str]], visited: frozenset[tuple[int, int]], pixels: int = 160) -> bytes:
    """Draw rows of ``.``, ``#``, ``G`` and ``@`` cells as a PNG file.

    Cells (row, column) in ``visited``, where the player has been, are tinted. The picture is about ``pixels`` wide:
    each cell gets a whole number of them.
    """
    side = max(pixels // len(board), 4)
    lines: list[bytes] = []
    for row, cells in enumerate(board):
        sprites = [_sprite(cell, (row, column) in visited, side) for column, cell in enumerate(cells)]
        lines += map(b"".join, zip(*sprites, strict=True))
    return encode_png(lines, _PALETTE)


@lru_cache(maxsize=256)
def _sprite(cell: str, visited: bool, side: int) -> Sprite:
    return tuple(bytes(_pixel(cell, visited, side, x, y) for x in range(side)) for y in range(side))


def _pixel(cell: str, visited: bool, side: int, x: int, y: int) -> int:
    if x == side - 1 or y == side - 1:
        return _LINE
    if cell == "#":
        return _WALL
    # Measured from the middle in units of half a cell, so that all sizes look alike.
    across, down = (2 * x + 1) / (side - 1) - 1, (2 * y + 1) / (side - 1) - 1
    if cell == "@" and across**2 + down**2 < 0.6:
        eye = abs(abs(across) - 0.28) < 0.12 and abs(down + 0.2) < 0.15
        return _EYE if eye else _PLAYER
    if cell == "G" and abs(across) + abs(down) < 0.8:
        return _GOAL
    return _TRAIL if visited else _FREE
