"""Checks of what a caller sets, when it is set: time limits, counts, speeds, seeds, headers and tokens."""

from __future__ import annotations

import inspect
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from openenv_notebook.values.errors import MisuseError

# RFC 9110 §5.6.2 and §5.5: bytes, so no character beyond Latin-1; what else stands in a value is for the server to
# say. What cannot be seen was pasted with the value, as a rule.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_A_VALUE = re.compile(r"[^\t\x20-\x7e\xa1-\xac\xae-\xff]")
_NOT_IN_A_TOKEN = re.compile(r"[^!-~]")


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


def check_callback(name: str, function: Any, example: str) -> None:
    """Raise MisuseError where what is to be called (``name``, for the text) is no function, or one to be awaited."""
    if not callable(function):
        raise MisuseError(f"{name} takes a function, not a {type(function).__name__}", hint=example)
    if inspect.iscoroutinefunction(function):
        hint = f"a plain function may hand over to your loop: asyncio.run_coroutine_threadsafe(...); {example}"
        raise MisuseError(f"{name} takes a plain function: nobody would await an async one", hint=hint)


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
            raise MisuseError(f"{name!r} is no name of a header", hint="headers={'X-Name': 'value'}")
        if not isinstance(value, str):
            raise MisuseError(f"the header {name!r} needs a text as its value, not a {type(value).__name__}")
        if found := _NOT_IN_A_VALUE.search(value):
            what = f"the header {name!r} has {_character(found)} of its value, which is not shown"
            raise MisuseError(what, hint="take that character out; it often comes along with a copied text")


def clean_token(token: Any, name: str = "token") -> str | None:
    """Take a token as people have it, read from a file or a form, without the white space around it; None for nothing.

    Raises MisuseError where it can be no token: ``name`` says where it stands, and its value is never shown.
    """
    if token is None:
        return None
    if not isinstance(token, str):
        raise MisuseError(f"{name} is a text, not a {type(token).__name__}")
    cleaned = token.strip()
    if found := _NOT_IN_A_TOKEN.search(cleaned):
        what = f"has {_character(found)}, which no token has (its value is not shown)"
        raise MisuseError(f"{name} {what}", hint="a Hub token looks like hf_...")
    return cleaned or None


def _character(found: re.Match[str]) -> str:
    """Name a character and its place, which may be all that is known of one that cannot be seen."""
    code = ord(found[0])
    name = {9: "a tab", 10: "a line break", 13: "a line break", 32: "a blank"}.get(code)
    name = name or (f"{unicodedata.name(found[0], 'a control character')} (U+{code:04X})")
    return f"{name} at place {found.start() + 1} of {len(found.string)}"
