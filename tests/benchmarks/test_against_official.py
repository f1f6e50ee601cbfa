"""Our blocking client beside the official `.sync()`, on the same real server; run by `make bench`.

Client and server share one core, so that waking another core is not what is measured. Rounds
are interleaved, and a figure is the median of the ratios of the rounds: never microseconds.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from openenv.core import GenericEnvClient as OfficialEnvClient
from support.real_servers import Farm, RealServer

from openenv_notebook import connect

ROUNDS = 15
CASES = {
    "echo": ({"kind": "echo"}, 300),
    "100 kB base64": ({"kind": "base64", "size": 100_000}, 40),
    "1 MB base64": ({"kind": "base64", "size": 1_000_000}, 6),
    "100 kB floats": ({"kind": "floats", "size": 100_000}, 30),
    "1 MB floats": ({"kind": "floats", "size": 1_000_000}, 4),
}
# uvloop is what the fast extra brings and what `make bench` measures by; asyncio is shown beside it.
AT_LEAST = {"uvloop": {"echo": 1.5, "100 kB base64": 5.0}, "asyncio": {"echo": 1.2, "100 kB base64": 4.0}}

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def server() -> Iterator[RealServer]:
    """A server on the core of this process."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if cores:
        os.sched_setaffinity(0, {max(cores)})
    try:
        with Farm(sys.executable) as farm, farm.server("plain", loop="auto") as started:
            yield started
    finally:
        if cores:
            os.sched_setaffinity(0, cores)


def seconds(step: Callable[[Any], Any], action: dict[str, Any], number: int) -> float:
    """Measure one step, on the average of a number of them."""
    started = time.perf_counter()
    for _ in range(number):
        step(action)
    return (time.perf_counter() - started) / number


def compare(official: Callable[[Any], Any], ours: Callable[[Any], Any], case: str) -> tuple[float, float, float]:
    """Take turns; return seconds a step of each, and the median of the rounds' ratios."""
    action, number = CASES[case]
    rounds = []
    for turn in range(ROUNDS + 1):
        pair = {}
        for step in (official, ours) if turn % 2 else (ours, official):
            pair[step] = seconds(step, action, number)
        rounds.append((pair[official], pair[ours]))
    theirs, mine = zip(*rounds[1:], strict=True)
    ratio = statistics.median(a / b for a, b in rounds[1:])
    return statistics.median(theirs), statistics.median(mine), ratio


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_steps(
    server: RealServer, loop: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A step is at least 1.5 times as fast as the official blocking client's, and 5 times with 100 kB of base64."""
    monkeypatch.setenv("OPENENV_NOTEBOOK_LOOP", loop)
    ratios = {}
    lines = [f"\n{'step':<16}{'official .sync()':>18}{f'ours ({loop})':>18}{'ratio':>8}"]
    with OfficialEnvClient(base_url=server.url).sync() as official, connect(server.url) as ours:
        official.reset()
        ours.reset()
        for case in CASES:
            theirs, mine, ratios[case] = compare(official.step, ours.step, case)
            lines.append(f"{case:<16}{theirs * 1e6:>15.0f} us{mine * 1e6:>15.0f} us{ratios[case]:>7.2f}x")
    with capsys.disabled():
        print("\n".join(lines))
    for case, least in AT_LEAST[loop].items():
        assert ratios[case] >= least, f"{case}: {ratios[case]:.2f}x, not {least}x"
