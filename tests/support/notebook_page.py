"""One open notebook in JupyterLab or Notebook 7, driven through the application's own objects."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

from support.jupyter_server import JupyterServer
from support.slow_wire import SlowWire

_CURRENT = "window.jupyterapp.shell.currentWidget"
_READY = f"""name => {{
    const w = {_CURRENT};
    return w && w.content && w.content.widgets && w.context.isReady && w.context.path === name;
}}"""
_IDLE = f"() => {_CURRENT}.sessionContext.session?.kernel?.status === 'idle'"
_BUSY = f"() => {_CURRENT}.sessionContext.session?.kernel?.status === 'busy'"
_RESTART = f"async () => {{ await {_CURRENT}.sessionContext.session.kernel.restart(); }}"
RESTORED = "() => window.jupyterapp?.restored.then(() => true)"
_THEME = "JupyterLab Light"
CLOSE = """() => {
    for (const each of [...window.jupyterapp.shell.widgets('main')]) each.dispose();
    window.jupyterapp.shell.collapseLeft();
}"""
_RUN = f"""async (place) => {{
    const notebook = {_CURRENT}.content;
    notebook.deselectAll();
    notebook.activeCellIndex = place;
    await window.jupyterapp.commands.execute('notebook:run-cell');
}}"""


class NotebookPage:
    """A page with a notebook.

    Args:
        page: The page.
        server: The server of the notebook.
        wire: The way to the server, which delays the messages of its kernel; None for the straight one.
    """

    def __init__(self, page: Page, server: JupyterServer, wire: SlowWire | None = None) -> None:
        self.page = page
        self._wire = wire
        self.name = ""
        self._server = server

    @property
    def wire(self) -> SlowWire:
        """What delays the messages of its kernel."""
        assert self._wire is not None, "open it with a wire"
        return self._wire

    def open(self, name: str, front: str = "lab/tree") -> None:
        """Open a notebook; returns when its kernel is idle.

        Args:
            name: Its file.
            front: "lab/tree" for JupyterLab, "notebooks" for Notebook 7.
        """
        self.name = name
        self.page.goto(
            f"{(self._wire or self._server).url}/{front}/{name}?token={self._server.token}&reset",
            wait_until="domcontentloaded",
            timeout=60_000,
        )
        self.wait_ready()

    def open_here(self, name: str) -> None:
        """Open a notebook in a page that shows JupyterLab already; returns when its kernel is idle."""
        self.name = name
        self.page.evaluate(
            "async path => { await window.jupyterapp.commands.execute('docmanager:open', { path }); }", name
        )
        self.wait_ready()

    def close_all(self) -> None:
        """Close whatever is open in JupyterLab, asking nobody, also the list of files, and take its first theme."""
        self.page.evaluate(CLOSE)
        if self.page.evaluate("() => document.body.dataset.jpThemeName") != _THEME:
            self.use_theme(_THEME)

    def wait_ready(self) -> None:
        """Wait until the page shows its notebook, and the kernel is idle."""
        # The page may be loaded twice; a function that is waited for survives that.
        self.page.wait_for_function(RESTORED, timeout=60_000)
        self.page.wait_for_function(_READY, arg=self.name, timeout=60_000)
        self.page.wait_for_function(_IDLE, timeout=60_000)

    def run(self, place: int) -> None:
        """Run a cell; returns when it has ended."""
        self.page.evaluate(_RUN, place)

    def start(self, place: int) -> None:
        """Run a cell, and do not wait for its end."""
        self.page.evaluate(
            f"""(place) => {{
                window.hasEnded = false;
                window.running = ({_RUN})(place).then(() => {{ window.hasEnded = true; }});
            }}""",
            place,
        )

    def wait_busy(self) -> None:
        """Wait until the kernel runs a cell."""
        self.page.wait_for_function(_BUSY)

    def has_ended(self) -> bool:
        """True when the cell that was started has ended."""
        return bool(self.page.evaluate("() => window.hasEnded"))

    def restart(self) -> None:
        """Restart the kernel, as its menu does; returns when it is idle."""
        self.page.evaluate(_RESTART)
        self.wait_ready()

    def wait_ended(self) -> None:
        """Wait until the cell that was started has ended."""
        self.page.evaluate("async () => { await window.running; }")

    def printed(self, place: int) -> str:
        """What a cell has printed."""
        return "".join("".join(each["text"]) for each in self.outputs(place) if each["output_type"] == "stream")

    def outputs(self, place: int) -> list[dict[str, Any]]:
        """The outputs of a cell, as the notebook keeps them."""
        cells = self.page.evaluate(f"() => {_CURRENT}.content.model.toJSON()")["cells"]
        found: list[dict[str, Any]] = cells[place].get("outputs", [])
        return found

    def output(self, place: int) -> Locator:
        """The part of the page where a cell's output is."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(place).locator(".jp-OutputArea").first

    def use_theme(self, name: str) -> None:
        """Change the theme: ``JupyterLab Dark``."""
        self.page.evaluate(
            "async (theme) => { await window.jupyterapp.commands.execute('apputils:change-theme', { theme }); }", name
        )
        # A splash fades out over the page meanwhile.
        self.page.wait_for_function(
            "(theme) => document.body.dataset.jpThemeName === theme && !document.getElementById('jupyterlab-splash')",
            arg=name,
        )
