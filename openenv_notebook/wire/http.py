"""What a server tells over HTTP: health, metadata, schema, tasks. Exceptions of other libraries end here.

All of it is optional and may be slow or broken while the WebSocket works, so nothing here
is required for a session, and every call has a short limit. Each runs in a daemon thread
of its own, which never delays the end of the process.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import (
    ConnectFailed,
    HandshakeRejected,
    NotAnOpenEnvServer,
    NotSupportedHere,
    OpenEnvError,
    ReplyTimeout,
)
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.read_json import read_json
from openenv_notebook.values.targets import Address
from openenv_notebook.values.to_json import to_bytes

TIMEOUT = 10.0
_LONGEST_BODY = 64 * 2**20


@dataclass(frozen=True)
class Discovery:
    """The HTTP side of one server: headers for each request, and the seconds one may take; None for no limit.

    What the ``secrets`` of a client hide stands in no error.
    """

    address: Address
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float | None = TIMEOUT
    secrets: Secrets = field(default_factory=Secrets, repr=False)

    async def get(self, path: str, name: str = "") -> Any:
        """GET a route, such as "/schema", and decode its JSON; raises as :func:`fetch`, but ReplyTimeout if it is late.

        ``name`` is the method that asks, for error texts; called as the route if not given.
        """
        return await self._in_thread("GET", path, None, name)

    async def post(self, path: str, body: Any, name: str = "") -> Any:
        """POST a JSON body to a route and decode the JSON that answers; raises as :meth:`get`."""
        return await self._in_thread("POST", path, body, name)

    async def _in_thread(self, method: str, path: str, body: Any, name: str) -> Any:
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
        except OpenEnvError as error:
            self.secrets.hide_in(error)
            raise


def fetch(
    address: Address, method: str, path: str, body: Any = None, *, headers: Mapping[str, str], timeout: float | None
) -> Any:
    """Make a request, with a body as JSON unless that is None, and block until the JSON that answers is decoded.

    ``timeout`` counts seconds without a sign of life; None for any. Raises ConnectFailed if there is no answer,
    TimeoutError if there is none in time, NotSupportedHere if the server has no such route, HandshakeRejected for any
    other HTTP error, and NotAnOpenEnvServer if the answer is not JSON.
    """
    # The standard library's HTTP is loaded by the first question, not with the package.
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request

    data = None if body is None else to_bytes(body)
    sent = {"Accept": "application/json", **headers} | ({} if data is None else {"Content-Type": "application/json"})
    request = Request(address.route(path), data=data, headers=sent, method=method)
    try:
        with _opener(address).open(request, timeout=timeout) as response:
            content = response.read(_LONGEST_BODY)
    except HTTPError as error:
        with error:
            raise _status_error(error.code, error.read(10_000), path, address.name) from error
    except TimeoutError:
        raise
    except (OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            raise reason from error
        why = _why(reason)
        failed = ConnectFailed(f"no answer to {method} {path}: {why}", url=address.name)
        cause = None if why in str(reason) else error
        raise failed from cause
    return _decode(content, path, address.name)


def _opener(address: Address) -> Any:
    """Make what opens a request: a redirect to another origin gets none of the user's headers."""
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    class NoHeadersElsewhere(HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            new = super().redirect_request(req, fp, code, msg, headers, newurl)
            if new is not None and (new.type, new.host) != (req.type, req.host):
                new.headers = {}
                new.unredirected_hdrs = {}
            return new

    # Loopback never goes through a proxy.
    return build_opener(NoHeadersElsewhere, *([ProxyHandler({})] if address.is_loopback else []))


def _why(reason: BaseException | str) -> str:
    """Say it without the numbers of the system and the brackets of the library."""
    match reason:
        case str():
            return reason
        case ConnectionRefusedError():
            return "nothing listens there (connection refused)"
        case socket.gaierror():
            return "the host name is not known"
        case ssl.SSLError():
            return f"no TLS connection ({reason.reason or reason})"
        case ConnectionResetError() | BrokenPipeError():
            return "the connection was closed without one"
        case OSError():
            return str(reason.strerror or reason)
    return "what answers there does not speak HTTP"


def _status_error(status: int, body: bytes, path: str, url: str) -> OpenEnvError:
    detail = _detail(body)
    if status in (404, 405, 501):
        hint = "only a newer server may have it; the session does without"
        return NotSupportedHere(f"this server has no {path} (HTTP {status}{detail})", url=url, hint=hint)
    hint = "pass the token or headers that it wants" if status in (401, 403) else "its log says why"
    return HandshakeRejected(status, f"{path} failed{detail}", url=url, hint=f"{hint}; the session does without")


def _detail(body: bytes) -> str:
    try:
        said = read_json(body)
    except ValueError:
        return ""
    return f": {str(said.get('detail'))[:200]}" if isinstance(said, dict) and said.get("detail") else ""


def _decode(body: bytes, path: str, url: str) -> Any:
    try:
        return read_json(body)
    except ValueError as error:
        is_page = body.lstrip()[:1] == b"<"
        what = "a web page" if is_page else "something that is not JSON"
        raise NotAnOpenEnvServer(f"{path} answers with {what}", url=url) from error
