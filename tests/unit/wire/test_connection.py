"""One WebSocket: foreign exceptions in our words, and how much may wait undecoded. No network."""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.datastructures import Headers
from websockets.exceptions import (
    InvalidHandshake,
    InvalidMessage,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
    SecurityError,
)
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

from openenv_notebook.values.errors import (
    ConnectFailed,
    ConnectTimeout,
    InvalidTarget,
    NotAnOpenEnvServer,
    OpenEnvError,
)
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire.connection import UNDECODED_LIMIT, Connection, _Handshake
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
    assert "a demo is written demo:grid, a folder ./grid, a Hub Space owner/grid" in str(told)


@pytest.mark.parametrize(("url", "port"), [("https://example.test", 443), ("http://example.test", 80)])
def test_the_usual_port_is_named(url: str, port: int) -> None:
    """Where the address has no port, the text names the one that was tried."""
    assert f"example.test:{port} " in str(translate(ConnectionRefusedError(), endpoint(url)))


def test_a_redirect_never_gives_tls_up() -> None:
    """A redirect from https:// to http:// is not followed, and says where it leads, without its secrets."""
    handshake = _Handshake("wss://example.test/ws", additional_headers={"X-Key": "abc"})
    location = "http://user:hidden@example.test/ws?key=hidden"
    refused = handshake.process_redirect(InvalidStatus(Response(301, "", Headers(Location=location))))
    told = str(translate(refused, endpoint("https://example.test"))) if isinstance(refused, Exception) else ""
    assert "a redirect was not followed: it leads to http://example.test/ws, without TLS" in told
    assert "hidden" not in told


class Transport(asyncio.Transport):
    """A transport that notes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def pause_reading(self) -> None:
        """Note it."""
        self.told.append("pause")

    def resume_reading(self) -> None:
        """Note it."""
        self.told.append("resume")

    def abort(self) -> None:
        """Note it."""
        self.told.append("abort")

    def write(self, data: Any) -> None:
        """Note it."""
        self.told.append("write")

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered."""


@pytest.fixture
async def connection() -> Connection:
    """A connection on a transport that goes nowhere."""
    made = Connection(ClientProtocol(parse_uri("ws://example.test/ws")), ping_interval=None)
    made.connection_made(Transport())
    return made


async def test_reading_pauses_above_the_limit(connection: Connection) -> None:
    """When too much waits undecoded the socket is read no further, until enough was decoded."""
    told = connection.transport.told  # type: ignore[attr-defined]
    connection.hold(UNDECODED_LIMIT)
    assert told == []
    connection.hold(1)
    connection.hold(1)
    assert told == ["pause"]
    connection.release(1)
    assert told == ["pause"]
    connection.release(1)
    assert told == ["pause", "resume"]
    connection.release(UNDECODED_LIMIT)
    connection.hold(UNDECODED_LIMIT + 1)
    assert told == ["pause", "resume", "pause"]


async def test_a_connection_that_ended_is_not_read_again(connection: Connection) -> None:
    """Decoding the last large reply of a lost session touches its socket no more."""
    ends: list[tuple[int, str]] = []
    connection.on_end = lambda code, reason: ends.append((code, reason))
    connection.hold(UNDECODED_LIMIT + 1)
    connection.connection_lost(ConnectionResetError("reset by peer"))
    connection.release(UNDECODED_LIMIT + 1)
    assert connection.transport.told == ["pause"]  # type: ignore[attr-defined]
    assert ends == [(1006, "reset by peer")]


async def test_an_error_while_a_message_is_taken_in_ends_the_connection(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """A defect behind on_frame does not kill the transport unexplained: it is logged and the connection dropped."""

    def broken(data: bytes) -> None:
        raise ZeroDivisionError("a defect")

    connection.response = Response(101, "Switching", {})  # type: ignore[arg-type]
    connection.on_frame = broken
    connection.process_event(Frame(Opcode.TEXT, b"{}"))
    assert connection.transport.told == ["abort"]  # type: ignore[attr-defined]
    assert "an error while a message was taken in" in caplog.text
    ends: list[tuple[int, str]] = []
    connection.on_end = lambda code, reason: ends.append((code, reason))
    connection.connection_lost(None)
    assert ends == [(1006, "ZeroDivisionError while a message was taken in")]
