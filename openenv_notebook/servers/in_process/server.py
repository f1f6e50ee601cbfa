"""A class of the notebook, served in this process by the official package's server."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import socket
import threading
import traceback
import types
from collections.abc import Mapping, Sequence
from typing import Any

from openenv_notebook.servers.backend import STOP_SECONDS, Progress, remember
from openenv_notebook.servers.in_process.describe import Description
from openenv_notebook.servers.in_process.entrance import Entrance
from openenv_notebook.servers.in_process.loop import ServingLoop
from openenv_notebook.servers.in_process.subclass import served_factory
from openenv_notebook.servers.log import Log
from openenv_notebook.servers.loopback import listen, url_at
from openenv_notebook.servers.refusals import judge_of
from openenv_notebook.servers.web_guard import Guarded, WebGuard
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import OwnThread
from openenv_notebook.values.errors import ServerStartFailed
from openenv_notebook.values.secrets import is_secret_name
from openenv_notebook.wire import same_process

_GOODBYE_SECONDS = 1
_LOGGERS = ("uvicorn.error", "uvicorn.access", "uvicorn.asgi")


class InProcessServer:
    """Serves an environment class on a thread of its own; each session has one thread more.

    Port 0 takes a free one. ``allowed_hosts`` are proxies that requests may come through; ValueError if one is no host
    name.
    """

    kind = "class"

    def __init__(
        self,
        described: Description,
        given: Mapping[str, Any] | None = None,
        *,
        port: int = 0,
        allowed_hosts: Sequence[str] = (),
    ) -> None:
        self.name = described.name
        self.sessions_maximum: int | None = described.sessions
        self._described = described
        self._wanted_port = port
        self._guard = WebGuard(allowed_hosts)
        self._log = Log()
        self._log.hide({name: value for name, value in (given or {}).items() if is_secret_name(name)})
        self._thread: threading.Thread | None = None
        self._server: Any = None
        self._sessions: Any = None
        self._port = 0
        self._failure: BaseException | None = None
        self._ready = Latch()
        self._pid = os.getpid()

    @property
    def url(self) -> str:
        """The address clients connect to."""
        return url_at(self.name, self._port)

    @property
    def running(self) -> bool:
        """True from its start to its stop."""
        return self._ready.is_set() and self._thread is not None and self._thread.is_alive()

    @property
    def log(self) -> list[str]:
        """What it said: warnings of the server, and tracebacks of the environment."""
        return self._log.lines

    @property
    def sessions_active(self) -> int | None:
        """How many sessions are in use."""
        return int(self._sessions.active_sessions) if self.running and self._sessions is not None else 0

    def start(self, ready_within: float = 60.0, progress: Progress | None = None) -> None:
        """Start listening and wait ``ready_within`` seconds at most until it answers; ``progress`` is not called.

        Raises ServerStartFailed if the port could not be taken, or the server does not start.
        """
        listening = listen(self.name, self._wanted_port)
        self._port = listening.getsockname()[1]
        # Known before it runs, so that an interrupted start can still be stopped.
        self._thread = OwnThread(self._run, listening, name=f"openenv-server-{self.name}")
        self._thread.start()
        remember(self)
        if not self._ready.wait(ready_within) or self._failure is not None:
            why = f": {self._failure}" if self._failure is not None else f" within {ready_within:g} s"
            raise ServerStartFailed(f"the server {self.name!r} did not start{why}", log=self._log.last(20))

    def stop_soon(self) -> None:
        """Ask the server to end all sessions (close code 1012) and stop."""
        if self._server is not None and os.getpid() == self._pid:
            self._server.should_exit = True

    def stop(self) -> None:
        """Stop listening, end all sessions and join the thread, within 2 s; again it does nothing."""
        self.stop_soon()
        thread = self._thread
        if thread is None or thread is threading.current_thread() or os.getpid() != self._pid:
            return
        thread.join(STOP_SECONDS)
        if thread.is_alive():
            self._log.write("a step is still running; the server's thread ends with it")

    def _run(self, listening: socket.socket) -> None:
        quiet = _OwnRecords(self._log)
        loggers = [logging.getLogger(name) for name in _LOGGERS]
        for logger in loggers:
            logger.addFilter(quiet)
        same_process.open_door(self._port)
        loop = ServingLoop(self.name, self._failed)
        try:
            loop.run_until_complete(self._serve(loop, listening))
        except (Exception, SystemExit) as error:
            self._failure = error
            self._log.write(traceback.format_exc())
        finally:
            same_process.close_door(self._port)
            self._ready.set()
            _finish(loop)
            listening.close()
            for logger in loggers:
                logger.removeFilter(quiet)

    async def _serve(self, loop: ServingLoop, listening: socket.socket) -> None:
        import uvicorn

        app = Guarded(Entrance(self._application(loop), self._log), self._guard)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            # On the loopback the kernel itself reports a dead peer; a paused one is not dead.
            ws_ping_interval=None,
            timeout_graceful_shutdown=_GOODBYE_SECONDS,
        )
        server = self._server = uvicorn.Server(config)
        watch = loop.create_task(self._announce(server))
        try:
            await server.serve(sockets=[listening])
        finally:
            watch.cancel()

    async def _announce(self, server: Any) -> None:
        while not server.started:
            await asyncio.sleep(0.002)
        self._ready.set()

    def _application(self, loop: ServingLoop) -> Any:
        from fastapi import FastAPI
        from openenv.core.env_server.http_server import HTTPEnvServer

        given = self._described
        app = FastAPI(title=given.name)
        options: dict[str, Any] = {"max_concurrent_envs": given.sessions, "env_name": given.name}
        if given.state is not None:
            options["state_cls"] = given.state
        # Older servers know fewer options.
        known = inspect.signature(HTTPEnvServer).parameters
        options = {name: value for name, value in options.items() if name in known}
        factory = served_factory(given, loop)
        self._sessions = HTTPEnvServer(factory, judge_of(given.action), given.observation, **options)
        self._sessions.register_routes(app)
        return app

    def _failed(self, error: BaseException, trace: types.TracebackType | None) -> None:
        self._log.write("".join(traceback.format_exception(type(error), error, trace)))


class _OwnRecords(logging.Filter):
    """Takes the records of one server's thread into its log; those of others pass."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._thread = threading.get_ident()
        self._log = log

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record goes on to whatever handlers there are."""
        if record.thread != self._thread:
            return True
        if record.levelno >= logging.WARNING:
            self._log.write(record.getMessage())
        return False


def _finish(loop: ServingLoop) -> None:
    """Let the connections that were cancelled end; a step that still runs is waited for."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.end_workers()
    loop.close()
