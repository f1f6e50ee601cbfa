"""How the panel looks and is reached: five environments, their pictures, sizes, order, and axe-core."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect
from support.browsers import SCREENSHOTS
from support.panel_page import PanelPage

Open = Callable[..., PanelPage]

_SHOWN: dict[str, tuple[str, dict[str, str], str]] = {
    "board": ("gallery", {"kind": "four"}, "env.reset(seed=7)\nfor column in (3, 3, 2, 4): env.step(column=column)"),
    "frames": (
        "gallery",
        {"kind": "frames"},
        "env.reset(seed=3)\nfor move in (1, 2, 2, 0, 3, 2, 0, 0, 2, 2, 2, 0, 0): env.step(action_id=move)",
    ),
    "conversation": (
        "gallery",
        {"kind": "talk"},
        "env.reset()\nfor asked in ('Can it fly?', 'Does it live in the sea?'): env.step(message=asked)",
    ),
    "tools": ("toolbox", {}, "env.reset()\nenv.call_tool('add', a=2, b=3)"),
    "form": ("gallery", {"kind": "form"}, "env.reset()\nenv.step(dish='soup', portions=2)"),
}
_THEMES = ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast")
_WIDTH = """(root, width) => root.style.setProperty('width', `${width}px`, 'important')"""
_AXE = """async root => (await axe.run({ include: root }, { resultTypes: ['violations'] }))
    .violations
    .filter(each => ['serious', 'critical'].includes(each.impact))
    .map(each => [each.id, ...each.nodes.map(node => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))])"""
_CUT = """root => [...['select', '.openenv-columns .widget-html-content'].map(what => root.querySelector(
        `.openenv-area-log ${what}`)).map(node => node.scrollWidth - node.clientWidth),
    root.querySelector('.openenv-steps option').getBoundingClientRect().height]"""
_REACHED = """root => [...root.querySelectorAll('button, input, select, textarea, [tabindex="0"]')]
    .filter(node => node.offsetParent && !node.disabled && node.tabIndex >= 0)
    .filter(node => getComputedStyle(node).visibility === 'visible').length"""
_FOCUSED = """root => { const node = document.activeElement;
    if (!root.contains(node)) return null;
    const box = node.getBoundingClientRect();
    return [node.compareDocumentPosition(root) && [...root.querySelectorAll('*')].indexOf(node), box.x, box.y]; }"""


def _open(open_panel: Open, name: str, **settings: Any) -> PanelPage:
    app, options, setup = _SHOWN[name]
    panel = open_panel(app, setup=f"{setup}\nNone", options=options, size=(1320, 1250), **settings)
    expect(panel.said).to_contain_text("Ready")
    return panel


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", _SHOWN)
def test_the_panel_is_seen_whole(open_panel: Open, name: str) -> None:
    """In all themes, at 1100 and 500 px: low enough, Step in sight, nothing cut at its side, and axe is content."""
    panel = _open(open_panel, name)
    panel.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    for theme in _THEMES:
        panel.notebook.use_theme(theme)
        folder = SCREENSHOTS / theme.removeprefix("JupyterLab ").lower().replace(" ", "_")
        folder.mkdir(parents=True, exist_ok=True)
        for width, tallest in ((1100, 640), (500, 1050)):
            panel.root.evaluate(_WIDTH, width)
            panel.root.screenshot(path=folder / f"panel_{name}_{width}.png")
            box, step = panel.root.bounding_box(), panel.step.bounding_box()
            assert box is not None and step is not None
            assert (box["width"], box["height"] <= tallest) == (width, True)
            assert step["y"] + step["height"] <= box["y"] + 640
            assert panel.root.evaluate("node => node.scrollWidth - node.clientWidth") == 0
            # How wide it is changes no colour.
            if width == 500 or theme == _THEMES[0]:
                assert panel.root.evaluate(_AXE) == [], (theme, width)


def test_the_log_shows_whole_rows_and_columns(open_panel: Open) -> None:
    """At every width of the panel, the log's columns end within it and five whole rows are seen."""
    panel = _open(open_panel, "board")
    for width in (1100, 870, 850, 800, 762, 750, 500):
        panel.root.evaluate(_WIDTH, width)
        assert panel.root.evaluate(_CUT) == [0, 0, 19], width


def test_nothing_moves_when_steps_arrive(open_panel: Open) -> None:
    """Every control and area stays where it is through steps, a reset, a policy's run and an error."""
    panel = _open(open_panel, "board")
    before = panel.boxes()
    panel.button("6").click()
    panel.expect_facts(1, "5", "0")
    expect(panel.step).to_be_enabled()
    assert panel.boxes() == before
    panel.move.fill("99")
    panel.move.press("Enter")
    expect(panel.root.get_by_role("alert").first).to_be_visible()
    expect(panel.step).to_be_enabled()
    assert panel.boxes() == before
    panel.box("×").fill("4")
    panel.button("Play").click()
    expect(panel.root.locator(".openenv-facts")).not_to_contain_text("step 6")
    panel.button("Reset").click()
    panel.expect_facts(2, "0", "0")
    expect(panel.step).to_be_enabled()
    assert panel.boxes() == before


def test_tab_walks_in_the_order_of_the_screen(open_panel: Open) -> None:
    """Narrow, Tab goes through every control in the order of the document, which is from the top to the bottom."""
    panel = _open(open_panel, "form")
    panel.root.evaluate(_WIDTH, 500)
    panel.box("seed").focus()
    seen: list[Any] = []
    while (found := panel.root.evaluate(_FOCUSED)) is not None:
        seen.append(found)
        panel.page.keyboard.press("Tab")
        assert len(seen) < 80
    places = [place for place, _, _ in seen]
    assert places == sorted(places)
    assert len(seen) == panel.root.evaluate(_REACHED)
    rows = [round(y / 34) for _, _, y in seen]
    assert all(later >= earlier - 1 for earlier, later in pairwise(rows))
