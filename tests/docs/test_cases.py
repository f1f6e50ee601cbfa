"""Each known trouble with documentation is answered: by a sentence here, or by a test that names it."""

from __future__ import annotations

import re
import sys

import nbformat
import pytest
from support.doc_code import ROOT
from support.kernels import execute

# The case, the page, and the sentence that answers it.
SENTENCES = [
    ("A24", "docs/how-to/connect.md", "Where another port answers, the error says which."),
    ("A24", "docs/reference/errors.toml", "a container may publish another port than the one it listens on"),
    ("A25", "docs/how-to/connect.md", "No package of the environment is needed"),
    ("A25", "docs/how-to/connect.md", "is an upgrade, never a condition"),
    ("A37", "docs/tutorial/index.md", "runs on a server inside its own kernel"),
    ("A47", "docs/tutorial/index.md", "What stands below the cells is what the tests saw when they ran them."),
    ("A50", "docs/how-to/await.md", "raises and shows both right forms"),
    ("A51", "docs/explanation/loops.md", "tells that the patch is active and not needed"),
    ("B01", "docs/how-to/await.md", "Blocking calls work everywhere"),
    ("C22", "docs/how-to/panel.md", "without saved widget state"),
    ("D17", "docs/how-to/scripts-and-tests.md", "a notebook that is exported as a script needs no `get_ipython`"),
]
# The case, and the file whose test names it.
TESTS = [
    ("A24", "tests/docs/test_code.py"),
    ("A24", "tests/faults/test_nearby.py"),
    ("A25", "tests/docs/test_cases.py"),
    ("A25", "tests/integration/test_magics.py"),
    ("A37", "tests/docs/test_notebook_files.py"),
    ("A47", "tests/docs/test_notebook_files.py"),
    ("A50", "tests/docs/test_docstrings.py"),
    ("A51", "tests/docs/test_cases.py"),
    ("B01", "tests/docs/test_code.py"),
    ("C22", "tests/docs/test_notebook_files.py"),
    ("D17", "tests/docs/test_reference.py"),
]
DOCS = {"A24", "A25", "A37", "A47", "A50", "A51", "B01", "C22", "D17"}


@pytest.mark.parametrize(("case", "page", "sentence"), SENTENCES)
def test_a_case_is_answered_by_a_sentence(case: str, page: str, sentence: str) -> None:
    """The sentence that answers a case stands where it is said to stand."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").replace("**", "").split())
    assert sentence in text


@pytest.mark.parametrize(("case", "file"), TESTS)
def test_a_case_is_answered_by_a_test(case: str, file: str) -> None:
    """A test's docstring names the case."""
    assert re.search(rf'"""[^"]*\b{case}\b[^"]*:', (ROOT / file).read_text(encoding="utf-8"))


def test_no_case_is_without_an_answer() -> None:
    """Every case of the documentation has a sentence and a test."""
    assert {case for case, _, _ in SENTENCES} == DOCS == {case for case, _ in TESTS}


def test_the_first_cells_need_one_install() -> None:
    """A25: the README's program and the first notebook import this package only."""
    for name in ("README.md", "docs/index.md", "notebooks/01_first_episode.ipynb"):
        text = (ROOT / name).read_text(encoding="utf-8")
        imported = set(re.findall(r'^ *"?(?:import|from) (\w+)', text, re.M))
        assert imported - sys.stdlib_module_names <= {"openenv_notebook"}, name


@pytest.mark.kernel
def test_a_cell_that_patches_asyncio_first_does_no_harm() -> None:
    """A51: a notebook that begins by patching asyncio runs on, and the doctor says that the patch is not needed."""
    patch = "nest_asyncio" if sys.version_info < (3, 14) else "nest_asyncio2"
    cells = [
        f"import {patch}\n{patch}.apply()",
        "%load_ext openenv_notebook\n%openenv demo echo",
        'env.reset()\nenv.step("hello").observation.message',
        "%openenv doctor",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    execute(notebook)
    shown = str([cell.outputs for cell in notebook.cells])
    assert "hello" in shown
    assert "is applied to asyncio" in shown and "this package does not need it" in shown
