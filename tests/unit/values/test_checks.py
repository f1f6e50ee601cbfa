"""What a caller sets is checked when it is set."""

from __future__ import annotations

import pytest

from openenv_notebook.values.checks import check_counts, check_fps, check_headers, check_seeds, clean_token
from openenv_notebook.values.errors import MisuseError


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "3"])
def test_what_is_no_count(count: object) -> None:
    """Counts are whole numbers from 1, or None."""
    check_counts(episodes=None, steps=1)
    with pytest.raises(MisuseError, match="steps is a whole number"):
        check_counts(steps=count)


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf"), "10"])
def test_what_is_no_speed(fps: object) -> None:
    """A speed is a number above 0, or None."""
    check_fps(None)
    check_fps(0.5)
    with pytest.raises(MisuseError, match="fps is a number"):
        check_fps(fps)


@pytest.mark.parametrize("seeds", [3, "abc", b"abc"])
def test_what_are_no_seeds(seeds: object) -> None:
    """Seeds can be gone through; one number or a text is refused."""
    check_seeds(range(3))
    with pytest.raises(MisuseError, match="seeds are a list"):
        check_seeds(seeds)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ([("a", "b")], "a dict, not a list"),
        ({3: "b"}, "^3 is no name"),
        ({"a b": "c"}, "'a b' is no name"),
        ({"A": 3}, "'A' needs a text as its value, not a int"),
        ({"A": "b\nhush"}, "'A' has a line break at place 2 of 6 of its value"),
    ],
)
def test_what_are_no_headers(headers: object, words: str) -> None:
    """Headers are a dict of names and texts; the one that is wrong is named, its value is not shown."""
    check_headers({"X-Name": "a\tvalue of ümlauts"})
    with pytest.raises(MisuseError, match=words) as caught:
        check_headers(headers)
    assert "hush" not in str(caught.value)


def test_a_token_is_taken_without_what_stands_around_it() -> None:
    """White space around a token goes; of nothing but that, and of None, there is no token."""
    assert clean_token(" hf_abc\n") == "hf_abc"
    assert clean_token(None) is None and clean_token(" \n") is None


@pytest.mark.parametrize(("token", "words"), [(b"hf", "key is a text, not a bytes"), ("hf a", "key has a blank")])
def test_what_is_no_token(token: object, words: str) -> None:
    """A token that no server could take is refused under the name it was given by, without its value."""
    with pytest.raises(MisuseError, match=words) as caught:
        clean_token(token, "key")
    assert "hf a" not in str(caught.value)


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\u200b", "ZERO WIDTH SPACE (U+200B)"),
        ("…", "HORIZONTAL ELLIPSIS (U+2026)"),
        ("\ufeff", "ZERO WIDTH NO-BREAK SPACE (U+FEFF)"),
        ("\xa0", "NO-BREAK SPACE (U+00A0)"),
        ("\xad", "SOFT HYPHEN (U+00AD)"),
        ("\x85", "a control character (U+0085)"),
        ("“", "LEFT DOUBLE QUOTATION MARK (U+201C)"),
        ("\ud800", "a control character (U+D800)"),
        ("\r", "a line break"),
    ],
)
def test_a_character_that_cannot_be_sent_is_named(character: str, name: str) -> None:
    """R04: a header or a token with such a character is refused by its name and place, and its value never shown."""
    value = f"Bearer sk-SECRET-{character}12345"
    with pytest.raises(MisuseError) as caught:
        check_headers({"Authorization": value})
    assert "'Authorization'" in str(caught.value) and f"{name} at place 18 of 23" in str(caught.value)
    assert "SECRET" not in str(caught.value)
    with pytest.raises(MisuseError) as caught:
        clean_token(f"sk-SECRET-{character}12345", "token")
    assert f"token has {name} at place 11 of 16" in str(caught.value) and "SECRET" not in str(caught.value)
