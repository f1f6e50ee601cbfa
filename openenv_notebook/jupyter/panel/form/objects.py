"""Controls for what has named fields: objects, and lists of a fixed length."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.control import Control, Reading
from openenv_notebook.jupyter.panel.form.field import Row
from openenv_notebook.jupyter.panel.form.widgets import Kit
from openenv_notebook.schema.action import SELDOM
from openenv_notebook.schema.check import Problem
from openenv_notebook.schema.shapes import ABSENT, Dictionary, Object, Tuple

_MOST_OPEN = 6
_NOTHING = '<div class="openenv-hint">no fields to fill in</div>'
_OTHERS = "other fields"
_PLACE = re.compile(r"\[?(\d+)\]?(.*)", re.DOTALL)


class ObjectControl(Control):
    """The fields of an object: the required ones first, and beyond six the rest folded away."""

    shape: Object

    def __init__(self, shape: Object, kit: Kit) -> None:
        super().__init__(shape, kit)
        fields = sorted(shape.fields, key=lambda field: (not field.required, field.name == SELDOM))
        self._rows = [Row(field, kit) for field in fields]
        self._others = self._other_fields()
        self._opened: set[str] = set()
        self._is_unfolded = False
        self._more: Any = None
        self._filter: Any = None
        self._nothing: Any = None
        self.body = kit.stack([], "fields")
        self._arrange()

    def _other_fields(self) -> Row | None:
        if self.shape.others is None:
            return None
        return Row(Dictionary(name=_OTHERS, required=False, values=self.shape.others), self.kit)

    def rows(self) -> Sequence[Row]:
        return [*self._rows, *([self._others] if self._others is not None else [])]

    def read(self) -> Reading:
        values: dict[str, Any] = {}
        found: list[Problem] = []
        for row in self._rows:
            reading = row.read()
            found += reading.below(row.name)
            if reading.value is not ABSENT and not reading.problems:
                values[row.name] = reading.value
        if self._others is not None:
            reading = self._others.read()
            found += reading.problems
            others = reading.value if isinstance(reading.value, dict) else {}
            found += [Problem((name,), "is there already") for name in others if name in self._names()]
            values |= {name: value for name, value in others.items() if name not in self._names()}
        return Reading(values, tuple(found))

    def _names(self) -> set[str]:
        return {row.name for row in self._rows}

    def write(self, value: Any) -> None:
        for row in self._rows:
            if row.name not in value:
                row.clear()
        if self._others is not None:
            self._others.clear()
        self.fill(value)

    def fill(self, value: Any) -> None:
        """Fill in some fields and leave the others as they are."""
        for row in self._rows:
            if row.name in value:
                row.write(value[row.name])
        others = {name: item for name, item in value.items() if name not in self._names()}
        if self._others is not None and others:
            self._others.write(others)
        self._arrange()

    def clear(self) -> None:
        for row in self.rows():
            row.clear()
        self._arrange()

    def place(self, line: str) -> bool:
        for row in sorted(self._rows, key=lambda row: -len(row.name)):
            rest = line[len(row.name) :]
            if line.startswith(row.name) and rest[:1] in (".", "[", ":") and row.place(rest):
                self._opened.add(row.name)
                self._arrange()
                return True
        return False

    def _arrange(self) -> None:
        """Put into view what is required, ticked, or was ticked before; fold the rest away."""
        seen = [row for row in self.rows() if not row.is_hidden]
        self._opened |= {row.name for row in seen if row.is_on}
        is_long = len(seen) > _MOST_OPEN
        folded = [row for row in seen if (is_long or row.name == SELDOM) and row.name not in self._opened]
        shown = [row.widget for row in seen if row not in folded]
        if folded:
            shown += self._fold(folded)
        if not shown:
            self._nothing = self._nothing or self.kit.html("note", _NOTHING)
            shown = [self._nothing]
        if tuple(shown) != tuple(self.body.children):
            self.body.children = tuple(shown)

    def _fold(self, rows: list[Row]) -> list[Any]:
        if self._more is None:
            self._more = self.kit.button("", "form-more", "Show or hide the other fields", self._toggle)
            layout = {"width": "100%", "min_width": "0"}
            hint = "a part of a field's name"
            self._filter = self.kit.widget(
                ipywidgets.Text, "form-filter", layout, description="Filter", placeholder=hint
            )
            self._filter.observe(self._filtered, "value")
            self._folded = self.kit.stack([], "fields")
        self._in_fold = rows
        arrow = "▾" if self._is_unfolded else "▸"
        self._more.description = f"{arrow} {'Fewer' if self._is_unfolded else 'More'} ({len(rows)})"
        self._filtered()
        if not self._is_unfolded:
            return [self._more]
        return [self._more, *([self._filter] if len(rows) > _MOST_OPEN else []), self._folded]

    def _toggle(self) -> None:
        self._is_unfolded = not self._is_unfolded
        self._filter.value = ""
        self._arrange()

    def _filtered(self, *change: object) -> None:
        wanted = self._filter.value.strip().lower()
        shown = [row.widget for row in self._in_fold if wanted in f"{row.name}\n{row.shape.description}".lower()]
        self._folded.children = tuple(shown)

    def close(self) -> None:
        super().close()
        if self._more is not None:
            self.kit.close(self._more, self._filter, self._folded)
        if self._nothing is not None:
            self.kit.close(self._nothing)


class TupleControl(Control):
    """A list of a fixed length: a row for each place."""

    shape: Tuple

    def __init__(self, shape: Tuple, kit: Kit) -> None:
        super().__init__(shape, kit)
        items = [dataclasses.replace(item, name=f"[{place}]", required=True) for place, item in enumerate(shape.items)]
        self._rows = [Row(item, kit, is_item=True) for item in items]
        self.body = kit.stack([row.widget for row in self._rows if not row.is_hidden], "fields")
        self.clear()

    def rows(self) -> Sequence[Row]:
        return self._rows

    def read(self) -> Reading:
        readings = [row.read() for row in self._rows]
        found = [problem for place, reading in enumerate(readings) for problem in reading.below(place)]
        return Reading([reading.value for reading in readings] if not found else ABSENT, tuple(found))

    def write(self, value: Any) -> None:
        for row, item in zip(self._rows, value, strict=True):
            row.write(item)

    def clear(self) -> None:
        for row in self._rows:
            row.clear()
        if self.shape.required and isinstance(self.shape.default, list):
            self.write(self.shape.default)

    def place(self, line: str) -> bool:
        return place_in_list(self._rows, line)


def place_in_list(rows: Sequence[Row], line: str) -> bool:
    """Show a server's error at the item that its line begins with, as in ``0.y: message`` or ``[0].y: message``."""
    found = _PLACE.fullmatch(line)
    if found is None or len(found[1]) > 9 or int(found[1]) >= len(rows):
        return False
    return rows[int(found[1])].place(found[2])
