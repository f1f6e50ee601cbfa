"""The files that Binder reads, as far as they can be checked without building; the rest is `make binder-check`."""

from __future__ import annotations

import os
import re
from pathlib import Path

from support.built import ROOT

BINDER = ROOT / "binder"
READ = {"runtime.txt", "requirements.txt", "postBuild", "start", "apt.txt"}


def lines(path: Path) -> list[str]:
    """Read a file's lines without comments."""
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def test_binder_reads_this_folder_and_all_that_is_in_it() -> None:
    """There is one such folder, without an environment.yml, which would win; every file in it is one that is read."""
    assert not (ROOT / ".binder").exists()
    assert {path.name for path in BINDER.iterdir()} <= READ


def test_python_is_named() -> None:
    """C13: Python 3.12 and with it Binder's pinned front end and widgets; without runtime.txt it is an older Python."""
    assert lines(BINDER / "runtime.txt") == ["python-3.12"]


def test_the_requirements_are_this_tree_and_no_front_end() -> None:
    """It is installed from the tree, in a form that makes Binder copy the tree first; nothing of Jupyter is named."""
    (line,) = lines(BINDER / "requirements.txt")
    extras = re.fullmatch(r"-e \.\[([a-z,]+)\]", line)
    assert extras and set(extras[1].split(",")) == {"fast", "openenv"}


def test_the_scripts_can_run() -> None:
    """Scripts are executable and have an interpreter; start hands over to what Binder wants to run."""
    for name in ("postBuild", "start"):
        script = BINDER / name
        if not script.exists():
            continue
        assert os.access(script, os.X_OK), name
        assert re.match(r"#!/bin/(ba)?sh\n", script.read_text()) and "\nset -eu\n" in script.read_text()
    if (BINDER / "start").exists():
        assert lines(BINDER / "start")[-1] == 'exec "$@"'


def test_the_link_opens_the_first_notebook() -> None:
    """The documentation's address opens a notebook that is there."""
    page = (ROOT / "docs/how-to/colab-kaggle-binder.md").read_text()
    (path,) = set(re.findall(r"urlpath=lab/tree/(\S+\.ipynb)", page))
    assert (ROOT / path).is_file()
