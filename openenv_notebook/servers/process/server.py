"""A server in a process of its own: a project, an app, a container."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from openenv_notebook.servers.backend import Progress, remember, stopped_while_starting
from openenv_notebook.servers.log import Log
from openenv_notebook.servers.loopback import url_at
from openenv_notebook.servers.process.child import STOP_SECONDS, Child
from openenv_notebook.servers.process.health import is_healthy
from openenv_notebook.threads.latch import Latch
from openenv_notebook.values.errors import ServerStartFailed
from openenv_notebook.values.secrets import is_secret_name

SHOWN_LINES = 20
_TICK = 0.05
_SAY_AFTER = 2.0


@dataclass(frozen=True)
class Launch:
    """How to start one process.

    ``verb`` is "serve" for an app with the launcher, or "keep" for a command; ``order`` is what the launcher is told.
    ``port`` is where it will listen, 0 where it tells by itself. ``variables`` are added to those of this process,
    ``command`` is what a person would have typed, ``hint`` what to do where it fails. A ``slow_end`` takes longer, and
    must not be cut short.
    """

    verb: Literal["serve", "keep"]
    order: Mapping[str, Any]
    port: int = 0
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    command: str = ""
    slow_end: bool = False
    hint: str | None = None


Plan = Callable[["ProcessServer"], Launch]


class ProcessServer:
    """Starts a process, waits until it answers, and stops it; it dies with this process.

    ``plan`` makes the launch when the server is started; it may run other commands first.
    """

    # The wire does not tell, and nothing else is asked.
    sessions_active: int | None = None
    sessions_maximum: int | None = None

    def __init__(self, name: str, kind: str, plan: Plan) -> None:
        self.name = name
        self.kind = kind
        self._plan = plan
        self._log = Log()
        self._child: Child | None = None
        self._launch: Launch | None = None
        self._port = 0
        self._stopped = Latch()
        self._progress: Progress | None = None
        self._began = 0.0
        self._said = 0.0
        self.at_stop: list[Callable[[], object]] = []

    @property
    def url(self) -> str:
        """The address clients connect to."""
        return url_at(self.name, self._port)

    @property
    def running(self) -> bool:
        """True while its process exists."""
        return self._child is not None and self._child.running

    @property
    def log(self) -> list[str]:
        """The last lines it printed."""
        return self._log.lines

    def start(self, ready_within: float = 60.0, progress: Progress | None = None) -> None:
        """Start the process and wait until it answers GET /health.

        The limit, in seconds, runs from when the server itself does: what is fetched or built before does not count.
        Progress is told about every 2 s. Raises ServerStartFailed, with its last lines, if it ends or does not answer,
        and NotSupportedHere if a program is missing.
        """
        self._progress = progress
        self._began = self._said = time.monotonic()
        remember(self)
        launch = self._launch = self._plan(self)
        child = self._spawn(launch)
        while not (launch.port or child.told.get("port")):
            self._look_after(child, launch, "is being prepared")
            time.sleep(_TICK)
        self._port = launch.port or int(child.told["port"])
        until = time.monotonic() + ready_within
        while not is_healthy(self.url, timeout=min(2.0, ready_within)):
            self._look_after(child, launch, "is starting")
            if time.monotonic() > until:
                raise self._failed(f"did not answer GET /health within {ready_within:g} s", launch)
            time.sleep(_TICK)
        self._look_after(child, launch, "is starting")

    def run_first(self, launch: Launch, doing: str) -> None:
        """Run a command to its end before the server is started; ``doing`` is for progress: "is being cloned".

        Raises ServerStartFailed if it fails, with the command, its code and its last lines.
        """
        child = self._spawn(launch)
        while child.code is None:
            self._go_on(doing)
            child.wait(_TICK)
        child.stop()
        if child.code != 0:
            raise self._failed(f"could not be prepared: {launch.command} ended with code {child.code}", launch)

    def _spawn(self, launch: Launch) -> Child:
        inherited = {name: value for name, value in os.environ.items() if is_secret_name(name)}
        self._log.hide({**inherited, **launch.variables})
        child = Child(self.name, launch.verb, launch.order, self._log, launch.variables)
        self._child = child
        try:
            child.start()
        except OSError as error:
            raise self._failed(f"could not be started: {error}", launch) from None
        return child

    def _look_after(self, child: Child, launch: Launch, doing: str) -> None:
        """Raise where nobody wants it any more, or the process has ended; say what is waited for."""
        self._go_on(doing)
        code = child.code
        if code is not None:
            child.stop()
            raise self._failed(f"did not start: {launch.command} ended with code {code}", launch)

    def _go_on(self, doing: str) -> None:
        """Raise where nobody wants it any more; say what is waited for."""
        if self._stopped.is_set():
            raise stopped_while_starting(self.name, self._log.last(SHOWN_LINES))
        now = time.monotonic()
        if self._progress is not None and now - self._said >= _SAY_AFTER:
            self._said = now
            last = self._log.last(1)
            self._progress(f"{self.name} {doing}, {now - self._began:.0f} s" + (f" · {last[0]}" if last else ""))

    def _failed(self, what: str, launch: Launch) -> ServerStartFailed:
        log = self._log.last(SHOWN_LINES)
        if self._stopped.is_set():
            return stopped_while_starting(self.name, log)
        return ServerStartFailed(f"{self.name} {what}", log=log, hint=launch.hint)

    def stop_soon(self) -> None:
        """Ask it to stop and wait for nothing."""
        self._stopped.set()
        if self._child is not None:
            self._child.stop_soon()

    def stop(self) -> None:
        """Stop it and whatever it started, within 3 s; again it does nothing."""
        self._stopped.set()
        if self._child is not None:
            slow = self._launch is not None and self._launch.slow_end
            self._child.stop(STOP_SECONDS, kill=not slow)
        while self.at_stop:
            with contextlib.suppress(OSError):
                self.at_stop.pop()()
