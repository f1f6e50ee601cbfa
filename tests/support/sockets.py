"""A far end over real sockets on loopback that follows a script, byte by byte if need be.

The frames are made by websockets' own sans-I/O protocol, in one blocking thread a
connection, so that a script reads from top to bottom.
"""

from __future__ import annotations

import http.client
import io
import json
import logging
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from support.wire import Replier, error_frame

# What is logged is the client's alone.
_quiet = logging.getLogger("far-end")
_quiet.setLevel(logging.CRITICAL)

Script = Callable[["Peer"], None]


@dataclass
class HttpRequest:
    """The request that opened a connection."""

    method: str
    path: str
    headers: Any


class Ended(Exception):
    """The client has gone."""


class Peer:
    """One connection, as a script sees it.

    Args:
        sock: The accepted socket.
        number: Which connection of the server it is, from 0.
    """

    def __init__(self, sock: socket.socket, number: int) -> None:
        self.sock = sock
        self.number = number
        self.protocol = ServerProtocol(max_size=None, logger=_quiet)
        self.pongs = True
        self.received: list[dict[str, Any]] = []
        self.pings = 0
        self._gone = False
        self._frames: list[bytes] = []
        self._parts: list[bytes] = []
        self.request: HttpRequest | None = None
        self.body = b""
        self._head = b""

    # The handshake

    def read_request(self) -> HttpRequest:
        """Read the HTTP request that opens the connection."""
        if self.request is None:
            while b"\r\n\r\n" not in self._head:
                self._head += self._receive_bytes()
            line, _, rest = self._head.partition(b"\r\n")
            headers = http.client.parse_headers(io.BytesIO(rest))
            self.request = HttpRequest(*line.decode().split()[:2], headers)
        return self.request

    def read_body(self) -> bytes:
        """Read what follows the request."""
        size = int(self.read_request().headers.get("Content-Length", 0))
        while len(body := self._head.partition(b"\r\n\r\n")[2]) < size:
            self._head += self._receive_bytes()
        return body

    def accept(self, and_say: Iterable[bytes] = (), close: int | None = None) -> None:
        """Accept the WebSocket; frames given here, and a close, go out in the same write."""
        self.read_request()
        self.protocol.receive_data(self._head)
        (request,) = self.protocol.events_received()
        assert isinstance(request, Request)
        self.protocol.send_response(self.protocol.accept(request))
        for frame in and_say:
            self.protocol.send_text(frame)
        if close is not None:
            self.protocol.send_close(close)
        self.flush()

    def answer_http(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Answer the request by plain HTTP and close."""
        self.body = self.read_body()
        all_headers = {"Content-Length": str(len(body)), "Connection": "close", **(headers or {})}
        lines = [f"HTTP/1.1 {status} Because", *(f"{name}: {value}" for name, value in all_headers.items()), "", ""]
        self.raw("\r\n".join(lines).encode() + body)
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    # Frames

    def receive(self) -> dict[str, Any]:
        """Wait for the next request; answers pings meanwhile unless told not to."""
        while not self._frames:
            self._read()
        request: dict[str, Any] = json.loads(self._frames.pop(0))
        self.received.append(request)
        return request

    def say(self, text: bytes) -> None:
        """Send a text frame."""
        self.protocol.send_text(text)
        self.flush()

    def say_binary(self, data: bytes) -> None:
        """Send a binary frame."""
        self.protocol.send_binary(data)
        self.flush()

    def say_in_parts(self, *parts: bytes) -> None:
        """Send one text message in fragments, each in a write of its own."""
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            send = self.protocol.send_text if number == 0 else self.protocol.send_continuation
            send(part, fin=last)
            self.flush()

    def close(self, code: int, reason: str = "") -> None:
        """Close with a code and wait for the client's answer."""
        self.protocol.send_close(code, reason)
        self.flush()
        with suppress(Ended):
            while True:
                self._read()

    def abort(self) -> None:
        """Reset the connection without a close frame."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        with suppress(OSError):
            self.sock.sendall(data)

    def serve(self, policy: Callable[[dict[str, Any]], bytes] | None = None) -> None:
        """Answer each request until the client goes."""
        reply = policy or Replier()
        while True:
            self.say(reply(self.receive()))

    def prove(self) -> None:
        """Accept, and answer the message that proves the session."""
        self.accept()
        assert self.receive()["type"] == "openenv_notebook_hello"
        self.say(error_frame("UNKNOWN_TYPE"))

    def wait_for_end(self) -> None:
        """Read, and answer nothing, until the client goes."""
        while True:
            if self.protocol.state is State.OPEN:
                self._read()
            else:
                self._receive_bytes()

    def _receive_bytes(self) -> bytes:
        try:
            data = self.sock.recv(65536)
        except OSError:
            raise Ended from None
        if not data:
            raise Ended
        return data

    def _read(self) -> None:
        if self._gone:
            raise Ended
        self.protocol.receive_data(self._receive_bytes())
        for event in self.protocol.events_received():
            if isinstance(event, Frame):
                self._take(event)
        self.flush(answers=True)

    def _take(self, frame: Frame) -> None:
        if frame.opcode is Opcode.PING:
            self.pings += 1
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT):
            self._parts.append(bytes(frame.data))
            if frame.fin:
                self._frames.append(b"".join(self._parts))
                self._parts = []
        elif frame.opcode is Opcode.CLOSE:
            self._gone = True

    def flush(self, *, answers: bool = False) -> None:
        """Write what the protocol has to send; its own answers to pings only if they are wanted."""
        out = b"".join(self.protocol.data_to_send())
        if out and not (answers and not self.pongs):
            self.raw(out)


class SocketServer:
    """Runs a script for each connection, in a thread each; ends with everything it began.

    Args:
        script: What to do with a connection; :class:`Ended` ends it quietly.
        port: Where to listen; 0 takes a free one.
    """

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script = script
        self.peers: list[Peer] = []
        self.failures: list[BaseException] = []
        self._threads: list[threading.Thread] = []
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._stopping = False

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for peer in list(self.peers):
            with suppress(OSError):
                peer.sock.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(10)
            assert not thread.is_alive(), "a script of the test hangs"
        if error is None and self.failures:
            raise self.failures[0]

    def _start(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, name="far-end", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopping:
            try:
                sock, _ = self._socket.accept()
            except OSError:
                return
            peer = Peer(sock, len(self.peers))
            self.peers.append(peer)
            self._start(self._run, peer)

    def _run(self, peer: Peer) -> None:
        try:
            self.script(peer)
        except (Ended, InvalidState):
            pass  # the client has gone, or is going
        except BaseException as error:
            self.failures.append(error)
        finally:
            peer.sock.close()
