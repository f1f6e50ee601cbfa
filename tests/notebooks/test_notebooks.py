"""Every tutorial runs from beginning to end in a real kernel, and says nothing on stderr."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tutorial runs without an error and without a word on stderr."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=50, kernel_name="python3").execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert not (output.output_type == "stream" and output.name == "stderr"), output.text


def test_the_first_notebook_finishes_an_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first notebook ends with a finished episode in its record, and an invalid action that was told apart."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(ROOT / "notebooks/01_first_episode.ipynb", as_version=4)
    NotebookClient(notebook, timeout=50, kernel_name="python3").execute()
    shown = "".join(o.get("text", "") for cell in notebook.cells for o in cell.get("outputs", ()))
    assert "done True · {'outcome': 'won'" in shown
    assert "direction: Input should be 'up', 'down', 'left' or 'right' (got 'sideways')" in shown
    assert "steps, return" in shown and "done)" in shown
    assert "openenv: env is closed" in shown
