"""Ending what was begun: what that raises never takes the place of the error that it is ended for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.text import named_words


def end_after(error: BaseException | None, *ends: Callable[[], object]) -> None:
    """Call each of several functions, whatever the others raise, after an error, or None where there was none.

    What they raise stands in a note of that error; where there was none, the first that was raised is raised, and has
    the others in its notes. An interrupt is raised at once.
    """
    first = error
    for end in ends:
        try:
            end()
        except Exception as failure:
            if first is None:
                first = failure
            else:
                note_failed_end(first, failure)
    if error is None and first is not None:
        try:
            raise first
        finally:
            del first


def note_failed_end(error: BaseException, failure: Exception) -> None:
    """Note on an error that ending what had been begun failed as well."""
    if failure is not error:
        note(error, f"ending what was begun failed as well: {foreign_text(named_words(failure))}")


def note(error: BaseException, text: str) -> None:
    """Put a note of ours on an error, which is whole without it: somebody's may not take any."""
    with contextlib.suppress(Exception):
        error.add_note(f"openenv: {text}")
