"""JSON as servers write it -> Python values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json

# Some fast readers (before pydantic 2.7.3) read escapes wrong, without a word: "\u00e9" as two characters.
_TRIED = r'["\u00e9", {"\u0080\u07ff": "\uffff"}, "a\u20ac\ud83d\ude00b"]'
FAST_IS_RIGHT = bool(from_json(_TRIED) == json.loads(_TRIED))
# Without a frame of Python's: for every reply. What it refuses may still be JSON.
quick_json: Callable[[bytes], Any] = from_json if FAST_IS_RIGHT else json.loads


class TooDeepError(ValueError):
    """It is nested deeper than Python's own ``json`` reads here, and may well be JSON."""


def read_json(data: bytes | str) -> Any:
    """Read JSON to what Python's own ``json`` reads, as deep as that goes, usually much faster.

    Half a surrogate pair (``"\\ud83d"``), which that writes and the fast reader refuses, is read as well.

    Args:
        data: The JSON; bytes are UTF-8.

    Returns:
        Dicts, lists, texts, numbers, booleans and None.

    Raises:
        TooDeepError: If it is nested too deep for Python's ``json``, a thousand levels or so.
        ValueError: If it is not JSON.
    """
    refused: ValueError | None = None
    if FAST_IS_RIGHT:
        try:
            return from_json(data)
        except ValueError as error:
            refused = error
    try:
        return json.loads(data.decode() if isinstance(data, bytes) else data)
    except RecursionError:
        raise TooDeepError(
            "it is nested deeper than can be read here; sys.setrecursionlimit() raises that limit"
        ) from None
    except ValueError as error:
        raise (error if refused is None or "recursion" in str(refused) else refused) from None
