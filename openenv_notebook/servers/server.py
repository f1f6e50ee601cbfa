"""A server of the caller's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel

from openenv_notebook.servers.backend import Backend, Progress
from openenv_notebook.servers.choose import Served, Wish, choose
from openenv_notebook.servers.running import Running, stop_earlier
from openenv_notebook.values import front_end
from openenv_notebook.values.ending import end_after
from openenv_notebook.values.tracebacks import shorten


class Server:
    """A server that belongs to whoever started it: closing its clients never stops it.

    Use :func:`serve` to make one; ``with serve(...) as server`` stops it at the end. It ends
    with this process, however that ends. A cell that serves again replaces its earlier server:
    that one stops as soon as no variable holds it.
    """

    def __init__(self, what: Served, wish: Wish, ready_within: float, progress: Progress | None) -> None:
        self._what = what
        self._wish = wish
        backend, owner = choose(what, wish), front_end.current_owner()
        stop_earlier(owner, wish.port)
        _start(backend, ready_within, progress)
        self._running = Running(self, backend, owner)
        self._running.begin()

    @property
    def _backend(self) -> Backend:
        return self._running.backend

    @property
    def url(self) -> str:
        """The address clients connect to, such as ``http://127.0.0.1:40123``."""
        return self._backend.url

    @property
    def name(self) -> str:
        """What it serves."""
        return self._backend.name

    @property
    def kind(self) -> str:
        """How it is served: "demo", "class", "folder", "module", "docker" or "uv"."""
        return self._backend.kind

    @property
    def log(self) -> list[str]:
        """The last lines it said (at most 500), the oldest first."""
        return self._backend.log

    @property
    def running(self) -> bool:
        """True until it is stopped, or has ended by itself."""
        return self._backend.running

    @property
    def sessions_active(self) -> int | None:
        """How many sessions are in use; None where it does not tell."""
        return self._backend.sessions_active

    @property
    def sessions_maximum(self) -> int | None:
        """How many sessions there may be at a time; None where it does not tell."""
        return self._backend.sessions_maximum

    def stop(self) -> None:
        """End all sessions and stop, within 3 s. A second time does nothing."""
        self._running.stop()

    def replace(
        self,
        what: Served | None = None,
        *,
        ready_within: float = 60.0,
        progress: Progress | None = None,
        **changes: Any,
    ) -> Self:
        """Serve something else, or new code of the same, at the same address.

        Sessions are lost with the old environments; a client stays usable, and its next
        ``reset()`` opens a session on the new server.

        Args:
            what: As for :func:`serve`, such as the class of a cell that was edited; the same
                as before if None.
            ready_within: Limit for the start, in seconds.
            progress: Called with what is being waited for.
            **changes: Other arguments of :func:`serve` that are to change.

        Returns:
            This server.

        Raises:
            OpenEnvError: If what is new cannot be served: then the old one goes on. If it does
                not start, neither runs.
        """
        what = self._what if what is None else what
        port = urlsplit(self.url).port or 0
        wish = dataclasses.replace(self._wish, **{"port": port, **changes})
        new = choose(what, wish)
        self._backend.stop()
        self._running.backend, self._what, self._wish = new, what, wish
        _start(new, ready_within, progress)
        self._running.begin()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        end_after(error, self.stop)

    def __repr__(self) -> str:
        if not self.running:
            return f"<Server {self.name}, stopped>"
        known = self.sessions_maximum is not None
        sessions = f", {self.sessions_active} of {self.sessions_maximum} sessions" if known else ""
        return f"<Server {self.name}, {self.url}{sessions}>"


def serve(
    what: str | Callable[..., Any],
    *,
    port: int = 0,
    sessions: int | None = None,
    allowed_hosts: Sequence[str] = (),
    arguments: Mapping[str, Any] | None = None,
    action: type[BaseModel] | None = None,
    observation: type[BaseModel] | None = None,
    ready_within: float = 60.0,
    progress: Progress | None = None,
) -> Server:
    """Start a server on this machine's loopback address.

    Args:
        what: A class of environments (or a function that returns one), served in this process;
            or a text: ``"./folder"`` with an openenv.yaml, ``"module:app"``, ``"docker:image"``,
            ``"uv:./folder"``, ``"uv:git+https://…"``, ``"demo:grid"``.
        port: TCP port; 0 takes a free one.
        sessions: How many clients there may be at a time, for a class or a demo; as many as it
            allows if None.
        allowed_hosts: Host names of proxies that requests may come through.
        arguments: Keyword arguments for the constructor of the class.
        action: The model of the class's actions, where it does not name it itself.
        observation: The model of its observations, likewise.
        ready_within: How long it may take to answer, in seconds; what is fetched or built before
            it runs does not count.
        progress: Called about every 2 s with what is being waited for.

    Returns:
        The running server.

    Raises:
        InvalidTarget: If the text names nothing that can be served.
        MisuseError: If the class names no models, or takes fewer sessions.
        NotSupportedHere: If docker, uv or openenv is missing.
        ServerStartFailed: If it ends or does not answer; ``.log`` has its last lines.

    Example:
        >>> with serve("demo:grid", sessions=2) as server, connect(server.url) as env:
        ...     server.sessions_active, server.sessions_maximum
        (1, 2)
    """
    wish = Wish(
        port=port,
        sessions=sessions,
        allowed_hosts=allowed_hosts,
        arguments=dict(arguments or {}),
        action=action,
        observation=observation,
    )
    return Server(what, wish, ready_within, progress)


def _start(backend: Backend, ready_within: float, progress: Progress | None) -> None:
    """Start a server; one that does not start, or whose start is interrupted, is stopped."""
    try:
        backend.start(ready_within, progress)
    except BaseException as error:
        shorten(error)
        end_after(error, backend.stop)
        raise
