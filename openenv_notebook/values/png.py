"""Writing PNG files with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB, _INDEXED = 0, 2, 3
_COLOUR_TYPES = {1: _GREY, 3: _RGB, 4: 6}


def encode_png(rows: Sequence[bytes], palette: Sequence[tuple[int, int, int]]) -> bytes:
    """Write equally long rows of palette indices, one byte a pixel, as a PNG file; at most 256 colours of 0 to 255."""
    colours = _chunk(b"PLTE", b"".join(bytes(colour) for colour in palette))
    return _file(len(rows[0]), rows, _INDEXED, colours)


def encode_pixels(pixels: bytes, width: int, height: int) -> bytes:
    """Write pixels as a PNG file: row by row, one byte a sample.

    1 sample a pixel is grey, 3 are red, green, blue, 4 have alpha besides. Raises ValueError if the number of samples
    fits no such picture.
    """
    channels = len(pixels) // (width * height) if width > 0 and height > 0 else 0
    if channels not in _COLOUR_TYPES or channels * width * height != len(pixels):
        raise ValueError(f"{len(pixels)} samples make no picture of {width} × {height}")
    stride = channels * width
    rows = [pixels[start : start + stride] for start in range(0, len(pixels), stride)]
    return _file(width, rows, _COLOUR_TYPES[channels])


def _file(width: int, rows: Sequence[bytes], colour_type: int, palette: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, len(rows), 8, colour_type, 0, 0, 0)
    # Level 3 is four times as fast as the default and good enough for flat colours.
    data = zlib.compress(b"".join(b"\x00" + row for row in rows), 3)
    return SIGNATURE + _chunk(b"IHDR", header) + palette + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
