"""An observation as a picture of its environment: what is large comes first, the rest below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openenv_notebook.jupyter.show.blocks import (
    Block,
    Board,
    Fields,
    Fold,
    Line,
    Own,
    Paragraph,
    Picture,
    Row,
    Span,
    Stack,
    Talk,
    line,
)
from openenv_notebook.jupyter.show.changes import changed_names, changes_text
from openenv_notebook.jupyter.show.describe import Describer
from openenv_notebook.jupyter.show.plain import as_fields
from openenv_notebook.values.messages import says_itself
from openenv_notebook.values.secrets import secrets_of

# In this order they come; the first one is what the observation is called.
_LARGE = (Picture, Board, Talk, Paragraph)


def of_observation(result: Any, previous: Any = None) -> Block:
    """Describe the observation of a result, ours or the official package's: what is large above the other fields.

    The previous result is that before it in the episode; None marks nothing.
    """
    describer = Describer(secrets_of(result))
    now, before = seen(result), seen(previous) if previous is not None else None
    if isinstance(now, dict):
        if not now:
            return line(Span("the observation is empty", "muted"))
        return _arranged(describer.fields(now, was=before if isinstance(before, dict) else None))
    return describer.value(now, was=None if before is None else {"": before})


def seen(result: Any) -> Any:
    """Give what an observation shows: its fields without reward and end, which are the result's own, metadata last.

    One without fields is given itself.
    """
    observation = result.observation
    fields = as_fields(observation)
    if fields is None:
        return observation
    shown = {key: value for key, value in fields.items() if key != "metadata" and not says_itself(key, value, result)}
    metadata = fields.get("metadata") or getattr(result, "metadata", None)
    if metadata:
        shown["metadata"] = metadata
    return shown


def changes(result: Any, previous: Any) -> str:
    """Say which fields of an observation changed: ``changed: board, next_player``; "" without a previous one."""
    return "" if previous is None else changes_text(changed_names(seen(result), seen(previous)))


def headline(block: Block) -> str:
    """Say in a few words what an observation is: ``board 6×7``, ``picture 160×210``, ``3 fields``.

    The block is what :func:`of_observation` or a renderer gave.
    """
    large = min(_all_large(block), key=_rank, default=None)
    match large:
        case Picture(width=0):
            return "picture"
        case Picture():
            return f"picture {large.width}×{large.height}"
        case Board():
            return f"board {len(large.cells)}×{len(large.cells[0])}"
        case Talk():
            number = len(large.turns) + large.earlier
            return f"conversation, {number:,} {'message' if number == 1 else 'messages'}"
        case Paragraph(text):
            return f"text, {text.count(chr(10)) + 1:,} lines" if "\n" in text else "text"
    if isinstance(block, Fields):
        return "1 field" if len(block.rows) == 1 else f"{len(block.rows)} fields"
    return "drawn by a renderer" if isinstance(block, Own) else "value"


def _all_large(block: Block) -> Iterator[Picture | Board | Talk | Paragraph]:
    if isinstance(block, _LARGE):
        yield block
    elif isinstance(block, (Row, Stack)):
        for inside in block.blocks:
            yield from _all_large(inside)


def _rank(block: Block) -> int:
    return next(place for place, kind in enumerate(_LARGE) if isinstance(block, kind))


def _arranged(block: Block) -> Block:
    """Put what is large above the other fields; metadata gives up only pictures and boards."""
    if not isinstance(block, Fields):
        return block
    large: list[tuple[str, Block]] = []
    rest: list[tuple[str, Block]] = []
    for name, inside in block.rows:
        drawn, other = _parted(inside)
        if isinstance(inside, Fields):
            parts = [(label, *_parted(value)) for label, value in inside.rows]
            large += [(label, value) for label, value, _ in parts if isinstance(value, (Picture, Board))]
            kept = [
                (label, value)
                for (label, drawn, other), (_, whole) in zip(parts, inside.rows, strict=True)
                if (value := other if isinstance(drawn, (Picture, Board)) else whole) is not None
            ]
            other = Fields(tuple(kept), inside.changed) if kept else None
        elif drawn is not None:
            large.append((name, drawn))
        if other is not None:
            rest.append((name, other))
    if not large:
        return block
    large.sort(key=lambda named: _rank(_first(named[1])))
    above = _above(large, block)
    return Stack((*above, Fields(tuple(rest), block.changed))) if rest else Stack(above)


def _above(large: list[tuple[str, Block]], fields: Fields) -> tuple[Block, ...]:
    """Pictures and boards beside each other, the rest below; their names where there are several."""
    if len(large) == 1 and not isinstance(_first(large[0][1]), Paragraph):
        return (large[0][1],)
    named = [(inside, Stack((_caption(name, fields), inside))) for name, inside in large]
    drawn = tuple(whole for inside, whole in named if isinstance(inside, (Picture, Board)))
    rest = tuple(whole for inside, whole in named if not isinstance(inside, (Picture, Board)))
    return (Row(drawn), *rest) if len(drawn) > 1 else (*drawn, *rest)


def _parted(block: Block) -> tuple[Block | None, Block | None]:
    """Part a field's value into what is large and what stays among the fields."""
    match block:
        case Picture() | Board() | Talk() | Paragraph():
            return block, None
        case Stack((Line() as text, Board() as board)):
            return board, text
        case Stack((Paragraph(), Fold())):
            return block, None
    return None, block


def _first(block: Block) -> Block:
    return block.blocks[0] if isinstance(block, Stack) else block


def _caption(name: str, fields: Fields) -> Line:
    return line(Span(name, "strong" if name in fields.changed else "muted"))
