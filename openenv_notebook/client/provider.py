"""What starts a client's server: a hold on one of ours, or an object like those of the official package."""

from __future__ import annotations

import threading
from typing import Any

from openenv_notebook.servers.backend import Progress
from openenv_notebook.servers.holding import HeldServer, Hold
from openenv_notebook.threads.start import start_thread
from openenv_notebook.values.ending import end_after
from openenv_notebook.values.errors import MisuseError


def hold_of(provider: Any, *arguments: Any, **keywords: Any) -> Hold:
    """Return a hold as it is, or make one on the server of an object like the official package's providers.

    Those have ``start_container()`` and ``stop_container()``, or ``start()`` and ``stop()``, and ``wait_for_ready``;
    the arguments are those of the start. What was started is stopped exactly once, also when the start fails, is
    interrupted, or is given up while it still goes on in its thread. What the object runs already is stopped as well,
    as what such helpers start before the client.
    """
    if isinstance(provider, Hold):
        return provider
    name = type(provider).__name__
    runs = HeldServer(name, lambda: _Foreign(provider), runs=True)
    make, variables = lambda: _started(provider, *arguments, **keywords), keywords.get("env_vars")
    return Hold(lambda: HeldServer(name, make), held=runs, variables=variables)


def stop_soon(hold: Hold) -> None:
    """Stop a server from a thread of its own; for a client that was dropped."""
    if hold.holds:
        start_thread(hold.stop, name="openenv-stop")


def _started(provider: Any, *arguments: Any, **keywords: Any) -> _Foreign:
    """Start it; whoever wants to stop it meanwhile has to wait."""
    start = getattr(provider, "start_container", None) or getattr(provider, "start", None)
    if start is None:
        what = f"the provider, a {type(provider).__name__}, has neither start_container() nor start()"
        raise MisuseError(what, hint="give it one that starts a server and returns its address")
    server = _Foreign(provider)
    try:
        server.url = str(start(*arguments, **keywords))
    except BaseException as error:
        end_after(error, server.stop)
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
