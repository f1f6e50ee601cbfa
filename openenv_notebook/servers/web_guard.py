"""Who may talk to a server on this machine: no web page from elsewhere.

A page in a browser can send requests to the loopback address. Its ``Origin`` gives it
away, and where a name was rebound to the loopback address (DNS rebinding), the ``Host``.

Only the standard library is used: servers in processes of their own load this file as well,
and run with whatever packages their project has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})

_AUTHORITY = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")
_ORIGIN = re.compile(r"https?://(?P<authority>.+)")


def host_of(authority: str) -> str | None:
    """Take the host, in lower case, from ``host:port`` of a ``Host`` header or origin; None where it is malformed."""
    match = _AUTHORITY.fullmatch(authority.strip().lower())
    return match["host"] if match else None


class WebGuard:
    """The check every request has to pass.

    ``allowed_hosts`` are host names besides the loopback ones, such as that of a proxy; any port of theirs is allowed.
    An entry that is no host name, or has a port, raises ValueError.
    """

    def __init__(self, allowed_hosts: Sequence[str] = ()) -> None:
        if isinstance(allowed_hosts, str):
            raise ValueError(f"allowed_hosts is a list of host names, not the text {allowed_hosts!r}")
        for entry in allowed_hosts:
            if host_of(entry) != entry.strip().lower():
                raise ValueError(f"{entry!r} is not a host name; leave out scheme and port")
        self._allowed = LOOPBACK_HOSTS | {entry.strip().lower() for entry in allowed_hosts}

    def refusal(self, hosts: Sequence[str], origins: Sequence[str]) -> str | None:
        """Say why a request with these ``Host`` and ``Origin`` headers, all it has, is refused; None if it may pass."""
        if len(hosts) != 1 or host_of(hosts[0]) not in self._allowed:
            return "this server answers to its own host names only"
        for origin in origins:
            match = _ORIGIN.fullmatch(origin.strip().lower())
            if match is None or host_of(match["authority"]) not in self._allowed:
                return "this server takes no requests from pages of other sites"
        return None


class Guarded:
    """An ASGI application that lets only who may pass come to another one."""

    def __init__(self, app: Application, guard: WebGuard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection or request."""
        if scope["type"] in ("http", "websocket"):
            refusal = self._guard.refusal(header_values(scope, b"host"), header_values(scope, b"origin"))
            if refusal is not None:
                await _refuse(scope, receive, send, refusal)
                return
        await self._app(scope, receive, send)


def header_values(scope: Message, name: bytes) -> list[str]:
    """Give all values of a header, whose name is in lower case, in their order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def _refuse(scope: Message, receive: Receive, send: Send, reason: str) -> None:
    """Answer 403 to a request or to the handshake of a WebSocket."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    body = json.dumps({"detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
