"""What a server tells over HTTP: health, metadata, schema, tasks.

All of it is optional and may be slow or broken while the WebSocket works, so nothing here
is required for a session, and every call has a short limit. Each runs in a daemon thread
of its own, which never delays the end of the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.targets import Address
from openenv_notebook.threads import in_thread

TIMEOUT = 10.0


@dataclass(frozen=True)
class Discovery:
    """The HTTP side of one server.

    Attributes:
        address: Where it is.
        headers: Sent with each request.
        timeout: Seconds for one request.
    """

    address: Address
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = TIMEOUT

    async def get(self, path: str) -> Any:
        """GET a route and decode its JSON.

        Args:
            path: The route, such as "/schema".

        Returns:
            The decoded body.

        Raises:
            ConnectFailed, HandshakeRejected, NotAnOpenEnvServer, NotSupportedHere, ReplyTimeout:
                Why there is none.
        """
        return await self._in_thread("GET", path, None)

    async def post(self, path: str, body: Any) -> Any:
        """POST a JSON body to a route and decode the JSON that answers; raises as :meth:`get`."""
        return await self._in_thread("POST", path, body)

    async def _in_thread(self, method: str, path: str, body: Any) -> Any:
        # The standard library's HTTP is loaded by the first question.
        from openenv_notebook.web import fetch

        return await in_thread(
            lambda: fetch(self.address, method, path, body, headers=self.headers, timeout=self.timeout)
        )
