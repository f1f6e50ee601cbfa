"""What starts a client's server: a hold on one of ours, or an object like those of the official package."""

from __future__ import annotations

import threading
from typing import Any

from openenv_notebook.servers.backend import Progress
from openenv_notebook.servers.holding import HeldServer, Hold
from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import MisuseError


class Provider:
    """Starts a server when its client first connects and stops it when the client closes.

    What was started is stopped exactly once, also when the start fails, is interrupted, or is
    given up while it still goes on in its thread.

    Args:
        origin: A hold; or what has ``start_container()`` and ``stop_container()``, or
            ``start()`` and ``stop()``, and ``wait_for_ready``.

    Attributes:
        origin: The same.
    """

    def __init__(self, origin: Any) -> None:
        self.origin = origin
        self._hold = origin if isinstance(origin, Hold) else hold_foreign(origin)

    async def start(self) -> str:
        """Start the server and wait until it is ready, off the loop.

        Returns:
            Its address.

        Raises:
            MisuseError: If the object cannot start anything.
            ServerStartFailed: If it was stopped meanwhile.
            Exception: What its start raised; what was started is stopped first.
        """
        return str(await in_thread(self._hold.start))

    def stop(self) -> None:
        """Stop the server, once; one whose start still goes on is stopped when it is there."""
        self._hold.stop()

    def stop_soon(self) -> None:
        """Stop the server from a thread of its own; for a client that was dropped."""
        if self._hold.holds:
            threading.Thread(target=self.stop, name="openenv-stop", daemon=True).start()


def hold_foreign(provider: Any, *arguments: Any, **keywords: Any) -> Hold:
    """Make a hold on the server of an object like the official package's providers.

    What the object runs already is stopped as well, as what such helpers start before the client.

    Args:
        provider: The object, as for :class:`Provider`.
        *arguments: Of its start.
        **keywords: Likewise.

    Returns:
        The hold.
    """
    name = type(provider).__name__

    def find() -> HeldServer:
        return HeldServer(name, lambda: _started(provider, *arguments, **keywords))

    return Hold(find, held=HeldServer(name, lambda: _Foreign(provider), runs=True))


def _started(provider: Any, *arguments: Any, **keywords: Any) -> _Foreign:
    """Start it; whoever wants to stop it meanwhile has to wait."""
    start = getattr(provider, "start_container", None) or getattr(provider, "start", None)
    if start is None:
        raise MisuseError("the provider has neither start_container() nor start()")
    server = _Foreign(provider)
    try:
        server.url = str(start(*arguments, **keywords))
    except BaseException:
        server.stop()
        raise
    return server


class _Foreign:
    """What a provider has started, as a server of ours."""

    url = ""
    running = True

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._once = threading.Lock()

    def start(self, ready_within: float, progress: Progress | None = None) -> None:
        """Wait until it is ready, as long as the provider takes."""
        wait = getattr(self._provider, "wait_for_ready", None)
        if wait is not None:
            wait(self.url) if hasattr(self._provider, "start_container") else wait()

    def stop(self) -> None:
        """Stop it; again it does nothing."""
        stop = getattr(self._provider, "stop_container", None) or getattr(self._provider, "stop", None)
        if stop is not None and self._once.acquire(blocking=False):
            stop()
