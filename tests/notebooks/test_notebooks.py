"""The tutorials on the oldest versions: each runs from beginning to end and shows what its file shows.

On the newest ones they are run in JupyterLab: ``tests/browser/test_notebooks.py``.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from support.nursery import AsyncManager
from support.tutorials import compare, complaints_are_meant

from notebooks.make import LONGEST, execute, needs_official, tutorials

ROOT = Path(__file__).parents[2]
# The oldest set has no openenv package.
TUTORIALS = [path for path in tutorials() if not needs_official(nbformat.read(path, as_version=4))]


@pytest.mark.kernel
@pytest.mark.timeout(LONGEST + 30)
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_and_shows_what_its_file_shows(path: Path) -> None:
    """A tutorial ends, complains only where it is meant to, and shows what is stored in its file."""
    fresh = execute(path, {"PYTHONPATH": str(ROOT)}, AsyncManager)
    complaints_are_meant(fresh)
    compare(fresh, nbformat.read(path, as_version=4))
