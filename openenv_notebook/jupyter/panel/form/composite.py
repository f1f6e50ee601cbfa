"""What controls have in common that have fields inside: objects, lists, unions."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence

from openenv_notebook.jupyter.panel.form.control import Control, Heard, Make
from openenv_notebook.jupyter.panel.form.field import Field
from openenv_notebook.jupyter.panel.form.kit import Kit
from openenv_notebook.schema.shapes import Shape

_PLACE = re.compile(r"\[?(\d+)\]?(.*)", re.DOTALL)


class Composite(Control):
    """A control with fields inside, or with other controls, which ``make`` makes."""

    def __init__(self, shape: Shape, kit: Kit, heard: Heard, make: Make) -> None:
        super().__init__(shape, kit, heard)
        self.make = make

    @abstractmethod
    def inside(self) -> Sequence[Field | Control]:
        """List what is inside and in use."""

    def refresh(self, reveal: bool) -> None:
        for part in self.inside():
            part.refresh(reveal)

    def forget(self) -> None:
        for part in self.inside():
            part.forget()

    def disable(self, on: bool) -> None:
        super().disable(on)
        for part in self.inside():
            part.disable(on)

    def close(self) -> None:
        for part in self.inside():
            part.close()
        super().close()


def place_by_number(fields: Sequence[Field], line: str) -> bool:
    """Show a server's error at the item that its line begins with, as in ``0.y: message`` or ``[0].y: message``."""
    found = _PLACE.fullmatch(line)
    if found is None or len(found[1]) > 9 or int(found[1]) >= len(fields):
        return False
    return fields[int(found[1])].place(found[2])


def place_by_name(fields: Sequence[tuple[str, Field]], line: str) -> str | None:
    """Show a server's error at the field that its line begins with, as in ``x: message``; tells which took it."""
    for name, field in sorted(fields, key=lambda named: -len(named[0])):
        rest = line[len(name) :]
        if line.startswith(name) and rest[:1] in (".", "[", ":") and field.place(rest):
            return name
    return None
