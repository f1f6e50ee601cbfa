"""One JupyterLab server and one Chromium for all; a page, a kernel and a notebook for each test.

Run it in a process of its own: Playwright keeps a loop running, and no asyncio test can
run beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from support.browsers import INSTALL, SCREENSHOTS, find_chromium
from support.jupyter_server import JupyterServer
from support.notebook_page import CLOSE, RESTORED, NotebookPage
from support.nursery import provisioned
from support.other_kernels import OTHER_KERNELS, python_of
from support.panel_page import PanelPage
from support.real_servers import Farm, RealServer, new_python
from support.slow_wire import SlowWire

# A busy machine takes its time; what is waited for is the condition.
expect.set_options(timeout=20_000)
_VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
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
    server = JupyterServer(tmp_path_factory.mktemp("jupyter"))
    # A page that is open hears of no other kernels.
    for kernel in OTHER_KERNELS:
        server.add_kernel(kernel, python_of(kernel), **provisioned("nursery"))
    yield server.start()
    server.stop()


@pytest.fixture
def new_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens pages, each in a context of its own; a failed test leaves pictures of them."""
    contexts: list[BrowserContext] = []

    def open_page(**settings: Any) -> Page:
        context = chromium.new_context(**{"viewport": _VIEWPORT, **settings})
        context.set_default_timeout(20_000)
        contexts.append(context)
        return context.new_page()

    yield open_page
    report = request.node.stash.get(_REPORT, None)
    pages = [page for context in contexts for page in context.pages]
    if report is not None and report.failed:
        for place, page in enumerate(pages):
            _picture(page, request.node.name, place)
    for context in contexts:
        context.close()


class SharedLab:
    """One page of JupyterLab for test after test: loading it takes longer than most of what is done in it.

    Args:
        chromium: The browser.
        url: Where the page finds its server.
        token: The server's.
    """

    def __init__(self, chromium: Browser, url: str, token: str) -> None:
        self._chromium, self._address = chromium, f"{url}/lab?token={token}&reset"
        self._context: BrowserContext | None = None
        self._page: Page | None = None

    def page(self) -> Page:
        """The page, with nothing open, not even the list of files."""
        if self._page is None:
            self._context = self._chromium.new_context(viewport=_VIEWPORT)
            self._context.set_default_timeout(20_000)
            self._page = self._context.new_page()
            self._page.goto(self._address, wait_until="domcontentloaded", timeout=60_000)
            self._page.wait_for_function(RESTORED, timeout=60_000)
            self._page.evaluate(CLOSE)
        return self._page

    def drop(self) -> None:
        """Close it: the next test gets a new one."""
        if self._context is not None:
            self._context.close()
        self._context = self._page = None


@pytest.fixture(scope="session")
def slow_wire(jupyter: JupyterServer) -> Iterator[SlowWire]:
    """The way to the server, which can delay the messages of kernels."""
    with SlowWire(jupyter.url) as wire:
        yield wire


@pytest.fixture(scope="session")
def shared_lab(chromium: Browser, jupyter: JupyterServer, slow_wire: SlowWire) -> Iterator[SharedLab]:
    """The page that tests share."""
    shared = SharedLab(chromium, slow_wire.url, jupyter.token)
    yield shared
    shared.drop()


@pytest.fixture
def open_notebook(
    new_page: Callable[..., Page], jupyter: JupyterServer, slow_wire: SlowWire, request: pytest.FixtureRequest
) -> Iterator[Callable[..., NotebookPage]]:
    """Opens a notebook in JupyterLab, of code cells or by the name of a file, with a kernel of its own.

    It stands in the page that all tests share, unless a test wants its page of another front end, or with settings
    of its own; ``size`` is that of the page, in pixels.

    Its kernel's messages take ``delay_ms`` each way; ``notebook.wire`` chooses it anew.
    """
    used: list[SharedLab] = []
    opened: list[NotebookPage] = []

    def open_cells(
        cells: list[str] | str,
        *,
        kernel: str = "python3",
        front: str = "lab/tree",
        delay_ms: float = 0.0,
        size: tuple[int, int] | None = None,
        **settings: Any,
    ) -> NotebookPage:
        # A session is known by its file's name: the same name would get the kernel of the last test.
        name = cells if isinstance(cells, str) else f"{_file_name(request.node.name)}_{len(opened)}.ipynb"
        if not isinstance(cells, str):
            jupyter.write_notebook(name, cells, kernel)
        slow_wire.delay(delay_ms)
        if settings or opened or front != "lab/tree":
            notebook = NotebookPage(new_page(**settings), jupyter, slow_wire)
            notebook.open(name, front)
        else:
            used.append(request.getfixturevalue("shared_lab"))
            notebook = NotebookPage(used[0].page(), jupyter, slow_wire)
            if size is not None:
                notebook.page.set_viewport_size({"width": size[0], "height": size[1]})
            notebook.open_here(name)
        opened.append(notebook)
        return notebook

    yield open_cells
    report = request.node.stash.get(_REPORT, None)
    for lab in used:
        if report is None or report.failed:
            _picture(lab.page(), request.node.name, "shared")
            lab.drop()
        else:
            opened[0].close_all()
            lab.page().set_viewport_size(_VIEWPORT)
    jupyter.end_kernels()


@pytest.fixture(scope="session")
def farm() -> Farm:
    """Starts real OpenEnv servers."""
    return Farm(new_python())


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


def _picture(page: Page, test: str, place: object) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"failed_{_file_name(test)}_{place}.png")


def _file_name(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")
