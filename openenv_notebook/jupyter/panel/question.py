"""Asking the person for an action: a question that a click answers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from openenv_notebook.jupyter.panel.notebook import queues_clicks
from openenv_notebook.play.policy import Chosen
from openenv_notebook.threads.elsewhere import wait_async
from openenv_notebook.threads.portal import Portal
from openenv_notebook.values.errors import NotSupportedHere, OpenEnvError, ReplyTimeout


class Question:
    """One action that is asked for.

    Args:
        portal: The portal of the session.
    """

    def __init__(self, portal: Portal) -> None:
        self._portal = portal
        self._guard = threading.Lock()
        self._wake: Callable[[], object] | None = None
        self._is_over = False
        self._action: Chosen | None = None
        self._error: OpenEnvError | None = None

    async def answered(self, timeout: float | None) -> Chosen | None:
        """Wait for the answer, on any loop.

        Args:
            timeout: Seconds; None for no limit.

        Returns:
            The action; None if the question was taken back.

        Raises:
            ReplyTimeout: If nobody answered in time.
            OpenEnvError: What ended it instead.
        """
        if not await wait_async(self._portal, timeout, self._wait_for):
            raise ReplyTimeout("ask", timeout or 0.0, sent=False, hint="call ask() again, or give it more time")
        if self._error is not None:
            raise self._error
        return self._action

    def answer(self, action: dict[str, Any]) -> None:
        """Answer it; a second answer does nothing."""
        self._end(Chosen(action), None)

    def take_back(self, error: OpenEnvError | None = None) -> None:
        """End it without an answer: quietly, or by an error."""
        self._end(None, error)

    def _end(self, action: Chosen | None, error: OpenEnvError | None) -> None:
        with self._guard:
            if self._is_over:
                return
            self._is_over, self._action, self._error = True, action, error
            wake = self._wake
        if wake is not None:
            self._portal.post(wake)

    def _wait_for(self, wake: Callable[[], object]) -> None:
        with self._guard:
            self._wake = wake
            is_over = self._is_over
        if is_over:
            self._portal.post(wake)


def refuse_where_nobody_can_click(shell: Any) -> None:
    """Raise where a click cannot arrive while a cell waits for it.

    Args:
        shell: The IPython shell, None outside of one.

    Raises:
        NotSupportedHere: With what can be done instead. ipykernel 6 hands clicks over between
            cells only; a worker thread may wait there.
    """
    if getattr(shell, "kernel", None) is None:
        raise NotSupportedHere(
            "ask() waits for a click, and there is no notebook here to click in",
            hint="run it in a notebook's kernel, or give a function as the policy",
        )
    if threading.current_thread() is threading.main_thread() and queues_clicks():
        shown = getattr(sys.modules.get("ipykernel"), "__version__", "6")
        raise NotSupportedHere(
            f"ipykernel {shown} hands clicks over only when no cell runs, so this cell would wait for ever",
            hint="update ipykernel to 7.4 or later; or let the panel play: panel.play(policy), with 'I play' pressed",
        )
