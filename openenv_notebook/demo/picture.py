"""Pictures of a board, written as PNG with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from functools import lru_cache

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


def encode_png(rows: Sequence[bytes], palette: Sequence[Colour]) -> bytes:
    """Write rows of palette indices as a PNG file.

    Args:
        rows: One byte a pixel, its index in the palette; all rows equally long.
        palette: Up to 256 colours, each red, green, blue from 0 to 255.

    Returns:
        The file's bytes.
    """
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    # Level 3 is four times as fast as the default and good enough for flat colours.
    pixels = zlib.compress(b"".join(b"\x00" + row for row in rows), 3)
    colours = b"".join(bytes(colour) for colour in palette)
    chunks = ((b"IHDR", header), (b"PLTE", colours), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def draw_board(board: Sequence[Sequence[str]], visited: frozenset[tuple[int, int]], pixels: int = 160) -> bytes:
    """Draw a board of ``.``, ``#``, ``G`` and ``@`` cells.

    Args:
        board: Rows of cells.
        visited: Cells (row, column) where the player has been; they are tinted.
        pixels: About how wide the picture is to be; each cell gets a whole number of pixels.

    Returns:
        A PNG file.
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
