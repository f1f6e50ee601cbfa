"""The tutorials as people meet them: Run All in JupyterLab, and as exported pages without a kernel."""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter
from support.jupyter_server import JupyterServer
from support.notebook_page import NotebookPage
from support.tutorials import compare, complaints_are_meant

from notebooks.make import LONGEST, needs_official, tutorials
from notebooks.stable import WIDGET, stabilise

_RUN_ALL = "async () => { await window.jupyterapp.commands.execute('notebook:run-all-cells'); }"
_NOTEBOOK = "() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model.toJSON())"
# The command returns at the first error, also where it is meant; the cells after it run on.
_HAS_RUN = """() => window.jupyterapp.shell.currentWidget.content.widgets.every(
    cell => cell.model.type !== 'code' || cell.model.executionCount !== null
)"""

every_tutorial = pytest.mark.parametrize("path", tutorials(), ids=lambda path: path.stem)


@pytest.mark.timeout(LONGEST + 60)
@every_tutorial
def test_run_all(path: Path, open_notebook: Callable[..., NotebookPage], jupyter: JupyterServer) -> None:
    """Run All in JupyterLab runs every cell and shows what the file shows; a panel is alive there."""
    stored = nbformat.read(path, as_version=4)
    copied = copy.deepcopy(stored)
    if needs_official(stored):
        copied.metadata.kernelspec.name = "official"
    nbformat.write(copied, jupyter.root / path.name)
    notebook = open_notebook(path.name)
    notebook.page.evaluate(_RUN_ALL)
    notebook.page.wait_for_function(_HAS_RUN, timeout=LONGEST * 1000)
    notebook.wait_ready()
    shown = nbformat.reads(notebook.page.evaluate(_NOTEBOOK), as_version=4)
    panels = [output for output in _outputs(shown) if WIDGET in output.get("data", {})]
    assert len(panels) == sum("%openenv panel" in cell.source for cell in shown.cells if cell.cell_type == "code")
    stabilise(shown)
    complaints_are_meant(shown)
    code = [cell for cell in shown.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    compare(shown, stored)


@every_tutorial
def test_a_sanitised_page_shows_each_output(path: Path) -> None:
    """``nbconvert --sanitize-html`` leaves the words of every output; none of them needs a script or a style."""
    stored = nbformat.read(path, as_version=4)
    page, _ = HTMLExporter(sanitize_html=True).from_notebook_node(stored)
    words = _words(page)
    for output in _outputs(stored):
        told = " ".join(_told(output))
        assert told.strip()
        assert max(map(len, told.split())) < 400, "no word is as wide as a picture where it is shown as text"
        assert _words(told) in words


def _outputs(notebook: nbformat.NotebookNode) -> Iterator[Any]:
    for cell in notebook.cells:
        yield from cell.get("outputs", ())


def _told(output: Any) -> Iterator[str]:
    """What a page shows of an output, as HTML."""
    if output.output_type == "stream":
        yield html.escape(output.text)
    elif output.output_type == "error":
        yield from (html.escape(line) for line in output.traceback)
    elif "text/html" in output.data:
        yield output.data["text/html"]
    else:
        yield html.escape(output.data["text/plain"])


def _words(page: str) -> str:
    """The text of a page, without its white space: that is where tags were."""
    # nbconvert's sanitiser shows these tags as text.
    text = re.sub(r"</?(?:details|summary|tbody)>|<img [^<>]*>", "", html.unescape(re.sub("<[^>]*>", "", page)))
    return "".join(text.split())
