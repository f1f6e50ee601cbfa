"""What a representation is made of, before it is text or HTML.

All texts in blocks are as they came, however hostile: the writers clean and escape them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_NAMED_CELLS = 3
Look = Literal["plain", "muted", "strong", "code", "accent", "good", "bad"]


@dataclass(frozen=True)
class Span:
    """Some characters within a line.

    Attributes:
        look: What they are; a colour never says anything that the words do not.
        curve: Numbers that may be drawn as a line in place of the characters.
    """

    text: str
    look: Look = "plain"
    curve: tuple[float, ...] = ()


@dataclass(frozen=True)
class Line:
    """Spans side by side, wrapped where there is no room."""

    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Paragraph:
    """Lines of text as they are, in a font of equal widths; long ones are wrapped."""

    text: str


@dataclass(frozen=True)
class Fields:
    """Named values below each other; changed are the names whose values are not as they were before."""

    rows: tuple[tuple[str, Block], ...]
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Column:
    """A column of a table: numbers are aligned to the right, code stands in a font of equal widths."""

    name: str
    is_number: bool = False
    is_code: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of short texts under named columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Board:
    """A grid of cells with the numbers of its columns and rows.

    Attributes:
        cells: Rows of short texts, all equally long.
        quiet: The texts of cells where nothing is.
        note: What is said above it.
        above: Names of the columns; their numbers if empty.
        beside: Names of the rows; their numbers if empty.
        changed: Rows and columns of the cells that are not as they were before.
        name: The field it stands in.
    """

    cells: tuple[tuple[str, ...], ...]
    quiet: frozenset[str]
    note: str = ""
    above: str = ""
    beside: str = ""
    changed: frozenset[tuple[int, int]] = frozenset()
    name: str = ""

    @property
    def said(self) -> str:
        """What stands above it: the note, and which cells changed, for those who see no ring."""
        return " · ".join(part for part in (self.note, self._changes()) if part)

    def _changes(self) -> str:
        if len(self.changed) > _NAMED_CELLS:
            return f"{len(self.changed)} cells changed"
        cells = ((self.rows[row], self.columns[column]) for row, column in sorted(self.changed))
        if self.above and self.beside:
            names = [f"{column}{row}" for row, column in cells]
        else:
            names = [f"row {row} column {column}" for row, column in cells]
        return f"changed: {', '.join(names)}" if names else ""

    @property
    def columns(self) -> list[str]:
        """What stands above the columns."""
        return list(self.above) or [str(column) for column in range(len(self.cells[0]))]

    @property
    def rows(self) -> list[str]:
        """What stands beside the rows."""
        return list(self.beside) or [str(row) for row in range(len(self.cells))]


@dataclass(frozen=True)
class Picture:
    """A picture that was checked.

    Attributes:
        kind: "png", "jpeg", "gif" or "webp".
        data: The file, base64 without line ends.
        width: Pixels across, 0 where it is not known.
        height: Pixels down, 0 where it is not known.
        name: Whose picture it is.
    """

    kind: str
    data: str
    width: int
    height: int
    name: str


@dataclass(frozen=True)
class Fold:
    """Something large, closed until it is opened.

    Attributes:
        summary: What is in it; text shows this alone.
        is_more: True where its beginning stands above; text leaves it out.
    """

    summary: str
    inside: Block
    is_more: bool = False


@dataclass(frozen=True)
class Turn:
    """One message of a conversation, new where it was not there before."""

    who: str
    said: Block
    is_new: bool = False


@dataclass(frozen=True)
class Talk:
    """A conversation, the last message last; earlier ones are counted, not shown."""

    turns: tuple[Turn, ...]
    earlier: int = 0


@dataclass(frozen=True)
class Own:
    """HTML of the user's own code, shown as it is, and what stands for it as text. Never made of a server's words."""

    html: str
    text: str


@dataclass(frozen=True)
class Stack:
    """Blocks below each other."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Row:
    """Blocks beside each other where there is room, else below."""

    blocks: tuple[Block, ...]


Block = Line | Paragraph | Fields | Table | Board | Picture | Fold | Talk | Own | Row | Stack


def line(*parts: str | Span) -> Line:
    """Make a line of texts and spans."""
    return Line(tuple(part if isinstance(part, Span) else Span(part) for part in parts))


def facts(*pairs: tuple[str, str | Span]) -> Line:
    """Make a line of names and values: ``reward +1 · done yes``."""
    spans: list[Span] = []
    for name, value in pairs:
        spans += [Span("  ·  ", "muted")] if spans else []
        spans += [Span(f"{name} ", "muted"), value if isinstance(value, Span) else Span(value, "strong")]
    return Line(tuple(spans))
