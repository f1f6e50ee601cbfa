"""The factory of widgets: what is shared, what is cleaned, what is closed."""

from __future__ import annotations

import ipywidgets
from support.front_end import enter, living

from openenv_notebook.jupyter.panel.widgets import Look, Widgets, label, within

NARROW = Look((("width", "22px"),), "9px")


def test_widgets_of_one_look_share_it() -> None:
    """A class with a look has one layout and one style for all its widgets; others have their own."""
    widgets = Widgets({ipywidgets.Text: NARROW})
    first, second = (widgets.make(ipywidgets.Text, description="a") for _ in range(2))
    assert first.layout is second.layout and first.style is second.style
    assert (first.layout.width, first.style.description_width) == ("22px", "9px")
    assert widgets.html().layout is not widgets.html().layout


def test_a_widget_may_have_another_look() -> None:
    """What a call says of the look goes before what the class has."""
    widgets = Widgets({ipywidgets.Text: NARROW})
    wide = widgets.make(ipywidgets.Text, look=Look((("width", "99px"),)), description="a")
    assert wide.layout.width == "99px"


def test_all_is_closed_and_shared_looks_last() -> None:
    """Closing a widget closes what is in it and what is its own; shared looks stay until all is over."""
    before = living()
    widgets = Widgets({ipywidgets.Text: NARROW})
    kept = widgets.line(ipywidgets.Text, "kept", lambda: None)
    widgets.close(widgets.column([widgets.line(ipywidgets.Text, "gone", lambda: None), widgets.html()]), None)
    assert living() == before + 3, "the box that is kept, its layout and its style"
    widgets.close(kept)
    widgets.close_looks()
    assert living() == before


def test_what_is_made_while_disabled_begins_disabled() -> None:
    """A factory that is disabled makes disabled controls, and enabled ones afterwards."""
    widgets = Widgets()
    widgets.disable(True)
    assert widgets.make(ipywidgets.Text).disabled
    widgets.disable(False)
    assert not widgets.make(ipywidgets.Text).disabled


def test_enter_is_told() -> None:
    """Enter in a one-line box is told, whatever its class."""
    told: list[str] = []
    for kind in (ipywidgets.Text, ipywidgets.Password, ipywidgets.Combobox):
        enter(Widgets().line(kind, kind.__name__, lambda name=kind.__name__: told.append(name)))  # type: ignore[misc]
    assert told == ["Text", "Password", "Combobox"]


def test_a_name_is_fit_to_be_read() -> None:
    """A server's name is one line, begins no formula, and is not too long."""
    assert label("a\n$x$") == "a⏎＄x＄"
    assert label("n" * 1000) == "n" * 60 + "…"


def test_widgets_are_listed_with_what_is_in_them() -> None:
    """A tree is listed from the top; where nothing is, nothing is listed."""
    widgets = Widgets()
    inner = widgets.html()
    row = widgets.row([inner])
    assert within(None, row, None) == [row, inner]
