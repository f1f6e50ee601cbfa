"""Which versions of the official package are tested, and what is said of others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openenv_notebook.jupyter.versions import NEWEST, OLDEST, untested

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("found", [None, "0.2.3", "0.3", "0.9.1", "0.10.0rc1", "0.10.0", "0.10.7.post1"])
def test_a_tested_version_is_not_mentioned(found: str | None) -> None:
    """Nothing is said of the versions in between, nor where the official package is missing."""
    assert untested(found) == ""


@pytest.mark.parametrize("found", ["0.1", "0.2.2", "0.11.0", "1.0", "2"])
def test_another_version_is_told_in_one_line(found: str) -> None:
    """A33: a version outside of the range gives one line that names the versions."""
    told = untested(found)
    assert "\n" not in told
    assert re.findall(r"\d[\d.]*", told) == [found, OLDEST, NEWEST]


def test_the_versions_are_those_that_the_tests_start() -> None:
    """A33: the range is that of the servers which `make test` installs."""
    makefile, project = (ROOT / "Makefile").read_text(), (ROOT / "pyproject.toml").read_text()
    assert re.findall(r"\bopenenv==(\S+)", makefile) == [OLDEST]
    assert re.findall(r'"openenv>=([^"]+)"', project) == [NEWEST]
