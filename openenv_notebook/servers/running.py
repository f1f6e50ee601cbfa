"""The servers that serve() started: who holds them, and which a cell that runs again replaces."""

from __future__ import annotations

import weakref
from typing import Any
from urllib.parse import urlsplit

from openenv_notebook.servers.backend import Backend
from openenv_notebook.threads.fork import in_forked_child
from openenv_notebook.values.front_end import Owner

_all: dict[int, Running] = {}


class Running:
    """What is left of a server whose object nobody holds any more.

    Such a server goes on: its address may be in use. It stops at once where its cell has served again since, or where
    the connect that it was for has failed and it has no session.

    The object is not kept alive by this. ``owner`` is the cell that serves, and which run of it; None where nobody can
    be named. ``given_up`` is True after a connect to it failed, until another succeeds.
    """

    def __init__(self, server: object, backend: Backend, owner: Owner | None) -> None:
        self.backend = backend
        self.owner = owner
        self.given_up = False
        self._server = weakref.ref(server)
        weakref.finalize(server, self._dropped).atexit = False

    @property
    def server(self) -> Any:
        """The object, while anybody holds it; else None."""
        return self._server()

    def begin(self) -> None:
        """Note that it runs now."""
        _all[id(self)] = self

    def end(self) -> None:
        """Note that it was stopped."""
        _all.pop(id(self), None)

    def stop(self) -> None:
        """Stop it; a second time does nothing."""
        self.backend.stop()
        self.end()

    def is_before(self, owner: Owner | None) -> bool:
        """Tell whether an earlier run of a cell started it."""
        return (
            self.owner is not None
            and owner is not None
            and self.owner.key == owner.key
            and self.owner.run != owner.run
            and self.backend.running
        )

    def _dropped(self) -> None:
        """Nobody holds it; this may be called at any place, so nothing is waited for."""
        since = list(_all.values())
        since = since[since.index(self) + 1 :] if self in since else []
        is_replaced = any(self.is_before(other.owner) and other.backend.running for other in since)
        if is_replaced or (self.given_up and self.backend.sessions_active == 0):
            self.backend.stop_soon()
            self.end()


def running_own() -> list[Running]:
    """List the servers that serve() started and that run, the oldest first."""
    for each in list(_all.values()):
        if not each.backend.running:
            each.end()
    return list(_all.values())


def stop_earlier(owner: Owner | None, port: int) -> None:
    """Stop what an earlier run of a cell started and nobody holds, or holds the port that is wanted (0 for any)."""
    for each in running_own():
        if each.is_before(owner) and (each.server is None or urlsplit(each.backend.url).port == port):
            each.stop()


def note_connect(server: object, *, failed: bool) -> None:
    """Note how the last connect to what serve() gave ended: after one that failed it stops when nobody holds it."""
    for each in running_own():
        if each.server is server:
            each.given_up = failed


# The parent's servers are left to the parent.
in_forked_child(_all.clear)
