"""A line that changes in place while a connect waits."""

from __future__ import annotations

from typing import Any

from openenv_notebook.jupyter.live_line import RunLine


class ProgressLine:
    """Shows one line of text and replaces it; made when there is something to say.

    Args:
        shell: The shell; without a front end that can replace output, nothing is shown twice.
    """

    def __init__(self, shell: Any) -> None:
        self._line = RunLine(shell)
        self._last = ""

    def __call__(self, text: str) -> None:
        """Show a text in place of the one before."""
        what, _, seconds = text.rpartition(", ")
        if seconds.endswith(" s"):
            text = f"{text} so far"
        if self._line.can_replace:
            self._line.show(f"openenv: {text}")
        elif what != self._last:
            print(f"openenv: {text}")
        self._last = what
