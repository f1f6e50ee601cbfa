"""A short notebook in any kernel: from loading the extension to a click in the panel."""

from __future__ import annotations

from support.kernels import Kernel

# Clicks the panel's Reset, and waits for the episode that it begins.
CLICK = """
import threading
def within(widget):
    return [widget, *(inner for child in getattr(widget, "children", ()) for inner in within(child))]
buttons = {getattr(one, "description", ""): one for one in within(panel.widget) if hasattr(one, "click")}
assert {"Step ▸", "Reset"} <= set(buttons), sorted(buttons)
begun = threading.Event()
env.subscribe(lambda event: len(env.episodes) == 2 and begun.set())
buttons["Reset"].click()
begun.wait(10)
print(len(env.episodes))
"""
VIEW = "application/vnd.jupyter.widget-view+json"


def play(kernel: Kernel) -> None:
    """Go from loading the extension to a panel."""
    kernel.ok("%load_ext openenv_notebook")
    assert "openenv: env → grid, http://127.0.0.1:" in kernel.ok("%openenv demo grid").stdout
    kernel.ok("env.reset(seed=7)")
    assert kernel.ok("print(env.step('right').reward, env.episode.length)").stdout == "-0.1 1\n"
    assert kernel.ok("print((await env.async_client.step('right')).reward)").stdout == "-0.1\n"
    kernel.ok("%openenv render")
    assert any(VIEW in display for display in kernel.ok("panel = %openenv panel").displays)
    assert kernel.ok(CLICK).stdout == "2\n"
    assert "openenv: env is closed" in kernel.ok("%openenv close").stdout
