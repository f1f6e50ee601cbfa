"""The package as people get it: built once, installed where the tree cannot be reached."""

from __future__ import annotations

import datetime
import hashlib
import sys
import tomllib
from collections.abc import Iterator

import pytest
from support.built import ROOT, Built, build
from support.pythons import Environment, find_python, kept


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel and the source distribution of this tree."""
    into = tmp_path_factory.mktemp("dist")
    build(ROOT, into)
    (wheel,), (sdist,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="session")
def newest(built: Built) -> Environment:
    """An environment with the wheel, the newest of all it needs, a kernel and no more; of this week."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    this_week = "{}-{}".format(*datetime.date.today().isocalendar())
    with kept("newest", *needed, "ipykernel", until=this_week) as one:
        # Another process may be at work in it: it has the same wheel.
        stamp = one.folder / hashlib.sha256(built.wheel.read_bytes()).hexdigest()
        if not stamp.exists():
            one.install("--no-deps", "--force-reinstall", str(built.wheel))
            stamp.touch()
    return one


@pytest.fixture
def colab() -> Iterator[Environment]:
    """An environment like Colab's, without our package; on its Python where this machine has it."""
    packages = ("-r", str(ROOT / "tests/package/colab.txt"), "pip")
    with kept("colab", *packages, python=find_python("3.13") or sys.executable) as one:
        yield one
        one.run("-m", "pip", "uninstall", "--yes", "--quiet", "--root-user-action=ignore", "openenv-notebook")
