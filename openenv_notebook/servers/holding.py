"""Servers that clients hold: one for a target and process, or one of a client's own.

Each is started once, on a thread of its own, however many wait for it: nobody's interrupt ends
the start for the others. The last who lets go stops it, or its start.
"""

from __future__ import annotations

import copy
import functools
import os
import threading
from collections.abc import Callable, Hashable, Mapping
from typing import Any
from urllib.parse import urlsplit

from openenv_notebook.servers.backend import Startable, stopped_while_starting
from openenv_notebook.servers.choose import Served, Wish, choose
from openenv_notebook.threads.fork import in_forked_child
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import start_thread
from openenv_notebook.values.ending import end_after
from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.targets import Address, LocalTarget

_guard = threading.RLock()
_shared: dict[Hashable, HeldServer] = {}


class HeldServer:
    """A server on its way, or running, and who holds it.

    ``make`` makes it, on the thread that starts it, which may take ``ready_within`` seconds; where it ``runs`` already,
    it is only stopped.
    """

    def __init__(
        self, what: Served, make: Callable[[], Startable], ready_within: float = 60.0, *, runs: bool = False
    ) -> None:
        self.what = what
        self.backend = make() if runs else None
        self._make = make
        self._ready_within = ready_within
        # Each is told when it need wait no longer.
        self._holders: dict[object, Latch] = {}
        self._failure: BaseException | None = None
        self._begun = self._done = runs

    def take(self, holder: object) -> None:
        """Let somebody hold it; the first one has it started."""
        with _guard:
            self._holders.setdefault(holder, Latch())
            if self._done:
                self._holders[holder].set()
            if not self._begun:
                start_thread(self._run, name="openenv-start")

    def wait(self, holder: object) -> str:
        """Wait until it runs, and return its address.

        Raises what the start raised, once what was started is stopped; ServerStartFailed if the holder has let go
        meanwhile.
        """
        told = self._holders.get(holder)
        # Who lets go may be interrupted before telling.
        while told is not None and not told.wait(0.5) and self._holders.get(holder) is told:
            pass
        self._refuse(holder not in self._holders)
        if self._failure is not None:
            # Each who waits gets their own: a raised error holds the frames it went through.
            raise copy.copy(self._failure) if isinstance(self._failure, OpenEnvError) else self._failure
        assert self.backend is not None
        return self.backend.url

    def let_go(self, holder: object) -> None:
        """Take a holder away; the last one stops the server, or its start. Again it does nothing."""
        with _guard:
            told, backend = self._holders.pop(holder, None), self.backend
            if told is not None:
                told.set()
            # Asked anew after an interrupt it goes on from here. A start that has not begun gives up by itself.
            if self._holders:
                return
            for key in [key for key, other in _shared.items() if other is self]:
                del _shared[key]
        if backend is not None:
            backend.stop()

    @property
    def is_usable(self) -> bool:
        """True while it starts and while it runs."""
        return self._failure is None and (not self._done or (self.backend is not None and self.backend.running))

    def _run(self) -> None:
        with _guard:
            if self._begun:
                return  # an interrupted take() had it started already
            self._begun = True
        try:
            self._start()
        except BaseException as error:
            self._failure = error
        with _guard:
            self._done = True
            for told in self._holders.values():
                told.set()

    def _start(self) -> None:
        backend = self._make()
        with _guard:
            self.backend = backend
        try:
            self._refuse(not self._holders)
            backend.start(self._ready_within)
            self._refuse(not self._holders)
        except BaseException as error:
            end_after(error, backend.stop)
            raise

    def _refuse(self, gone: bool) -> None:
        """Raise where whoever wanted it is gone."""
        if gone:
            name = getattr(self.what, "name", None) or getattr(self.what, "__name__", self.what)
            raise stopped_while_starting(str(name))


