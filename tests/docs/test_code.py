"""Every piece of code in the documentation runs, and shows what the documentation says it shows."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from support.doc_code import KNOWN, PAGES, ROOT, RUN, blocks_of
from support.kernels import execute
from support.nursery import nursery

from notebooks.make import needs_official

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
RUN_PAGES = [page for page in PAGES if any(block.is_run for block in blocks_of(page))]
SCRIPTS = [page for page in RUN_PAGES if all(block.is_plain for block in blocks_of(page) if block.is_run)]

# The official package takes seconds to import, and most of a minute where the machine is busy.
PATIENCE = 200


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT).with_suffix(""))


def test_a_block_says_what_it_is() -> None:
    """A block names its language; one of Python that is not run says why."""
    for block in BLOCKS:
        if not block.language.startswith("{"):
            assert block.language in KNOWN, f"{block.where}: {block.language!r}"
        if block.language in RUN and not block.is_run:
            assert len(block.why_not_run) > 10, f"{block.where}: say why it is not run"


def test_no_block_patches_or_runs_loops() -> None:
    """B01, A51: no code we show needs asyncio.run or a patch of asyncio."""
    for block in BLOCKS:
        if block.is_run:
            assert not re.search(r"asyncio\.run\b|run_until_complete|nest_asyncio", block.code), block.where


@pytest.mark.kernel
@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", RUN_PAGES, ids=name_of)
def test_a_page_runs_in_a_notebook(page: Path, tmp_path: Path) -> None:
    """A24, B01: all code of a page runs in the cells of a real kernel, in order, and shows what the page says."""
    # What stands on a page never depends on where it is run, or on who is logged in.
    blocks = [block for block in blocks_of(page) if block.is_run or block.remark == "shows"]
    run = [block for block in blocks if block.is_run]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(block.code) for block in run])
    try:
        execute(notebook, tmp_path, seconds=PATIENCE, official=needs_official(notebook))
    except CellExecutionError as error:
        place = sum(cell.execution_count is not None for cell in notebook.cells) - 1
        pytest.fail(f"{run[place].where}: {error}", pytrace=False)
    shown = iter(notebook.cells)
    last = ""
    for block in blocks:
        if block.is_run:
            last = shown_by(next(shown))
        else:
            assert fits(block.code, last), f"{block.where} promises\n{block.code}\nand this is shown:\n{last}"


@pytest.mark.server
@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", SCRIPTS, ids=name_of)
def test_a_page_runs_as_a_script(page: Path, tmp_path: Path) -> None:
    """B01: code without magics and without await runs unchanged in a plain script, which ends quietly."""
    program = tmp_path / "page.py"
    program.write_text("\n".join(block.code for block in blocks_of(page) if block.is_run), encoding="utf-8")
    ended = nursery(official=True, ours=True).run(program, tmp_path, PYTHONPATH=str(ROOT))
    assert ended.code == 0, ended.errors
    assert "Traceback" not in ended.errors


def shown_by(cell: nbformat.NotebookNode) -> str:
    """Everything a cell shows, as text."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            texts.append(output.text)
        elif output.output_type == "error":
            texts.append("\n".join(output.traceback))
        else:
            texts.append(output.data.get("text/plain", ""))
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(text.rstrip("\n") for text in texts))


def fits(promised: str, shown: str) -> bool:
    """Tell whether what is promised is in what is shown; … stands for anything."""
    pattern = ".*?".join(re.escape(part.strip()) for part in re.split("…", promised))
    return re.search(pattern, shown, re.S) is not None


def test_a_promise_that_is_not_kept_is_seen() -> None:
    """What a page says is shown is compared, not only printed."""
    assert fits("a … c\n", "x a b c y")
    assert not fits("a … d\n", "x a b c y")


def test_a_broken_block_is_seen(tmp_path: Path) -> None:
    """A47: a page with code that fails makes the test fail: blocks are found, and none is skipped by its form."""
    page = ROOT / "README.md"
    text = '```python\n1/0\n```\n\n<!-- not run: it needs the Hub -->\n```python\nconnect("owner/name")\n```\n'
    broken = tmp_path / page.name
    broken.write_text(text)
    first, second = blocks_of(broken)
    assert first.is_run and first.is_plain and first.code == "1/0\n"
    assert not second.is_run and second.why_not_run == "it needs the Hub"
