"""Blocks -> HTML that needs nothing around it: no style sheet, no script, no classes.

Colours are the front end's own variables, so every theme fits. Headers are ``td`` with a
role: ``th``, ``thead`` and ``caption`` come out as literal text where a notebook is
exported with ``nbconvert --sanitize-html``, which knows div, span, pre, table, tr and td.
"""

from __future__ import annotations

import html

from openenv_notebook.jupyter.show.blocks import (
    Block,
    Board,
    Column,
    Fields,
    Fold,
    Line,
    Look,
    Own,
    Paragraph,
    Picture,
    Row,
    Span,
    Stack,
    Table,
    Talk,
    Turn,
)
from openenv_notebook.jupyter.show.draw_board import board_html
from openenv_notebook.jupyter.show.html_look import MONO, MUTED, ROW, TABLE, TEXT, escape
from openenv_notebook.values.text import one_line, visible

# Besides pictures.
LONGEST = 60_000

_BRAND = "color:var(--jp-brand-color1,var(--vscode-textLink-foreground,inherit))"
_RULE = "1px solid var(--jp-border-color2,var(--vscode-panel-border,currentColor))"
_LOOKS: dict[Look, str] = {
    "muted": MUTED,
    "accent": f"{_BRAND};font-weight:600",
    "code": MONO,
    "good": "color:var(--jp-success-color1,var(--vscode-testing-iconPassed,inherit))",
    "bad": "color:var(--jp-error-color1,var(--vscode-errorForeground,inherit))",
}
_ROOT = (
    f"{TEXT};padding:4px 0;font-size:13px;line-height:1.5;max-width:100%;overflow-x:auto;"
    "font-variant-numeric:tabular-nums"
)
_LABEL = f"{MUTED};padding:2px 16px 2px 0;text-align:left;vertical-align:top;white-space:nowrap"
_VALUE = "padding:2px 0;text-align:left;vertical-align:top;overflow-wrap:anywhere"
_CELL = "padding:3px 18px 3px 0;vertical-align:top;overflow-wrap:anywhere;text-align:"
_PRE = f"{MONO};margin:0;white-space:pre-wrap;overflow-wrap:anywhere;background:none;font-size:12.5px"
_BUBBLE = (
    f"width:fit-content;max-width:85%;margin:2px 0 8px;padding:5px 10px;border:{_RULE};border-radius:10px;"
    "background:var(--jp-layout-color2,none)"
)
_BESIDE = "display:inline-block;vertical-align:top;margin:0 28px 6px 0;max-width:100%"
_MINE = ";margin-left:auto"
_TALLEST, _SMALLEST = 420, 240


def write_html(block: Block) -> str:
    """Write a block as HTML, in one ``div``."""
    return f'<div style="{_ROOT}">{HtmlWriter().write(block)}</div>'


def size_without_pictures(written: str) -> int:
    """Count the bytes of HTML besides the data of its pictures."""
    parts = written.split('src="data:image/')
    return len(parts[0].encode()) + sum(len(part[part.find('"') :].encode()) for part in parts[1:])


def alt_text(picture: Picture) -> str:
    """Say what a picture is, for those who do not see it."""
    size = f", {picture.width}×{picture.height}" if picture.width else ""
    return f"{picture.name}: {picture.kind.upper()} picture{size}"


