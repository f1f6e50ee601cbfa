"""What every control of a form can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.jupyter.panel.form.kit import Kit
from openenv_notebook.jupyter.panel.widgets import within
from openenv_notebook.schema.check import Problem
from openenv_notebook.schema.shapes import ABSENT, Part, Shape

# Called when a person changed something in a control.
Heard = Callable[[], object]


@dataclass(frozen=True)
class Reading:
    """What is filled in: a value as JSON has it, ABSENT for none; and what stops it from being sent, where below."""

    value: Any = field(default=ABSENT, repr=False)
    problems: tuple[Problem, ...] = ()

    def below(self, part: Part) -> tuple[Problem, ...]:
        """Give the problems as they are seen from above."""
        return tuple(problem._replace(path=(part, *problem.path)) for problem in self.problems)


class Control(ABC):
    """Widgets for one value; ``heard`` is called when a person changed something in it.

    Attributes:
        widget: What stands beside the tick and has the field's name as its description; None
            where the name stands there as a label.
        body: What stands below that, None for most.
        tools: Small buttons that stand beside the label.
    """

    def __init__(self, shape: Shape, kit: Kit, heard: Heard) -> None:
        self.shape = shape
        self.kit = kit
        self.heard = heard
        self.widget: Any = None
        self.body: Any = None
        self.tools: tuple[Any, ...] = ()

    @abstractmethod
    def read(self) -> Reading:
        """Read what is filled in."""

    @abstractmethod
    def write(self, value: Any) -> None:
        """Fill it in. The value is of the right kind; it may be out of bounds."""

    @abstractmethod
    def clear(self) -> None:
        """Go back to how it was in the beginning."""

    def begin(self) -> None:
        """Be ready for a value, where a person asked to give one and none is known."""
        return None

    def edited(self, *change: object) -> None:
        """Tell that a person changed something."""
        if not self.kit.is_quiet:
            self.heard()
            self.kit.edited()

    def refresh(self, reveal: bool) -> None:
        """Show what the last reading found in the fields inside; True reveals what nobody touched as well."""
        return None

    def place(self, line: str) -> bool:
        """Show a server's error line at the field inside that it names; False where there is none."""
        return False

    def forget(self) -> None:
        """Take back what a server said of the fields inside."""
        return None

    def rename(self, name: str) -> None:
        """Give it another label."""
        if self.widget is not None:
            self.widget.description = name

    def disable(self, on: bool) -> None:
        """Forbid or allow edits."""
        for widget in within(self.widget, self.body, *self.tools):
            if widget.has_trait("disabled"):
                widget.disabled = on

    def close(self) -> None:
        """Close its widgets."""
        self.kit.widgets.close(self.widget, self.body, *self.tools)


# Makes the control for a shape.
Make = Callable[[Shape, Heard], Control]
