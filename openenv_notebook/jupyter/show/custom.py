"""What a renderer gave -> blocks: text, pictures, the user's own HTML, or any value."""

from __future__ import annotations

import inspect
import io
from collections.abc import Container, Mapping
from typing import Any

from openenv_notebook.jupyter.show.blocks import Block, Own, Paragraph, Picture, Span, Stack, line
from openenv_notebook.jupyter.show.describe import Describer
from openenv_notebook.jupyter.show.observations import of_observation
from openenv_notebook.jupyter.show.pictures import picture_in_bytes, picture_in_text, picture_of_samples
from openenv_notebook.jupyter.show.plain import short
from openenv_notebook.jupyter.show.renderers import Renderer
from openenv_notebook.jupyter.show.tool_output import is_tool_output, tool_output
from openenv_notebook.values.known_secrets import foreign_text, shown_text
from openenv_notebook.values.secrets import secrets_of
from openenv_notebook.values.text import named_words

_NAME = "observation"
_LONGEST_TEXT, _LONGEST_ERROR = 20_000, 300
_MOST_SAMPLES = 16_000_000


def of_result_by(function: Renderer | None, result: Any, previous: Any = None) -> Block:
    """Describe the observation of a result by a renderer, and by the default rules where there is none or it fails.

    The previous result is for the default rules. A failing renderer's error stands above their view.
    """
    if function is None and is_tool_output(result.observation):
        function = tool_output
    if function is None:
        return of_observation(result, previous)
    try:
        drawn = function(result.observation)
        if inspect.iscoroutine(drawn):
            drawn.close()
            name = getattr(function, "__name__", "it")
            raise TypeError(f"a renderer is a plain function, not an async one; write def {name}, without async")
        block = of_drawn(drawn, secrets_of(result))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Stack((*_failure(function, error), of_observation(result, previous)))
    return of_observation(result, previous) if block is None else block


def of_drawn(value: Any, secrets: Container[str] | None = None) -> Block | None:
    """Describe what a renderer gave; None for None.

    Text is shown as text. HTML is taken from objects that say they have some (``_repr_html_``, ``_repr_mimebundle_``):
    the user's own code made them. Arrays of pixels, PIL images, figures of matplotlib and picture files are pictures.
    ``secrets`` names fields that the observation's server marked.
    """
    if value is None:
        return None
    # Texts of a class of their own may be more, such as the drawings of python-chess.
    own = None if type(value) is str else _own(value)
    if own is not None:
        return own
    if isinstance(value, str):
        more = f"\n… {len(value):,} characters in all" if len(value) > _LONGEST_TEXT else ""
        shown = shown_text(value[: 2 * _LONGEST_TEXT], secrets)[:_LONGEST_TEXT]
        return picture_in_text(_NAME, value) or Paragraph(shown + more)
    picture = _file(bytes(value)) if isinstance(value, (bytes, bytearray)) else _pixels(value)
    return picture or _figure(value) or Describer(secrets).value(value)


def _own(value: Any) -> Block | None:
    """Take the HTML or the picture of an object that can show itself.

    The method is looked for in its class: the attributes of an observation are a server's words.
    """
    cls = type(value)
    bundle = getattr(cls, "_repr_mimebundle_", None)
    shown = bundle(value) if callable(bundle) else None
    data: Any = shown[0] if isinstance(shown, tuple) else shown
    if isinstance(data, Mapping):
        words = next((data[kind] for kind in ("text/html", "image/svg+xml") if isinstance(data.get(kind), str)), None)
        if words is not None:
            return Own(words, str(data.get("text/plain") or short(value)))
        files = (data.get(kind) for kind in ("image/png", "image/jpeg"))
        found = next((picture for file in files if (picture := _file(file)) is not None), None)
        if found is not None:
            return found
    for name in ("_repr_html_", "_repr_svg_", "_repr_png_", "_repr_jpeg_"):
        method = getattr(cls, name, None)
        shown = method(value) if callable(method) else None
        if isinstance(shown, str):
            return Own(shown, short(value))
        picture = _file(shown)
        if picture is not None:
            return picture
    return None


def _file(content: Any) -> Picture | None:
    return picture_in_bytes(_NAME, content) if isinstance(content, bytes) else None


def _figure(value: Any) -> Picture | None:
    """Save a figure of matplotlib, which can do that without a window."""
    save = getattr(type(value), "savefig", None)
    if not callable(save):
        return None
    file = io.BytesIO()
    save(value, file, format="png")
    return _file(file.getvalue())


def _pixels(value: Any) -> Picture | None:
    """Draw an array of numpy, or of what behaves like it: rows, columns, and perhaps channels first or last."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    shape: Any = getattr(value, "shape", ())
    if kind not in ("u", "i", "f", "b") or len(shape) not in (2, 3) or not 0 < value.size <= _MOST_SAMPLES:
        return None
    if len(shape) == 3 and shape[2] not in (1, 3, 4):
        if shape[0] not in (1, 3, 4):
            return None
        value = value.transpose(1, 2, 0)
    low, high = value.min(), value.max()
    if not (low >= 0 and high <= 255):
        return None
    if kind in ("f", "b") and high <= 1:
        value = value * 255
    return picture_of_samples(_NAME, value.astype("uint8").tobytes(), tuple(map(int, value.shape)))


def _failure(function: Renderer, error: BaseException) -> tuple[Block, ...]:
    name = getattr(function, "__name__", type(function).__name__)
    text = foreign_text(named_words(error))
    return (
        line(Span(f"the renderer {name} failed; this is the default view", "muted")),
        line(Span(text[:_LONGEST_ERROR], "bad")),
    )
