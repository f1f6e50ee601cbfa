"""Controls as the panel uses them: every one has a name, and nothing is an Output, a Tab or an Accordion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from openenv_notebook.values.text import one_line


def classed(widget: Any, *names: str) -> Any:
    """Add class names, for the style sheet; returns the widget."""
    for name in names:
        widget.add_class(f"openenv-{name}")
    return widget


def html(value: str = "", *names: str) -> Any:
    """Make a place for HTML of ours."""
    return classed(ipywidgets.HTML(value), *names)


def heading(text: str) -> Any:
    """Make the heading of an area."""
    return html(f'<div class="openenv-heading" role="heading" aria-level="3">{text}</div>')


def button(text: str, hint: str, on_click: Callable[[], object], *names: str) -> Any:
    """Make a button.

    Args:
        text: What stands on it.
        hint: What it does, shown when pointed at.
        on_click: Called on the thread of the front end's messages; it must not wait.
        *names: Its classes.
    """
    made = classed(ipywidgets.Button(description=text, tooltip=hint), *names)
    made.on_click(lambda _: on_click())
    return made


def toggle(text: str, hint: str, on_change: Callable[[bool], object], *names: str) -> Any:
    """Make a button that stays pressed."""
    made = classed(ipywidgets.ToggleButton(value=False, description=text, tooltip=hint), *names)
    made.observe(lambda change: on_change(bool(change["new"])), "value")
    return made


def text_box(name: str, placeholder: str, on_enter: Callable[[], object], *names: str) -> Any:
    """Make a box of one line.

    Args:
        name: Its name.
        placeholder: What stands in it while it is empty.
        on_enter: Called when Enter is pressed in it.
        *names: Its classes.
    """
    return _with_enter(ipywidgets.Text(description=name, placeholder=placeholder), on_enter, *names)


def completed_box(name: str, placeholder: str, on_enter: Callable[[], object], *names: str) -> Any:
    """Make a box of one line that completes what is typed."""
    made = ipywidgets.Combobox(description=name, placeholder=placeholder, ensure_option=False)
    return _with_enter(made, on_enter, *names)


def _with_enter(box: Any, on_enter: Callable[[], object], *names: str) -> Any:
    def heard(_: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and content.get("event") == "submit":
            on_enter()

    box.on_msg(heard)
    return classed(box, *names)


def choice(name: str, options: Sequence[Any], on_change: Callable[[], object] | None, *names: str) -> Any:
    """Make a list to choose one thing from."""
    made = classed(ipywidgets.Dropdown(options=options, description=name), *names)
    if on_change is not None:
        made.observe(lambda _: on_change(), "value")
    return made


def row(*children: Any, names: Sequence[str] = ()) -> Any:
    """Put controls side by side, below each other where there is no room."""
    return classed(ipywidgets.HBox(list(children)), "row", *names)


def column(*children: Any, names: Sequence[str] = ()) -> Any:
    """Put controls below each other."""
    return classed(ipywidgets.VBox(list(children)), *names)


def label(text: str, longest: int = 40) -> str:
    """Make a server's text fit for a button: one line, not too long."""
    text = one_line(text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def close_tree(widget: Any) -> None:
    """Close a widget and all that is in it."""
    for child in getattr(widget, "children", ()):
        close_tree(child)
    for owned in (getattr(widget, "layout", None), getattr(widget, "style", None)):
        if owned is not None and hasattr(owned, "close"):
            owned.close()
    widget.close()
