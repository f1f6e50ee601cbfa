"""Servers for the integration tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.real_servers import VERSIONS, Farm, RealServer, new_python, old_python


@pytest.fixture(scope="session")
def farm() -> Iterator[Farm]:
    """A source of servers of the newest version."""
    with Farm(new_python()) as started:
        yield started


@pytest.fixture(scope="session")
def old_farm() -> Iterator[Farm]:
    """A source of servers of the oldest version."""
    with Farm(old_python()) as started:
        yield started


@pytest.fixture(scope="session", params=VERSIONS)
def any_farm(request: pytest.FixtureRequest) -> Farm:
    """A source of servers, of each version in turn."""
    found: Farm = request.getfixturevalue("farm" if request.param == VERSIONS[0] else "old_farm")
    return found


@pytest.fixture(scope="session")
def lab(farm: Farm) -> Iterator[RealServer]:
    """A lab with many sessions, of the newest version, shared by all tests."""
    with farm.server("lab", sessions=256) as server:
        yield server


@pytest.fixture(scope="session")
def any_lab(any_farm: Farm) -> Iterator[RealServer]:
    """A lab with many sessions, of each version in turn, shared by all tests."""
    with any_farm.server("lab", sessions=256) as server:
        yield server


@pytest.fixture(scope="session")
def any_toolbox(any_farm: Farm) -> Iterator[RealServer]:
    """A server of tools, of each version in turn, shared by all tests."""
    with any_farm.server("toolbox") as server:
        yield server
