"""What a server tells over HTTP: health, metadata, schema, tasks.

All of it is optional and may be slow or broken while the WebSocket works, so nothing here
is required for a session, and every call has a short limit. The standard library does the
HTTP, in a daemon thread of its own for each call: it never delays the end of the process.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from openenv_notebook.errors import (
    ConnectFailed,
    HandshakeRejected,
    NotAnOpenEnvServer,
    NotSupportedHere,
    OpenEnvError,
    ReplyTimeout,
)
from openenv_notebook.payload import to_bytes
from openenv_notebook.targets import Address
from openenv_notebook.threads import in_thread

TIMEOUT = 10.0
_LONGEST_BODY = 64 * 2**20


class _NoRedirectElsewhere(urllib.request.HTTPRedirectHandler):
    """A redirect to another origin gets none of the user's headers."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None and (new.type, new.host) != (req.type, req.host):
            new.headers = {}
            new.unredirected_hdrs = {}
        return new


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
        return await in_thread(lambda: self.request(method, path, body))

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Make one request and block until it is answered; raises as :meth:`get`."""
        data = None if body is None else to_bytes(body)
        request = urllib.request.Request(self.address.route(path), data=data, method=method)
        for name, value in {"Accept": "application/json", **self.headers}.items():
            request.add_header(name, value)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        proxies = [urllib.request.ProxyHandler({})] if self.address.is_loopback else []
        opener = urllib.request.build_opener(_NoRedirectElsewhere, *proxies)
        try:
            with opener.open(request, timeout=self.timeout) as response:
                return _decode(response.read(_LONGEST_BODY), path, self.address.name)
        except urllib.error.HTTPError as error:
            raise self._status_error(error, path) from error
        except TimeoutError as error:
            raise self._too_late(method, path) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, OpenEnvError):
                raise
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise self._too_late(method, path) from error
            raise ConnectFailed(f"no answer to {method} {path}: {error}", url=self.address.name) from error

    def _too_late(self, method: str, path: str) -> ReplyTimeout:
        hint = "the session does not need it; the server may be busy"
        return ReplyTimeout(f"{method} {path}", self.timeout, sent=True, url=self.address.name, hint=hint)

    def _status_error(self, error: urllib.error.HTTPError, path: str) -> OpenEnvError:
        with error:
            detail = _detail(error.read(10_000))
        url = self.address.name
        if error.code in (404, 405, 501):
            return NotSupportedHere(f"this server has no {path} (HTTP {error.code}{detail})", url=url)
        return HandshakeRejected(error.code, f"for {path}{detail}", url=url)


def _detail(body: bytes) -> str:
    try:
        said = from_json(body)
    except ValueError:
        return ""
    return f": {str(said.get('detail'))[:200]}" if isinstance(said, dict) and said.get("detail") else ""


def _decode(body: bytes, path: str, url: str) -> Any:
    try:
        return from_json(body)
    except ValueError as error:
        is_page = body.lstrip()[:1] == b"<"
        what = "a web page" if is_page else "something that is not JSON"
        raise NotAnOpenEnvServer(f"{path} answers with {what}", url=url) from error
