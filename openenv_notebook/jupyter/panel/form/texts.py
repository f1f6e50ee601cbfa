"""Controls for text: a line, several lines, code, a secret, free JSON."""

from __future__ import annotations

import json
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.control import Control, Heard, Reading
from openenv_notebook.jupyter.panel.form.kit import Kit, SecretBox
from openenv_notebook.schema.check import Problem, own_problems, problems
from openenv_notebook.schema.describe import is_secret
from openenv_notebook.schema.shapes import ABSENT, Json, Shape, Text, path_text
from openenv_notebook.values.text import one_line

_FEWEST_ROWS, _MOST_ROWS, _COLUMNS = 3, 14, 64
_LONGEST_HINT = 80
_CODE_NAMES = frozenset(
    ("code", "script", "source", "source_code", "program", "patch", "diff", "sql", "python", "json")
)


class TextControl(Control):
    """A box for text; it grows where the text has several lines."""

    shape: Text

    def __init__(self, shape: Text, kit: Kit, heard: Heard) -> None:
        super().__init__(shape, kit, heard)
        self._name = shape.name
        self._is_given = False
        self._is_secret = is_secret(shape)
        self._is_long = shape.is_long and not self._is_secret
        self._box = self._make_box()
        self.widget = kit.widgets.row([self._box], "holder")
        self.clear()

    def _make_box(self) -> Any:
        if self._is_long:
            is_code = self.shape.name.lower() in _CODE_NAMES or self.shape.format == "code"
            box = area(self.kit, self._name, "form-code" if is_code else "control", self._hint())
        else:
            traits: dict[str, Any] = {"placeholder": self._hint()}
            kind = SecretBox if self._is_secret else ipywidgets.Text
            if self.shape.examples and not self._is_secret:
                kind = ipywidgets.Combobox
                traits["options"] = [one_line(example[:_LONGEST_HINT]) for example in self.shape.examples]
            box = self.kit.widgets.line(kind, self._name, self.kit.entered, "control", **traits)
        box.observe(self._edited, "secret" if self._is_secret else "value")
        return box

    @property
    def _text(self) -> str:
        return str(self._box.secret if self._is_secret else self._box.value)

    def _hint(self) -> str:
        default = self.shape.default
        shown = one_line(default[:_LONGEST_HINT]) if isinstance(default, str) and not self._is_secret else ""
        return shown or "\u200b"

    def _edited(self, change: Any) -> None:
        self._is_given = self._is_given or not self.kit.is_quiet
        if self._is_long:
            grow(self._box)
        self.edited()

    def read(self) -> Reading:
        if not self._is_given:
            return Reading()
        return Reading(self._text, tuple(own_problems(self.shape, self._text)))

    def write(self, value: Any) -> None:
        # A one-line box of a browser drops line ends.
        if not self._is_long and not self._is_secret and ("\n" in value or "\r" in value):
            self._lengthen()
        self._put(value)
        self._is_given = True

    def _put(self, text: str) -> None:
        if self._is_secret:
            self._box.secret = text
            self._box.blank()
        else:
            self._box.value = text

    def disable(self, on: bool) -> None:
        super().disable(on)
        # It was sent, perhaps: a browser that saves its widgets has it no longer.
        if self._is_secret:
            self._box.blank()

    def _lengthen(self) -> None:
        old, self._is_long = self._box, True
        self._box = self._make_box()
        self.widget.children = (self._box,)
        self.kit.widgets.close(old)

    def rename(self, name: str) -> None:
        self._name = self._box.description = name

    def clear(self) -> None:
        default = self.shape.default
        self._put("")
        self._is_given = False
        if self.shape.required and isinstance(default, str):
            self.write(default)

    def begin(self) -> None:
        self._is_given = True


class JsonControl(Control):
    """A box for JSON, for what no other control is made for."""

    shape: Json

    def __init__(self, shape: Shape, kit: Kit, heard: Heard, kind: str = "") -> None:
        super().__init__(shape, kit, heard)
        self._kind = kind or getattr(shape, "kind", "")
        example = {"object": "{}", "array": "[]"}.get(self._kind, "JSON")
        hint = example if shape.default in (ABSENT, None) else as_json(shape.default)[:_LONGEST_HINT]
        self.widget = area(kit, shape.name, "form-code", one_line(hint))
        self.clear()
        self.widget.observe(self._edited, "value")

    def _edited(self, change: Any) -> None:
        grow(self.widget)
        self.edited()

    def read(self) -> Reading:
        text = self.widget.value.strip()
        if not text:
            return Reading()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            return Reading(problems=(Problem((), json_trouble(text, error)),))
        shape = Json(kind=self._kind)
        return Reading(value, tuple(own_problems(shape, value)))

    def write(self, value: Any) -> None:
        self.widget.value = as_json(value)
        grow(self.widget)

    def clear(self) -> None:
        self.widget.value = ""
        if self.shape.required and self.shape.default is not ABSENT:
            self.write(self.shape.default)
        elif self.shape.required and self._kind:
            self.write({} if self._kind == "object" else [])
        grow(self.widget)

    def begin(self) -> None:
        if not self.widget.value.strip():
            self.write({"object": {}, "array": []}.get(self._kind))


class WholeControl(JsonControl):
    """A box for a list or an object as JSON, where there are no controls for what is in it."""

    def read(self) -> Reading:
        reading = super().read()
        if reading.value is ABSENT or reading.problems:
            return reading
        wrong = problems(self.shape, reading.value)
        return Reading(reading.value, tuple(Problem((), _placed(problem)) for problem in wrong))


def _placed(problem: Problem) -> str:
    where = path_text(problem.path)
    return f"{where}: {problem.message}" if where else problem.message


def as_json(value: Any) -> str:
    """Write a value as JSON for a person to edit: short ones in a line, others indented."""
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= _COLUMNS else json.dumps(value, ensure_ascii=False, indent=2)


def json_trouble(text: str, error: BaseException) -> str:
    """Say why a text is not JSON, and what is usually meant."""
    if not isinstance(error, json.JSONDecodeError):
        return "is not JSON: it is nested too deep" if isinstance(error, RecursionError) else "is not JSON"
    place = f"column {error.colno}" if "\n" not in text else f"line {error.lineno}, column {error.colno}"
    hint = ""
    if "'" in text and '"' not in text:
        hint = "; JSON has double quotes"
    elif any(word in text for word in ("True", "False", "None")):
        hint = "; JSON says true, false, null"
    return f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at {place}{hint}"


def area(kit: Kit, name: str, css: str, hint: str) -> Any:
    """Make a box of several lines."""
    return kit.widgets.make(ipywidgets.Textarea, css, description=name, rows=_FEWEST_ROWS, placeholder=hint)


def grow(box: Any) -> None:
    """Give a box as many rows as its text has, within bounds."""
    lines = sum(1 + len(line) // _COLUMNS for line in box.value.split("\n", _MOST_ROWS)[:_MOST_ROWS])
    rows = max(_FEWEST_ROWS, min(_MOST_ROWS, lines + 1))
    if box.rows != rows:
        box.rows = rows
