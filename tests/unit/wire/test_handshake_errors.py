"""Why a connection could not be opened: foreign exceptions in our words. No network."""

from __future__ import annotations

import socket
import ssl

import pytest
from websockets.exceptions import InvalidHandshake, InvalidMessage, InvalidProxy, InvalidURI, SecurityError

from openenv_notebook.values.errors import (
    ConnectFailed,
    ConnectTimeout,
    InvalidTarget,
    NotAnOpenEnvServer,
    OpenEnvError,
)
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.handshake_errors import translate


def endpoint(url: str = "http://example.test:8000") -> Endpoint:
    """How a server of a test is to be reached."""
    address = parse_target(url)
    assert isinstance(address, Address)
    return Endpoint(address)


SEVERAL = OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 1), [Errno 111] Connect call failed")

CASES: list[tuple[Exception, type[OpenEnvError], str, bool]] = [
    (ConnectionRefusedError(111, "no"), ConnectFailed, "nothing listens at example.test:8000", True),
    (SEVERAL, ConnectFailed, "nothing listens at example.test:8000", True),
    (ConnectionResetError(104, "no"), ConnectFailed, "example.test:8000 drops connections at once", True),
    (socket.gaierror(-2, "no"), ConnectFailed, "the host name 'example.test' is not known", False),
    (socket.gaierror(-2, "no"), ConnectFailed, "is the server running, and is the address right?", False),
    (ssl.SSLError(1, "[SSL] wrong version number"), ConnectFailed, "no TLS connection", False),
    (ssl.SSLCertVerificationError(1, "self-signed"), ConnectFailed, "no TLS connection", False),
    (TimeoutError(), ConnectTimeout, "the network gave no answer", False),
    (InvalidProxy("x", "odd"), ConnectFailed, "the proxy is in the way", False),
    (InvalidURI("x", "odd"), InvalidTarget, "odd", False),
    (SecurityError("downgrade"), ConnectFailed, "a redirect was not followed: downgrade", False),
    (InvalidMessage("odd"), NotAnOpenEnvServer, "does not speak WebSocket", False),
    (EOFError("odd"), NotAnOpenEnvServer, "does not speak WebSocket", False),
    (AssertionError(), NotAnOpenEnvServer, "does not speak WebSocket", False),
    (InvalidHandshake("odd header"), NotAnOpenEnvServer, "the WebSocket handshake failed: odd header", False),
    (OSError(113, "No route to host"), ConnectFailed, "No route to host", False),
    (OSError(), ConnectFailed, "OSError", False),
]


@pytest.mark.parametrize(("error", "kind", "text", "temporary"), CASES, ids=lambda value: repr(value)[:30])
def test_foreign_exceptions_are_told_in_our_words(
    error: Exception, kind: type[OpenEnvError], text: str, temporary: bool
) -> None:
    """Each has its error and says what happened; only what a starting server does is worth another try."""
    told = translate(error, endpoint())
    assert type(told) is kind
    assert text in str(told)
    assert "example.test:8000" in str(told)
    assert getattr(told, "is_temporary", False) is temporary


def test_a_word_that_is_no_host_says_what_else_it_may_mean() -> None:
    """`connect grid` says how a demo, a folder and a Space are written."""
    told = translate(socket.gaierror(-2, "no"), endpoint("grid"))
    assert all(form in str(told) for form in ("demo:grid", "./grid", "owner/grid"))


@pytest.mark.parametrize(("url", "port"), [("https://example.test", 443), ("http://example.test", 80)])
def test_the_usual_port_is_named(url: str, port: int) -> None:
    """Where the address has no port, the text names the one that was tried."""
    assert f"example.test:{port} " in str(translate(ConnectionRefusedError(), endpoint(url)))
