"""Controls for what has named fields: objects, and lists of a fixed length."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.composite import Composite, place_by_name, place_by_number
from openenv_notebook.jupyter.panel.form.control import Heard, Make, Reading
from openenv_notebook.jupyter.panel.form.field import Field
from openenv_notebook.jupyter.panel.form.kit import FILTER, Kit
from openenv_notebook.schema.action import SELDOM
from openenv_notebook.schema.check import Problem, problems
from openenv_notebook.schema.describe import is_secret
from openenv_notebook.schema.shapes import ABSENT, Const, Dictionary, Json, Object, Tuple

_MOST_OPEN = 6
# A filter that finds more is to be typed further.
_MOST_FOUND = 12
_NOTHING = '<div class="openenv-hint">no fields to fill in</div>'
_OTHERS = "other fields"


class ObjectControl(Composite):
    """The fields of an object: the required ones first, and beyond six the rest folded away.

    Those that there is no room for are one field of JSON; the filter finds them, and few that are found get controls.
    """

    shape: Object

    def __init__(self, shape: Object, kit: Kit, heard: Heard, make: Make) -> None:
        super().__init__(shape, kit, heard, make)
        inner = sorted(shape.fields, key=lambda field: (not field.required, field.name == SELDOM))
        plain = [each for each in inner if not isinstance(each, Const)]
        # What is typed as JSON is seen: secrets have boxes of their own as long as there is room.
        first = sorted(plain, key=lambda field: not (field.required or is_secret(field)))
        self._rest = tuple(first[max(kit.room, 1) :])
        left_out = {each.name for each in self._rest}
        self._fields = [Field(each, kit, make) for each in inner if each.name not in left_out]
        self._names = {field.name for field in self._fields}
        self._others = self._other_fields()
        self._opened: set[str] = set()
        self._is_unfolded = False
        self._more: Any = None
        self._filter: Any = None
        self._folded: Any = None
        self._nothing: Any = None
        self.body = kit.widgets.column([], "fields")
        self._fill_rest()
        self._arrange()

    def _other_fields(self) -> Field | None:
        if self._rest:
            told = f"{len(self._rest):,} more fields, as JSON; the filter finds them by their names"
            return Field(Json(name=_OTHERS, required=False, kind="object", description=told), self.kit, self.make)
        if self.shape.others is None:
            return None
        return Field(Dictionary(name=_OTHERS, required=False, values=self.shape.others), self.kit, self.make)

    def inside(self) -> Sequence[Field]:
        return [*self._fields, *([self._others] if self._others is not None else [])]

    def read(self) -> Reading:
        values: dict[str, Any] = {}
        found: list[Problem] = []
        for field in self._fields:
            reading = field.read()
            found += reading.below(field.name)
            if reading.value is not ABSENT and not reading.problems:
                values[field.name] = reading.value
        if self._others is not None:
            reading = self._others.read()
            found += reading.below(_OTHERS) if self._rest else reading.problems
            others = reading.value if isinstance(reading.value, dict) else {}
            found += problems(dataclasses.replace(self.shape, fields=self._rest), others) if self._rest else []
            found += [Problem((name,), "is there already") for name in others if name in self._names]
            values |= {name: value for name, value in others.items() if name not in self._names}
        return Reading(values, tuple(found))

    def write(self, value: Any) -> None:
        for field in self._fields:
            if field.name not in value:
                field.clear()
        if self._others is not None:
            self._others.clear()
        self.fill(value)

    def _fill_rest(self) -> None:
        """Fill in what is sent of the rest if nobody changes it."""
        known = {each.name: each.default for each in self._rest if each.required and each.default is not ABSENT}
        if self._others is not None and known:
            self._others.write(known)

    def fill(self, value: Any) -> None:
        """Fill in some fields and leave the others as they are."""
        for field in self._fields:
            if field.name in value:
                field.write(value[field.name])
        others = {name: item for name, item in value.items() if name not in self._names}
        if self._others is not None and others:
            self._others.write(others)
        self._arrange()

    def clear(self) -> None:
        for field in self.inside():
            field.clear()
        self._fill_rest()
        self._arrange()

    def place(self, line: str) -> bool:
        name = place_by_name([(field.name, field) for field in self._fields], line)
        if name is None:
            return False
        self._opened.add(name)
        self._arrange()
        return True

    def _arrange(self) -> None:
        """Put into view what is required, ticked, or was ticked before; fold the rest away."""
        seen = [field for field in self.inside() if not field.is_hidden]
        self._opened |= {field.name for field in seen if field.is_on}
        is_long = len(seen) > _MOST_OPEN
        folded = [field for field in seen if (is_long or field.name == SELDOM) and field.name not in self._opened]
        shown = [field.widget for field in seen if field not in folded]
        if folded:
            shown += self._fold(folded)
        if not shown:
            self._nothing = self._nothing or self.kit.widgets.html(_NOTHING, "note")
            shown = [self._nothing]
        if tuple(shown) != tuple(self.body.children):
            self.body.children = tuple(shown)

    def _fold(self, fields: list[Field]) -> list[Any]:
        if self._more is None:
            widgets, hint = self.kit.widgets, "a part of a field's name"
            self._more = widgets.button("", "Show or hide the other fields", self._toggle, "form-more")
            self._filter = widgets.make(
                ipywidgets.Text, "form-filter", look=FILTER, description="Filter", placeholder=hint
            )
            self._filter.observe(self._filtered, "value")
            self._folded = widgets.column([], "fields")
        self._in_fold = fields
        arrow = "▾" if self._is_unfolded else "▸"
        self._more.description = f"{arrow} {'Fewer' if self._is_unfolded else 'More'} ({len(fields)})"
        self._filtered()
        if not self._is_unfolded:
            return [self._more]
        return [self._more, *([self._filter] if len(fields) > _MOST_OPEN else []), self._folded]

    def _toggle(self) -> None:
        self._is_unfolded = not self._is_unfolded
        self._filter.value = ""
        self._arrange()

    def _filtered(self, *change: object) -> None:
        wanted = self._filter.value.strip().lower()
        if wanted and self._rest:
            self._find(wanted)
        seen = [each for each in self._in_fold if wanted in f"{each.name}\n{each.shape.description}".lower()]
        if self._rest and self._others in self._in_fold:
            # What most fields are filled in by is not to be looked for behind the others.
            seen = [self._others, *(each for each in seen if each is not self._others)]
        self._folded.children = tuple(each.widget for each in seen)

    def _find(self, wanted: str) -> None:
        """Make controls for fields of the rest that the filter finds, where they are few and not filled in as JSON."""
        given = self._others.read().value if self._others is not None else ABSENT
        found = [each for each in self._rest if wanted in each.name.lower()]
        if len(found) > _MOST_FOUND or given is not ABSENT:
            return
        self._rest = tuple(each for each in self._rest if wanted not in each.name.lower())
        made = [Field(each, self.kit, self.make) for each in found]
        self._fields += made
        self._names |= {each.name for each in made}
        self._in_fold = [*made, *self._in_fold]

    def close(self) -> None:
        super().close()
        self.kit.widgets.close(self._more, self._filter, self._folded, self._nothing)


class TupleControl(Composite):
    """A list of a fixed length: a field for each place."""

    shape: Tuple

    def __init__(self, shape: Tuple, kit: Kit, heard: Heard, make: Make) -> None:
        super().__init__(shape, kit, heard, make)
        items = [dataclasses.replace(item, name=f"[{place}]", required=True) for place, item in enumerate(shape.items)]
        self._fields = [Field(item, kit, make, is_item=True) for item in items]
        self.body = kit.widgets.column([field.widget for field in self._fields if not field.is_hidden], "fields")
        self.clear()

    def inside(self) -> Sequence[Field]:
        return self._fields

    def read(self) -> Reading:
        readings = [field.read() for field in self._fields]
        found = [problem for place, reading in enumerate(readings) for problem in reading.below(place)]
        return Reading([reading.value for reading in readings] if not found else ABSENT, tuple(found))

    def write(self, value: Any) -> None:
        for field, item in zip(self._fields, value, strict=True):
            field.write(item)

    def clear(self) -> None:
        for field in self._fields:
            field.clear()
        if self.shape.required and isinstance(self.shape.default, list):
            self.write(self.shape.default)

    def place(self, line: str) -> bool:
        return place_by_number(self._fields, line)
