"""Controls for one plain value: a number, a choice, true or false, a constant."""

from __future__ import annotations

import re
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.control import Control, Heard, Reading
from openenv_notebook.jupyter.panel.form.kit import Kit, SecretBox
from openenv_notebook.schema.check import Problem, own_problems, same
from openenv_notebook.schema.describe import is_secret, value_text
from openenv_notebook.schema.shapes import ABSENT, Boolean, Choice, Const, Number
from openenv_notebook.values.text import one_line

_WHOLE = re.compile(r"[+-]?[0-9]{1,3000}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,300}\.?[0-9]{0,300}|\.[0-9]{1,300})([eE][+-]?[0-9]{1,5})?")
_NOT_FINITE = {"nan": float("nan"), "inf": float("inf"), "infinity": float("inf")}
_LONGEST_CHOICE = 80
# From here on a list is too long to look through; one types and it completes.
_MOST_LISTED = 60


class ConstControl(Control):
    """A constant: not seen, always sent. A null that may be left out is sent where code set it."""

    shape: Const
    _is_set = False

    def read(self) -> Reading:
        is_left_out = self.shape.value is None and not self.shape.required and not self._is_set
        return Reading() if is_left_out else Reading(self.shape.value)

    def write(self, value: Any) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False


class NumberControl(Control):
    """A box for a number. It is a text box: it can be empty, and no digit of a big integer is lost."""

    shape: Number

    def __init__(self, shape: Number, kit: Kit, heard: Heard) -> None:
        super().__init__(shape, kit, heard)
        shown = "" if shape.default in (ABSENT, None) else str(shape.default)[:_LONGEST_CHOICE]
        hint = one_line(shown) or "\u200b"
        self._is_secret = is_secret(shape)
        kind, hint = (SecretBox, "\u200b") if self._is_secret else (ipywidgets.Text, hint)
        self.widget = kit.widgets.line(kind, shape.name, kit.entered, "control", placeholder=hint)
        self.clear()
        self.widget.observe(lambda _: self.edited(), self._trait)

    @property
    def _trait(self) -> str:
        return "secret" if self._is_secret else "value"

    def _put(self, text: str) -> None:
        setattr(self.widget, self._trait, text)
        if self._is_secret:
            self.widget.blank()

    def disable(self, on: bool) -> None:
        super().disable(on)
        if self._is_secret:
            self.widget.blank()

    def read(self) -> Reading:
        text = getattr(self.widget, self._trait).strip().replace("−", "-")
        if not text:
            return Reading()
        value = number(text, self.shape.is_whole)
        if value is None:
            what = "a whole number" if self.shape.is_whole else "a number"
            typed = "" if self._is_secret else f", not {one_line(text[:_LONGEST_CHOICE])!r}"
            return Reading(problems=(Problem((), f"must be {what}{typed}"),))
        return Reading(value, tuple(own_problems(self.shape, value)))

    def write(self, value: Any) -> None:
        is_plain = self.shape.is_whole and isinstance(value, float) and value.is_integer()
        self._put(str(int(value)) if is_plain else str(value))

    def clear(self) -> None:
        has_default = self.shape.required and self.shape.default not in (ABSENT, None)
        self._put(str(self.shape.default) if has_default else "")


def number(text: str, is_whole: bool) -> int | float | None:
    """Read a number as it is typed, without blanks around it; None for what is none."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if text.lower().lstrip("+-") in _NOT_FINITE and not is_whole:
        return float(text)
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    # 1e3 and 2.0 are whole numbers as well, up to where a float holds every digit.
    return (int(value) if value.is_integer() and abs(value) <= 2**53 else None) if is_whole else value


class ChoiceControl(Control):
    """A list to choose from, for enums, Literals and true or false."""

    shape: Choice | Boolean

    def __init__(self, shape: Choice | Boolean, kit: Kit, heard: Heard) -> None:
        super().__init__(shape, kit, heard)
        values = shape.values if isinstance(shape, Choice) else (True, False)
        self._values: tuple[Any, ...] = (*values, None) if shape.nullable else values
        labels = distinct([value_text(value) for value in self._values])
        options = [(text, place) for place, text in enumerate([self._nothing(), *labels])]
        self.widget = kit.widgets.choice(shape.name, options, "control")
        self.clear()
        self.widget.observe(lambda _: self.edited(), "value")

    def _nothing(self) -> str:
        if self.shape.required:
            return "choose…"
        default = self.shape.default
        return "not sent" if default is ABSENT else f"default: {value_text(default)}"

    def read(self) -> Reading:
        return Reading(self._values[self.widget.value - 1]) if self.widget.value else Reading()

    def write(self, value: Any) -> None:
        self.widget.value = next((place for place, each in enumerate(self._values, 1) if same(value, each)), 0)

    def clear(self) -> None:
        self.widget.value = 0
        if self.shape.required and self.shape.default is not ABSENT:
            self.write(self.shape.default)

    def begin(self) -> None:
        if not self.widget.value:
            self.widget.value = 1


class CompletedControl(Control):
    """A box that completes one of very many texts."""

    shape: Choice

    def __init__(self, shape: Choice, kit: Kit, heard: Heard) -> None:
        super().__init__(shape, kit, heard)
        # A text that would be changed on its way to the screen could not be chosen.
        options = [text for text in shape.values if one_line(text) == text]
        hint = "type or choose…" if shape.default is ABSENT else one_line(str(shape.default)[:_LONGEST_CHOICE])
        self.widget = kit.widgets.line(
            ipywidgets.Combobox, shape.name, kit.entered, "control", options=options, placeholder=hint
        )
        self.clear()
        self.widget.observe(lambda _: self.edited(), "value")

    def read(self) -> Reading:
        text = self.widget.value
        return Reading(text, tuple(own_problems(self.shape, text))) if text else Reading()

    def write(self, value: Any) -> None:
        self.widget.value = value

    def clear(self) -> None:
        has_default = self.shape.required and isinstance(self.shape.default, str)
        self.widget.value = self.shape.default if has_default else ""


class TickControl(Control):
    """A box to tick, for a required true or false."""

    shape: Boolean

    def __init__(self, shape: Boolean, kit: Kit, heard: Heard) -> None:
        super().__init__(shape, kit, heard)
        self.widget = kit.widgets.make(
            ipywidgets.Checkbox, "check", description=shape.name, indent=False, value=shape.default is True
        )
        self.widget.observe(lambda _: self.edited(), "value")

    def read(self) -> Reading:
        return Reading(self.widget.value)

    def write(self, value: Any) -> None:
        self.widget.value = value

    def clear(self) -> None:
        self.widget.value = self.shape.default is True


def choice_control(shape: Choice, kit: Kit, heard: Heard) -> Control:
    """Make the control for one of some values."""
    is_text = all(isinstance(value, str) and value for value in shape.values) and not shape.nullable
    return (CompletedControl if is_text and len(shape.values) > _MOST_LISTED else ChoiceControl)(shape, kit, heard)


def boolean_control(shape: Boolean, kit: Kit, heard: Heard) -> Control:
    """Make the control for true or false; what may be left out or null has three states."""
    return (TickControl if shape.required and not shape.nullable else ChoiceControl)(shape, kit, heard)


def distinct(labels: list[str]) -> list[str]:
    """Make labels that read alike different."""
    seen: dict[str, int] = {}
    made = []
    for text in labels:
        seen[text] = seen.get(text, 0) + 1
        made.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return made
