"""Draw the floors of the package and the arrows between them, from its import graph.

::

    make architecture

A floor is a folder; its sentence is the first one of its docstring. From each floor a line of its colour goes down,
with an arrow to every floor that it imports. The picture changes when a folder or an arrow does, not with a module.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.import_graph import PACKAGE, arrows, floors

PICTURE = ROOT / "docs/_static/architecture.svg"

# A hue for each floor, the highest first, in degrees; neighbours differ.
HUES = (265, 325, 0, 25, 45, 90, 145, 175, 200, 225)
# Pixels: the highest floor, how much wider each floor below is, and the space between two.
SHORTEST, STEP, GAP, MARGIN = 496, 28, 24, 6
INDENT, LINE, PADDING = 108, 19, 11
LETTERS = 56
ARROW = 5

STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: #1f2328 }
text.name { font: 600 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
text.folders { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; opacity: .75 }
path { fill: none; stroke-width: 2 }
"""
DARK = "text { fill: #e6edf3 }"


@dataclass(frozen=True)
class Floor:
    """A floor and its place in the picture.

    Attributes:
        name: The folder's name.
        place: Its number from above.
        top: Where it begins, in pixels.
        lines: Its sentence, as lines.
        folders: The folders in it.
        below: The floors it imports.
    """

    name: str
    place: int
    top: int
    lines: list[str]
    folders: list[str]
    below: frozenset[str]

    @property
    def bottom(self) -> int:
        """Where it ends."""
        return self.top + 2 * PADDING + LINE * (len(self.lines) + bool(self.folders)) - 3

    @property
    def width(self) -> int:
        """How wide it is: the lower, the wider, so that every line from above can land on it."""
        return SHORTEST + STEP * self.place

    @property
    def lane(self) -> float:
        """Where its own line goes down."""
        return MARGIN + self.width - STEP / 2


def read_floors() -> list[Floor]:
    """Read the floors from the package, the highest first."""
    found: list[Floor] = []
    for place, name in enumerate(reversed(floors())):
        top = found[-1].bottom + GAP if found else MARGIN
        lines = _balanced(_sentence(PACKAGE / name))
        lower = arrows()[name].intersection(floors()[: floors().index(name)])
        found.append(Floor(name, place, top, lines, _folders(PACKAGE / name), lower))
    return found


def _balanced(words: str) -> list[str]:
    """Break a sentence into as few lines as it needs, of about one length."""
    needed = len(textwrap.wrap(words, LETTERS))
    width = next(each for each in range(1, LETTERS + 1) if len(textwrap.wrap(words, each)) == needed)
    return textwrap.wrap(words, max(width, LETTERS * 2 // 3))


def _sentence(folder: Path) -> str:
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    words = " ".join(re.sub(r":\w+:|`", "", said.partition("\n\n")[0]).split())
    return re.split(r"(?<=\.) ", words)[0].removesuffix(".")


def _folders(folder: Path) -> list[str]:
    inner = sorted(path.parent.relative_to(folder).as_posix() for path in folder.rglob("__init__.py"))
    return [f"{name}/" for name in inner if name != "."]


def draw(found: list[Floor]) -> str:
    """Draw the picture.

    Args:
        found: The floors, the highest first.

    Returns:
        An SVG that is readable on light and on dark pages.
    """
    width, height = found[-1].width + 2 * MARGIN, found[-1].bottom + MARGIN
    told = "; ".join(f"{each.name} imports {', '.join(_in_order(each.below)) or 'none of them'}" for each in found)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img" aria-labelledby="title told">',
        '<title id="title">The floors of openenv_notebook</title>',
        f'<desc id="told">From the highest to the lowest: {told}.</desc>',
        f"<style>{STYLE}{_colours(found, dark=False)}",
        f"@media (prefers-color-scheme: dark) {{\n{DARK}\n{_colours(found, dark=True)}}}\n</style>",
        *(line for each in found for line in _lane(each, found)),
        *(line for each in found for line in _bar(each)),
        *(line for each in found for line in _arrows(each, found)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _in_order(names: frozenset[str]) -> list[str]:
    return [name for name in reversed(floors()) if name in names]


def _colours(found: list[Floor], dark: bool) -> str:
    fill, edge, line = ("28%, 17%", "30%, 38%", "62%, 66%") if dark else ("70%, 96%", "45%, 76%", "60%, 45%")
    return "".join(
        f"rect.{each.name} {{ fill: hsl({hue}, {fill}); stroke: hsl({hue}, {edge}) }} "
        f"path.{each.name} {{ stroke: hsl({hue}, {line}) }} "
        f"path.head.{each.name} {{ fill: hsl({hue}, {line}); stroke: none }}\n"
        for each, hue in zip(found, HUES, strict=True)
    )


def _bar(floor: Floor) -> Iterator[str]:
    yield (
        f'<rect class="{floor.name}" x="{MARGIN}" y="{floor.top}" width="{floor.width}"'
        f' height="{floor.bottom - floor.top}" rx="7"/>'
    )
    y = floor.top + PADDING + 12
    yield f'<text class="name" x="{MARGIN + 14}" y="{y}">{floor.name}/</text>'
    for number, line in enumerate(floor.lines):
        yield f'<text x="{INDENT}" y="{y + number * LINE}">{escape(line)}</text>'
    if floor.folders:
        y += len(floor.lines) * LINE
        yield f'<text class="folders" x="{INDENT}" y="{y}">{escape("  ".join(floor.folders))}</text>'


def _lane(floor: Floor, found: list[Floor]) -> Iterator[str]:
    """The line behind the floors."""
    targets = [each for each in found if each.name in floor.below]
    if targets:
        yield f'<path class="{floor.name}" d="M{floor.lane:g} {floor.bottom}V{targets[-1].top - ARROW}"/>'


def _arrows(floor: Floor, found: list[Floor]) -> Iterator[str]:
    """Where it lands, and where it only passes."""
    targets = [each for each in found if each.name in floor.below]
    for each in found[floor.place + 1 : targets[-1].place + 1 if targets else 0]:
        if each in targets:
            y = each.top
            yield f'<path class="{floor.name} head" d="M{floor.lane:g} {y}l-{ARROW} -9h{2 * ARROW}z"/>'
        else:
            yield f'<path class="{floor.name}" d="M{floor.lane:g} {each.top - 1}V{each.bottom + 1}"/>'


def main() -> int:
    """Write the picture.

    Returns:
        0.
    """
    PICTURE.write_text(draw(read_floors()), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
