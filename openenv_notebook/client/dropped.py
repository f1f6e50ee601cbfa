"""Clients that were dropped without close(): their session is closed, and the server that they started stopped."""

from __future__ import annotations

import weakref

from openenv_notebook.client.provider import stop_soon
from openenv_notebook.client.session import Session
from openenv_notebook.servers.holding import Hold


def end_with(owner: object, session: Session, provider: Hold | None) -> None:
    """End a session, and let go of its server, when its owner is collected."""
    weakref.finalize(owner, _end, session, provider).atexit = False
    # An interrupt that comes while the owner is collected loses what was to be called then.
    owners, sessions = weakref.ref(owner), weakref.ref(session)

    def look_after() -> None:
        left = sessions()
        if left is not None and owners() is None:
            _end(left, provider)

    session.look_after = look_after


def _end(session: Session, provider: Hold | None) -> None:
    """Only hand over: to a thread, and to the loop, which last: until then it is looked after."""
    if provider is not None:
        provider.forestall()
        stop_soon(provider)
    session.lease.post(session.shut_down)
