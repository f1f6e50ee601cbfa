"""The page on the architecture is true: its picture, its tables, the files it names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from support.doc_code import PAGES, ROOT
from support.import_graph import PACKAGE, floors, folder, imports, modules

PAGE = ROOT / "docs/explanation/architecture.md"
# What stands in the file that a line of the last table names, and in no other file of the package.
SIGNS = {
    "the text for a close code": r"^    1009: ",
    "a keyword of JSON Schema: how it is read": r'"exclusiveMinimum": "above"',
    "… and what is said of a value that breaks it": r"must be \{.*\} or more",
    "where the random policy chooses": r"^def sample_action\b",
    "an error": r"^class OpenEnvError\b",
    "a form of address": r"^def parse_target\b",
    "which fields are secret": r"^def is_secret_name\b",
    "what a client knows to be secret, and how texts lose it": r"^class Secrets\b",
    "how bytes stand in an action": r"^def encoded\b",
    "what the record keeps": r"^class Record\b",
    "what happens at a fork": r"^def close_inherited\b",
    "what goes out, and in which order": r"^class Exchange\b",
    "which error a reply becomes": r"^def read_error\b",
    "why a connection could not be opened, in words": r"^def translate\b",
    "a demo": r"^DEMOS\b",
    "where a Docker container is started": r'command = \["docker", "run"',
    "which pages may talk to a local server": r"^class WebGuard\b",
    "how an official server we start refuses an action": r"^class Judge\b",
    "how a value becomes an action": r"^class Codec\b",
    "a verb": r"^VERBS = \(\s+Verb\(",
    "how a board is found": r"^def board_of_rows\b",
    "… and how it is drawn": r"^ *def (board_html|board_lines|board)\(.*\bboard: Board\)",
    "a control of the form": r"^def make_control\b",
    "the panel's chart": r"^def draw\(points\b",
    "what the doctor looks for": r"^def examine\b",
}
# Packages that come with another one.
PARTS = {"pydantic_core": "pydantic", "starlette": "fastapi"}


@pytest.fixture
def drawing() -> Any:
    """What draws the picture."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import architecture
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return architecture


def rows_of(heading: str) -> Iterator[list[str]]:
    """The cells of the table whose first column has this heading, without the backticks of the first."""
    table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE.read_text(encoding="utf-8"), re.M)
    assert table is not None, heading
    for line in table[1].splitlines():
        yield [cell.strip() for cell in line.strip("|").split("|")]


def code_of(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_the_picture_is_current(drawing: Any) -> None:
    """The picture shows the folders and the imports between them as they are; `make architecture` draws it anew."""
    drawn = drawing.draw(drawing.read_floors())
    assert drawing.PICTURE.read_text(encoding="utf-8") == drawn, "make architecture"


def test_the_picture_shows_every_arrow_and_no_other(drawing: Any) -> None:
    """Each floor stands above those it imports, and has as many arrow heads as it imports floors."""
    found = drawing.read_floors()
    drawn = drawing.draw(found)
    assert [each.name for each in found] == list(reversed(floors()))
    for each in found:
        assert drawn.count(f'class="{each.name} head"') == len(each.below)
        assert each.below == set(folder(i.imported) for i in imports() if folder(i.module) == each.name) & set(
            floors()[: floors().index(each.name)]
        )


def test_the_picture_needs_nothing_and_has_words(drawing: Any) -> None:
    """It loads nothing from elsewhere, is readable on dark pages, and says in words what it shows."""
    text = drawing.PICTURE.read_text(encoding="utf-8")
    assert not re.search(r"<script|href|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text and 'role="img"' in text and "<desc" in text


def test_the_table_has_the_floors_in_their_order() -> None:
    """The table of the floors has each of them, the highest first."""
    assert [code_of(row[0]) for row in rows_of("floor")] == [[name] for name in reversed(floors())]


def test_the_table_names_the_packages_that_a_floor_imports() -> None:
    """What a floor imports of other packages is what the table says."""
    for name, _, packages, _ in rows_of("floor"):
        tops = {each.imported.partition(".")[0] for each in imports() if folder(each.module) == name.strip("`")}
        others = {PARTS.get(top, top) for top in tops - sys.stdlib_module_names - {PACKAGE.name, "*"}}
        assert set(code_of(packages)) == others, name


def test_every_file_of_the_package_that_a_page_names_is_there() -> None:
    """A path in the documentation, from the package's folder on or below it, leads to a file or a folder."""
    for page in PAGES:
        for code in code_of(page.read_text(encoding="utf-8")):
            path = code.removeprefix(f"{PACKAGE.name}/")
            if re.fullmatch(rf"(?:{'|'.join(floors())})/[\w/]*(?:\.py)?", path) and "NAME" not in path:
                assert (PACKAGE / path).exists(), f"{page.relative_to(ROOT)} names {code}"


def test_a_line_is_put_where_the_table_says() -> None:
    """What each line of the last table is about stands in the file it names, and in no other."""
    named = {row[0]: code_of(row[1]) for row in rows_of("what changes")}
    assert list(named) == list(SIGNS)
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in modules().values()}
    for what, files in named.items():
        found = [name for name, text in texts.items() if re.search(SIGNS[what], text, re.M)]
        assert all(any(name.startswith(file) for name in found) for file in files), f"{what}: it stands in {found}"
        assert all(any(name.startswith(file) for file in files) for name in found), f"{what}: it stands in {found}"
