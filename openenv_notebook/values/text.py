"""Texts that people read and write: what would steer a terminal is made visible, and a slip finds the name meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

# Colour, cursor and title sequences of terminals (ECMA-48), whole ones only.
_ANSI = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    "|(?:\x1b[\\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]{0,4}[0-Z`-~]"
)
# What steers a terminal, reorders or hides text, is no character, or divides lines unseen.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
# Marks that are stacked on a letter: more than four climb out of their line.
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MARKS = re.compile(f"({_MARK}{{4}}){_MARK}+")


def visible(text: str) -> str:
    """Clean a text that came from elsewhere, so that it can be encoded; line ends and tabs stay.

    Terminal sequences go; a control character is shown by its picture (``␀``), any other that steers or hides, such as
    bidi characters and lone surrogates, as ``⟨U+202E⟩``.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _ANSI.sub("", text.replace("\r\n", "\n"))
    return _MARKS.sub(r"\1", _STEERING.sub(_shown, text))


def one_line(text: str) -> str:
    """Clean a text and write its line ends as ``⏎``, tabs as blanks."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")


def cut(text: str, longest: int) -> str:
    """Shorten a text to so many characters; the last one tells that more follows."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def words_of(error: BaseException, longest: int = 8000) -> str:
    """Give an error's own words, of so many characters at most; none where its own code for them fails."""
    try:
        return cut(str(error), longest)
    except Exception:
        return ""


def named_words(error: BaseException) -> str:
    """Give the name of an error's class, and its own words behind it."""
    return f"{type(error).__name__}: {words_of(error)}".removesuffix(": ")


def notes_of(error: BaseException) -> list[str]:
    """List the notes of an error that are texts."""
    notes = getattr(error, "__notes__", None)
    return [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def nearest(name: str, names: Iterable[str]) -> str:
    """Name the best match for a misspelt name, as ``"; did you mean 'x'?"``; an empty text without one."""
    found = difflib.get_close_matches(name, list(names), n=3, cutoff=0.6)
    # Swapped letters come first: "stpe" is as far from "stop" as from "step" otherwise.
    found.sort(key=lambda other: sorted(other) != sorted(name))
    return f"; did you mean {found[0]!r}?" if found else ""
