"""A form made from a JSON Schema."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.choose import make_control
from openenv_notebook.jupyter.panel.form.control import Control, Heard
from openenv_notebook.jupyter.panel.form.field import Field
from openenv_notebook.jupyter.panel.form.kit import Kit
from openenv_notebook.jupyter.panel.form.objects import ObjectControl
from openenv_notebook.schema.check import problems
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.schema.shapes import Object, Shape, path_text
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.to_json import fields_of, to_bytes


class Form:
    """Controls for an action, or for the arguments of a tool or of reset.

    What is filled in is known in Python at once; no browser is needed. Errors are shown
    under a field once a person touched it, or after :meth:`reveal_errors`.

    Args:
        schema: Its JSON Schema, or what was read from one; without fields it becomes a box for JSON.
        on_change: Called after a person or :meth:`set` changed what is filled in.
        on_enter: Called when Enter was pressed in a one-line box.

    Attributes:
        shape: What an action may look like.
        widget: What is displayed.
    """

    def __init__(
        self,
        schema: Mapping[str, Any] | Shape,
        *,
        on_change: Callable[[], object] | None = None,
        on_enter: Callable[[], object] | None = None,
    ) -> None:
        self._on_change = on_change or (lambda: None)
        self._kit = kit = Kit(self._edited, on_enter or (lambda: None))
        self._reveal = False
        shape = schema if isinstance(schema, Shape) else action_shape(schema)
        self._name = "" if isinstance(shape, Object) else (getattr(shape, "discriminator", "") or "action")
        self.shape = dataclasses.replace(shape, name=self._name, required=True)
        with kit.quietly():
            self._root, self._control, shown = self._made()
        # Whoever shows the form may hide it: its layout is its own.
        layout = ipywidgets.Layout(width="100%", min_width="0")
        self.widget = ipywidgets.VBox([shown], layout=layout).add_class("openenv-form")
        self._refresh()

    def _made(self) -> tuple[Field | Control, Control, Any]:
        """Make what stands for the whole action, the control in it, and the widget that is shown."""

        def make(shape: Shape, heard: Heard) -> Control:
            return make_control(shape, self._kit, heard)

        if isinstance(self.shape, Object):
            control = make(self.shape, lambda: None)
            return control, control, control.body
        field = Field(self.shape, self._kit, make, is_item=True)
        return field, field.control, field.widget

    @property
    def value(self) -> dict[str, Any]:
        """The action as it would be sent now, without the fields that are not valid."""
        value = self._root.read().value
        return value if isinstance(value, dict) else {}

    @property
    def errors(self) -> dict[str, str]:
        """What stops it from being sent, by path such as ``path[0].y``; empty when it can be."""
        found: dict[str, str] = {}
        for problem in self._root.read().problems:
            found.setdefault(path_text(problem.path) or self._name, problem.message)
        return found

    def set(self, action: Mapping[str, Any]) -> None:
        """Fill the form in. Fields that the action does not have go back to the beginning.

        Args:
            action: The action, as a mapping.

        Raises:
            InvalidAction: If it has a field the form does not have, or a value of another
                kind; nothing is changed then. A value out of bounds is filled in.
            MisuseError: If it cannot be written as JSON.
        """
        fields = self._checked(action)
        with self._kit.quietly():
            self._root.write(fields)
        self._edited()

    def fill(self, fields: Mapping[str, Any]) -> None:
        """Fill in some fields and leave the others as they are, also those that are not valid.

        Args:
            fields: The fields.

        Raises:
            InvalidAction: As :meth:`set` does.
            MisuseError: If they cannot be written as JSON.
        """
        if not isinstance(self._control, ObjectControl):
            self.set({**self.value, **fields})
            return
        known = self._checked(fields)
        with self._kit.quietly():
            self._control.fill(known)
        self._edited()

    def _checked(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """Make plain JSON of an action, and refuse what there is no control for."""
        fields: dict[str, Any] = json.loads(to_bytes(fields_of(action)))
        wrong = [problem for problem in problems(self.shape, fields) if problem.is_misfit]
        if wrong:
            lines = [f"{path_text(problem.path) or '(action)'}: {problem.message}" for problem in wrong]
            hint = "give what schema() tells; the form is as it was"
            raise InvalidAction("the form cannot show it", errors=lines, hint=hint)
        return fields

    def clear(self) -> None:
        """Go back to the defaults."""
        self._reveal = False
        with self._kit.quietly():
            self._root.clear()
        self._edited()

    def reveal_errors(self) -> None:
        """Show all errors, also of what was never touched: after a send that failed."""
        self._reveal = True
        self._refresh()

    def show_errors(self, lines: Sequence[str]) -> list[str]:
        """Show what a server says at the fields it names.

        Args:
            lines: Its lines, as ``InvalidAction.errors`` has them.

        Returns:
            The lines that found no place.
        """
        self._root.forget()
        with self._kit.quietly():
            left = [line for line in lines if not self._control.place(line)]
        self._refresh()
        return left

    @property
    def disabled(self) -> bool:
        """True while nothing can be edited."""
        return self._kit.is_disabled

    @disabled.setter
    def disabled(self, on: bool) -> None:
        self._kit.widgets.disable(on)
        with self._kit.quietly():
            self._root.disable(on)

    def close(self) -> None:
        """Close all its widgets."""
        self._root.close()
        self._kit.widgets.close(self.widget)
        self._kit.widgets.close_looks()

    def _edited(self) -> None:
        self._refresh()
        self._on_change()

    def _refresh(self) -> None:
        with self._kit.quietly():
            self._root.read()
            self._root.refresh(self._reveal)
