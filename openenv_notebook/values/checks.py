"""Checks of what a caller sets, when it is set: time limits, counts, speeds, seeds, headers and tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from openenv_notebook.values.errors import MisuseError

# RFC 9110 §5.6.2 and §5.5; what else stands in a value is for the server to say.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_A_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def check_seconds(**limits: Any) -> None:
    """Raise MisuseError where a limit, given under its argument's name, is neither None nor seconds from 0."""
    for name, value in limits.items():
        if value is not None and not (isinstance(value, Real) and 0 <= float(value) < math.inf):
            raise MisuseError(f"{name} is a number of seconds from 0, or None for no limit, not {value!r}")


def check_counts(**counts: Any) -> None:
    """Raise MisuseError where a count, given under its argument's name, is neither None nor a whole number from 1."""
    for name, value in counts.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise MisuseError(f"{name} is a whole number from 1, or None for no limit, not {value!r}")


def check_fps(fps: Any) -> None:
    """Raise MisuseError where a speed is neither None nor a number of steps a second above 0."""
    if fps is not None and not (isinstance(fps, Real) and 0 < float(fps) < math.inf):
        raise MisuseError(f"fps is a number of steps a second above 0, or None for no limit, not {fps!r}")


def check_seeds(seeds: Any) -> None:
    """Raise MisuseError where seeds are neither None nor something that has a seed for each episode."""
    if seeds is not None and (isinstance(seeds, (str, bytes)) or not isinstance(seeds, Iterable)):
        raise MisuseError(f"seeds are a list, a seed for each episode, not {seeds!r}", hint="seeds=range(20)")


def check_headers(headers: Any) -> None:
    """Raise MisuseError, naming the header, where one cannot be sent; values may be secret and are not shown."""
    if not isinstance(headers, Mapping):
        raise MisuseError(f"headers are a dict, not a {type(headers).__name__}", hint="headers={'X-Name': 'value'}")
    for name, value in headers.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise MisuseError(f"{name!r} is no name of a header")
        if not isinstance(value, str):
            raise MisuseError(f"the header {name!r} needs a text as its value, not a {type(value).__name__}")
        if _NOT_IN_A_VALUE.search(value):
            raise MisuseError(f"the header {name!r} has a line break or another control character in its value")


def clean_token(token: Any, name: str = "token") -> str | None:
    """Take a token as people have it, read from a file or a form, without the white space around it; None for nothing.

    Raises MisuseError where it can be no token: ``name`` says where it stands, and its value is never shown.
    """
    if token is None:
        return None
    if not isinstance(token, str):
        raise MisuseError(f"{name} is a text, not a {type(token).__name__}")
    cleaned = token.strip()
    if not all("!" <= letter <= "~" for letter in cleaned):
        what = "has a blank, a line break or another character in it that no token has"
        raise MisuseError(f"{name} {what} (its value is not shown)", hint="a Hub token looks like hf_...")
    return cleaned or None
