"""Whatever way TCP cuts a server's bytes, the same messages come out."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from openenv_notebook.wire.connection import Connection


class Transport(asyncio.Transport):
    """Keeps what is written; reads nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: Any) -> None:
        """Keep it."""
        self.written += bytes(data)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered."""

    def close(self) -> None:
        """Nothing is open."""

    abort = close


def texts(message: bytes, cuts: list[int]) -> list[Frame]:
    """A message as one frame, or as fragments."""
    bounds = [0, *sorted({cut % (len(message) + 1) for cut in cuts}), len(message)]
    parts = [message[start:end] for start, end in itertools.pairwise(bounds)]
    kinds = [Opcode.TEXT, *[Opcode.CONT] * (len(parts) - 1)]
    return [
        Frame(kind, part, number == len(parts) - 1)
        for number, (kind, part) in enumerate(zip(kinds, parts, strict=True))
    ]


pings = st.binary(max_size=20).map(lambda data: [Frame(Opcode.PING, data)])
plain = st.text(max_size=400).map(lambda text: texts(text.encode(), []))
split = st.tuples(st.text(max_size=50), st.lists(st.integers(0, 60), min_size=1, max_size=3)).map(
    lambda made: texts(made[0].encode(), made[1])
)


@given(st.lists(st.one_of(plain, plain, pings, split), max_size=8), st.lists(st.integers(1, 200), max_size=40))
def test_messages_come_out_however_the_bytes_are_cut(groups: list[list[Frame]], sizes: list[int]) -> None:
    """Plain, fragmented and large messages with pings between them come out whole, in order, and pings are answered."""
    frames = [frame for group in groups for frame in group]
    data = b"".join(frame.serialize(mask=False) for frame in frames)
    asyncio.run(_feed(data, sizes, frames))


async def _feed(data: bytes, sizes: list[int], frames: list[Frame]) -> None:
    protocol = ClientProtocol(parse_uri("ws://localhost/"))
    connection, transport, heard = Connection(protocol), Transport(), []
    connection.on_frame, connection.is_busy = heard.append, lambda: False
    connection.connection_made(transport)
    request = protocol.connect()
    protocol.send_request(request)
    protocol.data_to_send()
    accept = _accept(request.headers["Sec-WebSocket-Key"])
    connection.data_received(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    assert protocol.state is State.OPEN
    place = 0
    for size in [*sizes, len(data)]:
        if chunk := data[place : place + size]:
            connection.data_received(chunk)
        place += size
    assert heard == _messages(frames)
    pongs = sum(frame.opcode is Opcode.PING for frame in frames)
    assert transport.written.count(bytes([0x80 | Opcode.PONG])) >= pongs
    connection.connection_lost(None)


def _messages(frames: list[Frame]) -> list[bytes]:
    messages, parts = [], b""
    for frame in frames:
        if frame.opcode is not Opcode.PING:
            parts += bytes(frame.data)
            if frame.fin:
                messages.append(parts)
                parts = b""
    return messages


def _accept(key: str) -> bytes:
    from websockets.utils import accept_key

    return accept_key(key).encode()
