"""Why a connection could not be opened, in our words. Exceptions of other libraries end here."""

from __future__ import annotations

import socket
import ssl
from urllib.parse import urlsplit

from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
    ProxyError,
    SecurityError,
)

from openenv_notebook.values.errors import (
    ConnectFailed,
    ConnectTimeout,
    HandshakeRejected,
    InvalidTarget,
    NotAnOpenEnvServer,
    OpenEnvError,
    SpaceAsleep,
)
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.fault import fault

_WAIT = "wait a little and connect again"
_TOKEN = "pass token=..., or headers={'Authorization': ...}"
_IS_IT_UP = "is the server running behind the proxy? Its log may say more"
# By HTTP status: what it means, and what to do.
_STATUS = {
    401: ("the token or password is missing or wrong", _TOKEN),
    403: (
        "it is forbidden, or there is no WebSocket at this path",
        "check the path (the WebSocket is at .../ws) and the token",
    ),
    404: ("there is nothing at this path", "check the path: the WebSocket is at .../ws"),
    429: ("too many requests", _WAIT),
    500: ("the server failed", "its log says why"),
    502: ("a proxy could not reach the server", _IS_IT_UP),
    503: ("the server is not ready", _WAIT),
    504: ("a proxy waited too long for the server", _IS_IT_UP),
}
_NO_REASON = ("it gave no reason", None)


def translate(error: Exception, endpoint: Endpoint, uri: str | None = None) -> OpenEnvError:
    """Say in our words why connecting failed; ``uri`` was asked last, where a redirect may have led elsewhere.

    The error is its cause, to be shown with it, unless the words have all that it says.
    """
    failed = _failure(error, endpoint, uri or endpoint.address.ws_url)
    if failed.__cause__ is None and not (str(error) and str(error) in failed.describe()):
        failed.__cause__ = error
    if uri is not None and uri != endpoint.address.ws_url:
        failed.hint = f"it was redirected to {without_secrets(uri)}" + (f"; {failed.hint}" if failed.hint else "")
    return failed


def without_secrets(uri: str) -> str:
    """Cut an address to what may be shown: no user, no password, no query."""
    parts = urlsplit(uri)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _failure(error: Exception, endpoint: Endpoint, uri: str) -> OpenEnvError:
    url = endpoint.address.name
    where = urlsplit(uri)
    if isinstance(error, (ConnectionResetError, ConnectionClosed)) or _is_refused(error):
        place = f"{where.hostname}:{where.port or (443 if where.scheme == 'wss' else 80)}"
        refused = f"nothing listens at {place} (connection refused)"
        failed = ConnectFailed(refused if _is_refused(error) else f"{place} drops connections at once", url=url)
        failed.is_temporary = True
        return failed
    match error:
        case InvalidStatus():
            return _refused(error, endpoint, where.hostname)
        case socket.gaierror():
            return ConnectFailed(
                f"the host name {where.hostname!r} is not known", url=url, hint=_other_than(where.hostname)
            )
        case ssl.SSLError():
            hint = "a server without TLS needs http:// or ws://; else check its certificate"
            why = getattr(error, "reason", None) or error
            return ConnectFailed(f"no TLS connection ({why})", url=url, hint=hint)
        case TimeoutError():
            return ConnectTimeout(0.0, "the network gave no answer", url=url)
        case ProxyError() | InvalidProxy():
            return ConnectFailed(
                f"the proxy is in the way: {error}", url=url, hint="set HTTPS_PROXY right, or NO_PROXY for this host"
            )
        case InvalidURI() | UnicodeError():
            return InvalidTarget(url, str(error))
        case SecurityError():
            return ConnectFailed(
                f"a redirect was not followed: {error}", url=url, hint="give the address that it leads to"
            )
        case InvalidMessage() | EOFError() | AssertionError():
            hint = "if the server uses TLS, write https:// or wss://"
            return NotAnOpenEnvServer("what answers there does not speak WebSocket", url=url, hint=hint)
        case InvalidHandshake():
            return NotAnOpenEnvServer(f"the WebSocket handshake failed: {error}", url=url)
        case ValueError():
            return fault(error, url)
    return ConnectFailed(str(error) or type(error).__name__, url=url)


def _other_than(host: str | None) -> str | None:
    """Say how to write what else one word may have meant."""
    if host is None or not host.isidentifier():
        return None
    return f"a demo is written demo:{host}, a folder ./{host}, a Hub Space owner/{host}"


def _is_refused(error: Exception) -> bool:
    """A name with several addresses fails with one plain OSError for all of them."""
    several = isinstance(error, OSError) and error.errno is None and "Connect call failed" in str(error)
    return isinstance(error, ConnectionRefusedError) or several


def _refused(error: InvalidStatus, endpoint: Endpoint, host: str | None) -> OpenEnvError:
    status, url = error.response.status_code, endpoint.address.name
    is_page = "html" in error.response.headers.get("Content-Type", "")
    if endpoint.address.kind == "space" and host == urlsplit(endpoint.address.ws_url).hostname:
        return _space_refused(status, is_page, url, endpoint.token_from)
    if status < 400 or (is_page and status in (404, 405)):
        what = f"a web page (HTTP {status})" if is_page else f"HTTP {status}"
        if 300 <= status < 400 and "Location" not in error.response.headers:
            what = f"HTTP {status}, a redirect without a Location,"
        return NotAnOpenEnvServer(f"{what} answers there instead of an OpenEnv server", url=url)
    words, hint = _STATUS.get(status, _NO_REASON)
    return HandshakeRejected(status, words, url=url, hint=hint)


def _space_refused(status: int, is_page: bool, url: str, token_from: str | None) -> OpenEnvError:
    """A private Space answers 404 without a token, so the login state belongs in the text."""
    login = f"the token from {token_from} was sent" if token_from else "no token was sent"
    token = f"{login}; set HF_TOKEN or pass token=..., and check owner/name"
    if status == 404:
        return HandshakeRejected(status, "the Space was not found, or it is private", url=url, hint=token)
    if status in (502, 503, 504) or (status < 400 and is_page):
        return SpaceAsleep("starting or asleep", url=url)
    if status in (401, 403):
        return HandshakeRejected(status, "the Space refused the token", url=url, hint=token)
    words, hint = _STATUS.get(status, _NO_REASON)
    return HandshakeRejected(status, words, url=url, hint=hint)
