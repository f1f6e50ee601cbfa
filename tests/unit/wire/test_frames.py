"""Plain text frames, against those of websockets."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from openenv_notebook.wire.frames import masked_text, text_head, wire_size


def parsed(data: bytes, *, masked: bool) -> Frame:
    """Read a whole frame as websockets does."""
    reader = StreamReader()
    reader.feed_data(data)
    parsing: Generator[None, None, Frame] = Frame.parse(reader.read_exact, mask=masked)
    try:
        next(parsing)
    except StopIteration as found:
        assert not reader.buffer
        return found.value  # type: ignore[no-any-return]
    raise AssertionError("the frame is not whole")


@given(st.binary(max_size=300))
@example(b"")
@example(b"x" * 125)
@example(b"x" * 126)
@example(b"x" * 65535)
@example(b"x" * 65536)
def test_what_is_sent_is_a_whole_masked_text_frame(data: bytes) -> None:
    """A text of any length is written as a final, masked text frame with the same bytes in it."""
    frame = parsed(masked_text(data), masked=True)
    assert (frame.opcode, frame.fin, bytes(frame.data)) == (Opcode.TEXT, True, data)


def test_each_frame_has_a_key_of_its_own() -> None:
    """Two frames of the same text differ on the wire, as RFC 6455 §5.3 asks."""
    assert masked_text(b"x" * 32) != masked_text(b"x" * 32)


@given(st.binary(max_size=300), st.binary(max_size=20))
@example(b"x" * 125, b"")
@example(b"x" * 126, b"")
@example(b"x" * 65535, b"")
@example(b"x" * 65536, b"more")
def test_the_head_of_a_plain_frame_is_read(data: bytes, more: bytes) -> None:
    """The head of a server's text frame gives the sizes of head and text, whatever follows."""
    written = Frame(Opcode.TEXT, data).serialize(mask=False)
    head = text_head(written + more)
    assert head is not None
    assert written[head[0] : head[0] + head[1]] == data
    assert wire_size(parsed(written, masked=False)) == len(written) == sum(head)


@pytest.mark.parametrize(
    "chunk",
    [
        b"",
        b"\x81",
        Frame(Opcode.BINARY, b"x").serialize(mask=False),
        Frame(Opcode.TEXT, b"x", fin=False).serialize(mask=False),
        Frame(Opcode.CONT, b"x").serialize(mask=False),
        Frame(Opcode.PING, b"x").serialize(mask=False),
        Frame(Opcode.CLOSE, b"").serialize(mask=False),
        Frame(Opcode.TEXT, b"x").serialize(mask=True),
        b"\xc1\x01x",
        b"\x81\x7e\x01",
        b"\x81\x7f\x00\x00",
    ],
    ids=["nothing", "half", "binary", "first", "next", "ping", "close", "masked", "extended", "short16", "short64"],
)
def test_anything_else_is_left_to_the_parser(chunk: bytes) -> None:
    """Fragments, binary, control and masked frames, reserved bits and cut heads are no plain frames."""
    assert text_head(chunk) is None
