"""What Binder does with this repository, done without docker: run by `make binder-check`, it takes minutes.

repo2docker's own Dockerfile is read for its steps; then the same steps are done in a fresh
environment with the versions that repo2docker locks, and the tutorial is opened in that
JupyterLab, in Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import expect, sync_playwright
from support.browsers import INSTALL, find_chromium
from support.built import ROOT
from support.jupyter_server import JupyterServer
from support.notebook_page import NotebookPage
from support.panel_page import PanelPage
from support.pythons import Environment, find_python
from support.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.server, pytest.mark.timeout(600)]

LOCKED = ("jupyterlab", "notebook", "ipykernel", "ipywidgets", "jupyterlab_widgets")
LIMIT = 2**30


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """The server and the browser live as long as the module."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Binder gets: the files that git has."""
    place = tmp_path_factory.mktemp("binder") / "repository"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


@pytest.fixture(scope="module")
def repo2docker(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """repo2docker in an environment of its own."""
    environment = Environment(tmp_path_factory.mktemp("repo2docker"))
    environment.install("jupyter-repo2docker")
    return environment


@pytest.fixture(scope="module")
def locked(repo2docker: Environment) -> dict[str, str]:
    """The versions of the front end and the kernel that Binder has beside Python 3.12."""
    (lock,) = repo2docker.folder.glob(
        "lib/*/site-packages/repo2docker/buildpacks/conda/environment.py-3.12-linux-64.lock"
    )
    found = {name: re.findall(rf"/{name}-(\d[\d.]*)-py", lock.read_text()) for name in LOCKED}
    return {name: versions[0] for name, versions in found.items()}


def words(tree: Path, environment: Environment, *command: str) -> str:
    """Run a command in the tree as Binder does: the environment first on the path."""
    path = f"{environment.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "HOME": str(environment.folder / "home")}
    variables.pop("PYTHONPATH", None)
    ran = subprocess.run(command, cwd=tree, env=variables, capture_output=True, text=True, timeout=550)
    assert ran.returncode == 0, f"{command}:\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def image(tree: Path, locked: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment in which all steps of the build were done."""
    python = find_python("3.12")
    if python is None:
        pytest.fail("binder-check needs Python 3.12: Binder's", pytrace=False)
    environment = Environment(tmp_path_factory.mktemp("image"), python)
    environment.install("pip", *(f"{name}=={version}" for name, version in locked.items()))
    words(tree, environment, environment.python, "-m", "pip", "install", "-q", "-r", "binder/requirements.txt")
    words(tree, environment, "./binder/postBuild")
    return environment


def test_the_dockerfile_does_the_steps_in_order(tree: Path, repo2docker: Environment) -> None:
    """repo2docker copies the tree, installs from it, and runs postBuild, on Python 3.12."""
    options = ["--no-build", "--debug", "--user-id=1000", "--user-name=someone"]
    command = [repo2docker.python, "-m", "repo2docker", *options, "."]
    ran = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=60, check=True)
    said = ran.stdout + ran.stderr
    steps = [
        "environment-2epy-2d3-2e12-2dlinux",  # how it writes the name of the lock for Python 3.12
        " src/ ${REPO_DIR}/",
        '/bin/pip install --no-cache-dir -r "binder/requirements.txt"',
        "RUN chmod +x binder/postBuild",
        "RUN ./binder/postBuild",
    ]
    places = [said.index(step) for step in steps]
    assert places == sorted(places)


def test_the_front_end_stays_as_binder_has_it(image: Environment, locked: dict[str, str]) -> None:
    """C13: installing from the tree changes none of the pinned front end's packages."""
    for name, version in locked.items():
        assert image.run("-c", f"import importlib.metadata as m; print(m.version({name!r}))") == f"{version}\n", name


def test_it_fits(image: Environment) -> None:
    """All that was installed takes less than 1 GB."""
    size = sum(path.stat().st_size for path in image.folder.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"\ninstalled: {size / 2**20:.0f} MiB")
    assert size < LIMIT


def test_the_notebooks_run(tree: Path, image: Environment) -> None:
    """Every notebook runs to its end in the image."""
    notebooks = sorted(str(path.relative_to(tree)) for path in (tree / "notebooks").glob("*.ipynb"))
    shown = words(tree, image, image.python, "notebooks/run.py", *notebooks)
    assert "openenv: env is closed" in shown


class BinderServer(JupyterServer):
    """JupyterLab of the image, begun as Binder begins it."""

    def begin(self, tree: Path, image: Environment) -> None:
        """Start it; returns when it answers."""
        command = [str(image.folder / "bin/jupyter"), "lab", "--ip=127.0.0.1", "--no-browser", "--allow-root"]
        command += [f"--port={self._port}", f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={tree}"]
        command += ["--LabApp.expose_app_in_browser=True"]
        # All cells are in the page, seen or not: a test finds them by their number.
        settings = self._home / "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"windowingMode": "none"}')
        start = tree / "binder/start"
        path = f"{image.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        variables = {**self._environment(), "PATH": path}
        variables.pop("PYTHONPATH")
        self._log = (self._home / "server.log").open("wb")
        self._process = subprocess.Popen(
            [*([str(start)] if start.exists() else []), *command],
            cwd=tree, env=variables, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        eventually(self._answers, 90)

    def memory(self) -> int:
        """What it and its kernels hold, in bytes."""
        process = psutil.Process(self._process.pid)
        return sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))


@pytest.fixture(scope="module")
def lab(tree: Path, image: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BinderServer]:
    """The server."""
    server = BinderServer(tmp_path_factory.mktemp("lab"))
    server.begin(tree, image)
    yield server
    server.stop()


@pytest.fixture
def page(lab: BinderServer) -> Iterator[NotebookPage]:
    """A page in Chromium."""
    chromium = find_chromium()
    if chromium is None:
        pytest.fail(INSTALL, pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        made = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
        made.set_default_timeout(30_000)
        yield NotebookPage(made, lab)
        browser.close()


def test_the_tutorial_in_its_lab(page: NotebookPage, lab: BinderServer) -> None:
    """C13: notebook 01 runs, the panel of notebook 02 is there, and Step changes its counter; within 1 GB of memory."""
    page.open("notebooks/01_first_episode.ipynb")
    page.page.evaluate("async () => { await window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    cells: list[dict[str, Any]] = page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
    )
    ran = [cell for cell in cells if cell["cell_type"] == "code"]
    assert ran and all(cell["execution_count"] for cell in ran)
    assert not [each for cell in ran for each in cell["outputs"] if each["output_type"] == "error"]

    page.open("notebooks/02_the_panel.ipynb")
    shown = page.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")
    code = [number for number, cell in enumerate(shown) if cell["cell_type"] == "code"]
    place = next(number for number in code if "%openenv panel" in "".join(shown[number]["source"]))
    for number in code[: code.index(place) + 1]:
        page.run(number)
    panel = PanelPage(page, page.output(place).locator(".openenv-panel"))
    for name in ("Step ▸", "Reset", "Play"):
        expect(panel.button(name)).to_be_visible()
    facts = panel.root.locator(".openenv-facts")
    expect(facts).to_contain_text("step 0")
    panel.button("right").click()
    expect(facts).to_contain_text("step 1")
    panel.step.click()
    expect(facts).to_contain_text("step 2")
    print(f"\nin memory: {lab.memory() / 2**20:.0f} MiB")
    assert lab.memory() < LIMIT
