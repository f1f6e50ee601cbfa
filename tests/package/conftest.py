"""The package as people get it: built once, installed where the tree cannot be reached."""

from __future__ import annotations

import sys

import pytest
from support.built import ROOT, Built, build
from support.pythons import Environment, find_python


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel and the source distribution of this tree."""
    into = tmp_path_factory.mktemp("dist")
    build(ROOT, into)
    (wheel,), (sdist,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="session")
def newest(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A fresh environment with the wheel, the newest of all it needs, and a kernel."""
    environment = Environment(tmp_path_factory.mktemp("newest"))
    environment.install(str(built.wheel), "ipykernel")
    return environment


@pytest.fixture(scope="session")
def colab(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A fresh environment like Colab's, without our package; on its Python where this machine has it."""
    environment = Environment(tmp_path_factory.mktemp("colab"), find_python("3.13") or sys.executable)
    environment.install("-r", str(ROOT / "tests/package/colab.txt"), "pip")
    return environment
