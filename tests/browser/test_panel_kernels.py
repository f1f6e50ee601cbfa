"""The panel while a cell runs, on the newest ipykernel and on 6.31, 7.0 and 7.3."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.panel_page import PanelPage

Open = Callable[..., PanelPage]

CONCURRENT = ("python3", "ipykernel-7.0", "ipykernel-7.3")
_POLICY = "policy = lambda seen: {'op': 'echo', 'seconds': 0.01}"
_CLICKS = """async (root) => {
    const step = [...root.querySelectorAll('button')].find(node => node.textContent.startsWith('Step'));
    for (let clicks = 0; clicks < 50; ) {
        if (!step.disabled) {
            step.click();
            clicks += 1;
            while (!step.disabled) await new Promise(resolve => requestAnimationFrame(resolve));
        }
        await new Promise(resolve => requestAnimationFrame(resolve));
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
    """50 clicks on Step while a cell makes 50 steps: 100 whole steps, one at a time, recorded in wire order (C02)."""
    busy = "import time\nfor place in range(50):\n    env.step(op='echo', tag=f'cell {place}')\n    time.sleep(0.25)"
    check = """
steps = [step for step in env.episode if step.kind == 'step']
counts = [step.result.observation.count for step in steps]
made = [step.result.observation.tag for step in steps]
print(len(steps), counts == list(range(1, 101)), sum(step.actor == 'person' for step in steps),
      [tag for tag in made if tag] == [f'cell {place}' for place in range(50)],
      all(step.error is None for step in steps))
"""
    panel = open_panel("lab", [busy, check], setup="env.reset()\nNone")
    panel.box("op").fill("click")
    panel.box("op").press("Tab")
    expect(panel.sends).to_have_text("env.step(op='click')")
    panel.notebook.start(2)
    panel.root.evaluate(_CLICKS)
    panel.notebook.wait_ended()
    panel.expect_facts(1, "100", "100")
    panel.notebook.run(3)
    assert panel.notebook.printed(3) == "100 True 50 True True\n"
    assert panel.server is not None
    assert len(panel.server.made) == 100


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
