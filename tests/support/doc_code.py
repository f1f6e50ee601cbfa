"""The code that stands in the documentation, as it is there.

A fenced block of ``python`` or ``ipython`` is meant to be run; all of a page are one
program, in order. Before one that is not, a comment says why: ``<!-- not run: it needs the
Hub -->``. A block of ``text`` after ``<!-- shows -->`` is what the block before it shows;
``…`` in it stands for anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *(path for path in ROOT.glob("docs/**/*.md") if "_build" not in path.parts),
    ]
)
RUN = ("python", "ipython")
KNOWN = (*RUN, "text", "console", "toml", "yaml")

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>[^\s`]*)[^\n]*\n(?P<code>.*?)^(?P=fence)[ ]*$", re.M | re.S)
_COMMENT = re.compile(r"<!--\s*(?P<words>(?:(?!-->).)*?)\s*-->\s*\Z", re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: Its file.
        line: Where its code begins.
        language: What its fence says.
        code: Its text.
        remark: The comment that stands directly before it; "" where there is none.
    """

    page: Path
    line: int
    language: str
    code: str
    remark: str

    @property
    def where(self) -> str:
        """Its place, for messages."""
        page = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page.name
        return f"{page}:{self.line}"

    @property
    def why_not_run(self) -> str:
        """Why it is not run; "" for one that is, or that says nothing."""
        return self.remark.removeprefix("not run:").strip() if self.remark.startswith("not run:") else ""

    @property
    def is_run(self) -> bool:
        """True for a block that tests run."""
        return self.language in RUN and not self.remark.startswith("not run:")

    @property
    def is_plain(self) -> bool:
        """True for Python that needs no IPython: no magics, no await outside of functions."""
        try:
            ast.parse(self.code)
            compile(self.code, self.where, "exec")
        except SyntaxError:
            return False
        return True


def blocks_of(page: Path) -> Iterator[Block]:
    """Find the blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        before = _COMMENT.search(text[: found.start()])
        words = before["words"] if before is not None else ""
        line = text.count("\n", 0, found.start("code")) + 1
        yield Block(page, line, found["language"], found["code"], words)
