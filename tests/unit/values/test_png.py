"""PNG files that are written here are read back by hand."""

from __future__ import annotations

import struct
import zlib

import pytest

from openenv_notebook.values.png import SIGNATURE, encode_pixels, encode_png


def chunks(content: bytes) -> dict[bytes, bytes]:
    """Read the chunks of a PNG, their checksums checked."""
    assert content.startswith(SIGNATURE)
    rest, found = content[8:], {}
    while rest:
        (length,) = struct.unpack(">I", rest[:4])
        kind, data = rest[4:8], rest[8 : 8 + length]
        assert struct.unpack(">I", rest[8 + length : 12 + length]) == (zlib.crc32(kind + data),)
        found[kind] = data
        rest = rest[12 + length :]
    return found


@pytest.mark.parametrize(("channels", "colour_type"), [(1, 0), (3, 2), (4, 6)])
def test_pixels_come_back(channels: int, colour_type: int) -> None:
    """Grey, colour and colour with alpha: size, type and every sample stand in the file."""
    pixels = bytes(range(4 * 2 * channels))
    found = chunks(encode_pixels(pixels, 4, 2))
    assert struct.unpack(">IIBB", found[b"IHDR"][:10]) == (4, 2, 8, colour_type)
    stride = 4 * channels
    assert zlib.decompress(found[b"IDAT"]) == b"\x00" + pixels[:stride] + b"\x00" + pixels[stride:]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 1), (1, 3)])
def test_a_line_of_pixels_is_a_picture(width: int, height: int) -> None:
    """A picture may be one pixel wide or high."""
    found = chunks(encode_pixels(bytes(range(width * height)), width, height))
    assert struct.unpack(">IIBB", found[b"IHDR"][:10]) == (width, height, 8, 0)


def test_a_palette_comes_back() -> None:
    """Rows of indices have their colours beside them."""
    found = chunks(encode_png([b"\x00\x01", b"\x01\x00"], [(1, 2, 3), (4, 5, 6)]))
    assert found[b"PLTE"] == bytes([1, 2, 3, 4, 5, 6])
    assert struct.unpack(">IIBB", found[b"IHDR"][:10]) == (2, 2, 8, 3)


@pytest.mark.parametrize(("length", "width", "height"), [(5, 2, 2), (8, 2, 2), (20, 2, 2), (0, 0, 0), (4, -2, -2)])
def test_other_numbers_of_samples_are_refused(length: int, width: int, height: int) -> None:
    """What fills no rectangle of 1, 3 or 4 samples a pixel is no picture."""
    with pytest.raises(ValueError, match="make no picture"):
        encode_pixels(bytes(length), width, height)
