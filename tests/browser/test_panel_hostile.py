"""A server whose every word is hostile, in the panel: nothing runs, nothing breaks out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from support import hostile
from support.panel_page import PanelPage

_TOUCH = """root => { for (const node of root.querySelectorAll('*'))
    for (const kind of ['mouseover', 'mouseenter', 'focus', 'toggle', 'error', 'load'])
        node.dispatchEvent(new Event(kind)); }"""
_FOREIGN = "script, iframe, a, form, link, math, base, meta, h1, object, embed, animate, [onerror], [onload], [onfocus]"


def _check(panel: PanelPage, happened: list[str]) -> None:
    panel.root.evaluate(_TOUCH)
    assert panel.page.evaluate("() => window.pwned") is None
    assert panel.page.locator("#escaped").count() == 0
    assert panel.root.locator(_FOREIGN).count() == 0
    # Ours: the panel's own style sheet.
    assert panel.root.locator("style").count() == 1
    assert happened == []
    width, room = panel.root.evaluate("node => [node.scrollWidth, node.clientWidth]")
    assert width <= room
    box = panel.root.bounding_box()
    assert box is not None and box["height"] <= 700


@pytest.mark.timeout(120)
def test_a_hostile_server_runs_nothing(open_panel: Callable[..., PanelPage]) -> None:
    """Name, schema, legal moves, observation, state and errors are words, and stay in their place."""
    panel = open_panel("hostile_words", ["panel.form.reveal_errors()"])
    happened = _watch(panel)
    expect(panel.root.locator(".openenv-name")).to_contain_text("<h1 id=escaped>out</h1>")
    panel.reset()
    _check(panel, happened)
    panel.root.locator(".openenv-moves button:visible").first.click()
    panel.expect_facts(1, "1", "0")
    panel.move.fill("raise")
    panel.move.press("Enter")
    expect(panel.root.get_by_role("alert").first).to_contain_text("window.pwned")
    _check(panel, happened)
    panel.notebook.run(2)
    panel.root.locator(".openenv-form-more").click()
    for name in ("State", "Python"):
        panel.button(name).click()
        expect(panel.root.locator(".openenv-code textarea")).to_be_visible()
        _check(panel, happened)
    panel.observation.get_by_role("button", name="Raw").click()
    expect(panel.observation.locator("pre").first).to_contain_text("window.pwned")
    _check(panel, happened)


def test_hostile_tools_run_nothing(open_panel: Callable[..., PanelPage]) -> None:
    """Names, descriptions, results and errors of tools are words."""
    panel = open_panel("hostile_words", options={"kind": "tools"})
    happened = _watch(panel)
    panel.reset()
    tools = panel.root.locator(".openenv-tool select")
    assert hostile.TEXTS[0][:30] in tools.inner_text().replace("\xa0", " ")
    for place in range(2):
        tools.select_option(index=place)
        expect(panel.step).to_be_enabled()
        panel.step.click()
        expect(panel.list.locator("option")).to_have_count(place + 2)
        expect(panel.step).to_be_enabled()
        _check(panel, happened)
    expect(panel.said).to_contain_text("window.pwned")


def _watch(panel: PanelPage) -> list[str]:
    happened: list[str] = []

    def dialog(shown: Any) -> None:
        happened.append(shown.message)
        shown.dismiss()

    panel.page.on("dialog", dialog)
    panel.page.on("pageerror", lambda error: happened.append(str(error)))
    panel.page.on("popup", lambda popup: happened.append(popup.url))
    return happened
