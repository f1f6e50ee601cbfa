"""Servers that a client owns, by duck type: containers and processes of the official package."""

from __future__ import annotations

import threading
from typing import Any, Literal

from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import ClientClosed, MisuseError


class Provider:
    """Starts a server when its client first connects and stops it when the client closes.

    What was started is stopped exactly once, also when the start fails, is interrupted, or is
    given up while it still goes on in its thread.

    Args:
        provider: Has ``start_container()`` and ``stop_container()``, or ``start()`` and
            ``stop()``, and ``wait_for_ready``. One whose start may be given up on another
            thread has ``give_up_start()``.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._guard = threading.Lock()
        self._phase: Literal["idle", "starting", "unwanted", "running"] = "running"

    @property
    def origin(self) -> Any:
        """What starts the server, as it was given."""
        return self._provider

    async def start(self) -> str:
        """Start the server and wait until it is ready, off the loop.

        Returns:
            Its address.

        Raises:
            MisuseError: If the object cannot start anything.
            ClientClosed: If it was stopped meanwhile.
            Exception: What its start raised; what was started is stopped first.
        """
        return str(await in_thread(self._start))

    def _start(self) -> str:
        provider = self._provider
        start = getattr(provider, "start_container", None) or getattr(provider, "start", None)
        if start is None:
            raise MisuseError("the provider has neither start_container() nor start()")
        with self._guard:
            self._phase = "starting"
        try:
            url = start()
            with self._guard:
                wanted, self._phase = self._phase == "starting", "running"
            if not wanted:
                raise ClientClosed("the client was closed while its server started")
            wait = getattr(provider, "wait_for_ready", None)
            if wait is not None:
                wait(url) if hasattr(provider, "start_container") else wait()
        except BaseException:
            self._stop()
            raise
        return str(url)

    def stop(self) -> None:
        """Stop the server, once; one whose start still goes on is stopped when it is there."""
        with self._guard:
            starting = self._phase in ("starting", "unwanted")
            if starting:
                self._phase = "unwanted"
        if not starting:
            self._stop()
        elif hasattr(self._provider, "give_up_start"):
            self._provider.give_up_start()

    def _stop(self) -> None:
        with self._guard:
            was_running, self._phase = self._phase != "idle", "idle"
        stop = getattr(self._provider, "stop_container", None) or getattr(self._provider, "stop", None)
        if was_running and stop is not None:
            stop()

    def stop_soon(self) -> None:
        """Stop the server from a thread of its own; for a client that was dropped."""
        if self._phase != "idle":
            threading.Thread(target=self.stop, name="openenv-stop", daemon=True).start()
