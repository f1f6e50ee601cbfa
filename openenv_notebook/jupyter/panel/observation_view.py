"""The observation in the panel: what is seen now, what changed, and the raw JSON on demand."""

from __future__ import annotations

import html
import threading
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.observation_html import write_observation
from openenv_notebook.jupyter.panel.widgets import Handler, Put, Widgets
from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.as_html import write_html
from openenv_notebook.jupyter.show.blocks import Block, Span, line
from openenv_notebook.jupyter.show.bounded import bounded_html, bounded_text, failure
from openenv_notebook.jupyter.show.custom import of_result_by
from openenv_notebook.jupyter.show.html_look import escape
from openenv_notebook.jupyter.show.observations import changes, headline
from openenv_notebook.jupyter.show.raw_json import raw_json
from openenv_notebook.jupyter.show.renderers import Renderer, renderer_of
from openenv_notebook.values.given_context import with_this_context
from openenv_notebook.values.messages import StepResult
from openenv_notebook.values.secrets import secrets_of
from openenv_notebook.values.text import visible

HEIGHT, _ROW = 320, 28
_NOTHING: Block = line(Span("nothing to see yet: Reset begins an episode", "muted"))


class ObservationView:
    """Shows one observation at a time, in a box that never changes its height.

    ``changed`` is called after the person or :meth:`render` has changed what is to be seen.
    """

    def __init__(self, put: Put, changed: Handler = lambda: None) -> None:
        self._put = put
        self._changed = changed
        # Steps come on the events thread, the person's clicks on another.
        self._guard = threading.RLock()
        self._shown: tuple[StepResult[Any] | None, StepResult[Any] | None, str] = (None, None, "")
        self._function: Renderer | None = None
        self._is_raw = False
        widgets = Widgets()
        self._what = widgets.make(ipywidgets.HTML, layout=_layout(flex="1 1 auto", height=f"{_ROW}px"))
        layout = _layout(width="56px", height="24px", margin="2px 0")
        self._raw = widgets.toggle("Raw", "the JSON as it came", self._toggled, layout=layout)
        self._body = widgets.make(ipywidgets.HTML, layout=_layout(height=f"{HEIGHT - _ROW}px", overflow="auto"))
        if self._body.has_trait("tabbable"):
            # What scrolls can be reached and scrolled by keys.
            self._body.tabbable, self._body.tooltip = True, "observation"
        row = ipywidgets.HBox([self._what, self._raw], layout={"height": f"{_ROW}px", "overflow": "hidden"})
        self.widget = ipywidgets.VBox([row, self._body], layout={"height": f"{HEIGHT}px", "overflow": "hidden"})
        self.widget.add_class("openenv-observation")
        self._body.value = write_observation(_NOTHING)

    def show(self, result: StepResult[Any] | None, previous: StepResult[Any] | None, environment: str = "") -> None:
        """Show the observation of a result, None where there is none yet; on any thread. It never raises.

        What changed since ``previous``, the one before it in the episode, is marked; None marks nothing.
        """
        with self._guard:
            self._shown = (result, previous, environment)
            self._build()

    def saved(self, result: StepResult[Any] | None, environment: str = "") -> tuple[str, str]:
        """Write a result, if there is one, as HTML that needs no style sheet, and as text: for the saved notebook."""
        if result is None:
            return "", "nothing to see yet"
        function = self._function or renderer_of(environment)
        if function is None:
            return to_html(result) or "", to_text(result) or ""
        block = of_result_by(function, result)
        return bounded_html(block, write_html), bounded_text(block)

    def render(self, function: Renderer | None) -> None:
        """Have this panel's observations drawn by a function, as :meth:`Panel.render` has it.

        None is for the environment's renderer, or the default view. TypeError if it cannot be called.
        """
        if function is not None and not callable(function):
            raise TypeError(f"a renderer is a function of an observation, not a {type(function).__name__}")
        with self._guard:
            self._function = with_this_context(function) if function is not None else None
            self._build()
        self._changed()

    def _toggled(self, on: bool) -> None:
        with self._guard:
            self._is_raw = on
            self._build()
        self._changed()

    def _build(self) -> None:
        result, previous, environment = self._shown
        block, what = _NOTHING, ""
        try:
            if result is not None:
                block = of_result_by(self._function or renderer_of(environment), result, previous)
                what = " · ".join(part for part in (headline(block), changes(result, previous)) if part)
        except Exception as error:
            block, what = failure(error), ""
        written = _raw_html(result) if self._is_raw else bounded_html(block, write_observation)
        title = html.escape(visible(what))
        self._put(self._what, value=f'<div class="openenv-what" title="{title}">{escape(what)}</div>')
        self._put(self._body, value=written)


def _layout(**traits: str) -> dict[str, str]:
    return {"width": "auto", "margin": "0", **traits}


def _raw_html(result: StepResult[Any] | None) -> str:
    try:
        text = "" if result is None else raw_json(result.raw or {"observation": result.observation}, secrets_of(result))
    except Exception as error:
        text = f"this observation cannot be written: {type(error).__name__}"
    return f'<div class="openenv-seen"><pre>{html.escape(visible(text), quote=False)}</pre></div>'
