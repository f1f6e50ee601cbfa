"""Widgets of one form: made with shared looks, counted, and closed together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ipywidgets

from openenv_notebook.schema.shapes import Shape
from openenv_notebook.values.text import one_line

if TYPE_CHECKING:
    from openenv_notebook.jupyter.panel.form.control import Control

_LABEL_WIDTH = "112px"
_LONGEST_LABEL = 60
# Front ends typeset formulas in descriptions, and before ipywidgets 8 take HTML there: look-alikes
# take the place of what begins one.
_IS_HTML = int(ipywidgets.__version__.partition(".")[0]) < 8
_UNSAFE = str.maketrans({"$": "＄", "\\": "＼", **({"<": "‹", "&": "＆"} if _IS_HTML else {})})


def label(text: str) -> str:
    """Make a server's name fit to be read beside a control."""
    clean = one_line(text[: 2 * _LONGEST_LABEL]).translate(_UNSAFE)
    return clean if len(clean) <= _LONGEST_LABEL else f"{clean[:_LONGEST_LABEL]}…"


class Kit:
    """Makes the widgets of a form and tells it of edits.

    Layouts and styles are models of their own, so widgets that look alike share them: a
    form of many fields stays small.

    Args:
        make: Makes the control for a shape.
        on_edit: Called after a person changed something.
        on_enter: Called when Enter was pressed in a one-line box.
    """

    def __init__(
        self, make: Callable[[Shape, Kit], Control], on_edit: Callable[[], object], on_enter: Callable[[], object]
    ) -> None:
        self._make = make
        self._on_edit = on_edit
        self._on_enter = on_enter
        self._layouts: dict[tuple[tuple[str, str], ...], ipywidgets.Layout] = {}
        self._styles: dict[tuple[str, str], ipywidgets.Widget] = {}
        self._quiet = 0
        self.is_disabled = False

    def control(self, shape: Shape) -> Control:
        """Make the control for a shape."""
        return self._make(shape, self)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Change widgets without telling that a person did."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    @property
    def is_quiet(self) -> bool:
        """True while the form itself changes its widgets."""
        return self._quiet > 0

    def edited(self) -> None:
        """Tell the form that a person changed something."""
        if not self._quiet:
            self._on_edit()

    def layout(self, **traits: str) -> ipywidgets.Layout:
        """Give the layout with these traits."""
        key = tuple(sorted(traits.items()))
        if key not in self._layouts:
            self._layouts[key] = ipywidgets.Layout(**traits)
        return self._layouts[key]

    def widget(
        self, kind: type[ipywidgets.Widget], look: str, layout: dict[str, str] | None = None, **traits: Any
    ) -> Any:
        """Make a widget.

        Args:
            kind: Its class.
            look: The CSS class it gets, without ``openenv-``.
            layout: What its layout says.
            **traits: Its traits; a description is cleaned here.

        Returns:
            The widget.
        """
        width = _LABEL_WIDTH if look in ("control", "form-code") else "initial"
        if "description" in traits:
            traits["description"] = label(traits["description"])
        key = (kind.__name__, width)
        if key in self._styles:
            traits["style"] = self._styles[key]
        elif "description" in traits and kind is not ipywidgets.Button:
            traits["style"] = {"description_width": width}
        if self.is_disabled and hasattr(kind, "disabled"):
            traits["disabled"] = True
        made = kind(layout=self.layout(**(layout or {})), **traits)
        if getattr(made, "style", None) is not None:
            self._styles.setdefault(key, made.style)
        made.add_class(f"openenv-{look}")
        return made

    def one_line(self, kind: type[ipywidgets.Text], name: str, **traits: Any) -> Any:
        """Make a one-line box that tells of Enter."""
        made = self.widget(kind, "control", {"width": "100%", "min_width": "0"}, description=name, **traits)
        made.on_msg(self._heard)
        return made

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and content.get("event") == "submit" and not widget.disabled:
            self._on_enter()

    def button(self, text: str, look: str, tooltip: str, pressed: Callable[[], object]) -> Any:
        """Make a small button."""
        made = self.widget(ipywidgets.Button, look, {"width": "auto"}, description=text, tooltip=one_line(tooltip))
        made.on_click(lambda _: pressed())
        return made

    def html(self, look: str, value: str = "") -> Any:
        """Make a place for HTML; the caller escapes what is not its own."""
        return self.widget(ipywidgets.HTML, look, {"width": "auto", "margin": "0"}, value=value)

    def row(self, children: Sequence[Any], look: str) -> Any:
        """Put widgets beside each other."""
        return self.widget(ipywidgets.HBox, look, {"width": "100%", "min_width": "0"}, children=tuple(children))

    def stack(self, children: Sequence[Any], look: str) -> Any:
        """Put widgets below each other."""
        return self.widget(ipywidgets.VBox, look, {"width": "100%", "min_width": "0"}, children=tuple(children))

    def close(self, *roots: Any) -> None:
        """Close widgets and all that is in them, but not their looks, which others may share."""
        for root in roots:
            self.close(*getattr(root, "children", ()))
            root.close()

    def close_looks(self) -> None:
        """Close the shared layouts and styles, when all widgets are closed."""
        for look in (*self._layouts.values(), *self._styles.values()):
            look.close()
        self._layouts.clear()
        self._styles.clear()
