"""Renderers: functions of the user that draw observations."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

import openenv_notebook.jupyter as top
from openenv_notebook.jupyter.show.as_html import write_html
from openenv_notebook.jupyter.show.as_text import write_text
from openenv_notebook.jupyter.show.blocks import Own, Paragraph, Picture
from openenv_notebook.jupyter.show.custom import of_drawn, of_result_by
from openenv_notebook.jupyter.show.observations import headline
from openenv_notebook.jupyter.show.renderers import has_any, renderer_of
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import StepResult
from openenv_notebook.values.png import encode_pixels

PNG = encode_pixels(bytes(300), 10, 10)


@pytest.fixture(autouse=True)
def no_renderers() -> Iterator[None]:
    """No test finds a renderer of another."""
    yield
    for name in ("connect4", "http://localhost:8000"):
        top.unregister_renderer(name)
    assert not has_any()


def drawn_by(name: str, observation: Any) -> Any:
    """Give what the renderer of an environment makes of an observation."""
    function = renderer_of(name)
    assert function is not None
    return function(observation)


class Showing:
    """An object that can show itself."""

    def __init__(self, shown: Any) -> None:
        self.shown = shown


class WithHtml(Showing):
    """As pandas does."""

    def _repr_html_(self) -> Any:
        return self.shown


class WithBundle(Showing):
    """As plotting libraries do."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.shown


class WithPng(Showing):
    """As PIL does."""

    def _repr_png_(self) -> Any:
        return self.shown


class Drawing(str):
    """As python-chess does: a text that is a drawing."""

    def _repr_svg_(self) -> str:
        return str(self)


class Figure(Showing):
    """As matplotlib does."""

    def savefig(self, file: Any, format: str) -> None:
        assert format == "png"
        file.write(self.shown)


def test_text_is_text() -> None:
    """A text is shown as it is and escaped, a long one cut, a picture in base64 as a picture."""
    block = of_drawn("<b>a</b>\n  b")
    assert isinstance(block, Paragraph)
    assert "&lt;b&gt;a&lt;/b&gt;\n  b" in write_html(block)
    assert "30,000 characters in all" in write_html(of_drawn("x" * 30_000) or Paragraph(""))
    assert isinstance(of_drawn(base64.b64encode(PNG).decode()), Picture)


OWN = "<i>own</i>"


@pytest.mark.parametrize(
    "value",
    [
        WithHtml(OWN),
        Drawing(OWN),
        WithBundle({"text/html": OWN}),
        WithBundle(({"text/html": OWN, "text/plain": "own"}, {})),
    ],
)
def test_html_of_the_users_own_is_html(value: Any) -> None:
    """What the user's code made to be shown is shown as it is."""
    block = of_drawn(value)
    assert isinstance(block, Own)
    assert OWN in write_html(block)
    assert write_text(block)
    assert headline(block) == "drawn by a renderer"


@pytest.mark.parametrize("value", [PNG, bytearray(PNG), WithPng(PNG), Figure(PNG), WithBundle({"image/png": PNG})])
def test_picture_files_are_pictures(value: Any) -> None:
    """Bytes of a picture, PIL images and figures of matplotlib."""
    assert isinstance(of_drawn(value), Picture)


def test_arrays_of_pixels_are_pictures() -> None:
    """Grey, colour and alpha, channels first or last, bytes, truths or floats up to 1; other arrays are numbers."""
    numpy = pytest.importorskip("numpy")
    for shape in ((20, 30), (20, 30, 3), (20, 30, 4), (3, 20, 30), (20, 30, 1)):
        picture = of_drawn(numpy.zeros(shape, "uint8"))
        assert isinstance(picture, Picture)
        assert (picture.width, picture.height) == (30, 20)
    assert isinstance(of_drawn(numpy.random.rand(20, 30)), Picture)
    assert isinstance(of_drawn(numpy.ones((20, 30), bool)), Picture)
    for other in (numpy.zeros((20, 30)) - 1, numpy.zeros((20, 30)) * numpy.nan, numpy.zeros(30), numpy.zeros((0, 3))):
        assert not isinstance(of_drawn(other), Picture)


def test_any_other_value_is_described() -> None:
    """Boards, lists and objects by the default rules; None is the default view."""
    assert "3×3" in write_text(of_drawn([["X", "O", ""]] * 3) or Paragraph(""))
    assert write_text(of_drawn({"a": 1}) or Paragraph("")) == "a  1"
    assert of_drawn(None) is None
    assert write_text(of_result_by(lambda _: None, StepResult({"a": 1}))) == "a  1"


def test_words_of_a_server_are_never_html() -> None:
    """An observation that calls its fields like methods of display stays text."""
    trap = {"_repr_html_": "<script>", "_repr_mimebundle_": "<script>", "savefig": "<script>", "dtype": {"kind": "u"}}
    result = StepResult(trap)
    for function in (lambda seen: seen, lambda seen: seen["_repr_html_"]):
        assert "<script>" not in write_html(of_result_by(function, result))


def fails(seen: Any) -> Any:
    """A renderer with a mistake."""
    raise KeyError("<script>window.pwned = 1</script>")


async def waits(seen: Any) -> Any:
    """A renderer that is none."""


def leaves(seen: Any) -> Any:
    """A renderer that ends the program."""
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("function", "says"),
    [(fails, "KeyError: "), (waits, "TypeError: a renderer is a plain"), (leaves, "SystemExit: 3")],
)
def test_a_failing_renderer_shows_its_error_and_the_default_view(function: Any, says: str) -> None:
    """Two lines say what failed, escaped; the observation stands below as if there were no renderer."""
    block = of_result_by(function, StepResult({"a": 2}), StepResult({"a": 1}))
    lines = write_text(block).split("\n")
    assert f"renderer {function.__name__} failed" in lines[0]
    assert lines[1].startswith(says)
    assert lines[2] == "a *  2"
    assert "<script>" not in write_html(block)


def test_renderers_are_found_by_the_environments_name() -> None:
    """One name for connect4, Connect4Environment and connect4_env; an address is a name too; others find none."""
    top.register_renderer("connect4", str)
    for name in ("Connect4Environment", "connect4_env", "CONNECT4"):
        assert drawn_by(name, 3) == "3"
    assert renderer_of("connect5") is renderer_of("") is None
    assert top.unregister_renderer("connect4_env") and not top.unregister_renderer("connect4")
    top.register_renderer("http://localhost:8000", repr)
    assert drawn_by("http://localhost:8000", "x") == "'x'"


def test_what_is_no_renderer_is_refused() -> None:
    """Neither a value that cannot be called nor an empty name is registered."""
    for name, function in (("x", "text"), ("", str), ("  ", str)):
        with pytest.raises(MisuseError):
            top.register_renderer(name, function)
    with pytest.raises(AttributeError):
        _ = top.nothing
