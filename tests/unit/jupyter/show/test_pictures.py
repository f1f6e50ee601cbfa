"""Finding pictures, and refusing what only looks like one."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.pictures import flat_shape, picture_in_bytes, picture_in_text, picture_of_pixels
from openenv_notebook.values.messages import StepResult
from openenv_notebook.values.png import encode_pixels

PNG = encode_pixels(bytes(20 * 10 * 3), 20, 10)
GIF = b"GIF89a" + struct.pack("<HH", 20, 10) + bytes(40)
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + (19).to_bytes(3, "little") + (9).to_bytes(3, "little") + bytes(30)
LOSSLESS = b"RIFF\x00\x00\x00\x00WEBPVP8L" + bytes(5) + (19 | 9 << 14).to_bytes(4, "little") + bytes(30)
LOSSY = b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(10) + struct.pack("<HH", 20, 10) + bytes(30)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10" + bytes(14) + b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 10, 20) + bytes(20)
)  # fmt: skip


def encoded(content: bytes) -> str:
    """Encode as base64, filled up so that the length is one of a base64 text."""
    return base64.b64encode(content).decode("ascii")


@pytest.mark.parametrize(
    ("kind", "content"),
    [("png", PNG), ("gif", GIF), ("webp", WEBP), ("webp", LOSSLESS), ("webp", LOSSY), ("jpeg", JPEG)],
)
def test_each_format_is_found_with_its_size(kind: str, content: bytes) -> None:
    """Base64, a data address of any letter case and line length, and bytes give the same picture."""
    text = encoded(content)
    in_lines = "\n".join(text[start : start + 40] for start in range(0, len(text), 40))
    for found in (
        picture_in_text("x", text),
        picture_in_text("x", in_lines),
        picture_in_text("x", f"data:image/{kind};base64,{text}"),
        picture_in_text("x", f"DATA:IMAGE/PNG;BASE64,{text}"),
        picture_in_bytes("x", content),
    ):
        assert found is not None
        assert (found.kind, found.data, found.width, found.height) == (kind, text, 20, 10)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "iVBORw0KGgo",
        encoded(PNG)[:-1],
        encoded(PNG) + "<",
        encoded(PNG)[:60] + '"onerror="',
        "data:image/svg+xml;base64," + encoded(b"<svg onload=alert(1)>" * 4),
        "data:text/html;base64," + encoded(PNG),
        "data:image/png;base64," + encoded(b"<script>alert(1)</script>" * 4),
        "data:image/png," + encoded(PNG),
        encoded(b"RIFF\x00\x00\x00\x00WAVE" + bytes(40)),
        encoded(encode_pixels(b"\x00", 1, 1)[:16] + struct.pack(">II", 60_000, 60_000) + bytes(40)),
        encoded(PNG + bytes(3_000_000)),
        "/9j/" + "é" * 40,
    ],
)
def test_what_only_looks_like_a_picture_is_text(text: str) -> None:
    """Other types, other characters, other contents, and sizes that would fill the memory are refused."""
    assert picture_in_text("x", text) is None


def test_a_jpeg_without_a_size_is_shown() -> None:
    """A JPEG whose size stands too far inside is a picture of unknown size."""
    found = picture_in_bytes("x", b"\xff\xd8\xff\xe0" + bytes(60))
    assert found is not None and found.width == 0
    assert 'alt="picture: JPEG picture"' in (to_html(StepResult({"picture": found.data})) or "")


@pytest.mark.parametrize(
    ("beside", "shape"),
    [
        ({"screen_shape": [2, 4, 3]}, (2, 4, 3)),
        ({"shape": (2, 12)}, (2, 12)),
        ({"width": 4, "height": 6}, (6, 4)),
        ({"width": 4, "height": 2}, (2, 4, 3)),
        ({"screen_width": 2, "screen_height": 3}, (3, 2, 4)),
        ({"screen_shape": [24]}, None),
        ({"screen_shape": [2, 4, 4]}, None),
        ({"screen_shape": [-2, -12]}, None),
        ({"screen_shape": ["2", True]}, None),
        ({"width": 5, "height": 2}, None),
        ({"width": 0, "height": 0}, None),
        ({}, None),
    ],
)
def test_a_flat_list_finds_its_shape_beside_it(beside: dict[str, Any], shape: Any) -> None:
    """A shape is taken where it fits the length; anything else beside the list is not."""
    assert flat_shape("screen", 24, beside) == shape


def test_nested_and_flat_pixels_are_drawn() -> None:
    """Rows of pixels, rows of grey, and flat samples become PNG; small ones are enlarged by whole pixels."""
    nested = [[[10, 20, 30]] * 12 for _ in range(9)]
    grey = [[200] * 40 for _ in range(30)]
    written = to_html(StepResult({"a": nested, "b": grey, "c": [7] * 2700, "c_shape": [30, 90]})) or ""
    assert written.count("data:image/png;base64,") == 3
    assert 'width="240" height="180"' in written
    assert "image-rendering:pixelated" in written
    assert "[a: PNG picture, 12×9]" in (to_text(StepResult({"a": nested})) or "")


@pytest.mark.parametrize("sample", [-1, 256, 0.5, None, "x"])
def test_other_samples_are_no_picture(sample: Any) -> None:
    """Only whole numbers from 0 to 255 are drawn."""
    assert picture_of_pixels("x", [sample] * 400, (20, 20)) is None


@pytest.mark.parametrize("shape", [(20, 20, 2), (4, 100), (20, 20, 3)])
def test_other_shapes_are_no_picture(shape: tuple[int, ...]) -> None:
    """Two channels, a strip, or too few samples are not drawn."""
    assert picture_of_pixels("x", [0] * 400, shape) is None


def test_at_most_four_pictures_are_shown() -> None:
    """A gallery does not fill the notebook: what is too much is said."""
    written = to_html(StepResult({str(place): encoded(PNG) for place in range(10)})) or ""
    assert written.count("<img ") == 4
    assert written.count("one more picture") == 6
