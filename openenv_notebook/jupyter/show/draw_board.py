"""Drawing a board: lines of text, and HTML that needs nothing around it."""

from __future__ import annotations

import html

from openenv_notebook.jupyter.show.blocks import Board
from openenv_notebook.jupyter.show.html_look import MONO, MUTED, RING, ROW, TABLE, TEXT, escape
from openenv_notebook.values.text import one_line

_SQUARE = "padding:2px 7px;text-align:center;min-width:1em"
_LOUD = f"{TEXT};font-weight:600;background:var(--jp-layout-color2,none)"
_MOST_SQUARES = 100


def board_lines(board: Board) -> list[str]:
    """Write a board as lines of text; changed cells stand in brackets."""
    shown = [[one_line(cell) for cell in row] for row in board.cells]
    width = max(len(cell) for row in [board.columns, *shown] for cell in row)
    margin = max(map(len, board.rows))
    note = [one_line(board.said)] if board.said else []
    # There is room for brackets only where there are some.
    after = " " if board.changed else ""

    def marked(row: int, column: int, cell: str) -> str:
        return f"[{cell.rjust(width)}]" if (row, column) in board.changed else f" {cell.rjust(width)}{after}"

    named = zip(["", *board.rows], [board.columns, *shown], strict=True)
    return note + [
        f"{name:>{margin}} " + "".join(marked(row, column, cell) for column, cell in enumerate(cells))
        for row, (name, cells) in enumerate(named, start=-1)
    ]


def board_html(board: Board) -> str:
    """Write a board as a table of cells, a large one as lines; what stands on it is set off."""
    note = f'<div style="{MUTED}">{escape(board.said)}</div>' if board.said else ""
    width, height = len(board.cells[0]), len(board.cells)
    return note + (_squares(board) if width * height <= _MOST_SQUARES else _lines(board))


def _squares(board: Board) -> str:
    def shown(row: int, column: int, cell: str) -> str:
        ring = f";{RING};{_LOUD}" if (row, column) in board.changed else "" if cell in board.quiet else f";{_LOUD}"
        return f'<td style="{_SQUARE}{ring}">{escape(cell)}</td>'

    still = f'<td style="{_SQUARE}">'
    rows = [
        f"{still}{name}</td>" + "".join(shown(row, column, cell) for column, cell in enumerate(cells))
        for row, (name, cells) in enumerate(zip(board.rows, board.cells, strict=True))
    ]
    above = "".join(f"{still}{name}</td>" for name in ["", *board.columns])
    body = "".join(f'<tr style="{ROW}">{row}</tr>' for row in [above, *rows])
    return f'<table style="{TABLE};{MUTED};{MONO}">{body}</table>'


def _lines(board: Board) -> str:
    cells = [[one_line(cell) for cell in row] for row in board.cells]
    width = max(len(cell) for row in [board.columns, *cells] for cell in row)
    margin = max(map(len, board.rows))

    def shown(row: int, column: int, cell: str) -> str:
        text = html.escape(cell.rjust(width))
        if (row, column) in board.changed:
            return f'<b style="{TEXT};{RING}">{text}</b>'
        return text if cell in board.quiet else f'<b style="{TEXT}">{text}</b>'

    above = " " * margin + "  " + " ".join(name.rjust(width) for name in board.columns)
    lines = [
        f"{name:>{margin}}  {' '.join(shown(row, column, cell) for column, cell in enumerate(line))}"
        for row, (name, line) in enumerate(zip(board.rows, cells, strict=True))
    ]
    body = "\n".join([above, *lines])
    return f'<pre style="{MONO};{MUTED};margin:0;background:none;line-height:1.25">{body}</pre>'
