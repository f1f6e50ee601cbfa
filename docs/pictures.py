"""Make the README's pictures: a real panel in JupyterLab, light and dark, as a person sees it.

::

    make pictures

A real server, a real kernel and a real Chromium; the result is written to ``docs/_static/``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from playwright.sync_api import Browser, Page, expect, sync_playwright
from support.browsers import INSTALL, find_chromium
from support.jupyter_server import JupyterServer
from support.notebook_page import NotebookPage

CELLS = ['%load_ext openenv_notebook\n%openenv demo grid\nenv.reset(seed=7)\nenv.step("right")\n%openenv panel']
MOVES = ["right", "down", "down", "left", "down", "down", "right"]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
LARGEST = 150_000
# Around the cells, in pixels.
MARGIN = 8


def take(browser: Browser, server: JupyterServer, name: str, dark: bool) -> Path:
    """Take one picture.

    Args:
        browser: The browser.
        server: The notebook server.
        name: The notebook's file.
        dark: True for the dark theme.

    Returns:
        The file.
    """
    target = ROOT / "docs" / "_static" / f"panel-{'dark' if dark else 'light'}.png"
    context = browser.new_context(viewport={"width": 1040, "height": 1100}, device_scale_factor=1.35)
    context.set_default_timeout(60_000)
    page = context.new_page()
    server.write_notebook(name, CELLS)
    notebook = NotebookPage(page, server)
    notebook.open(name, "notebooks")
    if dark:
        notebook.use_theme("JupyterLab Dark")
    for place in range(len(CELLS)):
        notebook.run(place)
    play(page)
    # Neither the pointer nor the tools of the cell are part of the picture.
    page.mouse.move(0, 0)
    page.add_style_tag(content=".jp-cell-toolbar, .jp-Collapser { visibility: hidden }")
    page.wait_for_timeout(1500)
    first = page.locator(".jp-Notebook .jp-Cell").first.bounding_box()
    panel = page.locator(".openenv-panel").first.bounding_box()
    assert first is not None and panel is not None
    top = first["y"] - MARGIN
    area = {
        "x": first["x"] - MARGIN,
        "y": top,
        "width": first["width"] + 2 * MARGIN,
        "height": panel["y"] + panel["height"] - top + MARGIN,
    }
    page.screenshot(path=target, clip=area)
    context.close()
    return target


def play(page: Page) -> None:
    """Play a few moves by the buttons of the panel."""
    panel = page.locator(".openenv-panel").first
    for place, move in enumerate(MOVES):
        button = panel.get_by_role("button", name=move, exact=True)
        expect(button).to_be_enabled()
        button.click()
        # One step was made in a cell. The buttons are the next moves only when the step is seen.
        expect(panel.locator(".openenv-facts")).to_contain_text(f"step {place + 2}")
        expect(panel.locator(".openenv-said")).to_contain_text("Ready")


def main() -> int:
    """Take both pictures.

    Returns:
        0, or 1 where there is no browser or a picture is too large.
    """
    chromium = find_chromium()
    if chromium is None:
        print(INSTALL, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = JupyterServer(Path(folder)).start()
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
            made = [take(browser, server, f"picture_{dark}.ipynb", dark) for dark in (False, True)]
            browser.close()
        finally:
            server.stop()
    for picture in made:
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1000} kB")
    return int(any(picture.stat().st_size > LARGEST for picture in made))


if __name__ == "__main__":
    sys.exit(main())
