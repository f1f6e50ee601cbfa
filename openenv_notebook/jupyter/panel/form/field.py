"""One field of a form: its tick, its control, its hint and its errors."""

from __future__ import annotations

from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.control import Make, Reading
from openenv_notebook.jupyter.panel.form.hints import error_html, facts_html, hint_html
from openenv_notebook.jupyter.panel.form.kit import NULL, TICK, Kit
from openenv_notebook.jupyter.panel.form.scalars import ConstControl
from openenv_notebook.jupyter.panel.widgets import Look, label
from openenv_notebook.schema.check import Problem
from openenv_notebook.schema.shapes import ABSENT, Boolean, Choice, Number, Shape, Text, Union


class Field:
    """A field. What may be left out has a tick, and is sent only with it; an edit sets it.

    What may be null has a box to tick for that. An item of a list needs no hint of its own.
    """

    def __init__(self, shape: Shape, kit: Kit, make: Make, *, is_item: bool = False) -> None:
        self.shape = shape
        self.name = shape.name
        self.control = make(shape, self._edited)
        self._kit = kit
        self._is_touched = False
        self._server: tuple[str, ...] = ()
        self._own: list[str] = []
        self._tick: Any = None
        self._null: Any = None
        self._label: Any = None
        self._is_labelled = self.control.widget is None
        self._hint = "" if is_item else hint_html(shape, has_facts=not self._is_labelled)
        self._is_item = is_item
        self.is_hidden = isinstance(self.control, ConstControl)
        self.widget: Any = None
        if not self.is_hidden:
            self._build()

    def _build(self) -> None:
        self._kit.room -= 1
        widgets, shape = self._kit.widgets, self.shape
        if not shape.required:
            self._tick = self._box(f"send {self.name}", "tick", TICK)
        # The control of those three has a place of its own for null.
        if shape.nullable and not isinstance(shape, (Boolean, Choice, Union)):
            self._null = self._box("null", "null", NULL)
        first = self._tick or widgets.html("", "tick")
        self._note = widgets.html(self._hint, "note")
        middle = [self.control.widget]
        if self._is_labelled:
            self._label = widgets.make(ipywidgets.Label, "label", value=label(self.name))
            # A body stands below; what it takes is said beside its label.
            middle = [self._label, widgets.html("" if self._is_item else facts_html(shape), "form-facts")]
        last = [self._null] if self._null is not None else []
        self._head = widgets.row([first, *middle, *last, *self.control.tools], "form-head")
        self.widget = widgets.column([self._head, self._note], "field")
        if self._is_labelled:
            self.widget.add_class("openenv-labelled")
        self._show_body()

    def _box(self, text: str, css: str, look: Look) -> Any:
        box = self._kit.widgets.make(ipywidgets.Checkbox, css, look=look, description=text, indent=False, value=False)
        box.observe(self._boxed, "value")
        return box

    @property
    def is_on(self) -> bool:
        """True where it is sent."""
        return self._tick is None or self._tick.value

    @property
    def _is_null(self) -> bool:
        return self._null is not None and self._null.value

    def read(self) -> Reading:
        """Read what is filled in; ABSENT where it is left out."""
        reading = self._read()
        self._own = [problem.message for problem in reading.problems if problem.path == ()]
        return reading

    def _read(self) -> Reading:
        if self.is_hidden:
            return self.control.read()
        if not self.is_on:
            return Reading()
        if self._is_null:
            return Reading(None)
        reading = self.control.read()
        if reading.value is ABSENT and not reading.problems:
            message = "is required" if self.shape.required else "needs a value, or no tick"
            return Reading(problems=(Problem((), message),))
        return reading

    def write(self, value: Any) -> None:
        """Fill it in."""
        if self.is_hidden:
            self.control.write(value)
            return
        is_null = value is None and self._null is not None
        self._set(tick=True, null=is_null)
        if not is_null:
            self.control.write(value)
        self._is_touched, self._server = True, ()
        self._show_body()

    def clear(self) -> None:
        """Go back to how it was in the beginning."""
        if self.is_hidden:
            self.control.clear()
            return
        self._set(tick=False, null=False)
        self.control.clear()
        self._is_touched, self._server = False, ()
        self._show_body()

    def _set(self, *, tick: bool, null: bool) -> None:
        if self._tick is not None:
            self._tick.value = tick
        if self._null is not None:
            self._null.value = null

    def _edited(self) -> None:
        """A person edited it: that says whether it is sent."""
        self._is_touched, self._server = True, ()
        reading = self.control.read()
        if self._tick is not None:
            with self._kit.quietly():
                self._tick.value = reading.value is not ABSENT or bool(reading.problems)
        self._show_body()

    def _boxed(self, change: Any) -> None:
        """A person ticked or unticked a box: that of sending it, or that of null."""
        if self._kit.is_quiet:
            return
        self._is_touched, self._server = True, ()
        with self._kit.quietly():
            is_empty = self.is_on and not self._is_null and self.control.read().value is ABSENT
            if change["owner"] is self._tick:
                if is_empty:
                    self._fill()
            elif self._tick is not None and self._is_null:
                self._tick.value = True
            elif self._tick is not None and is_empty:
                self.control.begin()
        self._show_body()
        self._kit.edited()

    def _fill(self) -> None:
        """Show what would have been taken, so that it can be changed."""
        default = self.shape.default
        if default is ABSENT or default is None:
            self.control.begin()
        else:
            try:
                self.control.write(default)
            except (TypeError, ValueError, AttributeError):
                self.control.begin()  # The schema's default does not fit its own type.

    def _show_body(self) -> None:
        """Show what is inside where it is sent; grey out what is not."""
        shown = [self._head, self._note]
        if self.control.body is not None and self.is_on and not self._is_null:
            shown.append(self.control.body)
        if tuple(shown) != tuple(self.widget.children):
            self.widget.children = tuple(shown)
        is_off = not self.is_on or self._is_null
        (self.widget.add_class if is_off else self.widget.remove_class)("openenv-off")
        if self._null is not None and not self._kit.is_disabled:
            self.control.disable(self._is_null)

    def refresh(self, reveal: bool) -> None:
        """Show what the last reading found: all errors to reveal them, else those of what a person touched."""
        if self.is_hidden:
            return
        errors = [*self._server, *(self._own if self._is_touched or reveal else ())]
        value = self._hint + error_html(errors)
        if self._note.value != value:
            self._note.value = value
            (self.widget.add_class if errors else self.widget.remove_class)("openenv-wrong")
        self.control.refresh(reveal)

    def place(self, rest: str) -> bool:
        """Show a server's error, ``: message`` or ``.deeper: message`` after this field's name; True if it is shown."""
        if self.is_hidden:
            return False
        deeper = rest[1:] if rest.startswith(".") else rest
        is_seen = self.is_on and not self._is_null
        if is_seen and rest[:1] in (".", "[") and self.control.place(deeper):
            return True
        where, _, message = deeper.partition(": ")
        # pydantic puts the type it tried behind a plain field; below others it is a place.
        is_plain = isinstance(self.shape, (Boolean, Choice, Number, Text))
        self._server = (*self._server, message if is_plain or not where else f"{where}: {message}")
        return True

    def forget(self) -> None:
        """Take back what a server said."""
        self._server = ()
        self.control.forget()

    def rename(self, name: str) -> None:
        """Give it another name, as an item of a list gets when it moves."""
        self.name = name
        if self._label is not None:
            self._label.value = label(name)
        else:
            self.control.rename(label(name))

    def disable(self, on: bool) -> None:
        """Forbid or allow edits."""
        for box in (self._tick, self._null):
            if box is not None:
                box.disabled = on
        self.control.disable(on or self._is_null)

    def close(self) -> None:
        """Close its widgets."""
        self._kit.room += not self.is_hidden
        self.control.close()
        self._kit.widgets.close(self.widget)
