"""The panel in kernels of all versions, as the front ends that people use speak to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

import pytest
from support.comm_front_end import CommFrontEnd
from support.kernels import Kernel, started_by
from support.other_kernels import python_of
from support.real_servers import Farm, RealServer
from support.situations import FRONT_ENDS, NEWEST, OLDEST, SITUATIONS, FrontEndKind, Scene, Situation

pytestmark = pytest.mark.kernel

# `make lowest` runs this on the oldest kernel, and `make test` on all others.
HERE = OLDEST if version("ipykernel").startswith(f"{OLDEST}.") else NEWEST
KINDS = [kind for kind in FRONT_ENDS if (kind.kernel == OLDEST) is (HERE == OLDEST)]
_CONNECT = """%load_ext openenv_notebook
import openenv_notebook
env = openenv_notebook.connect({!r})
env.reset()
None"""


@pytest.fixture(scope="module")
def server(farm: Farm) -> Iterator[RealServer]:
    """A lab that is asked by one front end at a time."""
    with farm.server("lab") as server:
        yield server


class Kernels:
    """One kernel at a time, of any version; it stays until another is needed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._version, self._stack = folder, "", ExitStack()
        self._kernel: Kernel | None = None

    def of(self, wanted: str) -> Kernel:
        """Have the kernel of a version."""
        if self._kernel is None or self._version != wanted:
            self.close()
            python = sys.executable if wanted == HERE else str(python_of(wanted))
            self._kernel = self._stack.enter_context(started_by(python, self._folder, forked=True))
            self._version = wanted
        return self._kernel

    def close(self) -> None:
        """End the kernel."""
        self._kernel = None
        self._stack.close()


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    """Kernels of all versions."""
    kernels = Kernels(tmp_path_factory.mktemp("kernels"))
    yield kernels
    kernels.close()


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: f"{kind.name} on {kind.kernel}")
def front(request: pytest.FixtureRequest, kernels: Kernels, server: RealServer) -> tuple[FrontEndKind, CommFrontEnd]:
    """Each kind of front end, with a session on the lab."""
    kind: FrontEndKind = request.param
    made = CommFrontEnd(kernels.of(kind.kernel), has_subshell=kind.has_subshell, has_cells=kind.has_cells)
    made.run(_CONNECT.format(server.url), "connect")
    return kind, made


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_one_wish_is_one_step(
    front: tuple[FrontEndKind, CommFrontEnd], server: RealServer, tmp_path: Path, situation: Situation
) -> None:
    """What a front end says makes the one step it stands for, or none and the panel says why; never two."""
    scene = Scene(*front, server, tmp_path)
    situation.does(scene)
    scene.settle()
    assert scene.steps in situation.allowed
    if not scene.steps and situation.refusal:
        assert any(situation.refusal in text for text in scene.said), scene.said
