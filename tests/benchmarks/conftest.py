"""A server that shares one core with its clients; the outcome of a whole run goes into the page on speed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from support.real_servers import Farm, RealServer
from support.rounds import ROUNDS
from support.speed_page import CASES, LOOPS, PAGE, SHOWN, measured_now, replaced

Ratios = dict[str, dict[str, float]]
RATIOS: pytest.StashKey[Ratios] = pytest.StashKey()
SHOWING: pytest.StashKey[dict[str, float]] = pytest.StashKey()
CAN_PIN = hasattr(os, "sched_getaffinity")


@pytest.fixture(scope="session")
def server() -> Iterator[RealServer]:
    """A server on the core of this process."""
    cores = os.sched_getaffinity(0) if CAN_PIN else set()
    if cores:
        os.sched_setaffinity(0, {max(cores)})
    try:
        with Farm(sys.executable).server("plain", loop="auto", sessions=256) as started:
            yield started
    finally:
        if cores:
            os.sched_setaffinity(0, cores)


@pytest.fixture
def ratios(request: pytest.FixtureRequest) -> Ratios:
    """What was measured in this run so far, by case and loop."""
    return request.config.stash.setdefault(RATIOS, {case: {} for case in CASES})


@pytest.fixture
def shown(request: pytest.FixtureRequest) -> dict[str, float]:
    """What showing costs late, as many times what it costs early, by case."""
    return request.config.stash.setdefault(SHOWING, {})


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the page when everything was measured."""
    ratios, shown = session.config.stash.get(RATIOS, {}), session.config.stash.get(SHOWING, {})
    page = before = PAGE.read_text(encoding="utf-8")
    if ratios and all(set(ratios[case]) == set(LOOPS) for case in CASES):
        page = replaced(page, measured_now(ROUNDS, CAN_PIN, ratios))
    if set(shown) == set(SHOWN):
        page = replaced(page, shown)
    if page != before:
        PAGE.write_text(page, encoding="utf-8")
        print(f"\nwritten into {PAGE.name}")
