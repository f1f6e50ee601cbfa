"""What showing costs late in an episode beside early in it, in one run; `make bench` writes it into the page on speed.

Nothing is asked over the network: the far end is scripted. Rounds are interleaved, as with the official client.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stdout
from typing import Any

import pytest
from support.entries import entry
from support.rounds import Measure, compare
from support.speed_page import SHOWN
from support.wire import FarEnd, result_frame, scripted

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.panel import Panel, history
from openenv_notebook.jupyter.show.any_value import to_html

Env = SyncEnvClient[Any, Any, Any]
EARLY, LATE = 100, 10_000
# A page of the history has 200 steps: the full one beside the half one.
AT_MOST = {"panel": 2.5, "history": 2.5, "record": 1.5, "card": 1.5, "client": 1.5}

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]


@pytest.fixture
def panels(capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[Panel, Panel]]:
    """Panels of an early and of a late episode; what a step costs once is paid."""
    with ExitStack() as stack:
        made = []
        for entries in (EARLY, LATE):
            env: Env = scripted(GenericEnvClient("scripted.test:80"), FarEnd()).sync()
            stack.callback(env.close)
            env.known.name = "scripted"
            env.reset()
            record = conversation_of(env).session.record
            for number in range(entries - 1):
                step = entry("step", {"column": number % 7}, result_frame({"board": [0, 1, 2], "go": "on"}, 1.0))
                assert step.result and step.action
                record.append(step)
            made.append(Panel(env))
            stack.callback(made[-1].close)
        yield made[0], made[1]


def redraw(panel: Panel) -> None:
    """Have a panel brought to where its session stands, and its picture made for the saved notebook."""
    panel.render(None)
    with redirect_stdout(io.StringIO()):
        panel.display()


WORKS: dict[str, tuple[Callable[[Panel], object], int]] = {
    "panel": (redraw, 3),
    "history": (lambda panel: list(map(history.row, history.entries(panel.client.episodes))), 10),
    "record": (lambda panel: repr(panel.client.episode), 300),
    "card": (lambda panel: to_html(panel.client.episode), 30),
    "client": (lambda panel: repr(panel.client), 300),
}


def repeated(work: Callable[[Panel], object], panel: Panel) -> Measure:
    """Measure showing one panel's episode."""

    def measure(number: int) -> float:
        started = time.perf_counter()
        for _ in range(number):
            work(panel)
        return (time.perf_counter() - started) / number

    return measure


def test_showing_late_costs_what_it_costs_early(
    panels: tuple[Panel, Panel], shown: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    """R36: showing an episode of 10,000 steps costs about what showing one of 100 does, a hundredth of it."""
    assert set(WORKS) == set(SHOWN)
    early, late = panels
    for case, (work, number) in WORKS.items():
        outcome = compare(repeated(work, late), repeated(work, early), number)
        shown[case] = outcome.ratio
        line = f"{case:<8} late {outcome.first * 1e6:>8.0f} us, early {outcome.second * 1e6:>8.0f} us"
        with capsys.disabled():
            print(f"\n{line}: {outcome.ratio:.2f} x", end="")
    assert {case: ratio for case, ratio in shown.items() if ratio > AT_MOST[case]} == {}
