"""Finding pictures in what environments send: base64, bytes, flat and nested pixels."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from openenv_notebook.jupyter.show.blocks import Picture
from openenv_notebook.values.png import encode_pixels

# By the first bytes; SVG is no picture here, it can carry programs.
_KINDS = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff", "gif": b"GIF8", "webp": b"RIFF"}
_STARTS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
_DATA_URI = re.compile(r"data:image/(?:png|jpeg|jpg|gif|webp);base64,", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_LONGEST = 3_000_000
_MOST_PIXELS, _WIDEST = 16_000_000, 8192
_SMALLEST_SIDE = 8
# Where a JPEG says how large it is: frame headers but for the tables among them.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def picture_in_text(name: str, text: str) -> Picture | None:
    """Read a picture that is written as base64, with or without ``data:image/…``; the name is its field's.

    None where the text is none, is too large, or is not what it says.
    """
    found = _DATA_URI.match(text[:40])
    start = found.end() if found is not None else 0
    if not text.startswith(_STARTS, start) or len(text) > _LONGEST:
        return None
    data = text[start:].translate({10: None, 13: None})
    if len(data) < 32 or len(data) % 4 or _BASE64.fullmatch(data) is None:
        return None
    try:
        # The size stands in the first bytes; that of a JPEG behind its tables and thumbnail.
        head = base64.b64decode(data[: 4 * 16384])
    except binascii.Error:
        return None
    return _checked(name, data, head)


def picture_in_bytes(name: str, content: bytes) -> Picture | None:
    """Read a picture file; as :func:`picture_in_text`."""
    if len(content) > _LONGEST * 3 // 4 or not content.startswith(tuple(_KINDS.values())):
        return None
    return _checked(name, base64.b64encode(content).decode("ascii"), content[:49152])


def _checked(name: str, data: str, head: bytes) -> Picture | None:
    kind = next((kind for kind, magic in _KINDS.items() if head.startswith(magic)), None)
    if kind is None or (kind == "webp" and head[8:12] != b"WEBP"):
        return None
    try:
        width, height = _SIZES[kind](head)
    except (struct.error, IndexError):
        width = height = 0
    if kind != "jpeg" and not (width and height):
        return None
    # A small file can claim a size that a browser would run out of memory for.
    if max(width, height) > _WIDEST or width * height > _MOST_PIXELS:
        return None
    return Picture(kind, data, width, height, name)


def _webp_size(head: bytes) -> tuple[int, int]:
    form = head[12:16]
    if form == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if form == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _jpeg_size(head: bytes) -> tuple[int, int]:
    place = 2
    while place + 9 < len(head) and head[place] == 0xFF:
        marker = head[place + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", head[place + 5 : place + 9])
            return width, height
        place += 2 + struct.unpack(">H", head[place + 2 : place + 4])[0]
    return 0, 0


_SIZES: dict[str, Callable[[bytes], tuple[int, int]]] = {
    "png": lambda head: struct.unpack(">II", head[16:24]),
    "jpeg": _jpeg_size,
    "gif": lambda head: struct.unpack("<HH", head[6:10]),
    "webp": _webp_size,
}


def flat_shape(name: str, length: int, beside: Mapping[Any, Any]) -> tuple[int, ...] | None:
    """Find rows, columns and perhaps channels of a flat list in the fields beside it; None where nothing fits.

    Those are ``screen_shape`` for ``screen``, ``shape``, or ``width`` and ``height``.
    """
    for key in (f"{name}_shape", "shape"):
        shape: Any = beside.get(key)
        is_shape = isinstance(shape, (list, tuple)) and 2 <= len(shape) <= 3
        if is_shape and all(type(side) is int and side > 0 for side in shape) and math.prod(shape) == length:
            return tuple(shape)
    for prefix in (f"{name}_", ""):
        width, height = beside.get(f"{prefix}width"), beside.get(f"{prefix}height")
        if type(width) is int and type(height) is int and width > 0 and height > 0:
            channels, rest = divmod(length, width * height)
            if not rest and channels in (1, 3, 4):
                return (height, width) if channels == 1 else (height, width, channels)
    return None


def picture_of_pixels(name: str, values: Any, shape: tuple[int, ...]) -> Picture | None:
    """Draw samples from 0 to 255, row by row, in a flat list or nested ones; None where they are no pixels.

    The shape is rows, columns, and 1, 3 or 4 channels.
    """
    height, width, *channels = shape
    if min(height, width) < _SMALLEST_SIDE or (channels and channels[0] not in (1, 3, 4)):
        return None
    if math.prod(shape) > _MOST_PIXELS:
        return None
    try:
        samples = _samples(values)
    except (ValueError, TypeError):
        return None
    return picture_of_samples(name, samples, shape)


def picture_of_samples(name: str, samples: bytes, shape: tuple[int, ...]) -> Picture | None:
    """Draw pixels of a byte a sample; as :func:`picture_of_pixels`."""
    height, width = shape[0], shape[1]
    if len(samples) != math.prod(shape) or max(height, width) > _WIDEST:
        return None
    content = encode_pixels(samples, width, height)
    return Picture("png", base64.b64encode(content).decode("ascii"), width, height, name)


def _samples(values: Any) -> bytes:
    while isinstance(values[0], (list, tuple)):
        values = list(chain.from_iterable(values))
    return bytes(values)
