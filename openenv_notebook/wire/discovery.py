"""What a server tells over HTTP: health, metadata, schema, tasks.

All of it is optional and may be slow or broken while the WebSocket works, so nothing here
is required for a session, and every call has a short limit. Each runs in a daemon thread
of its own, which never delays the end of the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import ReplyTimeout
from openenv_notebook.values.targets import Address

TIMEOUT = 10.0


@dataclass(frozen=True)
class Discovery:
    """The HTTP side of one server.

    Attributes:
        address: Where it is.
        headers: Sent with each request.
        timeout: Seconds for one request; None for no limit.
    """

    address: Address
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float | None = TIMEOUT

    async def get(self, path: str, name: str = "") -> Any:
        """GET a route and decode its JSON.

        Args:
            path: The route, such as "/schema".
            name: The method that asks, for error texts; called as the route if not given.

        Returns:
            The decoded body.

        Raises:
            ConnectFailed, HandshakeRejected, NotAnOpenEnvServer, NotSupportedHere, ReplyTimeout:
                Why there is none.
        """
        return await self._in_thread("GET", path, None, name)

    async def post(self, path: str, body: Any, name: str = "") -> Any:
        """POST a JSON body to a route and decode the JSON that answers; raises as :meth:`get`."""
        return await self._in_thread("POST", path, body, name)

    async def _in_thread(self, method: str, path: str, body: Any, name: str) -> Any:
        # The standard library's HTTP is loaded by the first question.
        from openenv_notebook.wire.http import fetch

        limit = self.timeout
        try:
            if limit is not None and limit <= 0:
                raise TimeoutError
            # The limit of a socket holds for each read; the wait's is for all of it.
            return await in_thread(
                lambda: fetch(self.address, method, path, body, headers=self.headers, timeout=limit), limit
            )
        except TimeoutError as error:
            name = name or path.strip("/").rpartition("/")[2]
            hint = f"asked by {method} {path}; the session does not need it, and the server may be busy"
            raise ReplyTimeout(name, limit or 0.0, sent=False, url=self.address.name, hint=hint) from error
