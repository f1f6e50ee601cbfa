"""Writing a block for a page that must stay usable: bounded, and never an exception."""

from __future__ import annotations

from collections.abc import Callable

from openenv_notebook.jupyter.show.as_html import LONGEST, size_without_pictures
from openenv_notebook.jupyter.show.as_text import write_text
from openenv_notebook.jupyter.show.blocks import Block, Own, Paragraph, Span, Stack, line


def bounded_html(block: Block, write: Callable[[Block], str]) -> str:
    """Write a block as HTML of at most 60 kB besides pictures and the user's own HTML.

    Text where it would be more, and the name of the error where it fails.
    """
    try:
        return html_or_text(block, write)
    except Exception as error:
        return write(failure(error))


def html_or_text(block: Block, write: Callable[[Block], str]) -> str:
    """Write a block as HTML as :func:`bounded_html`; errors are raised."""
    written = write(block)
    if size_without_pictures(written) <= LONGEST or _has_own(block):
        return written
    # At most five bytes a character when escaped.
    return write(Paragraph(write_text(block)[: LONGEST // 6]))


def bounded_text(block: Block) -> str:
    """Write a block as text; the name of the error where that fails."""
    try:
        return write_text(block)
    except Exception as error:
        return write_text(failure(error))


def failure(error: Exception) -> Block:
    """Say that an observation cannot be shown."""
    return line(Span(f"this observation cannot be shown: {type(error).__name__}", "bad"))


def _has_own(block: Block) -> bool:
    return isinstance(block, Own) or (isinstance(block, Stack) and any(map(_has_own, block.blocks)))
