"""The head of the panel: whose session, where it stands, how it begins anew."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.magic.arguments import read_payload, without_end
from openenv_notebook.jupyter.magic.context import typed_values
from openenv_notebook.jupyter.magic.tokens import GrammarError
from openenv_notebook.jupyter.panel.widgets import Handler, Put, Variable, Widgets


class Header:
    """Name, address, state; seed and Reset; New session and Close apart."""

    def __init__(
        self, put: Put, on_reset: Handler, on_new: Handler, on_close: Handler, on_save: Handler, variable: Variable
    ) -> None:
        self._put, self._variable = put, variable
        widgets = Widgets()
        self._title = widgets.html("", "title")
        self._facts = widgets.html("", "facts")
        self._seed = widgets.line(ipywidgets.Text, "seed", on_reset, "seed", placeholder="any")
        self.reset_button = widgets.button("Reset", "Begin an episode", on_reset)
        self._more = widgets.toggle("⋯", "Reset arguments, Save, New session, Close", self._opened)
        shown = [self._title, self._facts, self._seed, self.reset_button, self._more]
        self.row = widgets.row(shown, "row", "header")
        hint = "key=value …, or JSON"
        self._arguments = widgets.line(ipywidgets.Text, "Reset with", on_reset, "arguments", placeholder=hint)
        self._save = widgets.button("Save", "Write the episodes into a file beside this notebook", on_save)
        self.new_button = widgets.button("New session", "Give this session up and begin in another", on_new)
        self.close_button = widgets.button("Close", "Close the session", on_close, "danger")
        self.more = widgets.row([self._arguments, self._save, self.new_button, self.close_button], "row", "more")
        self.more.layout.display = "none"

    def _opened(self, on: bool) -> None:
        self.more.layout.display = None if on else "none"

    def arguments(self) -> dict[str, Any]:
        """Read what reset is given by name: only what is filled in. GrammarError says why it cannot be read."""
        text = without_end(str(self._arguments.value))
        found = typed_values(read_payload("reset", text, {}).payload, None, self._variable)
        if not isinstance(found, Mapping):
            raise GrammarError(f"reset takes named arguments, key=value or JSON, not {found!r}")
        seed = str(self._seed.value).strip()
        if seed and not re.fullmatch(r"[+-]?\d+", seed):
            raise GrammarError(f"a seed is a whole number, not {seed!r}; other arguments go beside Reset with, under ⋯")
        return {**({"seed": int(seed)} if seed else {}), **found}

    def refresh(self, title: str, facts: str, *, disabled: bool, is_closed: bool) -> None:
        """Show where the session stands, its title and facts in HTML; ``disabled`` while no episode can be begun."""
        self._put(self._title, value=title)
        self._put(self._facts, value=facts)
        self._put(self.reset_button, disabled=disabled or is_closed)
        self._put(self.new_button, disabled=is_closed)
        self._put(self.close_button, disabled=is_closed)
