"""Cells that are run again: Run All, and the connect cell, against a server with one session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.kernels import Kernel, started
from support.real_servers import Farm, RealServer
from support.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.server]

CONNECTS = {
    "magic": "%openenv connect {url}",
    "magic-named": "%openenv connect {url} --as env --out kept",
    "plain": "import openenv_notebook\nenv = openenv_notebook.connect({url!r})",
    "shown": "import openenv_notebook\nenv = openenv_notebook.connect({url!r})\nenv",
}
REST = ("%openenv reset seed=3", "r = env.step(column=1)\nr", "%openenv step 2", "%openenv step 0", "env.state()")


@pytest.fixture(params=CONNECTS)
def connect(request: pytest.FixtureRequest, one: RealServer) -> str:
    """A cell that connects."""
    return CONNECTS[request.param].format(url=one.url)


@pytest.fixture
def one(any_farm: Farm) -> Iterator[RealServer]:
    """A board game for one player at a time."""
    with any_farm.server("board", sessions=1) as server:
        yield server


@pytest.fixture(scope="module")
def notebook() -> Iterator[Kernel]:
    """A kernel, without the extension at first."""
    with started() as running:
        yield running


def run_all(kernel: Kernel, cells: list[str], *, ids: bool) -> list[str]:
    """Run all cells in order, as the menu does; returns what they printed."""
    printed = []
    for number, cell in enumerate(cells):
        outputs = kernel.run(cell, cell=f"cell-{number}" if ids else None)
        assert outputs.error is None, (cell, outputs.traceback)
        printed.append(outputs.stdout)
    return printed


@pytest.mark.parametrize("ids", [True, False], ids=["cell-ids", "no-ids"])
def test_run_all_twice(notebook: Kernel, connect: str, ids: bool) -> None:
    """Run All, and Run All again, plays the game to its end each time, whether or not the front end names its cells."""
    cells = ["%load_ext openenv_notebook", connect, *REST]
    for _ in range(2):
        printed = run_all(notebook, cells, ids=ids)
        assert printed[5] == "openenv: done · return 3 · 3 steps\n"
        assert notebook.ok("print(env.status, len(env.episode))").stdout == "open 4\n"
    notebook.ok("env.close()")


def test_the_connect_cell_ten_times(notebook: Kernel, one: RealServer, connect: str) -> None:
    """The connect cell works ten times in a row, with or without a game in between; one session is held in the end."""
    notebook.ok("%reload_ext openenv_notebook")
    for number in range(10):
        outputs = notebook.run(connect, cell="connect")
        assert outputs.error is None, outputs.traceback
        if number % 3 == 0:
            assert notebook.ok("%openenv reset\nprint(env.step(1).reward)").stdout == "1.0\n"
    assert notebook.ok("print(env.reset().done, env.status)").stdout == "False open\n"
    clients = (
        "[c for c in __import__('gc').get_objects() if type(c).__name__ == 'SyncEnvClient' and c.status == 'open']"
    )
    assert notebook.ok(f"print(len({clients}))").stdout == "1\n"
    notebook.ok("env.close()")
    eventually(lambda: notebook.run(connect).error is None, what="the slot is free for another cell, too")
    notebook.ok("env.close()")


def test_a_failed_run_all_stops_and_the_next_one_works(notebook: Kernel, one: RealServer) -> None:
    """Run All that is stopped in the middle of a game by a mistake is run again after it was mended."""
    connect = CONNECTS["plain"].format(url=one.url)
    run_all(notebook, ["%reload_ext openenv_notebook", connect, "env.reset()"], ids=True)
    assert notebook.run("%openenv step colunm=1").error is not None
    printed = run_all(notebook, ["%reload_ext openenv_notebook", connect, *REST], ids=True)
    assert printed[5] == "openenv: done · return 3 · 3 steps\n"
    notebook.ok("env.close()")
