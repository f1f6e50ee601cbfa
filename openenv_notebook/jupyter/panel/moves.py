"""Actions of one click: a button each, or a box that completes where there are many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.magic.arguments import read_payload, without_end
from openenv_notebook.jupyter.magic.context import typed_values
from openenv_notebook.jupyter.magic.tokens import GrammarError
from openenv_notebook.jupyter.panel.widgets import Handler, Put, Variable, Widgets
from openenv_notebook.schema.action import named
from openenv_notebook.schema.check import same
from openenv_notebook.schema.moves import Legal
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.text import cut, one_line

MOST_BUTTONS = 12
_HINT = "type a value, Enter steps"


class Moves:
    """Buttons for what is legal now, and the box for a move.

    ``on_click`` gets the place of the legal value that was clicked; ``on_enter`` and ``on_change`` are the box's.
    """

    def __init__(
        self, put: Put, on_click: Callable[[int], object], on_enter: Handler, on_change: Handler, variable: Variable
    ) -> None:
        self._put = put
        self._variable = variable
        self.offered: Legal | None = None
        widgets = Widgets()
        self._buttons = [widgets.button("", "", partial(on_click, place)) for place in range(MOST_BUTTONS)]
        self.box = widgets.line(ipywidgets.Combobox, "Move", on_enter, "move", placeholder=_HINT, ensure_option=False)
        self.box.observe(lambda _: on_change(), "value")
        self.row = widgets.row(self._buttons, "row", "moves")
        for made in (*self._buttons, self.row):
            made.layout.display = "none"

    @property
    def text(self) -> str:
        """What stands in the box."""
        return str(self.box.value).strip()

    def clear(self) -> None:
        """Empty the box; on any thread."""
        self._put(self.box, value="")

    def empty(self) -> None:
        """Empty the box at once, on the thread of the front end's messages."""
        self.box.value = ""

    def offer(self, legal: Legal | None, all_values: Legal | None) -> Legal | None:
        """Choose what there are buttons for: what is legal, or all values where they are few: each keeps its place."""
        self.offered = _offered(legal, all_values)
        return self.offered

    def show(self, legal: Legal | None, chosen: Any, *, disabled: bool) -> None:
        """Show what is offered: what of it is legal now, and ``chosen``, the value that Step would send."""
        offered = self.offered
        values = offered.values if offered is not None else ()
        as_buttons = values if len(values) <= MOST_BUTTONS else ()
        for place, made in enumerate(self._buttons):
            is_used = place < len(as_buttons)
            self._put(made.layout, display=None if is_used else "none")
            if is_used and offered is not None:
                is_legal = legal is not None and any(same(value, as_buttons[place]) for value in legal.values)
                self._name(made, offered, as_buttons[place], chosen, disabled or not is_legal)
        self._put(self.row.layout, display=None if as_buttons else "none")
        options = tuple(dict.fromkeys(written(value) for value in values)) if not as_buttons else ()
        hint = f"one of {len(values)} legal moves, Enter steps" if options else _HINT
        self._put(self.box, options=options, placeholder=hint, disabled=disabled)

    def _name(self, made: Any, legal: Legal, value: Any, chosen: Any, disabled: bool) -> None:
        fields = " or ".join(legal.fields)
        steps = "Step with" if len(legal.fields) == 1 else "Fill in"
        self._put(
            made,
            description=cut(one_line(written(value)), 24),
            tooltip=cut(one_line(f"{steps} {fields}={value!r}"), 80),
            disabled=disabled,
        )
        others = tuple(name for name in made._dom_classes if name != "openenv-chosen")
        self._put(made, _dom_classes=(*others, "openenv-chosen") if same(value, chosen) else others)

    def typed(self, schema: Shape | None) -> Any:
        """Read the box as ``%openenv step`` reads its line: a dict of fields, or one value for the only required field.

        GrammarError says why it cannot be read.
        """
        text = self.text
        if self.offered is not None and len(self.offered.fields) == 1:
            for value in self.offered.values:
                if written(value) == text:
                    return {self.offered.fields[0]: value}
        try:
            found = typed_values(read_payload("step", without_end(text), {}).payload, schema, self._variable)
        except OpenEnvError as error:
            raise GrammarError(str(error)) from None
        return found if isinstance(found, Mapping) else named(schema, found) or found


def _offered(legal: Legal | None, all_values: Legal | None) -> Legal | None:
    """Choose what has a button: all values of the field, where those that are legal are among them."""
    if all_values is None or len(all_values.values) > MOST_BUTTONS:
        return legal
    if legal is None:
        return all_values
    is_among = all(any(same(value, other) for other in all_values.values) for value in legal.values)
    return all_values if legal.fields == all_values.fields and is_among else legal


def written(value: Any) -> str:
    """Write a legal value as a person would type it."""
    return value if isinstance(value, str) else repr(value)
