"""Asking the person for an action: a question that a click answers."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from typing import Any

from openenv_notebook.jupyter.panel.arrival import Arrival
from openenv_notebook.play.policy import Chosen
from openenv_notebook.values.errors import NotSupportedHere, OpenEnvError, ReplyTimeout

# A loop that only waits is woken this often: a cell that awaits an answer can be interrupted.
_TICK = 0.1


class Question:
    """One action that is asked for."""

    def __init__(self) -> None:
        # The first is the one. It is written in one go: whoever waits may be interrupted, so there is no lock.
        self._outcome: dict[str, Chosen | OpenEnvError | None] = {}
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def answered(self, timeout: float | None) -> Chosen | None:
        """Wait for the answer, on any loop, for some seconds or without limit; None if the question was taken back.

        Raises ReplyTimeout if nobody answered in time, or the error that ended it instead.
        """
        until = None if timeout is None else time.monotonic() + timeout
        woken = asyncio.Event()
        self._waiting.append((asyncio.get_running_loop(), woken))
        while "is" not in self._outcome:
            left = _TICK if until is None else until - time.monotonic()
            if left <= 0:
                hint = "call ask() again, or give it more time"
                raise ReplyTimeout("ask", timeout or 0.0, sent=False, hint=hint)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), min(left, _TICK))
        answer = self._outcome["is"]
        if isinstance(answer, OpenEnvError):
            raise answer
        return answer

    def answer(self, action: dict[str, Any]) -> None:
        """Answer it; a second answer does nothing."""
        self._end(Chosen(action))

    def take_back(self, error: OpenEnvError | None = None) -> None:
        """End it without an answer: quietly, or by an error."""
        self._end(error)

    def _end(self, outcome: Chosen | OpenEnvError | None) -> None:
        self._outcome.setdefault("is", outcome)
        for loop, woken in list(self._waiting):
            with contextlib.suppress(RuntimeError):  # the loop that waited is closed
                loop.call_soon_threadsafe(woken.set)


async def refuse_where_nobody_can_click(shell: Any, arrival: Arrival) -> None:
    """Raise NotSupportedHere, with what can be done instead, where a click cannot arrive while a cell waits for it.

    Some kernels hand clicks over between cells only; a worker thread may wait there.
    """
    if getattr(shell, "kernel", None) is None:
        raise NotSupportedHere(
            "ask() waits for a click, and there is no notebook here to click in",
            hint="run it in a notebook's kernel, or give a function as the policy",
        )
    if threading.current_thread() is threading.main_thread() and not await arrival.is_open():
        shown = getattr(sys.modules.get("ipykernel"), "__version__", "")
        raise NotSupportedHere(
            f"ipykernel {shown} hands clicks over only when no cell runs, so this cell would wait for ever",
            hint="update ipykernel to 7.4 or later; or let the panel play: panel.play(policy), with 'I play' pressed",
        )
