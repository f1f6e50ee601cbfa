"""A magic's line being read from left to right: words, options, JSON, pairs, values."""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.values.text import nearest

KEY = re.compile(r"([A-Za-z_][\w-]*)=")
_NAME = re.compile(r"\$([A-Za-z_]\w*)$")
_DOLLAR = re.compile(r"\$([A-Za-z_]\w*)")


class GrammarError(ValueError):
    """A line that cannot be read; the text says what was read and what to write."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; Python's own reader would drop the first of two."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise GrammarError(f"{name} is given twice; give each field once")
        found[name] = value
    return found


_SECONDS = ("timeout", "wait")
_decoder = json.JSONDecoder(object_pairs_hook=_once)


@dataclass(frozen=True)
class Variable:
    """``$name``: the object of that name in the notebook."""

    name: str


@dataclass(frozen=True)
class Expression:
    """Python behind a ``$``, such as ``$a.b[0]``: it is never evaluated, and told how to write."""

    text: str


@dataclass(frozen=True)
class Typed:
    """A value as it was typed, to be read by what its field takes."""

    text: str


@dataclass
class Line:
    """A line that was read.

    Attributes:
        verb: The first word, "" where there is none.
        words: Words that are no options and no payload.
        options: By name; a repeated one holds a list.
        payload: A JSON value, a dict of values, a Typed, a Variable, an Expression, or None.
    """

    verb: str = ""
    words: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    payload: Any = None


class Tokens:
    """A text being read from left to right; with ``fields`` it may hold ``key=value`` pairs."""

    def __init__(self, text: str, *, fields: bool = False) -> None:
        self.text = text
        self.fields = fields
        self.place = 0
        self._skip()

    @property
    def rest(self) -> str:
        return self.text[self.place :]

    @property
    def at_end(self) -> bool:
        return self.place >= len(self.text)

    def _skip(self) -> None:
        self.place = len(self.text) - len(self.rest.lstrip())

    def option(self, line: Line, takes: Mapping[str, str]) -> bool:
        """Read one option into the line; False where none stands here."""
        found = re.match(r"--([A-Za-z][\w-]*)(=|(?=\s)|$)", self.rest)
        if found is None:
            return False
        name = found[1]
        if name not in takes:
            raise GrammarError(self._unknown_option(name, line, takes))
        self.place += found.end()
        if takes[name] == "flag":
            self._skip()
            line.options[name] = True
            return True
        if found[2] != "=":
            self._skip()
        if self.at_end:
            raise GrammarError(f"--{name} needs a value: --{name} VALUE")
        begins = self.place
        value: Any = self.word()
        if takes[name] == "list" and re.match(r"[^\"'=:]*[=:]\$[A-Za-z_{]", self.text[begins : self.place]):
            raise GrammarError(
                f"--{name} reads no $name, and a text that begins so stands in quotes; write it in Python"
            )
        if takes[name] == "number":
            value = _number(name, value)
        if name == "out" and (not value.isidentifier() or keyword.iskeyword(value)):
            raise GrammarError(f"{value!r} is no name for a variable; --out result")
        if takes[name] == "list":
            line.options.setdefault(name, []).append(value)
        else:
            line.options[name] = value
        return True

    def _unknown_option(self, name: str, line: Line, takes: Mapping[str, str]) -> str:
        options = [f"--{option}" for option in takes]
        meant = nearest(name, takes).replace("'", "'--", 1)
        if not meant and self.fields:
            meant = f"; a field is written {name}=VALUE, a text that holds dashes in quotes"
        there = ", ".join(options) or "none; leave it out"
        return f"--{name} is no option of %openenv {line.verb}{meant} (options: {there})"

    def word(self) -> str:
        """Read one word, quoted or not, as a shell would."""
        char = self.text[self.place]
        if char in "\"'":
            return self._quoted(char)
        end = self.place
        while end < len(self.text) and not self.text[end].isspace():
            if self.text[end] in "\"'" and self.text[end - 1] == "=":
                before, self.place = self.text[self.place : end], end
                return before + self._quoted(self.text[end])
            end += 1
        found, self.place = self.text[self.place : end], end
        self._skip()
        return found

    def _quoted(self, quote: str) -> str:
        if quote == '"':
            try:
                value, self.place = _decoder.raw_decode(self.text, self.place)
            except ValueError:
                value = self._until(quote)
        else:
            value = self._until(quote)
        self._skip()
        return str(value)

    def _until(self, quote: str) -> str:
        end = self.text.find(quote, self.place + 1)
        if end < 0:
            raise GrammarError(f"a quote is open in {self.rest!r}: close it with {quote}")
        found, self.place = self.text[self.place + 1 : end], end + 1
        return found

    def json(self) -> Any:
        """Read one JSON value."""
        try:
            value, self.place = _decoder.raw_decode(self.text, self.place)
        except GrammarError:
            raise
        except ValueError as error:
            place = getattr(error, "pos", self.place)
            problem = getattr(error, "msg", str(error))
            raise GrammarError(
                f"this is not JSON: {self.rest.strip()!r}, at character {place - self.place + 1}: {problem}; "
                'write it as {"key": value}'
            ) from None
        self._skip()
        return value

    def pairs(self) -> dict[str, Any]:
        """Read ``key=value`` pairs."""
        found: dict[str, Any] = {}
        while not self.at_end and not self.rest.startswith("--"):
            key = KEY.match(self.rest)
            if key is None:
                raise GrammarError(f'{self.rest!r} is no key=value pair; put blanks into quotes: key="two words"')
            self.place += key.end()
            if key[1] in found:
                raise GrammarError(f"{key[1]} is given twice; give each field once")
            found[key[1]] = self.value()
            if isinstance(found[key[1]], Typed) and found[key[1]].text.endswith((",", ";")) and KEY.match(self.rest):
                raise GrammarError("pairs are separated by blanks, not commas: a=1 b=2; a text with a comma in quotes")
        return found

    def value(self) -> Any:
        """Read the value of a pair: a quoted text, ``$name``, or characters as typed."""
        if self.place >= len(self.text) or self.text[self.place].isspace():
            self._skip()
            return Typed("")
        char = self.text[self.place]
        if char in "\"'":
            return self._quoted(char)
        return _typed(self._nested() if char in "{[$" else self.word())

    def _nested(self) -> str:
        """Read up to the first blank outside of brackets; where they stay open, up to the first blank."""
        quote, depth, end = "", 0, self.place
        while end < len(self.text) and (depth or not self.text[end].isspace()):
            char = self.text[end]
            if quote:
                if char == "\\":
                    end += 1
                elif char == quote:
                    quote = ""
            elif depth and char in "\"'" and self.text[end - 1] in "[({,:= ":
                quote = char
            else:
                depth = max(0, depth + (char in "[({") - (char in "])}"))
            end += 1
        if depth:
            end = self.place + len(self.rest.split(None, 1)[0])
        found, self.place = self.text[self.place : end], end
        self._skip()
        return found

    def bare(self) -> Any:
        """Read one bare value: up to the next option, or the end."""
        if self.text[self.place] in "\"'":
            quoted = self._quoted(self.text[self.place])
            if self.at_end or self.rest.startswith("--"):
                return quoted
            raise GrammarError(f"{self.rest!r} follows the quoted value; put all of it into quotes")
        spread = re.match(r"([A-Za-z_]\w*)\s+=(\s|$)", self.rest)
        if spread is not None:
            name = spread[1]
            raise GrammarError(f"blanks stand around the = of {name}; write {name}=VALUE, or the whole text in quotes")
        end = re.search(r"\s--[A-Za-z]", self.rest)
        stop = self.place + end.start() if end is not None else len(self.text)
        text, self.place = self.text[self.place : stop].strip(), stop
        self._skip()
        return _typed(text)


def _typed(text: str) -> Any:
    name = _NAME.match(text)
    if name is not None:
        return Variable(name[1])
    if not _DOLLAR.match(text):
        return Typed(text)
    try:
        ast.parse(text[1:], mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise GrammarError(
            f"{text!r} is more than a name; give each field its own: FIELD=$name, or put a text into quotes"
        ) from None
    return Expression(text[1:])


def read_json(text: str) -> Any:
    """Read a text that is one JSON value and nothing else; raises GrammarError, with the place, if it is none."""
    tokens = Tokens(text)
    value = tokens.json()
    if tokens.place < len(tokens.text):
        wrong = f"this is not JSON: {text!r}, at character {tokens.place + 1}: {tokens.rest!r} is too much"
        raise GrammarError(f"{wrong}; write one object, list or value")
    return value


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        unit = " of seconds" if option in _SECONDS else ""
        raise GrammarError(f"--{option} takes a number{unit}, not {text!r}") from None
