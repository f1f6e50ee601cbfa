"""Our client beside the official one, on the same real server; run by `make bench`, which writes the page on speed.

Client and server share one core, so that waking another core is not what is measured. Rounds
are interleaved, and a figure is the median of the ratios of the rounds: never microseconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from openenv.core import GenericEnvClient as OfficialEnvClient
from support.real_servers import RealServer
from support.rounds import Measure, Outcome, compare
from support.speed_page import LOOPS

from openenv_notebook import connect, step_all

ECHO = {"kind": "echo"}
STEPS = {
    "echo": (ECHO, 150),
    "base64 100 kB": ({"kind": "base64", "size": 100_000}, 20),
    "base64 1 MB": ({"kind": "base64", "size": 1_000_000}, 3),
    "floats 100 kB": ({"kind": "floats", "size": 100_000}, 15),
    "floats 1 MB": ({"kind": "floats", "size": 1_000_000}, 2),
}
SESSIONS = 64
# uvloop is what the fast extra brings and what `make bench` measures by; asyncio is shown beside it.
AT_LEAST = {"uvloop": {"echo": 1.5, "base64 100 kB": 5.0}, "asyncio": {"echo": 1.2, "base64 100 kB": 4.0}}

Ratios = dict[str, dict[str, float]]
Say = Callable[[str, Outcome], None]

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(900), pytest.mark.parametrize("loop", LOOPS)]


@pytest.fixture(autouse=True)
def on_loop(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours runs on this loop; the official client chooses its own."""
    monkeypatch.setenv("OPENENV_NOTEBOOK_LOOP", loop)


@pytest.fixture
def note(loop: str, ratios: Ratios, capsys: pytest.CaptureFixture[str]) -> Say:
    """Keep an outcome and print it."""

    def say(case: str, outcome: Outcome) -> None:
        ratios[case][loop] = outcome.ratio
        theirs, ours = outcome.first * 1e6, outcome.second * 1e6
        line = f"{case:<14} {loop:<8} official {theirs:>8.0f} us, ours {ours:>8.0f} us: {outcome.ratio:.2f} x"
        with capsys.disabled():
            print(f"\n{line}", end="")

    return say


def repeated(step: Callable[[], Any]) -> Measure:
    """Measure a blocking call."""

    def measure(number: int) -> float:
        started = time.perf_counter()
        for _ in range(number):
            step()
        return (time.perf_counter() - started) / number

    return measure


def awaited(runner: asyncio.Runner, step: Callable[[], Awaitable[Any]]) -> Measure:
    """Measure a call that is awaited, on the loop of a runner."""

    async def measure(number: int) -> float:
        started = time.perf_counter()
        for _ in range(number):
            await step()
        return (time.perf_counter() - started) / number

    return lambda number: runner.run(measure(number))


def test_steps(server: RealServer, loop: str, ratios: Ratios, note: Say) -> None:
    """A step is at least 1.5 times as fast as the official blocking client's, and 5 times with 100 kB of base64."""
    with OfficialEnvClient(base_url=server.url).sync() as official, connect(server.url) as ours:
        official.reset()
        ours.reset()
        for case, (action, number) in STEPS.items():
            steps = (repeated(lambda: official.step(action)), repeated(lambda: ours.step(action)))  # noqa: B023
            note(case, compare(*steps, number))
    for case, least in AT_LEAST[loop].items():
        assert ratios[case][loop] >= least, f"{case}: {ratios[case][loop]:.2f}x, not {least}x"


def test_awaited_steps(server: RealServer, loop: str, ratios: Ratios, note: Say) -> None:
    """An awaited step takes about as long as that of the official client, which lives on the loop that waits."""
    with asyncio.Runner() as runner, connect(server.url) as env:
        official, ours = OfficialEnvClient(base_url=server.url), env.async_client
        runner.run(all_of(each.reset() for each in (official, ours)))
        steps = (awaited(runner, lambda: official.step(ECHO)), awaited(runner, lambda: ours.step(ECHO)))
        note("awaited", compare(*steps, 150))
        runner.run(all_of(each.close() for each in (official,)))
    assert ratios["awaited"][loop] > 0.8


def test_many_sessions(server: RealServer, loop: str, ratios: Ratios, note: Say) -> None:
    """A step of 64 sessions is faster by step_all than by a loop over blocking clients, and than by asyncio.gather."""
    with contextlib.ExitStack() as stack:
        env = stack.enter_context(connect(server.url))
        envs = [env, *(env.new_session() for _ in range(SESSIONS - 1))]
        actions = [ECHO] * SESSIONS
        blocking = [stack.enter_context(OfficialEnvClient(base_url=server.url).sync()) for _ in envs]
        for each in (*envs, *blocking):
            each.reset()
        ours = repeated(lambda: step_all(envs, actions))
        note("64, loop", compare(repeated(lambda: [each.step(ECHO) for each in blocking]), ours, 3))
        runner = stack.enter_context(asyncio.Runner())
        gathered = [OfficialEnvClient(base_url=server.url) for _ in envs]
        runner.run(all_of(each.reset() for each in gathered))
        theirs = awaited(runner, lambda: all_of(each.step(ECHO) for each in gathered))
        note("64, gather", compare(theirs, ours, 3))
        runner.run(all_of(each.close() for each in gathered))
    assert ratios["64, loop"][loop] > 1.0 and ratios["64, gather"][loop] > 1.0


async def all_of(calls: Iterable[Awaitable[Any]]) -> list[Any]:
    """Await them together; they are made here, on the loop, as the official client wants them."""
    return await asyncio.gather(*calls)
