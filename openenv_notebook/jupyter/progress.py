"""A line that changes in place while a connect waits."""

from __future__ import annotations

from typing import Any

from IPython import display


class ProgressLine:
    """Shows one line of text and replaces it; made when there is something to say.

    Args:
        shell: The shell; without a front end that can replace output, nothing is shown twice.
    """

    def __init__(self, shell: Any) -> None:
        self._can_replace = hasattr(shell, "kernel")
        self._handle: Any = None
        self._last = ""

    def __call__(self, text: str) -> None:
        """Show a text in place of the one before."""
        what, _, seconds = text.rpartition(", ")
        if seconds.endswith(" s"):
            text = f"{text} so far"
        if self._can_replace:
            bundle = {"text/plain": f"openenv: {text}"}
            if self._handle is None:
                make: Any = display.DisplayHandle
                self._handle = make()
                self._handle.display(bundle, raw=True)
            else:
                self._handle.update(bundle, raw=True)
        elif what != self._last:
            print(f"openenv: {text}")
        self._last = what
