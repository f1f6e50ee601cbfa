"""Servers that a client owns, by duck type: containers and processes of the official package."""

from __future__ import annotations

import threading
from typing import Any

from openenv_notebook.errors import MisuseError
from openenv_notebook.threads import in_thread


class Provider:
    """Starts a server when its client first connects and stops it when the client closes.

    Args:
        provider: Has ``start_container()`` and ``stop_container()``, or ``start()`` and
            ``stop()``, and ``wait_for_ready``.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._guard = threading.Lock()
        self._running = True

    async def start(self) -> str:
        """Start the server and wait until it is ready, off the loop.

        Returns:
            Its address.

        Raises:
            MisuseError: If the object cannot start anything.
            Exception: What its start raised; what was started is stopped first.
        """
        return str(await in_thread(self._start))

    def _start(self) -> str:
        provider = self._provider
        start = getattr(provider, "start_container", None) or getattr(provider, "start", None)
        if start is None:
            raise MisuseError("the provider has neither start_container() nor start()")
        try:
            url = start()
            wait = getattr(provider, "wait_for_ready", None)
            if wait is not None:
                wait(url) if hasattr(provider, "start_container") else wait()
        except BaseException:
            self.stop()
            raise
        self._running = True
        return str(url)

    def stop(self) -> None:
        """Stop the server, once."""
        with self._guard:
            running, self._running = self._running, False
        stop = getattr(self._provider, "stop_container", None) or getattr(self._provider, "stop", None)
        if running and stop is not None:
            stop()

    def stop_soon(self) -> None:
        """Stop the server from a thread of its own; for a client that was dropped."""
        if self._running:
            threading.Thread(target=self.stop, name="openenv-stop", daemon=True).start()
