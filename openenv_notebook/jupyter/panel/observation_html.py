"""Blocks -> HTML for the panel, where a style sheet of ours gives the looks.

Without the style sheet it is still readable: tables, bold text and words for what changed.
"""

from __future__ import annotations

import html
import math
import re
import zlib
from collections.abc import Sequence

from openenv_notebook.jupyter.show.as_html import HtmlWriter, alt_text
from openenv_notebook.jupyter.show.blocks import Block, Board, Fields, Picture, Span, Talk, Turn
from openenv_notebook.jupyter.show.html_look import escape
from openenv_notebook.values.text import one_line, visible

# Room for what is large, in pixels.
_TALLEST, _WIDEST = 240, 560
_BIGGEST_CELL, _SMALLEST_CELL, _MOST_PIECES = 34, 11, 100
_EMPTY = frozenset({"·", "", " ", ".", "_", "-"})
_MAP = re.compile(r"grid|map|maze|field|lake|level|world|screen", re.IGNORECASE)
_PIECES = {"1": 1, "X": 1, "x": 1, "-1": 2, "2": 2, "O": 2, "o": 2, "3": 3, "4": 4, "5": 5, "6": 6}
_COLOURS = 6
_WALLS = frozenset({"#", "█", "■"})
_CHANGED = '<span class="openenv-unseen"> changed</span>'


def write_observation(block: Block) -> str:
    """Write an observation for the panel: one ``div``, everything a server said escaped."""
    return f'<div class="openenv-seen">{PanelWriter().write(block)}</div>'


class PanelWriter(HtmlWriter):
    """Writes boards as cells, conversations as bubbles, pictures that stay in their place."""

    def span(self, span: Span) -> str:
        """Write some characters within a line; numbers as a line below it."""
        return _curve(span.curve) if len(span.curve) > 1 else super().span(span)

    def paragraph(self, text: str) -> str:
        """Write lines of text as they are."""
        return f"<pre>{html.escape(visible(text), quote=False)}</pre>"

    def fields(self, fields: Fields) -> str:
        """Write named values; changed ones have a bold name, and a word for those who do not see that."""
        rows = []
        for name, inside in fields.rows:
            is_changed = name in fields.changed
            shown = f"<b>{escape(name)}</b>{_CHANGED}" if is_changed else escape(name)
            rows.append(f'<tr><th scope="row">{shown}</th><td>{self.write(inside)}</td></tr>')
        return f'<table class="openenv-fields">{"".join(rows)}</table>'

    def board(self, board: Board) -> str:
        """Write a board: pieces on round cells, maps and large boards as tiles, chess as squares."""
        height, width = len(board.cells), len(board.cells[0])
        look = _look(board)
        gap = {"pieces": 5, "tiles": 1, "chess": 0}[look]
        side = min((_TALLEST - 18) // height, _WIDEST // width) - gap
        side = max(min(side, _BIGGEST_CELL), _SMALLEST_CELL)
        colours = _colours(board, look)
        above = "".join(f'<th scope="col">{escape(name)}</th>' for name in board.columns)
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th>{_cells(board, row, colours)}</tr>'
            for row, name in enumerate(board.rows)
        )
        size = f"--openenv-cell:{side}px;--openenv-gap:{gap}px;--openenv-letter:{max(min(side // 2, 14), 8)}px"
        label = f"{board.name or 'board'}, {height} rows, {width} columns"
        return (
            f'<table class="openenv-board openenv-{look}" style="{size}" '
            f'aria-label="{html.escape(one_line(label))}"><tr><td></td>{above}</tr>{rows}</table>'
        )

    def row(self, blocks: tuple[Block, ...]) -> str:
        """Write blocks beside each other."""
        return f'<div class="openenv-beside">{"".join(f"<div>{self.write(block)}</div>" for block in blocks)}</div>'

    def talk(self, talk: Talk) -> str:
        """Write a conversation."""
        earlier = f'<div class="openenv-earlier">{talk.earlier:,} earlier messages</div>' if talk.earlier else ""
        turns = "".join(map(self.turn, talk.turns))
        # The style sheet keeps the last message in sight; what scrolls can be reached by keys.
        return (
            '<div class="openenv-end" tabindex="0" role="group" aria-label="conversation">'
            f'<div class="openenv-talk">{earlier}{turns}</div></div>'
        )

    def turn(self, turn: Turn) -> str:
        """Write one message."""
        mine = " openenv-mine" if turn.who == "user" else ""
        new = ' <span class="openenv-new">new</span>' if turn.is_new else ""
        who = f'<div class="openenv-who">{escape(turn.who)}{new}</div>'
        return f'<div class="openenv-turn{mine}">{who}{self.write(turn.said)}</div>'

    def picture(self, picture: Picture) -> str:
        """Write a picture in a box of its own size: it is decoded with the text around it, so nothing flickers."""
        width, height = picture.width, picture.height
        size = sharp = ""
        if width and height:
            scale = min(_TALLEST / height, _WIDEST / width)
            scale = int(scale) if scale >= 1 else scale
            size = f' width="{max(round(width * scale), 1)}" height="{max(round(height * scale), 1)}"'
            sharp = " openenv-sharp" if scale >= 1 else ""
        source = f"data:image/{picture.kind};base64,{picture.data}"
        alt = html.escape(one_line(alt_text(picture)))
        return f'<img class="openenv-picture{sharp}" decoding="sync" alt="{alt}"{size} src="{source}">'


