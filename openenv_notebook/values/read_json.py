"""JSON as servers write it -> Python values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pydantic_core
from pydantic_core import from_json

# Before pydantic 2.7.3 the fast reader reads some escapes wrong, without a word: "\u00e9" as two characters.
FAST_IS_RIGHT = tuple(int(part) for part in pydantic_core.__version__.split(".")[:3] if part.isdigit()) >= (2, 18, 4)
# Without a frame of Python's: for every reply. What it refuses may still be JSON.
quick_json: Callable[[bytes], Any] = from_json if FAST_IS_RIGHT else json.loads
# As deep as the fast reader goes; what walks through values relies on it.
_DEEPEST = 200


def read_json(data: bytes | str) -> Any:
    """Read JSON to what Python's own ``json`` reads, usually much faster.

    Half a surrogate pair (``"\\ud83d"``), which that writes and the fast reader refuses, is read as well.

    Args:
        data: The JSON; bytes are UTF-8.

    Returns:
        Dicts, lists, texts, numbers, booleans and None.

    Raises:
        ValueError: If it is not JSON, or nested more than 200 levels deep.
    """
    refused: ValueError | None = None
    if FAST_IS_RIGHT:
        try:
            return from_json(data)
        except ValueError as error:
            refused = error
    try:
        value = json.loads(data.decode() if isinstance(data, bytes) else data)
    except (ValueError, RecursionError) as error:
        raise refused or ValueError(f"{error}") from None
    if _is_too_deep(value):
        raise refused or ValueError("recursion limit exceeded")
    return value


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True
