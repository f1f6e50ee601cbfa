"""Warnings that name the line of the person who is to act on them."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from openenv_notebook.values.errors import OpenEnvWarning

# A magic is run by these; who typed it stands behind them.
_OURS = __name__.partition(".")[0]
_SHELLS = ("IPython", "decorator")


def caution(text: str) -> None:
    """Warn of something that is allowed and probably not meant; the text says what it is and what to do instead."""
    warnings.warn(text, OpenEnvWarning, stacklevel=_level())


def _level() -> int:
    """Find the first frame that is neither of this package nor of a shell, as warnings count them."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and _is_between(frame):
        frame, level = frame.f_back, level + 1
    # Where nobody stands behind, such as in a bare shell, the caller of the warning is named.
    return level if frame is not None else 2


def _is_between(frame: FrameType) -> bool:
    root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return root in (_OURS, *_SHELLS) or frame.f_code.co_filename.startswith("<decorator-gen")
