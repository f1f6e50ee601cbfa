"""The record of a client -> rows of the log and points of the chart. Pure; nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openenv_notebook.jupyter.panel.chart import Point
from openenv_notebook.jupyter.show.cards import reward
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values import errors
from openenv_notebook.values.secrets import masked, secrets_of
from openenv_notebook.values.text import cut, one_line

PAGE = 200
_WHO = {"code": "code", "person": "you", "policy": "policy"}
# In place of a reward, as short as one.
_OUTCOMES: tuple[tuple[type[Exception], str], ...] = (
    (errors.InvalidAction, "refused"),
    (errors.ToolFailed, "failed"),
    (errors.EnvironmentFailed, "failed"),
    (errors.SessionLost, "lost"),
)
# Blanks that a list box does not fold into one.
_BLANK = "\u00a0"
_WIDTHS = (5, 6, 21, 8, 4, 6)
HEAD = ("#", "who", "action", "reward", "done", "ms")


@dataclass(frozen=True)
class Entry:
    """One step, the number of its episode (from 1), its own within it (0 is the reset), how many those are so far.

    ``before`` is the step before it in the episode, None for the first.
    """

    step: Step
    episode: int
    number: int
    length: int
    before: Step | None


def entries(episodes: Sequence[Episode], *, page: int = 0) -> list[Entry]:
    """List a page of the record, at most 200 steps, the newest first; the episodes come with the oldest first.

    Page 0 has the newest steps, page 1 those before them.
    """
    skip, found = page * PAGE, list[Entry]()
    for count in range(len(episodes), 0, -1):
        episode = episodes[count - 1]
        total = len(episode)
        if skip >= total:
            skip -= total
            continue
        # Only what is shown is looked at, and the one before; the first tells how they are numbered.
        start = max(0, total - skip - (PAGE - len(found)))
        steps = episode[max(0, start - 1) : total - skip]
        offset = (0 if episode[0].kind == "reset" else 1) + episode.forgotten
        for place in range(total - skip - 1, start - 1, -1):
            before = steps[place - 1 - max(0, start - 1)] if place else None
            number = place + offset if place else offset - episode.forgotten
            found.append(Entry(steps[place - max(0, start - 1)], count, number, total - 1 + offset, before))
        if len(found) == PAGE:
            return found
        skip = 0
    return found


def pages(episodes: Sequence[Episode]) -> int:
    """Count the pages of a record; an empty one has one."""
    return max(1, -(-sum(len(episode) for episode in episodes) // PAGE))


def row(entry: Entry) -> str:
    """Write an entry as one line of the log, in columns for a font of equal widths."""
    step = entry.step
    number = "reset" if step.kind == "reset" else str(entry.number)
    outcome = reward(step.reward) if step.error is None else _outcome(step.error)
    done = "done" if step.done else ""
    cells = (number, _WHO.get(step.actor, step.actor), action_text(step), outcome, done, f"{step.seconds * 1000:.0f}")
    return columns(cells)


def _outcome(error: Exception) -> str:
    return next((word for kind, word in _OUTCOMES if isinstance(error, kind)), "error")


def columns(cells: Sequence[str]) -> str:
    """Set cells in columns: numbers to the right, texts to the left, what is too long cut."""
    shown = []
    for place, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True)):
        cell = cut(one_line(cell), width)
        shown.append(cell.rjust(width) if place in (3, 5) else cell.ljust(width))
    return (" " * 2).join(shown).replace(" ", _BLANK)


def action_text(step: Step) -> str:
    """Write what was sent in few characters: ``column=3``, ``echo(message='hi')``."""
    action: Any = masked(step.action, secrets_of(step))
    if not isinstance(action, Mapping):
        return repr(action)
    if action.get("type") == "call_tool" or step.kind == "tool":
        inside = action.get("params", action)
        name = inside.get("tool_name", inside.get("name", "?")) if isinstance(inside, Mapping) else "?"
        arguments = inside.get("arguments") if isinstance(inside, Mapping) else None
        return f"{name}({_pairs(arguments if isinstance(arguments, Mapping) else {})})"
    shown = {key: value for key, value in action.items() if key != "metadata" or value}
    return _pairs(shown) or ("" if step.kind == "reset" else "{}")


def _pairs(values: Mapping[Any, Any]) -> str:
    return ", ".join(f"{key}={_short(value)}" for key, value in values.items())


def _short(value: Any) -> str:
    return cut(repr(dict(value) if isinstance(value, Mapping) else value), 40)


class Curve:
    """The points of the chart, taken in as the record grows: each step is looked at once."""

    def __init__(self, most: int = 400) -> None:
        self._most = most
        self._points: list[Point] = []
        self._steps: list[Step] = []
        self._seen: tuple[str, int] = ("", 0)

    def take(self, episodes: Sequence[Episode]) -> Sequence[Point]:
        """Take in what is new in all episodes, the oldest first; gives the last points, the oldest first."""
        known, number = self._seen
        ids = [episode.episode_id for episode in episodes]
        start, number = (ids.index(known), number) if known in ids else (0, 0)
        for place in range(start, len(episodes)):
            episode = episodes[place]
            seen = number if place == start else 0
            new = episode[max(0, seen - episode.forgotten) :]
            self._add(new, begins=not seen)
            self._seen = (episode.episode_id, len(episode) + episode.forgotten)
        return self._points

    def _add(self, steps: Sequence[Step], *, begins: bool) -> None:
        total = self._points[-1].total if not begins and self._points else 0.0
        for step in steps:
            if step.kind == "reset":
                begins, total = True, 0.0
            if step.kind == "reset" or step.error is not None:
                continue
            gained = float(step.reward or 0.0)
            total += gained
            self._points.append(Point(gained, total, begins))
            self._steps.append(step)
            begins = False
        excess = len(self._points) - self._most
        if excess > self._most:
            del self._points[:excess], self._steps[:excess]

    def place_of(self, step: Step | None) -> int | None:
        """Find the point of a step, None if it has none."""
        return next((place for place, known in enumerate(self._steps) if known is step), None)
