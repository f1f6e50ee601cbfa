"""Reading JSON, held against Python's own reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import meaning, texts

from openenv_notebook.values.read_json import TooDeepError, read_json


def both(text: str) -> tuple[Any, Any]:
    """What json and ours make of a text; "refused" where it is none."""
    found: list[Any] = []
    for read, data in ((json.loads, text), (read_json, text.encode())):
        try:
            found.append(meaning(read(data)))
        except ValueError:
            found.append("refused")
    return found[0], found[1]


@given(texts)
def test_any_json_is_read_as_python_reads_it(text: str) -> None:
    """Numbers, escapes, halves of surrogate pairs, keys that stand twice and depth are read as by json."""
    assert meaning(read_json(text)) == meaning(read_json(text.encode())) == meaning(json.loads(text))


@given(texts, st.data())
def test_what_is_no_json_is_refused_as_python_refuses_it(text: str, data: st.DataObject) -> None:
    """A text that was cut, or has a character too many, is read or refused by both."""
    first, last = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    spoiled = (
        text[:first]
        + data.draw(st.sampled_from(["", '"', "\\", "\t", "\x00", ",", "]", "0", "e", "-", "é"]))
        + text[last:]
    )
    theirs, ours = both(spoiled)
    assert ours == theirs


@pytest.mark.parametrize("word", ["é", "☃", "\U0001f600", "\x80", "e\u0301"])
def test_escapes_are_the_letters_they_stand_for(word: str) -> None:
    """Letters that a server writes as escapes, as Python's json does by itself, are read as those letters."""
    assert read_json(json.dumps({word: [word, f"a {word}"]}).encode()) == {word: [word, f"a {word}"]}


@pytest.mark.parametrize("data", [b'"\xff"', b'"\xed\xa0\x80"', '{"a":1}'.encode("utf-16"), b"\xef\xbb\xbf1", b""])
def test_bytes_are_utf_8(data: bytes) -> None:
    """Bytes that are not UTF-8, or begin with a mark of order, are no JSON."""
    with pytest.raises(ValueError):
        read_json(data)


@pytest.mark.parametrize("inside", ["1", r'"\ud83d"'])
def test_the_bound_on_depth_is_python_s_own(inside: str) -> None:
    """R11: what is nested deep is read as Python's json reads it, and what is deeper is refused as that."""
    for levels in (190, 230, 450):
        fine = "[" * levels + inside + "]" * levels
        assert meaning(read_json(fine)) == meaning(json.loads(fine))
    for text in ("[" * 100_000, '{"a":' * 100_000):
        with pytest.raises(TooDeepError):
            read_json(text)
