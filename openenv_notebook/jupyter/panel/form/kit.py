"""What the controls of a form share: what makes their widgets, and who it is that changes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets
import traitlets

from openenv_notebook.jupyter.panel.widgets import Handler, Look, Widgets
from openenv_notebook.values.secrets import HIDDEN


class SecretBox(ipywidgets.Password):  # type: ignore[misc]
    """A box whose text is in no synced trait, and so in no saved notebook: ``secret`` has it, ``value`` is empty."""

    secret = traitlets.Unicode()

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.observe(self._put, "value")

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what a browser says; the text goes past the trait, which would be told to all front ends."""
        typed = sync_data.pop("value", None)
        super().set_state(sync_data)
        if isinstance(typed, str):
            self.secret = typed

    def _put(self, change: Any) -> None:
        if change["new"]:
            self.value, self.secret = "", change["new"]

    def blank(self) -> None:
        """Empty it in the browser, too; what was typed is kept here, and dots say so."""
        self.placeholder = HIDDEN if self.secret else "\u200b"
        self.send_state("value")


_WIDE = (("width", "100%"), ("min_width", "0"))
_LINE = Look(_WIDE, "112px")
_AUTO = (("width", "auto"),)
_LOOKS = {
    ipywidgets.Button: Look(_AUTO),
    ipywidgets.Checkbox: Look((("width", "100%"),), "initial"),
    ipywidgets.HBox: Look(_WIDE),
    ipywidgets.HTML: Look((*_AUTO, ("margin", "0"))),
    ipywidgets.Label: Look(_AUTO),
    ipywidgets.Textarea: Look((*_WIDE, ("height", "auto")), "112px"),
    ipywidgets.VBox: Look(_WIDE),
    **dict.fromkeys((ipywidgets.Combobox, ipywidgets.Dropdown, SecretBox, ipywidgets.Text), _LINE),
}
TICK = Look((("width", "22px"), ("min_width", "22px"), ("overflow", "hidden")), "initial")
NULL = Look(_AUTO, "initial")
FILTER = Look(_WIDE, "initial")
# A field is half a dozen widgets, which a browser has to be told of before it shows any.
_MOST_FIELDS = 150


class Kit:
    """Makes the widgets of a form, and tells the form what a person does to them.

    ``on_edit`` is called after a person changed something, ``on_enter`` when Enter was pressed in a one-line box.

    Attributes:
        room: How many more fields have controls of their own; what has none is filled in as JSON.
    """

    def __init__(self, on_edit: Handler, on_enter: Handler) -> None:
        self._on_edit = on_edit
        self._on_enter = on_enter
        self._quiet = 0
        self.room = _MOST_FIELDS
        self.widgets = Widgets(_LOOKS)

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

    @property
    def is_disabled(self) -> bool:
        """True while nothing can be edited."""
        return self.widgets.is_disabled

    def edited(self) -> None:
        """Tell the form that a person changed something."""
        if not self._quiet:
            self._on_edit()

    def entered(self) -> None:
        """Tell the form that a person pressed Enter."""
        if not self.is_disabled:
            self._on_enter()
