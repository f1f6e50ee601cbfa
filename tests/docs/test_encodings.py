"""What the documentation and the package do with files of text is right on any locale, and keeps every character."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from support.doc_code import PAGES, ROOT, blocks_of
from support.kernels import launched

from notebooks.make import needs_official, tutorials

# A machine whose own encoding is not UTF-8; what is printed goes out in Latin-1.
LATIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"}
TEXTS = ("read_text", "write_text")
# Of these names there are others as well: an opener of addresses, a notebook in a browser.
NO_FILES = ("_opener", "opener", "notebook", "webbrowser", "os", "_Opening", "socket")
EPISODES = ROOT / "docs/how-to/episodes.md"


def python_texts() -> Iterator[tuple[str, str]]:
    """All Python of the package, of the documentation and of the tutorials, by its place."""
    for folder in ("openenv_notebook", "docs", "notebooks", "binder", ".ci"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for page in PAGES:
        for block in blocks_of(page):
            if block.language in ("python", "ipython") and block.is_plain:
                yield block.where, block.code
    for path in tutorials():
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
            if cell.cell_type == "code" and not cell.source.startswith("%%"):
                lines = [line for line in cell.source.split("\n") if not line.lstrip().startswith(("%", "!"))]
                yield f"{path.name}, cell {number}", "\n".join(lines)


def opened_by_chance(code: str) -> Iterator[int]:
    """The lines where a file is opened as text, and nothing says in which encoding."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # a cell of which a magic was taken away
        return
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or any(each.arg == "encoding" for each in call.keywords):
            continue
        of = call.func.value if isinstance(call.func, ast.Attribute) else None
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        owner = of.func if isinstance(of, ast.Call) else of
        # A path's mode is its first argument, a file name's the second.
        modes = [each.value for each in call.keywords if each.arg == "mode"] or call.args[0 if of else 1 :][:1]
        mode = str(getattr(modes[0], "value", "")) if modes else "r"
        is_text = set(mode) <= set("rwxat+") if name == "open" else name in TEXTS and of is not None
        if is_text and getattr(owner, "id", getattr(owner, "attr", "")) not in NO_FILES:
            yield call.lineno


def test_every_text_is_opened_by_its_encoding() -> None:
    """R01: No file of ours, and none that a page or a tutorial shows, is opened in the machine's own encoding."""
    found = [f"{place}, line {line}" for place, code in python_texts() for line in opened_by_chance(code)]
    assert found == []


def test_what_is_opened_by_chance_is_seen() -> None:
    """The search finds what it is for."""
    wrong = 'open("a")\nPath("a").read_text()\nPath("a").write_text("b")\nopen("a", "w")\nPath("a").open("r")'
    right = 'open("a", "rb")\nPath("a").read_text(encoding="utf-8")\nopen("a", encoding="utf-8")\nopener.open(url)'
    assert list(opened_by_chance(wrong)) == [1, 2, 3, 4, 5]
    assert list(opened_by_chance(right)) == []


def run(program: Path, folder: Path) -> None:
    """Run a program on such a machine."""
    ended = subprocess.run(
        [sys.executable, "-W", "error::EncodingWarning", str(program)],
        cwd=folder,
        env={**os.environ, **LATIN, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode(errors="replace")


def scripts() -> list[Path]:
    """Pages that are plain programs and need no other package."""
    found = []
    for page in PAGES:
        blocks = [block for block in blocks_of(page) if block.is_run]
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(block.code) for block in blocks])
        if blocks and all(block.is_plain for block in blocks) and not needs_official(book):
            found.append(page)
    return found


@pytest.mark.parametrize("page", scripts(), ids=lambda page: page.stem)
def test_a_page_runs_on_another_locale(page: Path, tmp_path: Path) -> None:
    """R01: The recipes of a page run where files and the screen are not in UTF-8."""
    program = tmp_path / "page.py"
    code = "\n".join(block.code for block in blocks_of(page) if block.is_run)
    program.write_text(f"import locale\nassert locale.getencoding() != 'utf-8'\n{code}", encoding="utf-8")
    run(program, tmp_path)


ODD = "a\u2028b\u2029c\x85d \u00e9\u20ac\U0001f600 \x0b\x0c\x1c\x1d\x1e"


def test_what_is_saved_by_the_recipe_is_read_by_it(tmp_path: Path) -> None:
    """R01: Saving and reading as the page shows keeps all separators of lines and characters, also if written raw."""
    blocks = [block.code for block in blocks_of(EPISODES) if block.is_run]
    write, read = (next(code for code in blocks if word in code) for word in ("saved.write_text", "saved.open"))
    read = "\n".join(line for line in read.split("\n") if not line.startswith("print"))
    program = tmp_path / "recipe.py"
    program.write_text(
        "import json, openenv_notebook\nfrom openenv_notebook import Episode\n"
        f"env = openenv_notebook.connect('demo:echo')\nenv.reset()\nenv.step({ODD!r})\n"
        f"{write}\n{read}\nassert episodes[-1] == env.episode, episodes\n"
        "raw = ''.join(json.dumps(json.loads(each.to_jsonl()), ensure_ascii=False) + '\\n' for each in env.episodes)\n"
        f"saved.write_text(raw, encoding='utf-8')\n{read}\nassert episodes[-1] == env.episode, episodes\n"
        f"assert episodes[-1][-1].action['message'] == {ODD!r}\nenv.close()\n",
        encoding="utf-8",
    )
    run(program, tmp_path)


@pytest.mark.kernel
@pytest.mark.parametrize(
    "path", [path for path in tutorials() if path.stem.startswith("02")], ids=lambda path: path.stem
)
def test_a_tutorial_runs_on_another_locale(path: Path) -> None:
    """R01: The tutorial that writes files runs in a kernel whose own encoding is not UTF-8."""
    with launched(**LATIN) as kernel:
        kernel.ok("import locale\nassert locale.getencoding() != 'utf-8'")
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                outputs = kernel.run(cell.source)
                assert outputs.error is None or "raises-exception" in cell.metadata.get("tags", []), json.dumps(
                    outputs.error
                )
