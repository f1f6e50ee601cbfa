"""One open WebSocket: frames in and out, its end, and the pings that keep it.

``websockets`` does TLS, proxies and frames. Data frames go from its ``process_event``
straight to the session, without a task or a queue in between. All of it runs on the
portal's loop.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import WebSocketException
from websockets.frames import CloseCode, Frame, Opcode

from openenv_notebook.values.logs import our_log
from openenv_notebook.wire.close_codes import NO_PONG
from openenv_notebook.wire.frames import masked_text, text_head, wire_size
from openenv_notebook.wire.protocol import CLOSE_FRAME

log = our_log()

CLOSE_WITHIN = 1.0
# Replies that wait to be decoded: above this the socket is not read any further.
UNDECODED_LIMIT = 64 * 2**20
# asyncio takes a buffer of this size for each read; memory for a larger one is mapped and unmapped every time.
_READ_SIZE = 2**16


class Connection(ClientConnection):
    """A WebSocket that hands each whole data frame, and its end, to one listener.

    ``on_end`` is called once, with the close code and the reason, which ``end`` holds from then on; ``on_accepted``
    when the far end has taken the TCP connection. ``is_busy`` tells whether a reply is awaited or owed; pings are
    never fatal then. ``max_size`` is the longest message accepted, in bytes; None for no limit.
    """

    on_frame: Callable[[bytes], None]
    on_end: Callable[[int, str], None]
    is_busy: Callable[[], bool]
    max_size: int | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The end of an attempt is no end of a connection: it is raised.
        self.on_end = lambda code, reason: None
        self.on_accepted: Callable[[], object] = lambda: None
        self._parts: list[bytes] = []
        self.end: tuple[int, str] | None = None
        self._heard = 0.0
        self._sent = 0.0
        self._beat: asyncio.TimerHandle | None = None
        self._undecoded = 0
        self._reading = True
        self._why = ""
        # Bytes that were given to the parser and have not come back as a frame; None: unknown.
        self._in_parser: int | None = None
        self._gathered: list[bytes] = []
        self._missing = 0

    # What the session uses

    @property
    def ended(self) -> bool:
        """True once the end has been reported."""
        return self.end is not None

    def send(self, data: bytes) -> None:  # type: ignore[override]
        """Send one text frame. Buffered by the transport; never waits."""
        self._sent = time.monotonic()
        protocol = self.protocol
        if not protocol.extensions and protocol.close_sent is None and protocol.close_rcvd is None:
            self.transport.write(masked_text(data))
        else:
            try:
                self.protocol.send_text(data)
            except WebSocketException as error:
                raise ConnectionResetError(str(error)) from None
            self.send_data()

    def close(self) -> None:  # type: ignore[override]
        """Say goodbye and close; the end is reported within a second."""
        if self.ended:
            return
        try:
            self.protocol.send_text(CLOSE_FRAME)
            self.protocol.send_close(CloseCode.NORMAL_CLOSURE)
            self.send_data()
        except Exception as error:
            # The socket may be closing already; then there is nobody to say goodbye to.
            log.debug("no goodbye: %s", error)
        self.loop.call_later(CLOSE_WITHIN, self.abort, "closed by this client")

    def abort(self, why: str = "") -> None:
        """Drop the socket at once."""
        self._why = self._why or why
        self.transport.abort()

    def hold(self, size: int) -> None:
        """Count a reply that waits to be decoded."""
        self._undecoded += size
        if self._reading and self._undecoded > UNDECODED_LIMIT:
            self._reading = False
            self.transport.pause_reading()

    def release(self, size: int) -> None:
        """Count a reply that was decoded."""
        self._undecoded -= size
        if not self._reading and self._undecoded <= UNDECODED_LIMIT and not self.ended:
            self._reading = True
            self.transport.resume_reading()

    # What asyncio and websockets call

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the socket."""
        super().connection_made(transport)
        if isinstance(getattr(transport, "max_size", None), int):
            transport.max_size = _READ_SIZE  # type: ignore[attr-defined]
        self.on_accepted()

    def data_received(self, data: bytes) -> None:
        """Take what the socket gives: plain frames at once, all else through the parser."""
        self._heard = time.monotonic()
        if self._in_parser is None:
            super().data_received(_of_http_1_1(data) if self.response is None else data)
            if self.response is not None and data.endswith(b"\r\n\r\n"):
                self._in_parser = 0
            self._end_if_broken()
            return
        while data and (rest := self._quickly(data)) is not None:
            data = rest
        if data:
            self._in_parser += len(data)
            super().data_received(data)
            self._end_if_broken()

    def _quickly(self, data: bytes) -> bytes | None:
        """Take a whole text frame, or the next part of one; None if the parser has to."""
        if self._missing:
            part, rest = data[: self._missing], data[self._missing :]
            self._missing -= len(part)
            self._gathered.append(part)
        else:
            # Without extensions, what was sent is what is on the wire.
            is_plain = not self.protocol.extensions and not self._in_parser and not self._parts
            head = text_head(data) if is_plain and self.protocol.close_sent is None else None
            if head is None or (self.max_size is not None and head[1] > self.max_size):
                return None
            end = head[0] + head[1]
            rest = data[end:]
            self._missing = max(0, end - len(data))
            self._gathered.append(data[head[0] : end])
        if not self._missing:
            parts, self._gathered = self._gathered, []
            try:
                self._whole(parts[0] if len(parts) == 1 else b"".join(parts))
            except Exception as error:
                self._fail(error)
            if self.protocol.close_sent is not None:
                self._end_if_broken()
        return rest

    def _fail(self, error: Exception) -> None:
        """Let nothing escape from what takes a message in: it would kill the transport unexplained."""
        log.error("an error while a message was taken in", exc_info=error)
        self.abort(f"{type(error).__name__} while a message was taken in")

    def _end_if_broken(self) -> None:
        sent = self.protocol.close_sent
        if sent is not None and sent.code != CloseCode.NORMAL_CLOSURE and not self.ended:
            # It broke the rules; there is no answer to wait for.
            self.transport.close()
            self._end()

    def process_event(self, event: Any) -> None:
        """Take one event of the parser."""
        try:
            if self.response is None or not isinstance(event, Frame):
                super().process_event(event)
                return
            if self._in_parser:
                self._in_parser -= wire_size(event)
            self._take(event)
        except Exception as error:
            self._fail(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end of the socket."""
        super().connection_lost(exc)
        if self._beat is not None:
            self._beat.cancel()
        if not self._why and exc is not None:
            self._why = str(exc)
        self._end()

    # Inside

    def _take(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode is Opcode.TEXT or opcode is Opcode.CONT or opcode is Opcode.BINARY:
            data = frame.data if type(frame.data) is bytes else bytes(frame.data)
            if frame.fin and not self._parts:
                self._whole(data)
                return
            self._parts.append(data)
            if frame.fin:
                parts, self._parts = self._parts, []
                self._whole(b"".join(parts))
        elif opcode is Opcode.CLOSE:
            # The close frame tells all there is; a server may take its time with TCP.
            self.transport.close()
            self._end()

    def _whole(self, data: bytes) -> None:
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError:
                self.protocol.fail(CloseCode.INVALID_DATA, "invalid UTF-8")
                self.send_data()
                self._why = "it sent text that is not UTF-8"
                return
        self.on_frame(data)

    def _end(self) -> None:
        if self.ended:
            return
        received, sent = self.protocol.close_rcvd, self.protocol.close_sent
        code, why = int(CloseCode.ABNORMAL_CLOSURE), self._why
        if received is not None:
            code, why = received.code, received.reason or self._why
        elif sent is not None and sent.code != CloseCode.NORMAL_CLOSURE:
            code, why = sent.code, self._why or sent.reason
        self.end = int(code), why
        self.on_end(*self.end)

    # Keepalive

    def start_beat(self, interval: float | None, timeout: float | None) -> None:
        """Ping every so often, so that proxies and dead hosts are noticed."""
        if interval is None or self.ended:
            return
        _watch_tcp(self.transport.get_extra_info("socket"), interval, timeout)
        self._beat = self.loop.call_later(interval, self._ping, interval, timeout)

    def _ping(self, interval: float, timeout: float | None) -> None:
        if self.ended:
            return
        now = time.monotonic()
        self.protocol.send_ping(b"openenv")
        self.send_data()
        if timeout is not None:
            self._beat = self.loop.call_later(timeout, self._pong_due, now, interval, timeout, self.is_busy())
        else:
            self._beat = self.loop.call_later(interval, self._ping, interval, timeout)

    def _pong_due(self, pinged: float, interval: float, timeout: float, was_busy: bool) -> None:
        silent = self._heard < pinged and self._sent < pinged
        # A server that has just ended a long step needs a moment for the answer, too.
        if silent and self._reading and not was_busy and not self.is_busy():
            self.abort(f"{NO_PONG} within {timeout:g} s")
            return
        wait = max(0.0, interval - (time.monotonic() - pinged))
        self._beat = self.loop.call_later(wait, self._ping, interval, timeout)


def _watch_tcp(sock: Any, interval: float, timeout: float | None) -> None:
    """Let the kernel find a dead host: unanswered bytes end the socket after a while."""
    patience = interval + (timeout if timeout is not None else 20.0)
    settings = [
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPIDLE", None), max(1, int(interval))),
        (socket.IPPROTO_TCP, getattr(socket, "TCP_USER_TIMEOUT", None), int(patience * 1000)),
    ]
    for level, option, value in settings:
        if sock is not None and option is not None:
            try:
                sock.setsockopt(level, option, value)
            except OSError as error:
                log.debug("socket option %s not set: %s", option, error)


def _of_http_1_1(data: bytes) -> bytes:
    """Let a simple server's refusal be read: websockets takes answers of HTTP/1.1 only."""
    return b"HTTP/1.1 " + data[9:] if data.startswith(b"HTTP/1.0 ") else data
