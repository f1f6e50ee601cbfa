"""The sessions and clients of this process by server: weakly, for the few who must know of each other.

One session's long step may keep a server from answering the pings of another: many servers run a
step on the loop that also answers them. And a notebook cell that connects to a server with one
slot and is run twice would find the slot taken by its own first run.
"""

from __future__ import annotations

import threading
import weakref
from collections import defaultdict
from typing import Any, Protocol
from urllib.parse import urlsplit

from openenv_notebook.values.front_end import Owner
from openenv_notebook.values.targets import Address


class Busy(Protocol):
    """What may be waiting for a server."""

    @property
    def is_busy(self) -> bool:
        """True when a reply is awaited or owed."""


class Holder(Protocol):
    """A client, which holds a session."""

    @property
    def status(self) -> str:
        """The session's state."""

    def sync(self) -> Any:
        """Its blocking twin."""


# Used on the portal's loop only.
_sessions: defaultdict[str, weakref.WeakSet[Busy]] = defaultdict(weakref.WeakSet)

_guard = threading.Lock()
_holders: weakref.WeakKeyDictionary[Holder, tuple[str, Owner]] = weakref.WeakKeyDictionary()


def join(session: Busy, address: Address) -> str:
    """Note that a session, not kept alive by this, is about to connect; returns the server, for :func:`is_busy`."""
    parts = urlsplit(address.http_url)
    server = f"{'this machine' if address.is_loopback else parts.hostname}:{parts.port or parts.scheme}"
    for other in [name for name, sessions in _sessions.items() if not sessions]:
        del _sessions[other]
    _sessions[server].add(session)
    return server


def is_busy(server: str) -> bool:
    """Tell whether a reply of the server is awaited or owed, by any session of this process."""
    return any(session.is_busy for session in list(_sessions.get(server, ())))


def remember(client: Holder, url: str, owner: Owner | None) -> None:
    """Note that a client, not kept alive by this, holds a session at ``url``; without an owner nothing is noted."""
    if owner is not None:
        with _guard:
            _holders[client] = (url, owner)


def earlier_holders(url: str, owner: Owner | None) -> list[Holder]:
    """Find open clients at ``url`` of an earlier run of the owner who is connecting now: they may be closed for it."""
    if owner is None:
        return []
    with _guard:
        held = list(_holders.items())
    return [
        client
        for client, (address, other) in held
        if address == url and other.key == owner.key and other.run != owner.run and client.status != "closed"
    ]
