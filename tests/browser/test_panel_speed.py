"""A long run in the panel: the page and the kernel stay at hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.pace import storm
from support.panel_page import PanelPage

# Counts what changes the line at the bottom: one change a picture.
_WATCH = """root => {
    window.updates = 0;
    const watch = new MutationObserver(() => { window.updates += 1; });
    watch.observe(root.querySelector('.openenv-facts .widget-html-content'), { childList: true, subtree: true });
    window.since = performance.now();
}"""


STEPS = storm(4_000, 10_000)


@pytest.mark.timeout(180)
def test_thousands_of_steps_leave_the_page_at_hand(open_panel: Callable[..., PanelPage]) -> None:
    """Through thousands of steps a cell is at hand, at most 15 pictures a second come, and the last state is shown."""
    cells = [f"panel.play(lambda seen: {{'kind': 'echo'}}, steps={STEPS})\nNone", "print(env.episode.length > 0)"]
    panel = open_panel("plain", cells, setup="env.reset()\nNone")
    panel.root.evaluate(_WATCH)
    panel.notebook.run(2)
    expect(panel.said).to_contain_text("playing")
    took = panel.page.evaluate(
        """async () => { const start = performance.now();
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.deselectAll(); notebook.activeCellIndex = 3;
            await window.jupyterapp.commands.execute('notebook:run-cell');
            return (performance.now() - start) / 1000; }"""
    )
    assert panel.notebook.printed(3) == "True\n"
    expect(panel.said).to_contain_text("playing")
    facts = panel.root.locator(".openenv-facts")
    expect(facts).to_have_text(f"episode 1step {STEPS}return {STEPS}", timeout=150_000)
    updates, seconds = panel.page.evaluate("() => [window.updates, (performance.now() - window.since) / 1000]")
    print(f"a cell took {took:.2f} s, {updates} pictures in {seconds:.1f} s")
    assert updates / seconds <= 15
    assert panel.rows()[0].startswith(f"{STEPS} policy")
    assert len(panel.rows()) == 200
    panel.button("Older").click()
    expect(panel.viewing).to_contain_text(f"page 2 of {STEPS // 200 + 1}")
