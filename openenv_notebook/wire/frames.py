"""WebSocket text frames of the plain kind, written and read in one go (RFC 6455 §5.2).

Nearly all of a session is whole, unfragmented text frames without extensions. They need no
state machine; everything else goes the usual way through ``websockets``.
"""

from __future__ import annotations

import os
import struct

from websockets.frames import Frame, apply_mask  # type: ignore[attr-defined]

_FINAL_TEXT = 0x81
_MASKED = 0x80


def masked_text(data: bytes) -> bytes:
    """Write a whole frame of UTF-8 text as a client sends it, masked with a new key."""
    size = len(data)
    if size < 126:
        head = struct.pack("!BB", _FINAL_TEXT, _MASKED | size)
    elif size < 65536:
        head = struct.pack("!BBH", _FINAL_TEXT, _MASKED | 126, size)
    else:
        head = struct.pack("!BBQ", _FINAL_TEXT, _MASKED | 127, size)
    key = os.urandom(4)
    return head + key + apply_mask(data, key)


def text_head(chunk: bytes) -> tuple[int, int] | None:
    """Read how long head and text are of the whole, unmasked text frame that a chunk begins with.

    None where it begins with any other kind of frame, or is too short to tell.
    """
    if len(chunk) < 2 or chunk[0] != _FINAL_TEXT:
        return None
    size = chunk[1]
    if size < 126:
        return 2, size
    if size == 126 and len(chunk) >= 4:
        return 4, int.from_bytes(chunk[2:4], "big")
    if size == 127 and len(chunk) >= 10:
        return 10, int.from_bytes(chunk[2:10], "big")
    return None


def wire_size(frame: Frame) -> int:
    """Tell how many bytes an unmasked frame without extensions, as ``websockets`` read it, took on the wire."""
    size = len(frame.data)
    return size + (2 if size < 126 else 4 if size < 65536 else 10)
