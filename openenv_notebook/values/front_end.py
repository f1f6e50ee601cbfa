"""Where a long run says how far it is: on whatever screen there is, which this package does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Reporter(Protocol):
    """Shows one line that changes in place."""

    def show(self, text: str) -> object:
        """Show a text in place of the one before."""

    def close(self, text: str) -> object:
        """Show the last text; it stays."""


class _Silent:
    """Shows nothing: a program has no screen."""

    def show(self, text: str) -> None:
        """Show nothing."""

    def close(self, text: str) -> None:
        """Show nothing."""


_factory: Callable[[], Reporter] | None = None


def set_reporter(factory: Callable[[], Reporter] | None) -> None:
    """Install what makes the line of a run; None takes it away.

    Args:
        factory: Makes a reporter, in the thread that waits for the run.
    """
    global _factory
    _factory = factory


def new_reporter() -> Reporter:
    """Make the line of a run; a silent one where nobody installed any."""
    return _factory() if _factory is not None else _Silent()
