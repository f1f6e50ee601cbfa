"""Controls for lists and dictionaries: one row an entry, or all of it as JSON."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel.form.composite import Composite, place_by_name, place_by_number
from openenv_notebook.jupyter.panel.form.control import Heard, Make, Reading
from openenv_notebook.jupyter.panel.form.field import Field
from openenv_notebook.jupyter.panel.form.kit import Kit
from openenv_notebook.jupyter.panel.form.texts import WholeControl
from openenv_notebook.schema.check import Problem, own_problems, problems
from openenv_notebook.schema.shapes import ABSENT, Array, Dictionary

# A row is a dozen widgets; more entries than these are easier to edit as text anyway.
_MOST_ROWS = 20


class EntriesControl(Composite):
    """Entries that can be added, removed and moved."""

    shape: Array | Dictionary
    _json_kind: str

    def __init__(self, shape: Array | Dictionary, kit: Kit, heard: Heard, make: Make) -> None:
        super().__init__(shape, kit, heard, make)
        self._entries: list[Entry] = []
        text = dataclasses.replace(shape, required=False, default=ABSENT)
        self._json = WholeControl(text, kit, heard, self._json_kind)
        self._is_json = False
        name = shape.name or "the list"
        button = kit.widgets.button
        self._add = button("+ Add", f"Add an entry to {name}", self._added, "add")
        self._switch = button("JSON", f"Edit {name} as JSON, or entry by entry", self._switched, "switch")
        self.tools = (self._add, self._switch)
        self.body = kit.widgets.column([], "entries")
        self.clear()

    @abstractmethod
    def _read_entries(self) -> Reading: ...

    def _write_entries(self, value: Any) -> None:
        named = value.items() if isinstance(self.shape, Dictionary) else ((None, item) for item in value)
        self._drop(*self._entries[len(value) :])
        for place, (name, item) in enumerate(named):
            entry = self._entries[place] if place < len(self._entries) else self._append()
            if name is not None:
                entry.call(name)
            entry.field.write(item)

    def inside(self) -> Sequence[Field]:
        return [entry.field for entry in self._entries]

    def read(self) -> Reading:
        if not self._is_json:
            reading = self._read_entries()
            # An entry that cannot be read is there all the same: it is not counted as missing.
            return (
                reading if reading.problems else Reading(reading.value, tuple(own_problems(self.shape, reading.value)))
            )
        return self._json.read()

    def write(self, value: Any) -> None:
        self._is_json = len(value) > _MOST_ROWS
        if self._is_json:
            self._drop(*self._entries)
            self._json.write(value)
        else:
            self._write_entries(value)
        self._arrange()

    def clear(self) -> None:
        self._is_json = False
        self._json.clear()
        self._drop(*self._entries)
        if self.shape.required and isinstance(self.shape.default, (list, dict)):
            self.write(self.shape.default)
        else:
            for _ in range(min(self.shape.fewest or 0, _MOST_ROWS) if self.shape.required else 0):
                self._append()
        self._arrange()

    def begin(self) -> None:
        for _ in range(min(self.shape.fewest or 0, _MOST_ROWS) - len(self._entries)):
            self._append()
        self._arrange()

    def disable(self, on: bool) -> None:
        super().disable(on)
        self._json.disable(on)
        if not on:
            self._arrange()

    def close(self) -> None:
        super().close()
        self._json.close()

    def _append(self) -> Entry:
        entry = Entry(self)
        self._entries.append(entry)
        return entry

    def _added(self) -> None:
        if self._is_json:
            return
        with self.kit.quietly():
            self._append()
            self._arrange()
        self.edited()

    def removed(self, entry: Entry) -> None:
        """Take an entry out."""
        self._drop(entry)
        self._arrange()
        self.edited()

    def moved(self, entry: Entry, by: int) -> None:
        """Let an entry change places with a neighbour."""
        place = self._entries.index(entry)
        other = place + by
        if 0 <= other < len(self._entries):
            self._entries[place], self._entries[other] = self._entries[other], self._entries[place]
            self._arrange()
            self.edited()

    def _drop(self, *entries: Entry) -> None:
        for entry in entries:
            self._entries.remove(entry)
        self._arrange()
        for entry in entries:
            entry.close()

    def _switched(self) -> None:
        """Show the same entries the other way, where they can be read."""
        with self.kit.quietly():
            if self._is_json:
                value = self._json.read().value
                is_read = value is ABSENT or not any(problem.is_misfit for problem in problems(self.shape, value))
                if is_read and len(() if value is ABSENT else value or ()) <= _MOST_ROWS:
                    self._is_json = False
                    self._write_entries(value or ([] if self._json_kind == "array" else {}))
            else:
                value = self._read_entries().value
                self._is_json = True
                self._json.write(value)
                self._drop(*self._entries)
            self._arrange()
        self.edited()

    def _arrange(self) -> None:
        for place, entry in enumerate(self._entries):
            entry.arrange(place, len(self._entries))
        shown = (self._json.widget,) if self._is_json else tuple(entry.widget for entry in self._entries)
        if shown != tuple(self.body.children):
            self.body.children = shown
        self._switch.description = "Rows" if self._is_json else "JSON"
        self._add.disabled = self._is_json or self.kit.is_disabled


class ArrayControl(EntriesControl):
    """A list."""

    shape: Array
    _json_kind = "array"

    def _read_entries(self) -> Reading:
        readings = [entry.field.read() for entry in self._entries]
        found = [problem for place, reading in enumerate(readings) for problem in reading.below(place)]
        return Reading([each.value for each in readings if each.value is not ABSENT], tuple(found))

    def place(self, line: str) -> bool:
        return place_by_number(self.inside(), line)


class DictionaryControl(EntriesControl):
    """An object with any names: a row an entry, with a box for its name."""

    shape: Dictionary
    _json_kind = "object"

    def _read_entries(self) -> Reading:
        values: dict[str, Any] = {}
        found: list[Problem] = []
        for entry in self._entries:
            name, reading = entry.name, entry.field.read()
            found += reading.below(name)
            if not entry.is_named:
                found.append(Problem((), "an entry needs a name"))
            elif name in values:
                found.append(Problem((), f"the name {name!r} is there twice"))
            if reading.value is not ABSENT:
                values[name] = reading.value
        return Reading(values, tuple(found))

    def place(self, line: str) -> bool:
        return place_by_name([(entry.name, entry.field) for entry in self._entries], line) is not None


class Entry:
    """A row of a list or a dictionary, with its buttons."""

    def __init__(self, owner: EntriesControl) -> None:
        self._owner = owner
        kit, widgets, is_array = owner.kit, owner.kit.widgets, isinstance(owner.shape, Array)
        item = owner.shape.item if isinstance(owner.shape, Array) else owner.shape.values
        item = dataclasses.replace(item, name="[0]" if is_array else "value", required=True)
        self.field = Field(item, kit, owner.make, is_item=True)
        self._was_named = False
        self._key: Any = None
        name = owner.shape.name
        self._moves: list[Any] = []
        if is_array:
            self._moves = [
                widgets.button("↑", f"Move this entry of {name} up", lambda: owner.moved(self, -1), "up"),
                widgets.button("↓", f"Move this entry of {name} down", lambda: owner.moved(self, 1), "down"),
            ]
        remove = widgets.button("✕", f"Remove this entry of {name}", lambda: owner.removed(self), "remove")
        inner = [] if self.field.is_hidden else [self.field.widget]
        if not is_array:
            self._key = widgets.line(ipywidgets.Text, "name", kit.entered, "control")
            self._key.observe(owner.edited, "value")
            inner = [widgets.column([self._key, *inner], "pair")]
        self.widget = widgets.row([*inner, widgets.row([*self._moves, remove], "form-moves")], "entry")

    @property
    def name(self) -> str:
        """The name of an entry of a dictionary."""
        return str(self._key.value)

    @property
    def is_named(self) -> bool:
        """True where the name is meant, also where it is empty."""
        return self._was_named or bool(self._key.value)

    def call(self, name: str) -> None:
        """Give an entry of a dictionary its name."""
        self._key.value = name
        self._was_named = True

    def arrange(self, place: int, count: int) -> None:
        """Say where it stands."""
        if self._key is None:
            self.field.rename(f"[{place}]")
            for move, end in zip(self._moves, (0, count - 1), strict=True):
                move.disabled = place == end or self._owner.kit.is_disabled

    def close(self) -> None:
        """Close its widgets."""
        self.field.close()
        self._owner.kit.widgets.close(self.widget)
