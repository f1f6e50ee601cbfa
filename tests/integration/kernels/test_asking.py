"""Asking the person in kernels of all versions: clicks arrive, or it is said at once; a late one is no step."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.comm_front_end import CommFrontEnd
from support.kernels import started_by
from support.other_kernels import python_of
from support.situations import FrontEndKind

from .test_situations import HERE, KINDS

pytestmark = pytest.mark.kernel

_OPEN = """%load_ext openenv_notebook
%openenv demo guess
%openenv reset
panel = %openenv panel
steps = lambda: [step.action for step in env.episode if step.kind == 'step']
None"""

_WAIT = "import asyncio\nwhile not steps():\n    await asyncio.sleep(0.02)\n"
# How long a click is late is told by the test, not by how busy the machine is.
_MEANT = "from openenv_notebook.jupyter.panel import play_control\nplay_control.MEANT_FOR = "


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind.name} on {kind.kernel}")
def front(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[FrontEndKind, CommFrontEnd]]:
    """Each kind of front end, with a panel open."""
    kind: FrontEndKind = request.param
    python = sys.executable if kind.kernel == HERE else str(python_of(kind.kernel))
    with started_by(python, tmp_path, forked=True) as kernel:
        made = CommFrontEnd(kernel, has_subshell=kind.has_subshell, has_cells=kind.has_cells)
        made.run(_OPEN, "open")
        made.wait(lambda: made.has("Step ▸"), "the panel is there")
        yield kind, made


def test_a_click_answers_or_it_is_said_at_once(front: tuple[FrontEndKind, CommFrontEnd]) -> None:
    """R24: Where a click cannot arrive ask() is refused within seconds; else the click is the answer, and no step."""
    kind, made = front
    began = time.monotonic()
    code = "try:\n    said = await panel.ask(timeout=30)\nexcept Exception as error:\n    said = str(error)"
    cell = made.start(code, "ask")
    if kind.is_heard_beside_await:
        made.wait(lambda: made.has("Answer ▸"), "the question is asked")
        made.edit(made.find("guess"), "7")
        made.click(made.find("Answer ▸"))
    made.finish(cell)
    assert time.monotonic() - began < 8
    heard = "said == {'guess': 7}" if kind.is_heard_beside_await else "'only when no cell runs' in said"
    made.run(f"assert {heard}, said\nassert steps() == [], steps()", "look")


def test_a_late_click_is_no_step(front: tuple[FrontEndKind, CommFrontEnd]) -> None:
    """R24: Clicks that arrive when the question is over make no step, the panel says why, and one made later does."""
    kind, made = front
    made.run(f"{_MEANT}60.0")
    code = "try:\n    await panel.ask(timeout=0.5)\nexcept Exception:\n    pass\nimport time\ntime.sleep(1)"
    cell = made.start(code, "ask")
    made.edit(made.find("guess"), "7")
    button = made.find("Answer ▸") if made.has("Answer ▸") else made.find("Step ▸")
    if not kind.is_heard_beside_await:
        for _ in range(3):
            made.click(button)
        made.submit(made.find("guess"))
    made.finish(cell)
    if kind.is_heard_beside_await:
        made.click(button)
    made.wait(lambda: any("no step was made" in said for said in made.said), "it is said that the click was late")
    made.run(f"{_MEANT}0.0\nassert steps() == [], steps()", "look")
    made.click(made.find("Step ▸"))
    made.run(f"{_WAIT}assert steps() == [{{'guess': 7}}], steps()", "look")


def test_the_hint_stands_where_clicks_wait_for_the_cell(front: tuple[FrontEndKind, CommFrontEnd]) -> None:
    """R24: While a policy plays, the panel says that clicks wait for the cell only where the kernel has them wait."""
    kind, made = front
    made.run(
        "import threading\ngate = threading.Event()\n"
        "run = panel.play(lambda seen: gate.wait(30) and {'guess': 7}, steps=1)",
        "play",
    )

    def hinted() -> bool:
        return any("between cells only" in str(state.get("value")) for state in made.models.values())

    waits = not kind.kernel.startswith("7.")
    if waits:
        made.wait(hinted, "the hint is there")
    made.run("None", "another")
    assert hinted() is waits
    made.run("gate.set()\nassert run.wait(10)", "end")
