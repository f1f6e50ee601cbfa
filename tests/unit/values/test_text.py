"""Characters that steer or hide are made visible; a misspelt name finds the one meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openenv_notebook.values.text import cut, nearest, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größer, 日本, 👩‍👩‍👧", "plain, größer, 日本, 👩‍👩‍👧"),
        ("a\nb\tc", "a\nb\tc"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Btext\x1bc", "text"),
        ("\x1b", "␛"),
        ("\x1b[", "␛["),
        ("nul\x00bell\x07del\x7f", "nul␀bell␇del␡"),
        ("next\x85", "next⟨U+0085⟩"),
        ("\u202etxet\u202c", "⟨U+202E⟩txet⟨U+202C⟩"),
        ("\u200b\ufeff\u2028", "⟨U+200B⟩⟨U+FEFF⟩⟨U+2028⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("a" + "\u0301" * 9, "a" + "\u0301" * 4),
    ],
)
def test_each_kind_is_shown_or_dropped(text: str, shown: str) -> None:
    """Terminal sequences go; controls, bidi characters and surrogates are seen; letters of all scripts stay."""
    assert visible(text) == shown


def test_a_line_stays_one() -> None:
    """In a line a line end is a sign and a tab a blank."""
    assert one_line("a\nb\tc\r\n") == "a⏎b c⏎"


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_written_afterwards(text: str) -> None:
    """What comes out can be encoded, and cleaning it again changes nothing."""
    cleaned = visible(text)
    cleaned.encode()
    assert visible(cleaned) == cleaned
    assert "\n" not in one_line(text)


def test_a_long_text_is_cut() -> None:
    """A text that fits stays as it is; a longer one is as long as allowed, with the ellipsis."""
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "ab…")


@pytest.mark.parametrize(("start", "part"), [("", "\x1b["), ("", "\x1b]"), ("\x1b]", "a"), ("", "\u0301")], ids=ascii)
def test_no_text_takes_long(start: str, part: str) -> None:
    """Sequences that never end cost no more than their length: what grew with its square would take minutes."""
    text = start + part * 300_000
    assert len(visible(text)) <= len(text)


def test_the_nearest_name_is_named_or_none() -> None:
    """A misspelt name gets its best match; a name like no other gets silence."""
    assert nearest("colum", ["row", "column"]) == "; did you mean 'column'?"
    assert nearest("stpe", ["stop", "step"]) == "; did you mean 'step'?", "swapped letters are the likeliest slip"
    assert nearest("zzz", ["row", "column"]) == ""
