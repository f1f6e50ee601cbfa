"""Interrupts at a rate of a kHz and more, from another process, so that they hit any line."""

from __future__ import annotations

import pytest
from support.pace import storm
from support.real_servers import RealServer, run_program


def attacked(server: RealServer, what: str, number: int, seed: int, loop: str = "asyncio") -> dict[str, object]:
    """Attack something so many times; it must work afterwards."""
    variables = {"OPENENV_NOTEBOOK_LOOP": loop.replace("uvloop", "")}
    said: dict[str, object] = run_program("attacked", server.url, what, str(number), str(seed), **variables)
    assert said["then"] == "then"
    return said


def by_chance(said: dict[str, object]) -> float:
    """Say how many interrupts may come before a call's first line or behind its last, where it can say nothing."""
    return max(8, 0.03 * int(str(said["interrupted"])))


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_subscriptions(lab: RealServer, loop: str) -> None:
    """T05: interrupts inside of subscribe() and its end leave no lock taken: every session goes on."""
    assert attacked(lab, "subscriptions", storm(40, 2000), 1, loop)["works"] is True


def test_servers_and_panels(lab: RealServer) -> None:
    """T05: nor do those inside of starting and stopping a demo, a worker, or a panel's publisher."""
    attacked(lab, "servers", storm(20, 500), 2)


@pytest.mark.parametrize("seed", range(storm(2, 20)))
def test_connects(lab: RealServer, seed: int) -> None:
    """T17: interrupts over connect("demo:…") and its end leave no idle loop, no thread and no demo's server."""
    assert attacked(lab, "connects", storm(150, 500), seed)["left"] == []


def test_runs(lab: RealServer) -> None:
    """T06: a run that is interrupted while it starts, works or ends is over: the next one begins."""
    said = attacked(lab, "runs", storm(100, 2000), 3)
    assert said["refused"] == 0 and int(str(said["goes on"])) <= by_chance(said)


@pytest.mark.parametrize("what", ["steps", "states", "own", "tools"])
def test_calls(lab: RealServer, what: str) -> None:
    """T07: an interrupted call says whether it was sent; what came of it is settled, also of a subclass's own."""
    said = attacked(lab, what, storm(100, 1500), 4)
    assert said["lost"] == 0 and int(str(said["sent"])) > int(str(said["interrupted"])) / 2
    assert int(str(said["unsaid"])) <= by_chance(said), said["without .sent"]


def test_many_steps(lab: RealServer) -> None:
    """T08: however often giving up is interrupted itself, no action beyond the window runs."""
    said = attacked(lab, "many", storm(100, 1500), 5)
    assert said["more than the window"] == said["lost"] == 0 and int(str(said["sent"])) > 10
