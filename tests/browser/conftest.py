"""One JupyterLab server and one Chromium for all; a page, a kernel and a notebook for each test.

Run it in a process of its own: Playwright keeps a loop running, and no asyncio test can
run beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from support.browsers import INSTALL, SCREENSHOTS, find_chromium
from support.jupyter_server import JupyterServer
from support.notebook_page import NotebookPage
from support.other_kernels import python_of
from support.panel_page import PanelPage
from support.real_servers import Farm, RealServer, new_python

_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """The server and the browser live as long as the session: what one test leaves cannot be told from theirs."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser; without one the tests fail and say what to install."""
    path = find_chromium()
    if path is None:
        pytest.fail(INSTALL, pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """The server."""
    server = JupyterServer(tmp_path_factory.mktemp("jupyter")).start()
    yield server
    server.stop()


@pytest.fixture
def new_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens pages, each in a context of its own; a failed test leaves pictures of them."""
    contexts: list[BrowserContext] = []

    def open_page(**settings: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        context.set_default_timeout(20_000)
        contexts.append(context)
        return context.new_page()

    yield open_page
    report = request.node.stash.get(_REPORT, None)
    pages = [page for context in contexts for page in context.pages]
    if report is not None and report.failed:
        SCREENSHOTS.mkdir(exist_ok=True)
        for place, page in enumerate(pages):
            page.screenshot(path=SCREENSHOTS / f"failed_{_file_name(request.node.name)}_{place}.png")
    for context in contexts:
        context.close()


@pytest.fixture
def open_notebook(
    new_page: Callable[..., Page], jupyter: JupyterServer, request: pytest.FixtureRequest
) -> Iterator[Callable[..., NotebookPage]]:
    """Opens a notebook of code cells in JupyterLab, with a kernel of its own."""
    opened: list[NotebookPage] = []

    def open_cells(
        cells: list[str], *, kernel: str = "python3", front: str = "lab/tree", **settings: Any
    ) -> NotebookPage:
        # A session is known by its file's name: the same name would get the kernel of the last test.
        name = f"{_file_name(request.node.name)}_{len(opened)}.ipynb"
        if kernel != "python3":
            jupyter.add_kernel(kernel, python_of(kernel))
        jupyter.write_notebook(name, cells, kernel)
        notebook = NotebookPage(new_page(**settings), jupyter)
        opened.append(notebook)
        notebook.open(name, front)
        return notebook

    yield open_cells
    jupyter.end_kernels()


@pytest.fixture(scope="session")
def farm() -> Iterator[Farm]:
    """Starts real OpenEnv servers."""
    with Farm(new_python()) as farm:
        yield farm


@pytest.fixture
def start_server(farm: Farm) -> Iterator[Callable[..., RealServer]]:
    """Starts real OpenEnv servers that end with the test."""
    started: list[RealServer] = []

    def start(app: str, **options: Any) -> RealServer:
        started.append(farm.start(app, options=options))
        return started[-1]

    yield start
    for server in started:
        server.end()


@pytest.fixture
def open_panel(
    open_notebook: Callable[..., NotebookPage], start_server: Callable[..., RealServer]
) -> Iterator[Callable[..., PanelPage]]:
    """Opens a panel on a real server: ``open_panel("board", [cell, …])``; the further cells stand below it."""

    def open_one(app: str, cells: list[str] | None = None, *, setup: str = "", **settings: Any) -> PanelPage:
        options = settings.pop("options", {})
        server = start_server(app, **options)
        first = f"%load_ext openenv_notebook\nimport openenv_notebook\nenv = openenv_notebook.connect({server.url!r})"
        notebook = open_notebook([f"{first}\n{setup}", "panel = %openenv panel", *(cells or [])], **settings)
        notebook.run(0)
        notebook.run(1)
        assert notebook.printed(0) == ""
        return PanelPage(notebook, notebook.output(1).locator(".openenv-panel"), server)

    yield open_one


_REPORT: pytest.StashKey[pytest.TestReport] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Keep the report of the test itself for its fixtures."""
    report = yield
    if report.when == "call":
        item.stash[_REPORT] = report
    return report


def _file_name(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")
