"""The JSON of a value for people: bounded, long arrays and texts folded, secrets hidden."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from typing import Any

from openenv_notebook.jupyter.show.numbers import number
from openenv_notebook.jupyter.show.plain import plain_value, short
from openenv_notebook.values.known_secrets import shown_text
from openenv_notebook.values.secrets import HIDDEN, hides

_MOST_ITEMS, _MOST_FIELDS, _DEEPEST, _LONGEST_TEXT, _WIDEST = 40, 100, 12, 400, 96
LONGEST = 20_000


def raw_json(value: Any, secrets: Container[str] | None = None) -> str:
    """Write what came from a server as indented JSON of at most 20,000 characters.

    What is left out is said in its place, after ``…``; ``secrets`` hide besides those that say so themselves.
    """
    written: list[str] = []
    left = LONGEST
    for part in _lines(value, "", 0, "", secrets):
        left -= len(part) + 1
        if left < 0:
            written.append("…")
            break
        written.append(part)
    return "\n".join(written)


def _lines(value: Any, name: str, depth: int, before: str, secrets: Container[str] | None) -> Iterator[str]:
    """Write a value line by line, the first one behind what stands before it."""
    indent = "  " * depth
    value = plain_value(value)
    if hides(name, value, secrets):
        yield f"{before}{json.dumps(HIDDEN, ensure_ascii=False)}"
    elif isinstance(value, (Mapping, list, tuple)) and depth >= _DEEPEST and value:
        yield f"{before}… {len(value):,} more inside"
    elif isinstance(value, Mapping) and value:
        yield f"{before}{{"
        fields = list(value.items())
        for key, inside in fields[:_MOST_FIELDS]:
            yield from _lines(inside, str(key), depth + 1, f"{indent}  {_text(str(key))}: ", secrets)
        if len(fields) > _MOST_FIELDS:
            yield f"{indent}  … {len(fields):,} fields in all"
        yield f"{indent}}}"
    elif isinstance(value, (list, tuple)) and value:
        yield from _items(value, depth, before, secrets)
    else:
        yield f"{before}{_leaf(value, secrets)}"


def _items(values: Any, depth: int, before: str, secrets: Container[str] | None) -> Iterator[str]:
    """Write a list: one of plain values in a line, others an item a line."""
    shown, indent = values[:_MOST_ITEMS], "  " * depth
    rest = f"… {len(values):,} in all" if len(values) > len(shown) else ""
    if all(item is None or isinstance(item, (int, float, str)) for item in shown):
        whole = f"{before}[{', '.join([*(_leaf(item, secrets) for item in shown), *([rest] if rest else [])])}]"
        if len(whole) <= _WIDEST or not any(isinstance(item, str) for item in shown):
            yield whole
            return
    yield f"{before}["
    for item in shown:
        yield from _lines(item, "", depth + 1, f"{indent}  ", secrets)
    if rest:
        yield f"{indent}  {rest}"
    yield f"{indent}]"


def _leaf(value: Any, secrets: Container[str] | None) -> str:
    if isinstance(value, str):
        return _text(shown_text(value, secrets))
    if isinstance(value, int) and value.bit_length() > 1_300:
        # More digits than Python writes without being asked twice.
        return number(value)
    if value is None or isinstance(value, (bool, int, float, list, tuple, dict)):
        return json.dumps(value)
    return short(value)


def _text(text: str) -> str:
    more = f" … {len(text):,} characters" if len(text) > _LONGEST_TEXT else ""
    return json.dumps(text[:_LONGEST_TEXT], ensure_ascii=False) + more
