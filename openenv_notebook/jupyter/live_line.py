"""The line of a run: one output that changes in place."""

from __future__ import annotations

from typing import Any

from IPython import display


class RunLine:
    """A :class:`~openenv_notebook.values.front_end.Reporter` on a notebook's page, or in a terminal.

    A saved or executed notebook holds the last text only, as plain text.

    Args:
        shell: The shell; where its front end cannot replace output, only the end is printed.

    Attributes:
        can_replace: True where the front end can.
    """

    def __init__(self, shell: Any) -> None:
        self.can_replace = hasattr(shell, "kernel")
        self._handle: Any = None
        self._last = ""

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""
        if not self.can_replace or text == self._last:
            return
        self._last, bundle = text, {"text/plain": text}
        if self._handle is None:
            make: Any = display.DisplayHandle
            self._handle = make()
            self._handle.display(bundle, raw=True)
        else:
            self._handle.update(bundle, raw=True)

    def close(self, text: str) -> None:
        """Show the last text."""
        if self.can_replace:
            self.show(text)
        else:
            print(text)
