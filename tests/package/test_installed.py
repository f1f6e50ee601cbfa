"""The wheel in a fresh environment, where the tree cannot be reached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.kernels import started_by
from support.pythons import Environment
from support.smoke import play

# The first test of an environment waits for its installation.
pytestmark = pytest.mark.timeout(240)

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.kernel
def test_a_notebook_on_the_newest_of_all(newest: Environment) -> None:
    """E16: from a wheel alone, the extension, an episode, the picture and the panel work in a kernel."""
    with started_by(newest.python, newest.folder) as kernel:
        where = kernel.ok("import openenv_notebook; print(openenv_notebook.__file__)").stdout
        assert where.startswith(str(newest.folder))
        play(kernel)


@pytest.mark.kernel
@pytest.mark.parametrize("version", ["6.29.5", "7.0.1", "7.1.0"])
def test_a_notebook_on_other_kernels(newest: Environment, tmp_path: Path, version: str) -> None:
    """B17: the smoke notebook passes on the kernels that people have, beside the newest and the oldest."""
    newest.install("--no-deps", "--target", str(tmp_path / "kernel"), f"ipykernel=={version}")
    with started_by(newest.python, tmp_path, PYTHONPATH=str(tmp_path / "kernel")) as kernel:
        assert kernel.ok("import ipykernel; print(ipykernel.__version__)").stdout == f"{version}\n"
        play(kernel)


def test_an_untested_openenv_is_told(newest: Environment, tmp_path: Path) -> None:
    """A33: with an openenv outside of the tested range, %load_ext prints one line that names the versions."""
    ipython = ("-m", "IPython", "--quick", "--colors=NoColor", "--HistoryManager.enabled=False", "-c")
    load = (*ipython, "%load_ext openenv_notebook")
    own = {"IPYTHONDIR": str(tmp_path / "ipython"), "PYTHONPATH": str(tmp_path)}
    assert newest.run(*load, **own) == ""
    place = tmp_path / "openenv-0.1.1.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: openenv\nVersion: 0.1.1\n")
    said = newest.run(*load, **own)
    assert said == "openenv: openenv 0.1.1 is installed; this package is tested with 0.2.3 to 0.10\n"


def test_the_commands_of_the_wheel(newest: Environment) -> None:
    """`python -m openenv_notebook` plays a demo and finds nothing wrong."""
    assert "done)" in newest.run("-m", "openenv_notebook", "demo", "guess")
    report = newest.run("-m", "openenv_notebook", "doctor", "demo:grid")
    assert "openenv-notebook 0.1.0" in report and "openenv is not installed" in report and "session: open" in report


def test_it_is_light(newest: Environment) -> None:
    """A29: beyond Jupyter it brings under 60 MB, none of the heavy packages, and is imported within a second."""
    weight = json.loads(newest.run(str(PROGRAMS / "weight.py")))
    assert weight["file"].startswith(str(newest.folder))
    assert not {"gradio", "pandas", "torch", "openenv", "fastapi", "numpy"} & set(weight["all"])
    assert {"openenv-notebook", "websockets", "pydantic"} <= set(weight["added"])
    assert sum(weight["added"].values()) < 60e6
    assert weight["seconds"] < 1.0


def test_its_types_are_seen(newest: Environment) -> None:
    """The installed package is marked as typed."""
    look = "import importlib.resources as r; print((r.files('openenv_notebook') / 'py.typed').is_file())"
    assert newest.run("-c", look) == "True\n"
