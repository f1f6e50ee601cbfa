"""One HTTP request with the standard library. Its exceptions end here."""

from __future__ import annotations

import http.client
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from openenv_notebook.values.errors import (
    ConnectFailed,
    HandshakeRejected,
    NotAnOpenEnvServer,
    NotSupportedHere,
    OpenEnvError,
)
from openenv_notebook.values.targets import Address
from openenv_notebook.values.to_json import to_bytes

_LONGEST_BODY = 64 * 2**20


class _NoRedirectElsewhere(urllib.request.HTTPRedirectHandler):
    """A redirect to another origin gets none of the user's headers."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None and (new.type, new.host) != (req.type, req.host):
            new.headers = {}
            new.unredirected_hdrs = {}
        return new


def fetch(
    address: Address, method: str, path: str, body: Any = None, *, headers: Mapping[str, str], timeout: float | None
) -> Any:
    """Make a request and block until it is answered.

    Args:
        address: The server.
        method: "GET" or "POST".
        path: The route, such as "/schema".
        body: Sent as JSON; nothing if None.
        headers: Sent along.
        timeout: Seconds without a sign of life; None for any.

    Returns:
        The decoded JSON body.

    Raises:
        ConnectFailed: If there is no answer.
        TimeoutError: If there is none in time.
        NotSupportedHere: If the server has no such route.
        HandshakeRejected: For any other HTTP error.
        NotAnOpenEnvServer: If the answer is not JSON.
    """
    request = _request(address, method, path, body, headers)
    # Loopback never goes through a proxy.
    proxies = [urllib.request.ProxyHandler({})] if address.is_loopback else []
    opener = urllib.request.build_opener(_NoRedirectElsewhere, *proxies)
    try:
        with opener.open(request, timeout=timeout) as response:
            content = response.read(_LONGEST_BODY)
    except urllib.error.HTTPError as error:
        raise _status_error(error, path, address.name) from error
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None)
        if isinstance(reason, TimeoutError):
            raise reason from error
        raise ConnectFailed(f"no answer to {method} {path}: {_why(error)}", url=address.name) from error
    return _decode(content, path, address.name)


def _why(error: Exception) -> str:
    """Say it without the numbers of the system and the brackets of the library."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    match reason:
        case ConnectionRefusedError():
            return "nothing listens there (connection refused)"
        case socket.gaierror():
            return "the host name is not known"
        case ssl.SSLError():
            return f"no TLS connection ({reason.reason or reason})"
        case http.client.RemoteDisconnected() | ConnectionResetError() | BrokenPipeError():
            return "the connection was closed without one"
        case http.client.HTTPException():
            return "what answers there does not speak HTTP"
        case OSError():
            return str(reason.strerror or reason)
    return str(reason)


def _request(address: Address, method: str, path: str, body: Any, headers: Mapping[str, str]) -> urllib.request.Request:
    data = None if body is None else to_bytes(body)
    request = urllib.request.Request(address.route(path), data=data, method=method)
    for name, value in {"Accept": "application/json", **headers}.items():
        request.add_header(name, value)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    return request


def _status_error(error: urllib.error.HTTPError, path: str, url: str) -> OpenEnvError:
    with error:
        detail = _detail(error.read(10_000))
    if error.code in (404, 405, 501):
        return NotSupportedHere(f"this server has no {path} (HTTP {error.code}{detail})", url=url)
    return HandshakeRejected(error.code, f"{path} failed{detail}", url=url)


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
