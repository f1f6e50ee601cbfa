"""One line that changes in place: how far a run is, or what a connect waits for."""

from __future__ import annotations

from typing import Any

from IPython import display

from openenv_notebook.values.front_end import Line


class LiveLine(Line):
    """A line on a notebook's page, or in a terminal; made when there is something to say.

    A saved or executed notebook holds the last text only, as plain text. Where the shell's front end cannot replace
    output, only the end of a run is printed, and what is waited for once.
    """

    def __init__(self, shell: Any) -> None:
        self._can_replace = hasattr(shell, "kernel")
        self._handle: Any = None
        self._last = ""

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""
        if not self._can_replace or text == self._last:
            return
        self._last, bundle = text, {"text/plain": text}
        if self._handle is None:
            make: Any = display.DisplayHandle
            self._handle = make()
            self._handle.display(bundle, raw=True)
        else:
            self._handle.update(bundle, raw=True)

    def close(self, text: str) -> None:
        """Show the last text; it stays."""
        if self._can_replace:
            self.show(text)
        else:
            print(text)

    def wait_for(self, activity: str) -> None:
        """Show what is waited for, and its seconds, as ``connect()`` and ``serve()`` report it: "waking up, 8 s"."""
        what, _, seconds = activity.rpartition(", ")
        text = f"openenv: {activity} so far" if seconds.endswith(" s") else f"openenv: {activity}"
        if self._can_replace:
            self.show(text)
        elif what != self._last:
            self._last = what
            print(text)
