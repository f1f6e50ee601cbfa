"""A ``;`` at a line's end: the value is returned as ever, and not displayed.

IPython's own way drops the value, takes the line for Python and cannot read some of them, and came with 8.7.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


def silence(shell: Any) -> None:
    """Have the statement that runs display nothing; the shell puts its display back at the cell's end."""
    code = _statement(shell)
    if code is None:
        return
    if isinstance(sys.displayhook, _Silenced):
        sys.displayhook.silent.add(code)
    elif sys.displayhook is shell.displayhook:
        sys.displayhook = _Silenced(sys.displayhook, code)


def _statement(shell: Any) -> CodeType | None:
    """Find the statement of the notebook that runs: IPython compiles each on its own."""
    frame: FrameType | None = sys._getframe(1)
    names = shell.user_global_ns
    while frame is not None and frame.f_globals is not names:
        frame = frame.f_back
    return frame.f_code if frame is not None else None


class _Silenced:
    """A display that leaves out what some statements give, of which the code is the first."""

    def __init__(self, display: Callable[[Any], Any], code: CodeType) -> None:
        self.silent = {code}
        self._display = display

    def __call__(self, value: Any) -> None:
        if sys._getframe(1).f_code not in self.silent:
            self._display(value)
