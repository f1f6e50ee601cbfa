"""The context variables of where a person's function was given, wherever and by whom it is called later."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import copy_context
from typing import Any


def with_this_context(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that calls another with the context variables of here and now; several may call it at once."""
    here = copy_context()

    @functools.wraps(function, updated=())
    def call(*arguments: Any) -> Any:
        return here.copy().run(function, *arguments)

    return call