def _curve(values: Sequence[float]) -> str:
    """Draw numbers as a line, the lowest at the bottom."""
    low, high = min(values), max(values)
    span = high - low
    width = 100 / (len(values) - 1)
    heights = ((value - low) / span if span > 0 and math.isfinite(span) else 0.5 for value in values)
    points = " ".join(f"{place * width:.5g},{37 - 34 * height:.4g}" for place, height in enumerate(heights))
    return (
        '<svg class="openenv-curve" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true" '
        f'width="280" height="40"><polyline points="{points}" fill="none" stroke="currentColor" '
        'stroke-width="1.5" vector-effect="non-scaling-stroke"/></svg>'
    )


def _look(board: Board) -> str:
    if board.above:
        return "chess"
    cells = len(board.cells) * len(board.cells[0])
    if any(cell in _WALLS for row in board.cells for cell in row):
        return "tiles"
    is_short = all(len(cell) <= 2 for row in board.cells for cell in row)
    return "pieces" if cells <= _MOST_PIECES and is_short and not _MAP.search(board.name) else "tiles"


def _colours(board: Board, look: str) -> dict[str, str]:
    """Give each kind of cell the class of its looks, the same in every frame."""
    kinds = {cell for row in board.cells for cell in row}
    if look == "chess":
        return dict.fromkeys(kinds, "")
    colours = {}
    for cell in kinds:
        place = _PIECES.get(cell) or zlib.crc32(cell.encode("utf-8", "replace")) % _COLOURS + 1
        # On maps 1 is a wall more often than a piece.
        kind = "wall" if look == "tiles" and (place == 1 or cell in _WALLS) else f"p{place}"
        colours[cell] = "" if cell in board.quiet else f"openenv-{kind}"
    return colours


def _cells(board: Board, row: int, colours: dict[str, str]) -> str:
    parts = []
    for column, cell in enumerate(board.cells[row]):
        is_changed = (row, column) in board.changed
        words = " ".join(word for word in (colours[cell], "openenv-ring" if is_changed else "") if word)
        named = f' class="{words}"' if words else ""
        text = "" if cell in _EMPTY else escape(cell)
        shown = f"<b>{text}</b>" if text and (colours[cell] or is_changed) else text
        parts.append(f"<td{named}>{shown}{_CHANGED if is_changed else ''}</td>")
    return "".join(parts)
