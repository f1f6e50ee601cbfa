"""The notebooks as files: whole, with outputs, without anything that keeps a reader from seeing them."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from support.doc_code import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid(path: Path) -> None:
    """A47: a tutorial is JSON and a notebook, as its format says."""
    nbformat.validate(nbformat.read(path, as_version=4))


def test_a_broken_notebook_is_seen(tmp_path: Path) -> None:
    """A47: a missing comma, and a cell without its source, are noticed."""
    text = NOTEBOOKS[0].read_text(encoding="utf-8")
    broken = tmp_path / "broken.ipynb"
    broken.write_text(text.replace(",", "", 1))
    with pytest.raises(Exception, match="JSON"):
        nbformat.read(broken, as_version=4)
    data = json.loads(text)
    del data["cells"][0]["source"]
    with pytest.raises(nbformat.ValidationError):
        nbformat.validate(nbformat.from_dict(data))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_outputs(path: Path) -> None:
    """A37: a reader sees what the cells show without running them; the outputs are kept with the notebook."""
    notebook = nbformat.read(path, as_version=4)
    assert any(cell.get("outputs") for cell in notebook.cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_no_widget_state(path: Path) -> None:
    """C22: no widget state is stored, so every viewer shows the notebook; panels are seen by their still picture."""
    notebook = nbformat.read(path, as_version=4)
    assert "widgets" not in notebook.metadata
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "application/vnd.jupyter.widget-view+json" in data:
                assert "text/html" in data or "text/plain" in data
