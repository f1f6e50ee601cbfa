"""Servers that clients hold: one for a target and process, or one of a client's own."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Hashable
from typing import Any
from urllib.parse import urlsplit

from openenv_notebook.servers.backend import Backend
from openenv_notebook.servers.choose import Served, Wish, choose
from openenv_notebook.values.errors import OpenEnvError, ServerStartFailed
from openenv_notebook.values.targets import Address, LocalTarget

_guard = threading.Lock()
_shared: dict[Hashable, Started] = {}


class Started:
    """A server on its way, or running, and how many hold it.

    Args:
        what: What is served.
        make: Makes the server; called on the thread that starts it.
        ready_within: Limit for the start, in seconds.
    """

    def __init__(self, what: Served, make: Callable[[], Backend], ready_within: float = 60.0) -> None:
        self.what = what
        self.holders = 0
        self.backend: Backend | None = None
        self.failure: BaseException | None = None
        self._make = make
        self._ready_within = ready_within
        self._changed = threading.Condition()
        self._unwanted = False
        self._done = False

    def begin(self) -> None:
        """Start it on a thread of its own: nobody's interrupt ends it for the others."""
        threading.Thread(target=self._start, name="openenv-start", daemon=True).start()

    def _start(self) -> None:
        try:
            backend = self._make()
            with self._changed:
                self.backend = backend
            if self._unwanted:
                raise ServerStartFailed(f"{backend.name} was stopped before it started")
            backend.start(self._ready_within)
        except BaseException as error:
            self.failure = error
            self.stop()
        with self._changed:
            self._done = True
            self._changed.notify_all()

    def wait(self, gone: Callable[[], bool]) -> str:
        """Wait until it runs.

        Args:
            gone: Tells that whoever waits has let go.

        Returns:
            Its address; raises what the start raised.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._done or gone())
        if self.failure is not None:
            # Each who waits gets their own: a raised error holds the frames it went through.
            raise copy.copy(self.failure) if isinstance(self.failure, OpenEnvError) else self.failure
        if self.backend is None or not self._done:
            raise ServerStartFailed("the start was given up")
        return self.backend.url

    def wake(self) -> None:
        """Have those who wait look again."""
        with self._changed:
            self._changed.notify_all()

    @property
    def is_usable(self) -> bool:
        """True while it starts and while it runs."""
        if self.failure is not None or self._unwanted:
            return False
        return not self._done or (self.backend is not None and self.backend.running)

    def stop(self) -> None:
        """Stop it, or its start."""
        with self._changed:
            self._unwanted = True
            backend = self.backend
        if backend is not None:
            backend.stop()


class SharedServer:
    """A client's hold on the one server of a target in this process; the last one stops it.

    It has the methods of a provider, so a client starts and stops it by itself.

    Args:
        what: What is served: a target, or a class.
    """

    def __init__(self, what: LocalTarget | Callable[..., Any]) -> None:
        self.what = what
        self._held: Started | None = None

    def start(self) -> str:
        """Take hold, starting the server if nobody else has, and wait until it runs.

        Returns:
            Its address.
        """
        key = _key(self.what)
        with _guard:
            entry = _shared.get(key)
            if entry is None or not entry.is_usable:
                entry = _shared[key] = Started(self.what, lambda: choose(self.what, Wish()))
                entry.begin()
            entry.holders += 1
            self._held = entry
        return entry.wait(lambda: self._held is not entry)

    def stop(self) -> None:
        """Let go, also during the start; the server stops when nobody holds it. Again it does nothing."""
        with _guard:
            entry, self._held = self._held, None
        if entry is not None:
            _let_go(entry)

    give_up_start = stop


class Hold:
    """A client's hold on a shared server that it was given the address of; a provider, too.

    Args:
        entry: The server.
        address: Its address, as it was typed.
    """

    def __init__(self, entry: Started, address: str) -> None:
        self._entry = entry
        self._address = address
        self._holds = False

    @property
    def what(self) -> Served:
        """What is served."""
        return self._entry.what

    def start(self) -> str:
        """Take hold, where the server is still there; returns the address."""
        with _guard:
            if not self._holds and self._entry in _shared.values():
                self._entry.holders += 1
                self._holds = True
        return self._address

    def stop(self) -> None:
        """Let go; the server stops when nobody holds it. Again it does nothing."""
        with _guard:
            held, self._holds = self._holds, False
        if held:
            _let_go(self._entry)


def hold_at(text: str, address: Address) -> Hold | None:
    """Find the shared server of this process that an address leads to.

    Args:
        text: The address as it was typed.
        address: What it means.

    Returns:
        What holds it for a client; None for any other server.
    """
    port = urlsplit(address.http_url).port
    if not address.is_loopback or port is None:
        return None
    with _guard:
        for entry in _shared.values():
            backend = entry.backend
            if backend is not None and backend.running and urlsplit(backend.url).port == port:
                return Hold(entry, text)
    return None


def _let_go(entry: Started) -> None:
    """Take one holder away; the last one stops the server, or its start."""
    with _guard:
        entry.holders -= 1
        last = entry.holders <= 0
        for key in [key for key, other in _shared.items() if last and other is entry]:
            del _shared[key]
    entry.wake()
    if last:
        entry.stop()


class OwnServer:
    """A server that one client starts and stops; it has the methods of a provider.

    Args:
        what: What is served.
        wish: How.
        ready_within: Limit for the start, in seconds.
    """

    def __init__(self, what: Served, wish: Wish, ready_within: float = 60.0) -> None:
        self._what = what
        self._wish = wish
        self._ready_within = ready_within
        self._entry: Started | None = None

    def start(self) -> str:
        """Start it and wait until it runs; returns its address."""
        entry = self._entry = Started(self._what, lambda: choose(self._what, self._wish), self._ready_within)
        entry.begin()
        return entry.wait(lambda: self._entry is not entry)

    def stop(self) -> None:
        """Stop it, also during the start; again it does nothing."""
        entry, self._entry = self._entry, None
        if entry is not None:
            entry.wake()
            entry.stop()

    give_up_start = stop

    @property
    def backend(self) -> Backend | None:
        """The server, once it is being started."""
        return self._entry.backend if self._entry is not None else None


def _key(what: LocalTarget | Callable[..., Any]) -> Hashable:
    if not isinstance(what, LocalTarget):
        return id(what)
    if what.kind in ("folder", "module"):
        return what.kind, what.argument, os.getcwd()
    return what.kind, what.argument


def running_servers() -> list[Backend]:
    """List the servers that clients of this process share."""
    with _guard:
        backends = [entry.backend for entry in _shared.values()]
    return [backend for backend in backends if backend is not None and backend.running]


def _in_forked_child() -> None:
    """Leave the parent's servers to the parent."""
    global _guard
    _guard = threading.Lock()
    _shared.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_forked_child)
