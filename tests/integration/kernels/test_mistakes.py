"""What people get wrong, in a real kernel: a few lines that say what to do, and Run All stops there."""

from __future__ import annotations

from collections.abc import Iterator

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from support.kernels import Kernel, execute, started
from support.real_servers import Farm, RealServer
from support.sockets import SocketServer

pytestmark = [pytest.mark.kernel, pytest.mark.server]

PROVIDER = """
images = {}
class Mine:
    def start_container(self, *arguments, **keywords):
        return images['IMAGE']
    def stop_container(self): ...
"""
# A cell, and what it must say.
MISTAKES = (
    ("%openenv stpe 1", "did you mean 'step'?"),
    ("%openenv step {7}", "not JSON: '{7}', at character 2"),
    ('%openenv step {"column": }', "not JSON"),
    ('%openenv step {"column": 1} {"column": 2}', "follows the payload"),
    ("%openenv step column=1 2", "is no key=value pair"),
    ("%openenv step column = 1", "blanks stand around the ="),
    ("%openenv step column=1 column=2", "given twice"),
    ("%openenv step column='1", "close it with '"),
    ("%openenv step $nothing", "$nothing is no variable of this notebook"),
    ("%openenv step column=$a.b[0]", "write it in Python: board.step(column=a.b[0])"),
    ("%openenv step column=@/no/such/file", "cannot be read"),
    ("%openenv step --colum 1", "a field is written colum=VALUE"),
    ("%openenv step column=1 --on baord", "did you mean 'board'?"),
    ("%openenv step column=9", "column: Input should be less than 4 (got 9)"),
    ("%openenv step colunm=1", "did you mean 'column'?"),
    ("%openenv step", "column"),
    ("%openenv reset 7", "reset takes named arguments: %openenv reset seed=7"),
    ("%openenv state now", "takes options only"),
    ("%openenv call nothing a=1", "no tool 'nothing'"),
    ("%openenv use baord", "did you mean 'board'?"),
    ("%openenv close nobody", "nobody"),
    ("%openenv debug maybe", "debug takes on or off"),
    ("%openenv connect", "connect takes one address"),
    ("%openenv connect localhost:1 --timeout soon", "takes a number of seconds, not 'soon'"),
    ("%openenv connect localhost:1 --as x-y", "is no name for a variable"),
    ("%openenv connect localhost:1 --as print", "Python's own"),
    ("%openenv connect localhost:1 --as a", "holds an object of type int"),
    ("%openenv connect localhost:1 --as c --token-env NO_SUCH", "NO_SUCH is not set"),
    ("%openenv connect localhost:1 --as c", "nothing listens at localhost:1"),
    ("%openenv connect {full} --as c", "AtCapacity: the server is full: 1 of 1 sessions in use"),
    ("%openenv connect {forbidden} --as c", "HTTP 403"),
    ("%openenv demo gird --as c", "did you mean 'grid'?"),
    ("%openenv serve ./nowhere --as c", "nowhere"),
    ("%openenv serve a --as c", "int"),
    ("%%openenv reset\nx", "takes no cell's body"),
    ("board.step(column=9)", "column: Input should be less than 4 (got 9)"),
    ("board.stpe(1)", "stpe"),
)


@pytest.fixture(scope="module")
def server(farm: Farm) -> Iterator[RealServer]:
    """A board game for one player."""
    with farm.server("board", sessions=1) as running:
        yield running


@pytest.fixture(scope="module")
def notebook(server: RealServer) -> Iterator[Kernel]:
    """A kernel whose player plays."""
    with started() as running:
        running.ok(f"%load_ext openenv_notebook\n%openenv connect {server.url} --as board\n%openenv reset\na = 1")
        yield running


@pytest.mark.parametrize(("code", "says"), MISTAKES, ids=[code for code, _ in MISTAKES])
def test_a_mistake_is_told_in_a_few_lines(notebook: Kernel, server: RealServer, code: str, says: str) -> None:
    """D02, D13: what went wrong and what to do stand in at most four lines without a frame; the game goes on."""
    with SocketServer(lambda peer: peer.answer_http(403)) as forbidden:
        outputs = notebook.run(code.replace("{full}", server.url).replace("{forbidden}", forbidden.url))
    assert outputs.status == "error"
    shown = "\n".join([*outputs.traceback, outputs.stderr]).strip()
    assert says in shown, shown
    if code != "board.stpe(1)":  # an AttributeError is Python's own
        assert len(shown.splitlines()) <= 4 and "openenv_notebook/" not in shown and "Traceback" not in shown, shown
    assert notebook.ok("print(board.status, board.state().step_count, 'c' in globals())").stdout == "open 0 False\n"


def test_debug_shows_where_a_mistake_was_found(notebook: Kernel) -> None:
    """D13: debug on shows all frames of the same mistake, off the few lines again."""
    notebook.ok("%openenv debug on")
    frames = "\n".join(notebook.run("%openenv connect localhost:1 --as c").traceback)
    notebook.ok("%openenv debug off")
    assert "openenv_notebook/client/connect.py" in frames
    assert len(notebook.run("%openenv connect localhost:1 --as c").traceback) == 1


def test_a_provider_of_ones_own_that_fails_shows_its_line(notebook: Kernel) -> None:
    """A cell shows the person's own line that failed, once; what the hint says of the cause is true."""
    notebook.ok(PROVIDER)
    start = "from openenv_notebook import EnvClient\nEnvClient.from_docker_image('x', provider=Mine()).sync()"
    shown = "\n".join(notebook.run(start).traceback)
    assert "could not be started: KeyError: 'IMAGE' · its cause" in shown and "%openenv debug on shows it" in shown
    assert ", in start_container\n    return images['IMAGE']" in shown and len(shown.splitlines()) == 5, shown
    notebook.ok("%openenv debug on")
    frames = "\n".join(notebook.run(start).traceback)
    notebook.ok("%openenv debug off")
    assert "return images['IMAGE']" in frames and "direct cause" in frames


@pytest.mark.parametrize("wrong", ["%openenv connect localhost:1 --timeout 1", "%openenv conect localhost:1"])
def test_run_all_stops_at_the_mistake(wrong: str) -> None:
    """D14: a notebook that is run as a whole stops at the cell that fails, and runs no other."""
    cells = [nbformat.v4.new_code_cell(code) for code in ("%load_ext openenv_notebook", wrong, "print('ran')")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.raises(CellExecutionError):
        execute(notebook)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, None]
    assert notebook.cells[2].outputs == []
