"""One open WebSocket: how much may wait undecoded, and how it ends. No network."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

from openenv_notebook.wire.connection import UNDECODED_LIMIT, Connection


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
    assert "ZeroDivisionError: a defect" in caplog.text
    ends: list[tuple[int, str]] = []
    connection.on_end = lambda code, reason: ends.append((code, reason))
    connection.connection_lost(None)
    ((code, reason),) = ends
    assert code == 1006 and "ZeroDivisionError" in reason
