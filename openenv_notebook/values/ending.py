"""Ending what was begun: what that raises never takes the place of the error that it is ended for."""

from __future__ import annotations

from collections.abc import Callable


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
        error.add_note(f"openenv: ending what was begun failed as well: {type(failure).__name__}: {failure}")
