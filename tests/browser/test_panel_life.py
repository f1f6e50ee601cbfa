"""How long a panel lives: reloads, a second tab, a restarted kernel, a saved and exported notebook."""

from __future__ import annotations

from collections.abc import Callable

from nbconvert import HTMLExporter
from playwright.sync_api import expect
from support.jupyter_server import JupyterServer
from support.notebook_page import NotebookPage
from support.panel_page import PanelPage

Open = Callable[..., PanelPage]
_SETUP = "env.reset()\nenv.step(column=1)\nNone"
_SAVE = "async () => { await window.jupyterapp.commands.execute('docmanager:save'); }"


def _open_four(open_panel: Open, *cells: str) -> PanelPage:
    return open_panel("gallery", list(cells), setup=_SETUP, options={"kind": "four"})


def _reload(panel: PanelPage) -> None:
    """Load the page anew, as a person does; again where JupyterLab looked for widgets before it had the kernel's."""
    lost = panel.page.get_by_text("model not found")
    for _ in range(3):
        panel.notebook.open(panel.notebook.name)
        expect(panel.root.or_(lost).first).to_be_visible(timeout=20_000)
        if not lost.count():
            return


def test_reload_and_a_second_tab(open_panel: Open, jupyter: JupyterServer) -> None:
    """After a reload the panel is alive, in a second tab it shows the same, and each sees the other's step."""
    panel = _open_four(open_panel)
    panel.expect_facts(1, "1", "0")
    panel.page.evaluate(_SAVE)
    _reload(panel)
    panel.expect_facts(1, "1", "0")
    panel.button("3").click()
    panel.expect_facts(1, "2", "0")
    second = NotebookPage(panel.page.context.new_page(), jupyter, panel.notebook.wire)
    second.open(panel.notebook.name)
    other = PanelPage(second, second.output(1).locator(".openenv-panel"))
    other.expect_facts(1, "2", "0")
    other.button("4").click()
    for each in (other, panel):
        each.expect_facts(1, "3", "0")
    assert other.rows() == panel.rows()
    assert len(panel.rows()) == 4
    second.page.close()


def test_a_restarted_kernel_gets_a_fresh_panel(open_panel: Open) -> None:
    """After a restart the same cells give a panel that works, and nothing of the old one is used (C15)."""
    panel = _open_four(open_panel)
    panel.button("3").click()
    panel.expect_facts(1, "2", "0")
    panel.notebook.restart()
    for place in (0, 1):
        panel.notebook.run(place)
    panel.expect_facts(1, "1", "0")
    expect(panel.root).to_have_count(1)
    panel.button("3").click()
    panel.expect_facts(1, "2", "0")


def test_a_saved_notebook_shows_the_episode(open_panel: Open, jupyter: JupyterServer) -> None:
    """Saved and exported, also sanitised, it shows the last observation and the steps, and no error (C12, C14)."""
    panel = _open_four(open_panel, "env.step(column=2)\nNone")
    panel.notebook.run(2)
    panel.expect_facts(1, "2", "0")
    expect(panel.page.locator(".openenv-still:visible")).to_have_count(0)
    panel.page.evaluate(_SAVE)
    path = jupyter.root / panel.notebook.name
    for sanitised in (False, True):
        exported, _ = HTMLExporter(sanitize_html=sanitised).from_filename(str(path))
        page = panel.page.context.new_page()
        page.route("**/*", lambda route: route.abort())
        page.set_content(exported, wait_until="domcontentloaded")
        text = page.locator("body").inner_text()
        assert "four in a row" in text
        assert "column=2" in text
        assert "Error displaying widget" not in text
        assert page.locator("td").count() > 42
        page.close()
