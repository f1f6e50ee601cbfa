"""What the wheel and the source distribution hold and say of themselves."""

from __future__ import annotations

import email
import re
import subprocess
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.built import ROOT, Built, build
from trove_classifiers import classifiers

import openenv_notebook

# Python 3.11 knows the filter from 3.11.4 on.
SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def metadata(built: Built) -> Message:
    """The wheel's metadata."""
    with zipfile.ZipFile(built.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(wheel.read(name))


def files_of(wheel: Path) -> dict[str, bytes]:
    """Read all files of a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_metadata_says_what_it_is(metadata: Message) -> None:
    """Name, version, licence by SPDX with its file, Python, README and known classifiers; no licence classifier."""
    assert (metadata["Name"], metadata["Version"]) == ("openenv-notebook", "0.1.0")
    assert (metadata["License-Expression"], metadata["License-File"]) == ("BSD-3-Clause", "LICENSE")
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown" and "# openenv-notebook" in metadata.get_payload()
    given = metadata.get_all("Classifier", [])
    assert set(given) <= classifiers and "Typing :: Typed" in given and "Framework :: Jupyter" in given
    assert not [line for line in given if line.startswith("License")]
    assert {line[-4:] for line in given if "Python :: 3." in line} == {"3.11", "3.12", "3.13", "3.14"}


def test_the_version_is_the_same_everywhere() -> None:
    """The project, the module and the changelog name one version."""
    assert PROJECT["version"] == openenv_notebook.__version__ == "0.1.0"
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(r"^## .*\b0\.1\.0\b", changes, re.M)


def test_the_requirements_have_no_upper_bounds(metadata: Message) -> None:
    """Nothing is pinned or capped, so that no host's packages are turned back; openenv itself is an extra."""
    needed = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    assert not [str(one) for one in needed if re.search(r"[<~=]=?[^=]", re.sub(r">=", "", str(one.specifier)))]
    core = {one.name for one in needed if one.marker is None or "extra" not in str(one.marker)}
    assert core == {"ipython", "ipywidgets", "websockets", "pydantic", "nest-asyncio", "nest-asyncio2"}
    assert {"fast", "openenv", "lab"} <= set(metadata.get_all("Provides-Extra", []))


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    """E16: every file of the package that is in git is in the wheel, with py.typed and the licence; no tests."""
    listed = subprocess.run(
        ["git", "ls-files", "openenv_notebook"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tracked = {name for name in listed.stdout.split() if (ROOT / name).exists()}
    files = set(files_of(built.wheel))
    packaged = {name for name in files if name.startswith("openenv_notebook/")}
    assert tracked <= packaged and "openenv_notebook/py.typed" in packaged
    rest = {name.partition("/")[2] for name in files - packaged}
    assert rest == {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}
    assert not [name for name in files if re.search(r"tests?/|\.ipynb|__pycache__", name)]
    assert built.wheel.name == "openenv_notebook-0.1.0-py3-none-any.whl"


def test_nothing_is_loaded_from_elsewhere(built: Built) -> None:
    """A29: no file of the wheel has a browser load a script, a style or a font from another host."""
    loads = re.compile(r"""(src|href)=.?["']?(https?:)?//|url\(["']?(https?:)?//|@import|unpkg|jsdelivr|cdnjs""")
    files = files_of(built.wheel)
    found = {
        name: loads.findall(text.decode()) for name, text in files.items() if name.endswith((".py", ".css", ".js"))
    }
    assert len(found) > 100 and not {name: hits for name, hits in found.items() if hits}


def test_the_source_distribution_builds_the_same_wheel(built: Built, tmp_path: Path) -> None:
    """From the source distribution alone comes the same wheel, byte for byte; it has the tests and the licence."""
    with tarfile.open(built.sdist) as opened:
        opened.extractall(tmp_path, **SAFELY)
    tree = tmp_path / "openenv_notebook-0.1.0"
    for name in ("LICENSE", "README.md", "CHANGELOG.md", "Makefile", "tests/lowest.txt", "notebooks/run.py"):
        assert (tree / name).is_file(), name
    build(tree, tmp_path / "again")
    (again,) = (tmp_path / "again").glob("*.whl")
    assert files_of(again) == files_of(built.wheel)
