"""JSON in all the ways it may be written, for property tests against Python's own ``json``."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import strategies as st

DEEPEST = 60

_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity", "-0", "-0.0", "1e999", "5e-324", "1E+2", str(2**64))
_ODD = ("\u2028", "\u2029", "\x7f", "\x80", "\ufeff", "\U0001f600", "é", "</script>", "a", "b c", "'")
_ESCAPES = (r"\n", r"\"", r"\\", r"\/", r"\b", r"\f", r"\r", r"\t", r"\u0000", r"\ud83d\ude00")
_BLANKS = ("", "", "", " ", "\n", "\t\r\n ")
# Few enough that some stand twice in an object.
_KEYS = ('"a"', '"b"', r'"\u0061"', '""')


class _Writer:
    """Writes JSON by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def value(self, levels: int = 4) -> str:
        kind = self.chance.choice(("number", "word", "text", "list", "object"))
        if levels and kind == "list":
            return self._joined([self.value(levels - 1) for _ in range(self.chance.randint(0, 3))], "[", "]")
        if levels and kind == "object":
            return self.object(levels)
        made = {"number": self.number, "word": lambda: self.chance.choice(_WORDS)}.get(kind, self.text)()
        if levels and self.chance.random() < 0.05:
            deep = self.chance.randint(1, DEEPEST - 10)
            return "[" * deep + made + "]" * deep
        return made

    def object(self, levels: int = 4) -> str:
        members = []
        for _ in range(self.chance.randint(0, 4)):
            name = self.chance.choice(_KEYS) if self.chance.random() < 0.5 else self.text()
            blank = self.chance.choice(_BLANKS)
            members.append(f"{name}{blank}:{blank}{self.value(levels - 1)}")
        return self._joined(members, "{", "}")

    def number(self) -> str:
        whole = str(self.chance.getrandbits(self.chance.choice((3, 8, 54, 64, 200))))
        part = f".{self._digits()}" if self.chance.random() < 0.5 else ""
        sign, mark = self.chance.choice(("", "+", "-")), self.chance.choice("eE")
        power = f"{mark}{sign}{self.chance.randint(0, 330)}" if self.chance.random() < 0.3 else ""
        return self.chance.choice(("", "-")) + whole + part + power

    def text(self) -> str:
        return f'"{"".join(self._part() for _ in range(self.chance.randint(0, 4)))}"'

    def _part(self) -> str:
        kind = self.chance.randrange(5)
        if kind == 0:
            return self.chance.choice(_ODD)
        if kind == 1:
            return self.chance.choice(_ESCAPES)
        if kind == 2:
            # Also half of a surrogate pair.
            return (
                f"\\u{self.chance.choice((self.chance.randrange(0x10000), self.chance.randrange(0xD800, 0xE000))):04x}"
            )
        if kind == 3:
            return chr(
                self.chance.choice((self.chance.randrange(0xA0, 0xD800), self.chance.randrange(0xE000, 0x110000)))
            )
        return "".join(self.chance.choices("abcdefghijklmnop", k=3))

    def _digits(self) -> str:
        return str(self.chance.getrandbits(self.chance.choice((3, 40, 90))))

    def _joined(self, parts: list[str], opening: str, closing: str) -> str:
        blank = self.chance.choice(_BLANKS)
        return f"{opening}{blank}{f'{blank},{blank}'.join(parts)}{blank}{closing}"


# Structured strategies take a hundred times as long.
_seeds = st.integers(0, 2**64)
texts = _seeds.map(lambda seed: _Writer(seed).value())
object_texts = _seeds.map(lambda seed: _Writer(seed).object())
values: st.SearchStrategy[Any] = texts.map(json.loads)
objects: st.SearchStrategy[dict[str, Any]] = object_texts.map(json.loads)


def meaning(value: Any) -> str:
    """Write a value so that two are equal just where they are the same JSON: 1 is not 1.0, nor true; NaN is NaN."""
    return json.dumps(value, sort_keys=True)
