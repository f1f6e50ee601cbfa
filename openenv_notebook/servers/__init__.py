"""Servers on this machine: one for the caller (:func:`serve`), or one shared by its clients."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from openenv_notebook.errors import InvalidTarget, NotSupportedHere
from openenv_notebook.targets import LocalTarget, parse_target

if TYPE_CHECKING:
    from openenv_notebook.servers.embedded import EmbeddedServer


class Server:
    """A server that belongs to whoever started it: closing its clients never stops it.

    Use :func:`serve` to make one; ``with serve(...) as server`` stops it at the end.
    """

    def __init__(self, embedded: EmbeddedServer) -> None:
        self._embedded = embedded

    @property
    def url(self) -> str:
        """The address clients connect to, such as ``http://127.0.0.1:40123``."""
        return self._embedded.url

    @property
    def name(self) -> str:
        """What it serves."""
        return self._embedded.name

    @property
    def running(self) -> bool:
        """True until it is stopped."""
        return self._embedded.running

    @property
    def sessions_active(self) -> int:
        """How many sessions are in use."""
        return self._embedded.sessions_active

    @property
    def sessions_maximum(self) -> int:
        """How many sessions there may be at a time."""
        return self._embedded.sessions_maximum

    def stop(self) -> None:
        """End all sessions and stop; returns within 2 s. A second time does nothing."""
        self._embedded.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        if not self.running:
            return f"<Server {self.name}, stopped>"
        return f"<Server {self.name}, {self.url}, {self.sessions_active} of {self.sessions_maximum} sessions>"


def serve(what: str, *, port: int = 0, sessions: int = 64, allowed_hosts: Sequence[str] = ()) -> Server:
    """Start a server on this machine's loopback address.

    Args:
        what: ``"demo:echo"``, ``"demo:guess"`` or ``"demo:grid"``.
        port: TCP port; 0 takes a free one.
        sessions: How many clients there may be at a time.
        allowed_hosts: Host names of proxies that requests may come through.

    Returns:
        The running server.

    Raises:
        InvalidTarget: If there is no such demo, or the text names a server that runs elsewhere.
        NotSupportedHere: For what cannot be served.
        ServerStartFailed: If the port could not be taken.
    """
    target = parse_target(what)
    if not isinstance(target, LocalTarget):
        raise InvalidTarget(what, "it names a server that runs already", hint=f"connect({what!r})")
    return Server(_embedded(target, port, sessions, allowed_hosts).start())


def _embedded(target: LocalTarget, port: int, sessions: int, allowed_hosts: Sequence[str]) -> EmbeddedServer:
    # websockets' server is only loaded when something is served.
    from openenv_notebook.demo import find_demo
    from openenv_notebook.servers.embedded import EmbeddedServer

    if target.kind != "demo":
        raise NotSupportedHere(
            f"{target.name} cannot be served yet: only demo:NAME can",
            hint="start it yourself and connect to its address",
        )
    name = target.argument
    return EmbeddedServer(find_demo(name), name=name, port=port, sessions=sessions, allowed_hosts=allowed_hosts)


_guard = threading.Lock()
_shared: dict[str, tuple[EmbeddedServer, int]] = {}


class SharedServer:
    """A client's hold on the one server of a target in this process; the last one stops it.

    It has the methods of a provider, so a client starts and stops it by itself.

    Args:
        target: What is served.
    """

    def __init__(self, target: LocalTarget) -> None:
        self._target = target
        self._held = False

    def start(self) -> str:
        """Take hold, starting the server if nobody else has.

        Returns:
            Its address.
        """
        key = f"{self._target.kind}:{self._target.argument}"
        with _guard:
            server, holders = _shared.get(key, (None, 0))
            if server is None or not server.running:
                server, holders = _embedded(self._target, 0, 64, ()).start(), 0
            _shared[key] = (server, holders + 1)
            self._held = True
        return server.url

    def stop(self) -> None:
        """Let go; the server stops when nobody holds it. A second time does nothing."""
        key = f"{self._target.kind}:{self._target.argument}"
        with _guard:
            if not self._held:
                return
            self._held = False
            server, holders = _shared[key]
            if holders > 1:
                _shared[key] = (server, holders - 1)
                return
            del _shared[key]
        server.stop()


def running_servers() -> list[EmbeddedServer]:
    """List the servers that clients of this process share."""
    with _guard:
        return [server for server, _ in _shared.values() if server.running]
