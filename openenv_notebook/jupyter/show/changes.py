"""What is different from before: fields by name, cells by place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from openenv_notebook.jupyter.show.blocks import Board
from openenv_notebook.jupyter.show.plain import as_fields, label

_MOST_NAMES = 4


def is_same(now: Any, before: Any) -> bool:
    """Tell whether two values are equal, whatever they are.

    Two that are not a number are, two that cannot be compared are not.
    """
    if now is before:
        return True
    try:
        equal = now == before
        if isinstance(equal, bool):
            return equal or (isinstance(now, float) and now != now and before != before)
        # Arrays of numpy compare item by item.
        return bool(now.shape == before.shape and equal.all())
    except Exception:
        return False


def is_changed(name: Any, value: Any, was: Mapping[Any, Any] | None) -> bool:
    """Tell whether a field is new or holds something else than before; False where there is no before."""
    return was is not None and not (name in was and is_same(value, was[name]))


def changed_names(now: Any, before: Any) -> tuple[str, ...]:
    """Name the fields of an observation that are not as they were, in their order, those that are gone last.

    Of metadata the names inside it; values without fields have one name: "value".
    """
    fields, was = as_fields(now), as_fields(before)
    if fields is None or was is None:
        return () if is_same(now, before) else ("value",)
    names: list[str] = []
    for key, value in fields.items():
        if not is_changed(key, value, was):
            continue
        inside = (as_fields(value), as_fields(was.get(key))) if key == "metadata" else (None, None)
        names += changed_names(*inside) if None not in inside else (label(key),)
    gone = [label(key) for key, value in was.items() if key not in fields and value is not None]
    return tuple(dict.fromkeys((*names, *gone)))


def changes_text(names: tuple[str, ...]) -> str:
    """Write the names of what changed: ``changed: board, next_player``."""
    if not names:
        return "nothing changed"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"changed: {', '.join(names[:_MOST_NAMES])}{more}"


def compared(board: Board, before: Board | None) -> Board:
    """Mark the cells of a board that are not as they were; a board of another size before is another board."""
    if before is None or (len(before.cells), len(before.cells[0])) != (len(board.cells), len(board.cells[0])):
        return board
    rows = zip(board.cells, before.cells, strict=True)
    changed = {
        (row, column)
        for row, both in enumerate(rows)
        for column, (cell, old) in enumerate(zip(*both, strict=True))
        if cell != old
    }
    return replace(board, changed=frozenset(changed))
