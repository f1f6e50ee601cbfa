"""What a name means where a magic stands: in a function, the function's own names come first.

Only frames are looked at, and code is compiled, never run.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.schema.shapes import ABSENT

# These run at once, in the frame of whoever wrote them; a generator runs in that of whoever reads it.
_RUN_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<generic parameters")


class Scope:
    """The names around a magic, innermost first, without those of the notebook.

    Args:
        frame: Where the magic stands; None for nowhere.
        notebook: The notebook's variables.
    """

    def __init__(self, frame: FrameType | None, notebook: Mapping[str, Any]) -> None:
        self._frames = list(_own_frames(frame, notebook))
        self._notebook = notebook

    def find(self, name: str) -> Any:
        """Find what a function means by a name, ABSENT where that is the notebook's, or nothing.

        Raises UsageError where it means something that cannot be read from here.
        """
        for frame in self._frames:
            code = frame.f_code
            if name in frame.f_locals:
                return frame.f_locals[name]
            if name in _names_of(code):
                raise UsageError(f"{name} has no value yet in {_called(code)}; give it one before this line")
        if not self._frames:
            return ABSENT
        code = self._frames[-1].f_code
        outer = _outer(code)
        if outer is None:
            raise UsageError(
                f"what {name} means in {_called(code)} cannot be told; give it to the function by its name"
            )
        for around in outer:
            if around.co_flags & inspect.CO_OPTIMIZED and name in _names_of(around):
                raise UsageError(
                    f"{name} belongs to {_called(around)}, and Python gives {_called(code)} only what its code names: "
                    f"begin {_called(code)} with nonlocal {name}"
                )
        names = self._frames[-1].f_globals
        return names.get(name, ABSENT) if names is not self._notebook else ABSENT

    def has_value(self, name: str) -> bool:
        """Tell whether a function has a value by that name now."""
        return any(name in frame.f_locals for frame in self._frames)

    def binds(self, name: str) -> str:
        """Name the function that has a name of its own, with or without a value; "" where none does."""
        owner = (frame.f_code for frame in self._frames if name in frame.f_locals or name in _names_of(frame.f_code))
        return next((_called(code) for code in owner), "")


def caller_of(shell: Any) -> FrameType | None:
    """Find who called the shell that runs the magic; None where no shell runs it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_of(shell, frame):
        frame = frame.f_back
    while frame is not None and _is_of(shell, frame):
        frame = frame.f_back
    return frame


def _is_of(shell: Any, frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_varnames[:1] == ("self",) and frame.f_locals.get("self") is shell


def _own_frames(frame: FrameType | None, notebook: Mapping[str, Any]) -> Iterator[FrameType]:
    while frame is not None and frame.f_locals is not notebook:
        yield frame
        code = frame.f_code
        is_class = not code.co_flags & inspect.CO_OPTIMIZED and code.co_name != "<module>"
        if not is_class and not code.co_name.startswith(_RUN_AT_ONCE):
            return
        frame = frame.f_back


def _names_of(code: CodeType) -> tuple[str, ...]:
    return (*code.co_varnames, *code.co_cellvars, *code.co_freevars)


def _called(code: CodeType) -> str:
    return f"{code.co_name}()" if code.co_name.isidentifier() else code.co_name.strip("<>")


def _outer(code: CodeType) -> list[CodeType] | None:
    """List the code around a function, innermost first, as its source has it; None where there is no source."""
    if "<locals>" not in code.co_qualname:
        return []
    source = "".join(linecache.getlines(code.co_filename))
    try:
        whole = compile(source, code.co_filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return _way_to(code, whole)


def _way_to(code: CodeType, within: CodeType) -> list[CodeType] | None:
    for inner in within.co_consts:
        if not isinstance(inner, CodeType):
            continue
        if (inner.co_qualname, inner.co_firstlineno) == (code.co_qualname, code.co_firstlineno):
            return [within]
        way = _way_to(code, inner)
        if way is not None:
            return [*way, within]
    return None
