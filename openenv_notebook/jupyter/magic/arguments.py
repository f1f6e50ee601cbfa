"""The words of a magic's line, read by hand: nothing is evaluated, nothing is expanded.

A line is a verb, options (``--as env``) and a payload. A payload is JSON, or ``key=value``
pairs, or one bare value, or ``$name``. JSON is taken byte for byte. What follows the
payload may be options, a ``;`` or a ``# comment``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openenv_notebook.jupyter.magic.tokens import (
    KEY,
    Expression,
    GrammarError,
    Line,
    Tokens,
    Typed,
    Variable,
    read_json,
)
from openenv_notebook.schema.reader import branches_of

__all__ = [
    "Expression",
    "GrammarError",
    "Line",
    "Typed",
    "Variable",
    "is_silenced",
    "no_words",
    "read_json",
    "read_payload",
    "read_typed",
    "read_words",
    "split_verb",
    "takes_text",
    "without_end",
]


def split_verb(line: str) -> tuple[str, str]:
    """Split a line into its first word and the rest."""
    parts = line.strip().split(None, 1)
    return (parts[0].rstrip(";") if parts else "", parts[1] if len(parts) == 2 else "")


def read_words(verb: str, rest: str, takes: Mapping[str, str]) -> Line:
    """Read a line of words and options.

    Args:
        verb: The verb, for error texts.
        rest: What follows it.
        takes: Options by name: "text", "number", "flag" or "list".

    Returns:
        The line, without a payload.

    Raises:
        GrammarError: For an unknown option or a missing value.
    """
    line = Line(verb)
    tokens = Tokens(without_end(rest))
    while not tokens.at_end:
        if not tokens.option(line, takes):
            line.words.append(tokens.word())
    return line


def read_payload(verb: str, rest: str, takes: Mapping[str, str]) -> Line:
    """Read a line of options and a payload.

    Args:
        verb: The verb, for error texts.
        rest: What follows it.
        takes: Options by name.

    Returns:
        The line.

    Raises:
        GrammarError: For JSON that is not JSON, with the place, and for mixed payloads.
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
        tokens = Tokens(without_end(tokens.rest), fields=True)
        line.payload = tokens.pairs(line, takes) if KEY.match(tokens.rest) else tokens.bare(line, takes)
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


def is_silenced(line: str) -> bool:
    """Tell whether a line ends in a ``;``, perhaps before a comment."""
    return _without_comment(line).endswith(";")


def without_end(text: str) -> str:
    """Take off a trailing ``;`` and a ``# comment`` that stands outside quotes."""
    text = _without_comment(text)
    return text[:-1].rstrip() if text.endswith(";") else text


def _without_comment(text: str) -> str:
    quote, place = "", 0
    while place < len(text):
        char = text[place]
        if quote:
            if char == "\\" and quote == '"':
                place += 1
            elif char == quote:
                quote = ""
        elif char in "\"'" and (place == 0 or text[place - 1] in " \t=[{,:("):
            quote = char
        elif char == "#" and (place == 0 or text[place - 1] in " \t;"):
            text = text[:place]
            break
        place += 1
    return text.rstrip()


def read_typed(text: str, schema: Mapping[str, Any] | None) -> Any:
    """Read characters as the field takes them.

    Args:
        text: The characters.
        schema: The field's JSON Schema; None where it is not known.

    Returns:
        The characters themselves for a text field, else what they mean as JSON; where
        they mean nothing, the characters, which the environment will judge.
    """
    if schema is not None and takes_text(schema):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def takes_text(schema: Mapping[str, Any]) -> bool:
    """Tell whether a field takes text and nothing else that characters could mean."""
    kinds = {part.get("type") for part in (schema, *branches_of(schema))} - {None, "null"}
    if kinds:
        return kinds == {"string"}
    values = schema.get("enum", ())
    return bool(values) and all(isinstance(value, str) for value in values)
