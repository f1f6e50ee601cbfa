"""What a frame takes in memory once it is decoded, told from its bytes: nothing is decoded for it."""

from __future__ import annotations

# Of CPython 3.11 to 3.14, with the collector's own; rounded up, for a bound that is kept.
_BYTES, _PAIR, _LIST, _EMPTY, _TEXT, _NUMBER, _PLACE = 33, 40, 64, 80, 24, 32, 8
DICT, MODEL = 150, 500
# A number of up to three digits is there once for all.
_SHARED_NUMBER = 4.9


def weigh(frame: bytes, per_object: int = DICT) -> int:
    """Estimate the bytes that a frame of JSON and its values take together.

    ``per_object`` is for each object: ``DICT``, or ``MODEL`` where a class of the person's is made of it.
    """
    # Single bytes are counted as fast as memory is read.
    pairs, parts, lists, opened = frame.count(b":"), frame.count(b","), frame.count(b"["), frame.count(b"{")
    texts = max(0, frame.count(b'"') // 2 - pairs)
    empty = frame.count(b"{}") if opened > pairs and per_object == DICT else 0
    objects = opened - empty
    values = parts * (_PLACE + (_NUMBER if len(frame) > _SHARED_NUMBER * parts else 0))
    decoded = objects * per_object + empty * _EMPTY + pairs * _PAIR + lists * _LIST + values + texts * _TEXT
    if texts:
        decoded += len(frame) * _width(frame)
    return _BYTES + len(frame) + decoded


def _width(frame: bytes) -> int:
    """Give the bytes a character takes, at most: the widest decides for all of its text."""
    if frame.isascii():
        return 1 if b"\\" not in frame or b"\\u" not in frame else 4 if b"\\ud8" in frame.lower() else 2
    # In UTF-8 characters beyond 16 bits begin with these.
    return 4 if any(bytes([first]) in frame for first in range(0xF0, 0xF5)) else 2
