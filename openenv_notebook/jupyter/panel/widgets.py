"""Widgets as panel and form use them: every one has a name, and nothing is an Output, a Tab or an Accordion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets

from openenv_notebook.values.text import one_line

# Hands values of a widget's traits to the publisher, from any thread.
Put = Callable[..., None]
# Called when the person wants something, on the thread of the front end's messages; it must not wait.
Handler = Callable[[], object]
# Finds the object of a ``$name``.
Variable = Callable[[str], Any]
_LONGEST_NAME = 60
# Front ends typeset formulas in descriptions, and before ipywidgets 8 take HTML there: look-alikes
# take the place of what begins one.
_IS_HTML = int(ipywidgets.__version__.partition(".")[0]) < 8
_UNSAFE = str.maketrans({"$": "＄", "\\": "＼", **({"<": "‹", "&": "＆"} if _IS_HTML else {})})


class Look(NamedTuple):
    """What a widget begins with: traits of its layout, and room for its description; "" leaves it to the front end."""

    layout: tuple[tuple[str, str], ...]
    label_width: str = ""


class Widgets:
    """Makes widgets, and closes them.

    Layouts and styles are models of their own. Widgets that are given the same look share them, so a form of many
    fields stays small; those of a class that ``looks`` does not name have their own.
    """

    def __init__(self, looks: Mapping[type[ipywidgets.Widget], Look] | None = None) -> None:
        self._looks = looks or {}
        self._layouts: dict[tuple[tuple[str, str], ...], ipywidgets.Layout] = {}
        self._styles: dict[tuple[str, str], ipywidgets.Widget] = {}
        self.is_disabled = False

    def disable(self, on: bool) -> None:
        """Have all that is made from now on begin disabled, or not."""
        self.is_disabled = on

    def make(self, kind: type[ipywidgets.Widget], *names: str, look: Look | None = None, **traits: Any) -> Any:
        """Make a widget with CSS classes (without ``openenv-``), and with its traits; a description is cleaned here.

        A look is what it begins with, where that is not the look of its class.
        """
        if "description" in traits:
            traits["description"] = label(traits["description"])
        if self.is_disabled and hasattr(kind, "disabled"):
            traits["disabled"] = True
        look = look or self._looks.get(kind)
        made = kind(**traits) if look is None else self._sharing(kind, look, traits)
        for name in names:
            made.add_class(f"openenv-{name}")
        return made

    def _sharing(self, kind: type[ipywidgets.Widget], look: Look, traits: dict[str, Any]) -> Any:
        if look.layout not in self._layouts:
            self._layouts[look.layout] = ipywidgets.Layout(**dict(look.layout))
        key = (kind.__name__, look.label_width)
        if key in self._styles:
            traits["style"] = self._styles[key]
        elif look.label_width:
            traits["style"] = {"description_width": look.label_width}
        made = kind(layout=self._layouts[look.layout], **traits)
        if getattr(made, "style", None) is not None:
            self._styles.setdefault(key, made.style)
        return made

    def html(self, value: str = "", *names: str) -> Any:
        """Make a place for HTML; the caller escapes what is not its own."""
        return self.make(ipywidgets.HTML, *names, value=value)

    def heading(self, text: str) -> Any:
        """Make the heading of an area."""
        return self.html(f'<div class="openenv-heading" role="heading" aria-level="3">{text}</div>')

    def button(self, text: str, hint: str, on_click: Handler, *names: str) -> Any:
        """Make a button."""
        made = self.make(ipywidgets.Button, *names, description=text, tooltip=one_line(hint))
        made.on_click(lambda _: on_click())
        return made

    def toggle(self, text: str, hint: str, on_change: Callable[[bool], object], **traits: Any) -> Any:
        """Make a button that stays pressed."""
        made = self.make(ipywidgets.ToggleButton, description=text, tooltip=hint, **traits)
        made.observe(lambda change: on_change(bool(change["new"])), "value")
        return made

    def line(self, kind: type[ipywidgets.Text], name: str, on_enter: Handler, *names: str, **traits: Any) -> Any:
        """Make a box of one line: one that completes, one that hides what is typed, or a plain one, by its class."""

        def heard(_: Any, content: Any, buffers: Any) -> None:
            if isinstance(content, dict) and content.get("event") == "submit":
                on_enter()

        made = self.make(kind, *names, description=name, **traits)
        made.on_msg(heard)
        return made

    def choice(self, name: str, options: Sequence[Any], *names: str, **traits: Any) -> Any:
        """Make a list to choose one thing from."""
        return self.make(ipywidgets.Dropdown, *names, options=options, description=name, **traits)

    def row(self, children: Sequence[Any], *names: str) -> Any:
        """Put widgets side by side."""
        return self.make(ipywidgets.HBox, *names, children=tuple(children))

    def column(self, children: Sequence[Any], *names: str) -> Any:
        """Put widgets below each other."""
        return self.make(ipywidgets.VBox, *names, children=tuple(children))

    def close(self, *roots: Any) -> None:
        """Close widgets and all that is in them, but not the looks they share."""
        shared = {id(look) for look in (*self._layouts.values(), *self._styles.values())}
        for widget in within(*roots):
            for look in (getattr(widget, "layout", None), getattr(widget, "style", None)):
                if look is not None and id(look) not in shared and hasattr(look, "close"):
                    look.close()
            widget.close()

    def close_looks(self) -> None:
        """Close the shared looks, when all widgets are closed."""
        for look in (*self._layouts.values(), *self._styles.values()):
            look.close()
        self._layouts.clear()
        self._styles.clear()


def within(*roots: Any) -> list[Any]:
    """List widgets and all that is in them; what is None is passed over."""
    found = []
    for root in roots:
        if root is not None:
            found += [root, *within(*getattr(root, "children", ()))]
    return found


def label(text: str) -> str:
    """Make a server's name fit to be read beside a control."""
    clean = one_line(text[: 2 * _LONGEST_NAME]).translate(_UNSAFE)
    return clean if len(clean) <= _LONGEST_NAME else f"{clean[:_LONGEST_NAME]}…"
