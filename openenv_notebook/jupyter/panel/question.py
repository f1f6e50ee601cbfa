"""Asking the person for an action: a question that a click answers."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from concurrent.futures import Future, InvalidStateError
from typing import Any

from openenv_notebook.jupyter.panel.arrival import Arrival
from openenv_notebook.play.policy import Chosen
from openenv_notebook.values.errors import NotSupportedHere, OpenEnvError, ReplyTimeout

# A loop that only waits is woken this often: a cell that awaits an answer can be interrupted.
_TICK = 0.1


class Question:
    """One action that is asked for."""

    def __init__(self) -> None:
        self._answer: Future[Chosen | None] = Future()

    async def answered(self, timeout: float | None) -> Chosen | None:
        """Wait for the answer, on any loop, for some seconds or without limit; None if the question was taken back.

        Raises ReplyTimeout if nobody answered in time, or the error that ended it instead.
        """
        until = None if timeout is None else time.monotonic() + timeout
        waiting = asyncio.wrap_future(self._answer)
        try:
            while not self._answer.done():
                left = _TICK if until is None else until - time.monotonic()
                if left <= 0:
                    hint = "call ask() again, or give it more time"
                    raise ReplyTimeout("ask", timeout or 0.0, sent=False, hint=hint)
                await asyncio.wait([waiting], timeout=min(left, _TICK))
            return self._answer.result()
        finally:
            waiting.cancel()

    def answer(self, action: dict[str, Any]) -> None:
        """Answer it; a second answer does nothing."""
        with contextlib.suppress(InvalidStateError):
            self._answer.set_result(Chosen(action))

    def take_back(self, error: OpenEnvError | None = None) -> None:
        """End it without an answer: quietly, or by an error."""
        with contextlib.suppress(InvalidStateError):
            if error is None:
                self._answer.set_result(None)
            else:
                self._answer.set_exception(error)


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
