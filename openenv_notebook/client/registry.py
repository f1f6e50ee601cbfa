"""Who holds sessions of which server: weakly, and only to let a cell run again.

A notebook cell that connects to a server with one slot and is run twice would find the
slot taken by its own first run.
"""

from __future__ import annotations

import threading
import weakref

from openenv_notebook.client.async_client import EnvClient
from openenv_notebook.values.front_end import Owner

_guard = threading.Lock()
_holders: weakref.WeakKeyDictionary[EnvClient[object, object, object], tuple[str, Owner]] = weakref.WeakKeyDictionary()


def remember(client: EnvClient[object, object, object], url: str, owner: Owner | None) -> None:
    """Note that a client holds a session.

    Args:
        client: The client; not kept alive by this.
        url: The server's address.
        owner: Who connected; nothing is noted for None.
    """
    if owner is not None:
        with _guard:
            _holders[client] = (url, owner)


def earlier_holders(url: str, owner: Owner | None) -> list[EnvClient[object, object, object]]:
    """Find open clients of an earlier run of the same owner.

    Args:
        url: The server's address.
        owner: Who is connecting now.

    Returns:
        The clients that may be closed for it.
    """
    if owner is None:
        return []
    with _guard:
        held = list(_holders.items())
    return [
        client
        for client, (address, other) in held
        if address == url and other.key == owner.key and other.run != owner.run and client.status != "closed"
    ]
