"""A person at a panel, without a browser: finds controls by their names, presses, types, and reads what is drawn."""

from __future__ import annotations

import re
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel import Panel
from support import front_end
from support.front_end import classed, classes, shown, text_of
from support.waiting import eventually

# What stands at the bottom while something is carried out, such as "stepping…".
_AT_WORK = re.compile("[a-z ]+…")


class PanelHands:
    """The hands and eyes of a person at one panel.

    Whoever presses, types or chooses waits first until the control can be seen and used, as a person does.

    Args:
        panel: The panel.

    Attributes:
        panel: The panel, for what a program does with it.
        told: All that was drawn at the bottom since, oldest first.
    """

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        self.told: list[str] = []
        self._before = 0
        self._parts: dict[str, Any] = {}
        self._status.observe(lambda change: self.told.append(text_of(change["new"])), "value")
        eventually(lambda: self.said, what="the first picture of the panel")

    # Hands

    def control(self, name: str) -> Any:
        """Wait until a control of that name is seen and can be used; return it."""
        return eventually(lambda: self._usable(name), what=f"{name!r} among {self._names()}")

    def press(self, name: str) -> None:
        """Press a button, or one that stays down and comes up again."""
        button = self.control(name)
        self._before = len(self.told)
        if isinstance(button, ipywidgets.ToggleButton):
            front_end.edit(button, not button.value)
        else:
            front_end.click(button)

    def press_late(self, name: str) -> None:
        """Press a button by a click that was on its way before it could be seen that the button is disabled."""
        front_end.click(self._seen(name), late=True)

    def fill(self, name: str, value: Any) -> None:
        """Type into a box, or choose from a list."""
        front_end.edit(self.control(name), value)

    def enter(self, name: str, value: str) -> None:
        """Type into a box, and press Enter there."""
        box = self.control(name)
        self._before = len(self.told)
        front_end.edit(box, value)
        front_end.enter(box)

    def look_at(self, number: int) -> None:
        """Choose a step of the log by its number."""
        steps = self.control("Steps")
        place = next(place for place, row in enumerate(self.rows) if row.split()[0] == str(number))
        front_end.choose(steps, place)

    def finish(self) -> None:
        """Wait until what was asked for last has been carried out: the panel told that it is at it, and is no more."""
        eventually(
            lambda: any(map(_AT_WORK.match, self.told[self._before :])) and not _AT_WORK.match(self.said),
            what="the command's end",
        )

    def carry_out(self, name: str) -> None:
        """Press a button, and wait until what it asks for has been carried out."""
        self.press(name)
        self.finish()

    # Eyes

    def expect(self, **parts: str) -> None:
        """Wait until parts show certain words, such as ``expect(said="Ready", viewing="live")``."""
        for part, words in parts.items():
            try:
                eventually(lambda part=part, words=words: words in getattr(self, part))  # type: ignore[misc]
            except AssertionError:
                raise AssertionError(f"{part} shows {getattr(self, part)!r}, not {words!r}") from None

    def expect_disabled(self, *names: str) -> None:
        """Wait until controls that are seen are disabled."""
        eventually(lambda: all(self._seen(name).disabled for name in names), what=f"{names} to be disabled")

    def expect_enabled(self, *names: str) -> None:
        """Wait until controls that are seen can be used."""
        eventually(lambda: all(not self._seen(name).disabled for name in names), what=f"{names} to be enabled")

    def expect_rows(self, count: int, newest: str = "") -> None:
        """Wait until the log has so many rows, the newest of which begins so."""
        eventually(
            lambda: len(self.rows) == count and self.rows[0].startswith(newest), what=f"{count} rows, not {self.rows}"
        )

    def is_seen(self, name: str) -> bool:
        """Tell whether a control of that name is seen now."""
        return name in self._names()

    def value(self, name: str) -> Any:
        """What stands in a control that is seen."""
        return self._seen(name).value

    def labels(self, name: str) -> tuple[str, ...]:
        """What a list that is seen has to choose from."""
        return front_end.labels(self._seen(name))

    @property
    def drawn(self) -> list[Any]:
        """All widgets, also those that are hidden now."""
        return shown(self.panel.widget)

    @property
    def said(self) -> str:
        """The line at the bottom."""
        return text_of(self._status.value)

    @property
    def is_alarmed(self) -> bool:
        """True while the line at the bottom is an alert."""
        return 'role="alert"' in self._status.value

    @property
    def title(self) -> str:
        """Whose session it is."""
        return text_of(self._one("title").value)

    @property
    def sends(self) -> str:
        """What Step would do."""
        return text_of(front_end.words(self._one("sends")))

    @property
    def seen(self) -> str:
        """The observation."""
        return text_of(self._one("observation").children[-1].value)

    @property
    def viewing(self) -> str:
        """What the log says is looked at."""
        return text_of(self._one("viewing").value)

    @property
    def code(self) -> str:
        """The text to copy that stands in the place of the log; "" while it is not seen."""
        return str(self.value("Text to copy")) if self.is_seen("Text to copy") else ""

    @property
    def chart(self) -> str:
        """The chart, as SVG."""
        return str(self._one("chart").value)

    @property
    def words(self) -> str:
        """All text of the panel outside of boxes."""
        return text_of(front_end.words(self.panel.widget))

    @property
    def rows(self) -> list[str]:
        """The log, the newest step first, blanks folded."""
        return [" ".join(row.split()) for row in front_end.labels(self._one("steps"))]

    @property
    def newest(self) -> str:
        """The newest row of the log, blanks folded; "" where there is none."""
        return next(iter(self.rows), "")

    @property
    def moves(self) -> dict[str, bool]:
        """The buttons of moves that are seen, in order, and whether each can be pressed."""
        return {each.description: not each.disabled for each in self._moves}

    @property
    def chosen_moves(self) -> list[str]:
        """The buttons of moves that are marked as what Step would send."""
        return [each.description for each in self._moves if "openenv-chosen" in classes(each)]

    @property
    def _moves(self) -> list[Any]:
        return [each for each in front_end.visible(self._one("moves")) if isinstance(each, ipywidgets.Button)]

    @property
    def _status(self) -> Any:
        return self._one("said")

    def _one(self, name: str) -> Any:
        if name not in self._parts:
            (self._parts[name],) = classed(self.panel.widget, name)
        return self._parts[name]

    def _seen(self, name: str) -> Any:
        found = [each for each in front_end.visible(self.panel.widget) if _name(each) == name]
        assert found, f"{name!r} is not seen among {self._names()}"
        return found[0]

    def _usable(self, name: str) -> Any:
        found = (each for each in front_end.visible(self.panel.widget) if _is_usable(each, name))
        return next(found, None)

    def _names(self) -> list[str]:
        return [_name(each) for each in front_end.visible(self.panel.widget) if _name(each)]


def _name(widget: Any) -> str:
    return str(getattr(widget, "description", ""))


def _is_usable(widget: Any, name: str) -> bool:
    return _name(widget) == name and not widget.disabled
