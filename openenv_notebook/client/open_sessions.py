"""The sessions of this process on each server: one's long step may keep a server from answering another.

Many servers run a step on the loop that also answers pings. Used on the portal's loop only.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from urllib.parse import urlsplit

from openenv_notebook.client.session import Session
from openenv_notebook.values.targets import Address

_sessions: defaultdict[str, weakref.WeakSet[Session]] = defaultdict(weakref.WeakSet)


def join(session: Session, address: Address) -> str:
    """Note that a session is about to connect to a server.

    Args:
        session: The session; not kept alive by this.
        address: The server.

    Returns:
        The server, for :func:`is_busy`.
    """
    parts = urlsplit(address.http_url)
    server = f"{'this machine' if address.is_loopback else parts.hostname}:{parts.port or parts.scheme}"
    for other in [name for name, sessions in _sessions.items() if not sessions]:
        del _sessions[other]
    _sessions[server].add(session)
    return server


def is_busy(server: str) -> bool:
    """Tell whether a reply of the server is awaited or owed, by any session of this process."""
    return any(session.is_busy for session in list(_sessions.get(server, ())))
