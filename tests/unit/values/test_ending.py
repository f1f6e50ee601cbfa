"""Ending what was begun, whatever else went wrong."""

from __future__ import annotations

import pytest

from openenv_notebook.values.ending import end_after


def failing(text: str) -> object:
    """Raise."""
    raise ValueError(text)


def test_the_first_error_stays_the_error() -> None:
    """R34: what ending raises is a note of the error it was ended for; each is ended."""
    first, ended = KeyError("first"), []
    end_after(first, lambda: failing("a"), lambda: ended.append(1), lambda: failing("b"))
    assert ended == [1]
    assert [note.rpartition(": ")[2] for note in first.__notes__] == ["a", "b"]


def test_an_end_that_fails_by_itself_is_told() -> None:
    """R34: without an error before, the first that ending raised is raised, once all is ended."""
    ended: list[int] = []
    with pytest.raises(ValueError, match="a") as caught:
        end_after(None, lambda: failing("a"), lambda: failing("b"), lambda: ended.append(1))
    assert ended == [1] and "b" in caught.value.__notes__[0]


def test_an_interrupt_is_raised_at_once() -> None:
    """R34: who presses ■ twice waits for nothing more."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        end_after(ValueError(), interrupt, lambda: pytest.fail("it goes on"))
