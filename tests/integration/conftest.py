"""Servers for the integration tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from support.gates import FileGate
from support.real_servers import VERSIONS, Farm, RealServer, new_python, old_python
from traitlets.config import Config

from openenv_notebook import SyncEnvClient
from openenv_notebook.servers import running_own


@pytest.fixture
def far_gate(tmp_path: Path) -> Iterator[FileGate]:
    """A gate for servers and kernels, shut until the test opens it; at the latest when it ends."""
    made = FileGate(tmp_path / "gate")
    yield made
    made.open()


@pytest.fixture(scope="session")
def farm() -> Farm:
    """A source of servers of the newest version."""
    return Farm(new_python())


@pytest.fixture(scope="session")
def old_farm() -> Farm:
    """A source of servers of the oldest version."""
    return Farm(old_python())


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


@pytest.fixture(scope="module")
def ipython() -> InteractiveShell:
    """The one shell of this process, which writes no history."""
    InteractiveShell.clear_instance()
    made: InteractiveShell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    # The shell keeps a loop of its own from its first asynchronous cell on.
    made.run_cell("import asyncio; await asyncio.sleep(0)").raise_error()
    return made


@pytest.fixture
def shell(ipython: InteractiveShell) -> Iterator[InteractiveShell]:
    """The shell with the extension loaded; its clients and servers are ended afterwards."""
    ipython.run_line_magic("load_ext", "openenv_notebook")
    yield ipython
    for value in list(ipython.user_ns.values()):
        if isinstance(value, SyncEnvClient):
            value.close()
    for own in running_own():
        own.stop()
    ipython.run_line_magic("unload_ext", "openenv_notebook")
    ipython.reset(new_session=False)
