"""What a browser tells widgets, and draws of them, without a browser or a kernel: edits, clicks and Enter."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import ipywidgets


def edit(widget: Any, value: Any) -> None:
    """A person changes a control: types a text, ticks a box, chooses an entry of a list by its label."""
    if isinstance(widget, (ipywidgets.Dropdown, ipywidgets.Select)):
        choose(widget, labels(widget).index(value))
    else:
        _tell(widget, {"method": "update", "state": {"value": value}, "buffer_paths": []})


def choose(choice: Any, place: int) -> None:
    """A person chooses an entry of a list by its place."""
    _tell(choice, {"method": "update", "state": {"index": place}, "buffer_paths": []})


def click(button: Any, *, late: bool = False) -> None:
    """A person clicks a button; one that is disabled hears nothing, unless the click was on its way already."""
    if late or not button.disabled:
        _tell(button, {"method": "custom", "content": {"event": "click"}})


def enter(box: Any) -> None:
    """A person presses Enter in a one-line box."""
    _tell(box, {"method": "custom", "content": {"event": "submit"}})


def _tell(widget: Any, data: dict[str, Any]) -> None:
    # The one private name of ipywidgets in the tests: a comm without a kernel takes no messages on ipykernel 6.
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def labels(widget: Any) -> tuple[str, ...]:
    """The entries of a list, as the browser gets them; none of what is no list."""
    return _sent(widget, "_options_labels")


def classes(widget: Any) -> tuple[str, ...]:
    """The CSS classes of a widget, as the browser gets them."""
    return _sent(widget, "_dom_classes")


def _sent(widget: Any, name: str) -> tuple[str, ...]:
    return tuple(widget.get_state(name)[name]) if widget.has_trait(name) else ()


def shown(root: Any) -> list[Any]:
    """List the widgets that a front end would make, in the order of Tab, also those whose layout hides them."""
    return list(_walked(root, hidden=True))


def visible(root: Any) -> list[Any]:
    """List the widgets that a person sees, in the order of Tab."""
    return list(_walked(root, hidden=False))


def _walked(root: Any, *, hidden: bool) -> Iterator[Any]:
    if hidden or is_visible(root):
        yield root
        for child in getattr(root, "children", ()):
            yield from _walked(child, hidden=hidden)


def is_visible(widget: Any) -> bool:
    """Tell whether the layout of a widget lets it be seen, where what it is in is seen."""
    layout = getattr(widget, "layout", None)
    return layout is None or layout.display != "none"


def named(root: Any, description: str, kind: type = ipywidgets.Widget, place: int = 0) -> Any:
    """Find what is drawn by its name and class."""
    found = [
        each for each in shown(root) if getattr(each, "description", None) == description and isinstance(each, kind)
    ]
    assert len(found) > place, (description, [getattr(each, "description", None) for each in shown(root)])
    return found[place]


def classed(root: Any, name: str) -> list[Any]:
    """Find what has a CSS class of ours, named without ``openenv-``."""
    return [each for each in shown(root) if f"openenv-{name}" in classes(each)]


def words(root: Any) -> str:
    """All HTML that is drawn."""
    return "\n".join(each.value for each in shown(root) if isinstance(each, ipywidgets.HTML))


def text_of(written: str) -> str:
    """Read HTML as a person does: without tags, blanks folded."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", written)).split())


def living() -> int:
    """Count the widgets that are not closed."""
    import ipywidgets.widgets.widget as module

    registry = getattr(module, "_instances", None)
    return len(ipywidgets.Widget.widgets if registry is None else registry)
