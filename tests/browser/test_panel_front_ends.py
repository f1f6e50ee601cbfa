"""The panel in Notebook 7 and in Voila."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect
from support.jupyter_server import JupyterServer
from support.notebook_page import NotebookPage
from support.panel_page import PanelPage
from support.real_servers import RealServer


def test_notebook_7_shows_the_panel(open_panel: Callable[..., PanelPage]) -> None:
    """The panel stands in Notebook 7 with its looks, and a click steps."""
    panel = open_panel("gallery", setup="env.reset()\nNone", options={"kind": "four"}, front="notebooks")
    expect(panel.said).to_contain_text("Ready")
    panel.button("2").click()
    panel.expect_facts(1, "1", "0")
    box = panel.root.bounding_box()
    assert box is not None and box["height"] <= 640


def test_voila_shows_the_panel(
    new_page: Callable[..., Page], jupyter: JupyterServer, start_server: Callable[..., RealServer]
) -> None:
    """The panel stands in a Voila page, where no cell can be run by a person, and a click steps."""
    server = start_server("gallery", kind="four")
    cell = f"%load_ext openenv_notebook\nimport openenv_notebook\nenv = openenv_notebook.connect({server.url!r})"
    jupyter.write_notebook("voila.ipynb", [cell, "env.reset()\nNone", "panel = %openenv panel"])
    page = new_page()
    page.goto(f"{jupyter.url}/voila/render/voila.ipynb?token={jupyter.token}", wait_until="domcontentloaded")
    root = page.locator(".openenv-panel")
    expect(root).to_be_visible(timeout=30_000)
    panel = PanelPage(NotebookPage(page, jupyter), root, server)
    panel.button("2").click()
    panel.expect_facts(1, "1", "0")
    expect(page.locator(".openenv-still:visible")).to_have_count(0)
    jupyter.end_kernels()
