"""Links lead somewhere: files and anchors within the repository. External ones: ``make linkcheck``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.doc_code import PAGES, ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
_LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
_FENCE = re.compile(r"^`{3,}.*?^`{3,}", re.M | re.S)


def text_of(path: Path) -> str:
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return path.read_text(encoding="utf-8")


def links_of(path: Path) -> Iterator[str]:
    for found in _LINK.finditer(_FENCE.sub("", text_of(path))):
        yield found[1] or found[2]


def anchors_of(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#{1,6} (.+)$", _FENCE.sub("", text_of(path)), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file that is there, and a heading of it."""
    for link in links_of(page):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page.relative_to(ROOT)} links to {link}"
        if anchor:
            assert anchor in anchors_of(target), f"{page.relative_to(ROOT)} links to {link}"


def test_every_page_can_be_reached() -> None:
    """No page stands outside of the table of contents."""
    for page in PAGES:
        if not page.is_relative_to(ROOT / "docs") or page.stem == "index":
            continue
        index = (page.parent / "index.md").read_text(encoding="utf-8")
        assert re.search(rf"^{re.escape(page.stem)}$", index, re.M), page


@pytest.mark.parametrize("name", ["panel-light.png", "panel-dark.png"])
def test_the_pictures_are_small(name: str) -> None:
    """The README's pictures are there, are PNG, and load at once."""
    data = (ROOT / "docs/_static" / name).read_bytes()
    assert data.startswith(b"\x89PNG") and len(data) < 150_000
