"""%openenv render typed into a real kernel, and a panel's renderers from its cells."""

from __future__ import annotations

import pytest
from support.kernels import Kernel

pytestmark = [pytest.mark.kernel]


def test_the_last_observation_is_shown_in_a_cell(kernel: Kernel) -> None:
    """E03: after reset and a step the cell's value is the environment's picture and board; a function draws instead."""
    kernel.ok("%load_ext openenv_notebook\n%openenv demo grid\n%openenv reset seed=3 size=4")
    assert (kernel.ok("%openenv render").result or "").startswith("picture ")
    kernel.ok("%openenv step right")
    shown = kernel.ok("%openenv render").result or ""
    first, *lines = shown.splitlines()
    assert "changed: " in first
    assert any("[@]" in line for line in lines), shown
    drawn = kernel.ok("def draw(seen):\n    return f'{seen.steps_left} left'\n%openenv render --with draw")
    assert (drawn.result or "").endswith("\n15 left")
    assert "grid is drawn by draw" in drawn.stdout
    kernel.ok("from openenv_notebook.jupyter import unregister_renderer\nassert unregister_renderer('grid')")
    assert (kernel.ok("%openenv render").result or "").startswith("picture ")
    assert kernel.ok("len(env.episode)").result == "2"
    kernel.ok("%openenv close all")