class HtmlWriter:
    """Writes blocks. Where a style sheet of ours is, a subclass may write some of them otherwise."""

    def write(self, block: Block) -> str:
        """Write a block without anything around it."""
        match block:
            case Line(spans):
                return f"<div>{''.join(map(self.span, spans))}</div>"
            case Paragraph(text):
                return self.paragraph(text)
            case Fields():
                return self.fields(block)
            case Table(columns, rows):
                return self.table(columns, rows)
            case Board():
                return self.board(block)
            case Picture():
                return self.picture(block)
            case Fold(summary, inside, _):
                return f"<details><summary>{escape(summary)}</summary>{self.write(inside)}</details>"
            case Talk():
                return self.talk(block)
            case Own():
                return block.html
            case Row(blocks):
                return self.row(blocks)
            case Stack(blocks):
                return "".join(map(self.write, blocks))

    def span(self, span: Span) -> str:
        """Write some characters within a line."""
        text = escape(span.text)
        if span.look == "strong":
            return f"<b>{text}</b>"
        style = _LOOKS.get(span.look)
        return f'<span style="{style}">{text}</span>' if style else text

    def paragraph(self, text: str) -> str:
        """Write lines of text as they are."""
        return f'<pre style="{_PRE}">{html.escape(visible(text), quote=False)}</pre>'

    def fields(self, fields: Fields) -> str:
        """Write named values; the names of changed ones are bold."""
        rows = []
        for name, inside in fields.rows:
            shown = f'<b style="{TEXT}">{escape(name)}</b>' if name in fields.changed else escape(name)
            label = f'<td role="rowheader" style="{_LABEL}">{shown}</td>'
            rows.append(f'<tr style="{ROW}">{label}<td style="{_VALUE}">{self.write(inside)}</td></tr>')
        return f'<table style="{TABLE}">{"".join(rows)}</table>'

    def table(self, columns: tuple[Column, ...], rows: tuple[tuple[str, ...], ...]) -> str:
        """Write rows under the names of their columns."""
        sides = [f"{_CELL}{'right' if column.is_number else 'left'}" for column in columns]
        names = "".join(
            f'<td role="columnheader" style="{side};{MUTED}">{escape(column.name)}</td>'
            for side, column in zip(sides, columns, strict=True)
        )
        styles = [f"{side};{MONO}" if column.is_code else side for side, column in zip(sides, columns, strict=True)]
        lines = [
            "".join(f'<td style="{style}">{escape(cell)}</td>' for style, cell in zip(styles, row, strict=True))
            for row in rows
        ]
        ruled = f"{ROW};border-bottom:{_RULE}"
        body = "".join(f'<tr style="{ROW}">{cells}</tr>' for cells in lines)
        return f'<table style="{TABLE}"><tr style="{ruled}">{names}</tr>{body}</table>'

    def board(self, block: Board) -> str:
        """Write a board."""
        return board_html(block)

    def row(self, blocks: tuple[Block, ...]) -> str:
        """Write blocks beside each other."""
        return "".join(f'<div style="{_BESIDE}">{self.write(block)}</div>' for block in blocks)

    def talk(self, talk: Talk) -> str:
        """Write a conversation: who spoke above what was said, the user's words to the right."""
        earlier = f'<div style="{MUTED}">{talk.earlier:,} earlier messages</div>' if talk.earlier else ""
        return earlier + "".join(map(self.turn, talk.turns))

    def turn(self, turn: Turn) -> str:
        """Write one message."""
        side = _MINE if turn.who == "user" else ""
        who = f"<b>{escape(turn.who)}</b>{' · new' if turn.is_new else ''}"
        return f'<div style="{_BUBBLE}{side}">{who}{self.write(turn.said)}</div>'

    def picture(self, picture: Picture) -> str:
        """Write a picture: a small one enlarged by whole pixels, a large one reduced."""
        width, height = picture.width, picture.height
        longest = max(width, height)
        size = ""
        if longest:
            scale = max(_SMALLEST // longest, 1) if longest <= _TALLEST else _TALLEST / longest
            size = f' width="{max(round(width * scale), 1)}" height="{max(round(height * scale), 1)}"'
        sharp = ";image-rendering:pixelated" if longest < _SMALLEST else ""
        style = f"max-width:100%;max-height:{_TALLEST}px;object-fit:contain;object-position:left{sharp}"
        # Where the tag is only let through as text, as by nbconvert --sanitize-html, lines do not widen the page.
        lines = "\n".join(picture.data[start : start + 76] for start in range(0, len(picture.data), 76))
        source = f"data:image/{picture.kind};base64,{lines}"
        return f'<img alt="{html.escape(one_line(alt_text(picture)))}"{size} style="{style}" src="{source}">'
