"""One docstring for what is said of both twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def documented_as(original: Any) -> Callable[[_F], _F]:
    """Make a decorator that gives a function the docstring of another."""

    def document(function: _F) -> _F:
        function.__doc__ = original.__doc__
        return function

    return document
