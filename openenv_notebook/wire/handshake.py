"""Opening a WebSocket to an OpenEnv server. Exceptions of other libraries end here.

``websockets`` does the handshake, TLS and proxies. It runs on the portal's loop.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

from websockets.asyncio.client import connect as websocket_connect
from websockets.exceptions import InvalidStatus, InvalidURI, SecurityError, WebSocketException

from openenv_notebook.values.logs import LogOfWebSockets
from openenv_notebook.wire.connection import Connection
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.handshake_errors import translate, without_secrets

# websockets logs what we raise; a notebook should not show it twice.
_quiet = LogOfWebSockets("openenv_notebook.websockets")
_quiet.setLevel(logging.CRITICAL)

USER_AGENT = "openenv-notebook"


class Handshake(websocket_connect):
    """The opening handshake; a redirect to another origin gets none of the user's headers."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Tell where a redirect leads, or why it is not followed."""
        if not isinstance(exc, InvalidStatus) or not (named := exc.response.headers.get_all("Location")):
            return exc
        try:
            old, new = urlsplit(self.uri), urlsplit(urljoin(self.uri, named[0]))._replace(fragment="")
        except ValueError:
            return SecurityError("it leads to no address")
        # Servers and proxies redirect a WebSocket in the words of HTTP.
        target = new._replace(scheme={"http": "ws", "https": "wss"}.get(new.scheme, new.scheme)).geturl()
        del exc.response.headers["Location"]
        exc.response.headers["Location"] = target
        try:
            followed = super().process_redirect(exc)
        except (InvalidURI, ValueError):
            return SecurityError(f"it leads to {without_secrets(new.geturl())}")
        if isinstance(followed, SecurityError):
            return SecurityError(f"it leads to {without_secrets(new.geturl())}, without TLS")
        if isinstance(followed, str):
            new = urlsplit(followed)
            if (new.scheme, new.hostname, new.port) != (old.scheme, old.hostname, old.port):
                self.additional_headers = None
        return followed


async def open_connection(
    endpoint: Endpoint,
    *,
    on_frame: Callable[[bytes], None],
    on_end: Callable[[int, str], None],
    is_busy: Callable[[], bool],
    on_accepted: Callable[[], object] = lambda: None,
) -> Connection:
    """Open a WebSocket on the running loop; for the callbacks see :class:`Connection`.

    ``on_frame`` is also called with frames that come early, and ``on_end`` only if it ends after this returned.
    Raises ConnectFailed if nothing listens there, or it is no OpenEnv server, or it refused; InvalidTarget if the
    address cannot be used.
    """

    def create(*args: Any, **kwargs: Any) -> Connection:
        connection = Connection(*args, **kwargs)
        connection.on_frame, connection.is_busy, connection.max_size = on_frame, is_busy, endpoint.max_size
        connection.on_accepted = on_accepted
        return connection

    # The parameter is documented as a callable and annotated as a class.
    make: Any = create
    handshake = Handshake(
        endpoint.address.ws_url,
        create_connection=make,
        additional_headers=dict(endpoint.headers) or None,
        user_agent_header=USER_AGENT,
        compression=endpoint.compression,
        proxy=None if endpoint.address.is_loopback else True,
        max_size=endpoint.max_size,
        open_timeout=None,
        ping_interval=None,
        logger=_quiet,
    )
    try:
        connection = await handshake
    except (OSError, WebSocketException, ValueError, EOFError, AssertionError) as error:
        # An assertion of websockets fails where the far end speaks first, as mail servers do.
        failed = translate(error, endpoint, handshake.uri)
        raise failed from failed.__cause__
    assert isinstance(connection, Connection)
    connection.on_end = on_end
    connection.start_beat(endpoint.ping_interval, endpoint.ping_timeout)
    return connection
