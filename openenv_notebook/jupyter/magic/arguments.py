"""The words of a magic's line, read by hand: nothing is evaluated, nothing is expanded.

A line is a verb, options (``--as env``) and a payload. A payload is JSON, or ``key=value``
pairs, or one bare value, or ``$name``. JSON is taken byte for byte. Options
may stand on both sides of it. A line's end, a ``;`` or a ``# comment``, is split off first, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from openenv_notebook.jupyter.magic.tokens import KEY, GrammarError, Line, Tokens
from openenv_notebook.schema.action import takes_text
from openenv_notebook.schema.check import same
from openenv_notebook.schema.shapes import Choice, Shape

# Up to what ends a line in an editor of cells.
_COMMENT = re.compile(r"[^\r\n]*")


def split_verb(line: str) -> tuple[str, str]:
    """Split a line into its first word and the rest."""
    parts = line.strip().split(None, 1)
    return (parts[0].rstrip(";") if parts else "", parts[1] if len(parts) == 2 else "")


def read_words(verb: str, rest: str, takes: Mapping[str, str]) -> Line:
    """Read a line of words and options, without its end; the verb is for error texts.

    It takes options by name: "text", "number", "flag" or "list". Raises GrammarError for others or a missing value.
    """
    line = Line(verb)
    tokens = Tokens(rest)
    while not tokens.at_end:
        if not tokens.option(line, takes):
            line.words.append(tokens.word())
    return line


def read_payload(verb: str, rest: str, takes: Mapping[str, str]) -> Line:
    """Read a line of options, as :func:`read_words`, and a payload.

    Raises GrammarError, also for JSON that is not JSON, with the place, and for mixed payloads.
    """
    line = Line(verb)
    tokens = Tokens(rest, fields=True)
    while tokens.option(line, takes):
        continue
    if tokens.at_end:
        return line
    if tokens.text[tokens.place] in "{[":
        line.payload = tokens.json()
    else:
        line.payload = tokens.pairs() if KEY.match(tokens.rest) else tokens.bare()
    while tokens.option(line, takes):
        continue
    if not tokens.at_end:
        raise GrammarError(f"{tokens.rest!r} follows the payload; write one JSON object, key=value pairs or one value")
    return line


def no_words(line: Line) -> Line:
    """Refuse words that a verb does not take; returns the line."""
    if line.words:
        raise GrammarError(f"%openenv {line.verb} takes options only, not {' '.join(line.words)!r}")
    return line


def split_end(text: str) -> tuple[str, bool]:
    """Take off a trailing ``;``, and each ``# comment`` that stands outside quotes, of a line or of many.

    A comment ends with its line. Returns the text without them, and whether there was a ``;``, which silences the line.
    """
    quote, place = "", 0
    while place < len(text):
        char, before = text[place], text[place - 1 : place] or " "
        if quote:
            if char == "\\" and quote == '"':
                place += 1
            elif char == quote:
                quote = ""
        elif char in "\"'" and (before.isspace() or before in "=[{,:("):
            quote = char
        elif char == "#" and (before.isspace() or before == ";"):
            text = text[:place] + _COMMENT.sub("", text[place:], count=1)
            continue
        place += 1
    text = text.rstrip()
    is_silenced = text.endswith(";")
    return text[:-1].rstrip() if is_silenced else text, is_silenced


def without_end(text: str) -> str:
    """Take off a text's end, see :func:`split_end`."""
    return split_end(text)[0]


def read_typed(text: str, field: Shape | None) -> Any:
    """Read characters as the field takes them: as they are for a text field, else what they mean as JSON.

    Where they mean nothing, or nothing that a choice has besides them, they are the value, which the environment will
    judge. The field is None where it is not known.
    """
    if field is not None and takes_text(field):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    values = (*field.values, *([None] if field.nullable else [])) if isinstance(field, Choice) else ()
    return text if text in values and not any(same(value, each) for each in values) else value
