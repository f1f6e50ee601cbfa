"""The control for one of several shapes: a list to choose from, then the fields of what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openenv_notebook.jupyter.panel.form.composite import Composite
from openenv_notebook.jupyter.panel.form.control import Control, Heard, Make, Reading
from openenv_notebook.jupyter.panel.form.kit import Kit
from openenv_notebook.jupyter.panel.form.scalars import distinct
from openenv_notebook.jupyter.panel.widgets import label
from openenv_notebook.schema.check import fitting_branch
from openenv_notebook.schema.describe import branch_name
from openenv_notebook.schema.shapes import ABSENT, Union

_NULL = -1


class UnionControl(Composite):
    """A union. What was filled in for a branch is kept while another is looked at."""

    shape: Union

    def __init__(self, shape: Union, kit: Kit, heard: Heard, make: Make) -> None:
        super().__init__(shape, kit, heard, make)
        self._controls: dict[int, Control] = {}
        self._tools: dict[int, Any] = {}
        names = distinct([label(branch_name(branch, shape.discriminator)) for branch in shape.branches])
        options = [("choose…" if shape.required else "not sent", None), *zip(names, range(len(names)), strict=True)]
        options += [("null", _NULL)] if shape.nullable else []
        self.widget = kit.widgets.choice(shape.name, options, "control", value=None)
        self.body = kit.widgets.column([], "branch")
        self.clear()
        self.widget.observe(self._chosen, "value")

    @property
    def _control(self) -> Control | None:
        """The control of the branch that is chosen."""
        place = self.widget.value
        if place is None or place == _NULL:
            return None
        if place not in self._controls:
            self._controls[place] = self.make(self.shape.branches[place], self.heard)
        return self._controls[place]

    def _chosen(self, change: Any) -> None:
        with self.kit.quietly():
            self._arrange()
        self.edited()

    def _arrange(self) -> None:
        place, control = self.widget.value, self._control
        if control is None:
            self.body.children = ()
            return
        if control.tools and place not in self._tools:
            self._tools[place] = self.kit.widgets.row(control.tools, "form-head")
        shown = (control.widget, self._tools.get(place), control.body)
        self.body.children = tuple(widget for widget in shown if widget is not None)

    def inside(self) -> Sequence[Control]:
        return () if self._control is None else (self._control,)

    def read(self) -> Reading:
        if self.widget.value == _NULL:
            return Reading(None)
        return self._control.read() if self._control is not None else Reading()

    def write(self, value: Any) -> None:
        self.widget.value = _NULL if value is None and self.shape.nullable else fitting_branch(self.shape, value)
        if self._control is not None:
            self._control.write(value)
        self._arrange()

    def clear(self) -> None:
        for control in self._controls.values():
            control.clear()
        self.widget.value = None
        if self.shape.required and self.shape.default is not ABSENT:
            self.write(self.shape.default)
        self._arrange()

    def begin(self) -> None:
        if self.widget.value is None:
            self.widget.value = 0
            self._arrange()

    def place(self, line: str) -> bool:
        """pydantic names the branch as well: ``pet.cat.meow`` is ``pet.meow``."""
        control = self._control
        if control is None:
            return False
        return control.place(line) or control.place(line.partition(".")[2])

    def disable(self, on: bool) -> None:
        super().disable(on)
        for control in self._controls.values():
            control.disable(on)

    def close(self) -> None:
        for control in self._controls.values():
            control.close()
        self.kit.widgets.close(self.widget, self.body, *self._tools.values())
