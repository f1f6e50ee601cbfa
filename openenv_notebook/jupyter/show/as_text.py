"""Blocks -> text for a terminal, a log, or a notebook without HTML: a field a line."""

from __future__ import annotations

from openenv_notebook.jupyter.show.as_html import alt_text
from openenv_notebook.jupyter.show.blocks import (
    Block,
    Board,
    Column,
    Fields,
    Fold,
    Line,
    Own,
    Paragraph,
    Picture,
    Row,
    Stack,
    Table,
    Talk,
    line,
)
from openenv_notebook.jupyter.show.draw_board import board_lines
from openenv_notebook.values.text import cut, one_line, visible

MOST_LINES, LONGEST_LINE = 60, 240


def write_text(block: Block) -> str:
    """Write a block as at most 60 lines of at most 240 characters, without a line end at the end."""
    lines = _write(block)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} more lines"]
    return "\n".join(cut(line, LONGEST_LINE).rstrip() for line in lines)


def _write(block: Block) -> list[str]:
    match block:
        case Line(spans):
            return ["".join(one_line(span.text) for span in spans)]
        case Paragraph(text):
            return visible(text).expandtabs(4).split("\n")
        case Fields(rows, changed):
            return _fields(tuple((f"{name} *" if name in changed else name, inside) for name, inside in rows))
        case Table(columns, rows):
            return _table(columns, rows)
        case Board():
            return board_lines(block)
        case Picture():
            return [f"[{one_line(alt_text(block))}]"]
        case Fold(summary, _, is_more):
            return [] if is_more else [f"… {one_line(summary)}"]
        case Talk():
            return _talk(block)
        case Own(_, text):
            return visible(text).expandtabs(4).split("\n")
        case Row(blocks) | Stack(blocks):
            return [line for inside in blocks for line in _write(inside)]


def _fields(rows: tuple[tuple[str, Block], ...]) -> list[str]:
    labels = [one_line(name) for name, _ in rows]
    width = max(map(len, labels), default=0) + 2
    lines = []
    for label, (_, inside) in zip(labels, rows, strict=True):
        first, *others = _write(inside) or [""]
        lines += [label.ljust(width) + first, *(" " * width + line for line in others)]
    return lines


def _table(columns: tuple[Column, ...], rows: tuple[tuple[str, ...], ...]) -> list[str]:
    cells = [[one_line(cell) for cell in row] for row in [[column.name for column in columns], *rows]]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    return [
        "  ".join(
            cell.rjust(width) if column.is_number else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        )
        for row in cells
    ]


def _talk(talk: Talk) -> list[str]:
    rows = [(f"{turn.who} *" if turn.is_new else turn.who, turn.said) for turn in talk.turns]
    earlier = [("…", line(f"{talk.earlier:,} earlier messages"))] if talk.earlier else []
    return _fields((*earlier, *rows))
