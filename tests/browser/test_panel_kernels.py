"""The panel while a cell runs, on the newest ipykernel and on 6.31, 7.0 and 7.3."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.pace import storm
from support.panel_page import PanelPage

Open = Callable[..., PanelPage]

CONCURRENT = ("python3", "ipykernel-7.0", "ipykernel-7.3")
_POLICY = "policy = lambda seen: {'op': 'echo', 'seconds': 0.01}"
# Each click waits until Step was pressed and is free again; an observer misses neither, however busy the page.
_CLICKS = """async (root, times) => {
    const step = [...root.querySelectorAll('button')].find(node => node.textContent.startsWith('Step'));
    for (let clicks = 0; clicks < times; clicks += 1) {
        const done = new Promise(resolve => {
            let pressed = false;
            new MutationObserver((_, observer) => {
                pressed ||= step.disabled;
                if (pressed && !step.disabled) { observer.disconnect(); resolve(); }
            }).observe(step, { attributeFilter: ['disabled'] });
        });
        step.click();
        await done;
    }
}"""


@pytest.mark.parametrize("kernel", CONCURRENT)
def test_stop_acts_while_a_cell_is_blocked(open_panel: Open, kernel: str) -> None:
    """A click on Stop ends a policy while a cell is in time.sleep, long before that ends."""
    cells = ["panel.play(policy)\nNone", "import time\ntime.sleep(20)"]
    panel = open_panel("lab", cells, setup=_POLICY, kernel=kernel)
    panel.notebook.run(2)
    panel.notebook.start(3)
    panel.notebook.wait_busy()
    expect(panel.said).to_contain_text("playing")
    panel.button("Stop").click()
    expect(panel.said).to_contain_text("stopped")
    assert not panel.notebook.has_ended()


def test_an_old_kernel_says_that_clicks_wait(open_panel: Open) -> None:
    """On ipykernel 6.31 the panel says while it plays that Stop waits for the cell and names ■; ask is refused."""
    ask = "try:\n    await panel.ask()\nexcept Exception as error:\n    print(type(error).__name__, error)"
    panel = open_panel("lab", ["panel.play(policy)\nNone", ask], setup=_POLICY, kernel="ipykernel-6.31")
    panel.notebook.run(2)
    expect(panel.root.locator(".openenv-remark")).to_contain_text("Stop waits for it; ■ ends the cell first")
    expect(panel.root.locator(".openenv-remark")).to_be_in_viewport()
    panel.button("Stop").click()
    expect(panel.said).to_contain_text("stopped")
    panel.notebook.run(3)
    said = panel.notebook.printed(3)
    assert said.startswith("NotSupportedHere ipykernel 6.31")
    assert "update ipykernel" in said and "panel.play(policy)" in said


@pytest.mark.timeout(120)
def test_clicks_and_a_busy_cell_share_a_session(open_panel: Open) -> None:
    """Clicks on Step while a cell makes as many: all are whole steps, one at a time, recorded in wire order (C02)."""
    times = storm(20, 50)
    loop = f"import time\nfor place in range({times}):\n    "
    busy = loop + "env.step(op='echo', tag='cell %d' % place); time.sleep(0.25)"
    check = f"""
steps = [step for step in env.episode if step.kind == 'step']
counts = [step.result.observation.count for step in steps]
made = [step.result.observation.tag for step in steps]
print(len(steps), counts == list(range(1, {2 * times + 1})), sum(step.actor == 'person' for step in steps),
      [tag for tag in made if tag] == ['cell %d' % place for place in range({times})],
      all(step.error is None for step in steps))
"""
    panel = open_panel("lab", [busy, check], setup="env.reset()\nNone")
    panel.box("op").fill("click")
    panel.box("op").press("Tab")
    expect(panel.sends).to_have_text("env.step(op='click')")
    panel.notebook.start(2)
    panel.root.evaluate(_CLICKS, times)
    panel.notebook.wait_ended()
    panel.expect_facts(1, f"{2 * times}", f"{2 * times}")
    panel.notebook.run(3)
    assert panel.notebook.printed(3) == f"{2 * times} True {times} True True\n"
    assert panel.server is not None
    assert len(panel.server.made) == 2 * times


@pytest.mark.parametrize("kernel", CONCURRENT)
def test_a_click_answers_a_question(open_panel: Open, kernel: str) -> None:
    """``await panel.ask()`` in a cell gets the action that is clicked, and no step is made by it (C04)."""
    panel = open_panel(
        "gallery",
        ["print(await panel.ask(timeout=30))"],
        setup="env.reset()\nNone",
        options={"kind": "four"},
        kernel=kernel,
    )
    panel.notebook.start(2)
    expect(panel.said).to_have_text("Your move: choose an action, then Answer")
    panel.button("5").click()
    panel.notebook.wait_ended()
    assert panel.notebook.printed(2) == "{'column': 5}\n"
    panel.expect_facts(1, "0", "0")
    expect(panel.root.get_by_role("button", name=re.compile("^Step"))).to_be_enabled()
