"""A server inside this process, on a thread and a loop of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.server import Server, ServerConnection, serve

from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.servers.backend import STOP_SECONDS, Progress, remember
from openenv_notebook.servers.embedded.http_routes import DemoClass, HttpRoutes, describe_metadata, describe_schema
from openenv_notebook.servers.embedded.session import SessionHandler
from openenv_notebook.servers.loopback import listen, url_at
from openenv_notebook.servers.web_guard import WebGuard
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import OwnThread
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.logs import LogOfWebSockets, our_log

LARGEST_MESSAGE = 16 * 1024 * 1024
SERVICE_RESTART = 1012
# Shares of STOP_SECONDS: for clients to say goodbye, and for what was cancelled to end.
_GOODBYE_SECONDS, _CANCEL_SECONDS = 0.5, 1.0

_log = our_log(__name__)
# Without a handler of the application's own, nothing is printed into a notebook.
_log.addHandler(logging.NullHandler())


class EmbeddedServer:
    """Serves environments to clients on this machine, as a real OpenEnv server does.

    It listens on the loopback address only, and takes no requests from web pages of other sites. Each connection has an
    environment of its own. Everything runs on one daemon thread, so a plain ``step`` has to be quick; an ``async`` one
    may wait.

    ``environment`` is a class, or a callable without arguments that builds one, called once here to learn its types.
    The name is public, and part of the thread's; port 0 takes a free one. Requests may also be addressed to and come
    from ``allowed_hosts``, such as a proxy. Raises ValueError if ``sessions`` is below 1, or one of those is no host
    name. As a context manager it is started on entry and stopped on exit.
    """

    kind = "demo"

    def __init__(
        self,
        environment: Callable[[], DemoEnvironment[Any, Any, Any]],
        *,
        name: str,
        sessions: int = 64,
        port: int = 0,
        allowed_hosts: Sequence[str] = (),
    ) -> None:
        if sessions < 1:
            raise ValueError(f"sessions must be 1 or more, not {sessions}")
        described = _described(environment)
        pages = {
            "/health": {"status": "healthy"},
            "/metadata": describe_metadata(name, described),
            "/schema": describe_schema(described),
        }
        self.name = name
        self._routes = HttpRoutes(WebGuard(allowed_hosts), pages)
        self._handler = SessionHandler(environment, sessions)
        self._wanted_port = port
        self._port = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._transports: set[asyncio.BaseTransport] = set()
        self._pid = os.getpid()

    @property
    def url(self) -> str:
        """The address clients connect to, such as ``http://127.0.0.1:40123``; MisuseError if it was never started."""
        return url_at(self.name, self._port)

    @property
    def running(self) -> bool:
        """True from :meth:`start` to :meth:`stop`."""
        return self._port != 0 and self._thread is not None and self._thread.is_alive()

    @property
    def log(self) -> list[str]:
        """Nothing: a demo prints nothing of its own."""
        return []

    @property
    def sessions_active(self) -> int:
        """How many sessions are in use."""
        return self._handler.active

    @property
    def sessions_maximum(self) -> int:
        """How many sessions there may be at a time."""
        return self._handler.maximum

    def start(self, ready_within: float = 60.0, progress: Progress | None = None) -> Self:
        """Start listening, which takes no time: neither argument is used. Does nothing on a running server.

        Raises ServerStartFailed if the port could not be taken, MisuseError if the server was stopped before.
        """
        with self._lock:
            if self._thread is None:
                self._launch()
            elif not self._thread.is_alive():
                raise MisuseError(f"the server {self.name!r} was stopped", hint="make a new one")
        remember(self)
        return self

    def stop_soon(self) -> None:
        """Ask the server to stop and wait for nothing."""
        loop, stopping = self._loop, self._stopping
        # In a forked child the thread does not exist, and the loop's pipe is the parent's.
        if loop is not None and stopping is not None and os.getpid() == self._pid:
            # A closed loop refuses: the server was stopped before.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(stopping.set)

    def stop(self) -> None:
        """Stop listening, end all sessions (close code 1012) and join the thread.

        Returns within 2 seconds. Calling it again does nothing. On the server's own thread
        it only asks the server to stop.
        """
        with self._lock:
            thread = self._thread
        if thread is None or os.getpid() != self._pid:
            return
        self.stop_soon()
        if thread is not threading.current_thread():
            thread.join(STOP_SECONDS)
            if thread.is_alive():
                _log.warning("the server %r is busy in a step; its thread ends with that step", self.name)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        where = f"at {self.url}" if self.running else "stopped" if self._thread else "not started"
        return f"<EmbeddedServer {self.name} {where}, {self.sessions_active} of {self.sessions_maximum} sessions>"

    def _launch(self) -> None:
        listening = listen(self.name, self._wanted_port)
        ready, failures = Latch(), list[BaseException]()
        # Known before it runs, so that an interrupted start can still be stopped.
        self._thread = OwnThread(self._run, listening, ready, failures, name=f"openenv-server-{self.name}")
        self._thread.start()
        ready.wait()
        if failures:
            raise failures.pop()

    def _run(self, listening: socket.socket, ready: Latch, failures: list[BaseException]) -> None:
        try:
            with listening, asyncio.Runner() as runner:
                runner.run(self._serve(listening, ready))
        except BaseException as error:
            if ready.is_set():
                _log.exception("the server %r broke down", self.name)
            else:
                failures.append(error)
                ready.set()

    async def _serve(self, listening: socket.socket, ready: Latch) -> None:
        stopping = asyncio.Event()
        server = await serve(
            self._handler.handle,
            sock=listening,
            create_connection=_tracked(self._transports),
            process_request=self._routes.process_request,
            compression=None,
            max_size=LARGEST_MESSAGE,
            # On the loopback the kernel itself reports a dead peer; a paused one is not dead.
            ping_interval=None,
            server_header=None,
            logger=LogOfWebSockets(f"{__name__}.websockets"),
        )
        self._loop, self._stopping = asyncio.get_running_loop(), stopping
        self._port = listening.getsockname()[1]
        ready.set()
        await stopping.wait()
        await self._shut_down(server)

    async def _shut_down(self, server: Server) -> None:
        server.close(close_connections=False)
        goodbyes = [asyncio.ensure_future(each.close(SERVICE_RESTART)) for each in server.connections]
        if goodbyes:
            await asyncio.wait(goodbyes, timeout=_GOODBYE_SECONDS)
        for transport in list(self._transports):
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()
        running = list(self._handler.tasks)
        for task in running:
            task.cancel()
        ending = [*running, *goodbyes, asyncio.ensure_future(server.wait_closed())]
        await asyncio.wait(ending, timeout=_CANCEL_SECONDS)


def _described(environment: Callable[[], DemoEnvironment[Any, Any, Any]]) -> DemoClass:
    if isinstance(environment, type):
        return environment
    specimen = environment()
    specimen.close()
    return type(specimen)


def _tracked(transports: set[asyncio.BaseTransport]) -> type[ServerConnection]:
    """Make the class of connections whose transports stand in a set while they are open.

    Only so can a stop also end those that connected and have not sent a request.
    """

    class TrackedConnection(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            transports.add(transport)
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            transports.discard(self.transport)
            super().connection_lost(exc)

    return TrackedConnection