class Hold:
    """A client's hold on a server: it takes hold when the client first connects, and lets go when that closes.

    ``find`` finds or makes the server, or gives None where it is gone and was given by its address, kept as it was
    typed. ``what`` is served where clients share it. A ``held`` server runs already, and is held from now on.
    ``variables`` are those that the server's process is given, whose values are secrets.
    """

    def __init__(
        self,
        find: Callable[[], HeldServer | None],
        what: Served | None = None,
        address: str = "",
        held: HeldServer | None = None,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        self.variables = variables or {}
        self.what = what
        self._find = find
        self._address = address
        self._held = held
        self._stops: list[None] = []
        if held is not None:
            held.take(self)

    @property
    def stops(self) -> int:
        """How often it was stopped, or its starts forestalled."""
        return len(self._stops)

    @property
    def holds(self) -> bool:
        """True from its start to its stop."""
        return self._held is not None

    def start(self, since: int | None = None) -> str:
        """Take hold, starting the server if nobody else has, wait until it runs, and return its address.

        ``since`` is how many ``stops`` there were when this was asked for. Raises what the start raised, and
        ServerStartFailed if it was stopped meanwhile.
        """
        with _guard:
            if since not in (None, self.stops):
                raise stopped_while_starting(str(self.what or "the server"))
            server = self._held = self._find()
            if server is not None:
                server.take(self)
        if server is None:
            return self._address
        try:
            return self._address or server.wait(self)
        except BaseException as error:
            end_after(error, self.stop)
            raise

    def stop(self) -> None:
        """Let go, also during the start; the server stops when nobody holds it. Again it does nothing."""
        with _guard:  # a start that takes hold just now is seen below
            self.forestall()
        server = self._held
        if server is not None:
            server.let_go(self)
            # Last, so that an interrupt before it leaves what the next stop does.
            if self._held is server:
                self._held = None

    def forestall(self) -> None:
        """Have every start that was asked for until now, and has not begun, fail; in one go, without a lock.

        Finalizers call it, on whichever thread: also on one that is being started by whoever has the lock.
        """
        self._stops.append(None)


def hold_shared(what: Served) -> Hold:
    """Make a hold on the one server of a target, or a class, in this process."""

    def find() -> HeldServer:
        key = _key(what)
        server = _shared.get(key)
        if server is None or not server.is_usable:
            server = _shared[key] = HeldServer(what, lambda: choose(what, Wish()))
        return server

    return Hold(find, what)


def hold_at(text: str, address: Address) -> Hold | None:
    """Make a hold on the shared server of this process that an address, typed as ``text``, leads to; else None."""
    port = urlsplit(address.http_url).port
    if not address.is_loopback or port is None:
        return None
    with _guard:
        servers = list(_shared.values())
    for server in servers:
        backend = server.backend
        if backend is not None and backend.running and urlsplit(backend.url).port == port:
            return Hold(functools.partial(_if_there, server), server.what, text)
    return None


def _if_there(server: HeldServer) -> HeldServer | None:
    return server if server in _shared.values() else None


def hold_own(target: str, wish: Wish, ready_within: float = 60.0) -> Hold:
    """Make a hold on a server such as "docker:image" that one client starts, in ``ready_within`` seconds, and stops."""
    return Hold(lambda: HeldServer(target, lambda: choose(target, wish), ready_within), variables=wish.variables)


def _key(what: Served) -> Hashable:
    if not isinstance(what, LocalTarget):
        return id(what)
    if what.kind in ("folder", "module"):
        return what.kind, what.argument, os.getcwd()
    return what.kind, what.argument


def running_servers() -> list[Startable]:
    """List the servers that clients of this process share."""
    with _guard:
        backends = [server.backend for server in _shared.values()]
    return [backend for backend in backends if backend is not None and backend.running]


def _leave_to_parent() -> None:
    """Leave the parent's servers to the parent."""
    global _guard
    _guard = threading.RLock()
    _shared.clear()


in_forked_child(_leave_to_parent)
