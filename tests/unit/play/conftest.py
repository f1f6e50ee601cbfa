"""What the tests of runs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.wire import result_frame


def ends_after(steps: int, reward: Any = 1.0) -> Callable[[dict[str, Any]], bytes]:
    """A server whose episodes are done after so many steps."""
    made = 0

    def answer(request: dict[str, Any]) -> bytes:
        nonlocal made
        made = 0 if request["type"] == "reset" else made + 1
        return result_frame({"step": made}, reward if made else None, made >= steps)

    return answer


def column(observation: Any) -> dict[str, int]:
    """A policy that always does the same."""
    return {"column": 3}
