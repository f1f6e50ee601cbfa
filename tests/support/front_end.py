"""What a browser tells widgets, without a browser or a kernel: edits, clicks and Enter."""

from __future__ import annotations

from typing import Any

import ipywidgets


def edit(widget: Any, value: Any) -> None:
    """A person changes a control: types a text, ticks a box, chooses an entry of a list by its label."""
    if isinstance(widget, ipywidgets.Dropdown):
        state = {"index": list(widget._options_labels).index(value)}
    else:
        state = {"value": value}
    _tell(widget, {"method": "update", "state": state, "buffer_paths": []})


def click(button: Any) -> None:
    """A person clicks a button; one that is disabled hears nothing."""
    if not button.disabled:
        _tell(button, {"method": "custom", "content": {"event": "click"}})


def enter(box: Any) -> None:
    """A person presses Enter in a one-line box."""
    _tell(box, {"method": "custom", "content": {"event": "submit"}})


def _tell(widget: Any, data: dict[str, Any]) -> None:
    # A comm without a kernel takes no messages on ipykernel 6; the widget itself does.
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def shown(root: Any) -> list[Any]:
    """List the widgets that a front end would draw, in the order of Tab."""
    found = [root]
    for child in getattr(root, "children", ()):
        found += shown(child)
    return found


def named(root: Any, description: str, kind: type = ipywidgets.Widget, place: int = 0) -> Any:
    """Find what is drawn by its name and class."""
    found = [
        each for each in shown(root) if getattr(each, "description", None) == description and isinstance(each, kind)
    ]
    assert len(found) > place, (description, [getattr(each, "description", None) for each in shown(root)])
    return found[place]


def words(root: Any) -> str:
    """All HTML that is drawn."""
    return "\n".join(each.value for each in shown(root) if isinstance(each, ipywidgets.HTML))


def living() -> int:
    """Count the widgets that are not closed."""
    import ipywidgets.widgets.widget as module

    registry = getattr(module, "_instances", None)
    return len(ipywidgets.Widget.widgets if registry is None else registry)
