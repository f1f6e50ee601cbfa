"""Servers in a notebook: who stops them, what lists them, and what is refused before one starts."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from support.local_servers import listens
from support.magics import magic
from support.served import Broken, Divider
from support.waiting import eventually

from openenv_notebook import FactoryFailed, ServerStartFailed, connect, serve
from openenv_notebook.servers import Server, running_own, running_servers
from openenv_notebook.values import front_end
from openenv_notebook.values.front_end import Owner

pytestmark = pytest.mark.server


class Cell:
    """The cell that is run, as a notebook names it."""

    def __init__(self) -> None:
        self.key = "cell"
        self.run = 1

    def owner(self) -> Owner:
        """Name it."""
        return Owner(self.key, self.run)


@pytest.fixture
def cell() -> Iterator[Cell]:
    """A cell that owns what is served; without a shell."""
    made = Cell()
    front_end.install(front_end.FrontEnd(owner=made.owner))
    yield made
    front_end.install(None)
    for own in running_own():
        own.stop()


def serving() -> list[str]:
    """The threads of servers."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv-server")]


def test_a_connect_that_fails_leaves_no_server(shell: InteractiveShell) -> None:
    """%openenv serve of a class whose constructor raises leaves no thread, no server and no name."""
    shell.user_ns["Broken"] = Broken
    with pytest.raises(FactoryFailed, match="could not build"):
        magic(shell, "serve Broken")
    assert serving() == []
    assert running_own() == []
    assert "env" not in shell.user_ns


def test_a_server_that_nobody_holds_after_a_failed_connect_stops() -> None:
    """connect(serve(Broken)) fails, and its server ends with the error; one that is held stays its owner's."""
    with pytest.raises(FactoryFailed):
        connect(serve(Broken))
    gc.collect()
    eventually(lambda: serving() == [], what="the server has stopped")
    with serve(Broken) as held:
        with pytest.raises(FactoryFailed):
            connect(held)
        assert held.running


def test_a_server_that_a_later_connect_reached_goes_on() -> None:
    """A connect that failed counts no more once another succeeded: the address may be in use."""
    failing = [True]

    class Once(Divider):
        def __init__(self) -> None:
            super().__init__()
            if failing:
                failing.clear()
                raise ValueError("not yet")

    server: Server | None = serve(Once)
    assert server is not None
    with pytest.raises(FactoryFailed):
        connect(server)
    connect(server).close()
    (own,) = running_own()
    server = None
    gc.collect()
    assert running_own() == [own]
    own.stop()


def test_an_address_outlives_the_object_that_gave_it(cell: Cell) -> None:
    """A server whose object is dropped goes on for those with its address, until its cell serves again."""
    url = serve(Divider).url
    gc.collect()
    with connect(url) as env:
        env.reset()
        cell.run = 2
        new = serve(Divider)
        assert not listens(url)
        assert new.running


def test_a_cell_that_serves_again_replaces_its_server(cell: Cell) -> None:
    """Run again, `srv = serve(E)` stops the old server when srv is overwritten; lists and other cells keep theirs."""
    held = [serve(Divider)]
    srv: Server = serve(Divider)
    first = srv.url
    cell.run = 2
    held.append(serve(Divider))
    srv = serve(Divider)
    gc.collect()
    eventually(lambda: not listens(first), what="the overwritten server has stopped")
    assert srv.running
    assert [server.running for server in held] == [True, True]


def test_a_cell_that_serves_again_gets_its_port(cell: Cell) -> None:
    """Run again, `srv = serve(E, port=…)` takes the port from the server of the run before."""
    srv = serve(Divider)
    port = int(srv.url.rpartition(":")[2])
    cell.run = 2
    again = serve(Divider, port=port)
    assert (srv.running, again.running) == (False, True)


def test_servers_of_python_are_listed_and_stopped(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """%openenv status names serve()'s servers by their variables; stop takes them by name, or all."""
    shell.user_ns["srv"] = serve("demo:grid")
    shell.user_ns["more"] = [serve("demo:echo")]
    magic(shell, "serve demo:guess --as g")
    capsys.readouterr()
    magic(shell, "status")
    said = capsys.readouterr().out
    assert "server of g: guess" in said
    assert f"server of srv: grid · {shell.user_ns['srv'].url}" in said
    assert "server of nobody: echo" in said
    with pytest.raises(UsageError, match="did you mean 'srv'"):
        magic(shell, "stop srvv")
    magic(shell, "stop srv")
    assert capsys.readouterr().out == "openenv: the server of srv is stopped\n"
    magic(shell, "python")
    assert capsys.readouterr().out == "srv.stop()\n"
    magic(shell, "stop all")
    assert running_own() == []
    assert magic(shell, "stop") is None
    assert "no server runs that serve started" in capsys.readouterr().out


def test_close_all_stops_what_serve_started(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """close all ends clients and the servers of %openenv serve, even if a client fails, and says what failed."""
    magic(shell, "serve demo:grid --as a")
    magic(shell, "demo echo --as b")
    shell.user_ns["own"] = serve("demo:guess")

    def fail() -> None:
        raise OSError("no way")

    broken = shell.user_ns["b"]
    broken.close = fail
    capsys.readouterr()
    with pytest.raises(
        UsageError,
        match=r"1 of 3 could not be closed: the client b \(OSError: no way\); %openenv close all tries again",
    ):
        magic(shell, "close all")
    assert capsys.readouterr().out == "openenv: a is closed\nopenenv: the server of a is stopped\n"
    assert shell.user_ns["own"].running
    del broken.close


def test_a_shared_server_stays_for_who_has_its_address(shell: InteractiveShell) -> None:
    """A client connected by address keeps a demo's server when the demo's own client closes; the last one stops it."""
    magic(shell, "demo grid --as g")
    port = shell.user_ns["g"].base_url.rpartition(":")[2]
    client = magic(shell, f"connect localhost:{port} --as tc")
    magic(shell, "close g")
    client.reset()
    assert client.status == "open"
    assert client.base_url == f"http://localhost:{port}"
    assert len(running_servers()) == 1
    magic(shell, "close tc")
    assert running_servers() == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("serve Dividr", "no class or variable Dividr here; did you mean 'Divider'.*module:app, docker:image"),
        ("serve Nope", "no class or variable Nope here · serve takes"),
        ("serve Nothing()", "no class or variable Nothing here .*a class of this notebook"),
        ("serve Divider()", "not an object of it: %openenv serve Divider; --arg"),
        ("serve Divider(start=5, x=1)", "not an object of it"),
        ("nest off", "nest takes nothing, not 'off'"),
        ("doctor foo", "takes options only, not 'foo'"),
        ("python foo", "takes options only, not 'foo'"),
        ("use env --field mesage", "no field 'mesage'; did you mean 'message'"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(shell: InteractiveShell, line: str, says: str) -> None:
    """Names that are not there and words too many are refused before anything is done, with what works."""
    shell.user_ns["Divider"] = Divider
    magic(shell, "demo echo")
    with pytest.raises(UsageError, match=says):
        magic(shell, line)
    assert running_own() == []


def test_an_attribute_that_is_no_app_fails_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """module:attr that is a number or a class of environments is a failed start that says so, and what works."""
    (tmp_path / "plain_things.py").write_text(
        "number = 3\nclass Env:\n    def reset(self): pass\n    def step(self, action): pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ServerStartFailed) as caught:
        serve("plain_things:number")
    assert "no ASGI app, but an object of type int" in "\n".join(caught.value.log)
    with pytest.raises(ServerStartFailed) as caught:
        serve("plain_things:Env")
    assert "from plain_things import Env and serve(Env)" in "\n".join(caught.value.log)


def test_the_python_of_a_line_runs_alone(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """%openenv python after demo and serve prints what runs in an empty notebook."""
    monkeypatch.setenv("A_TOKEN", "hf_secret")
    options = "--client openenv_notebook:GenericEnvClient --token-env A_TOKEN --wait 2"
    shell.user_ns["srv"] = serve("demo:grid")
    for line in ("demo grid", "serve demo:grid --port 0 --wait 1", f"connect {shell.user_ns['srv'].url} {options}"):
        magic(shell, line)
        capsys.readouterr()
        magic(shell, "python")
        code = capsys.readouterr().out
        assert "hf_secret" not in code
        alone: dict[str, Any] = {}
        exec(code, alone)
        assert alone["env"].status == "open"
        alone["env"].close()


def test_the_python_is_never_that_of_an_older_line(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """After a verb without Python, or one that failed, %openenv python says so."""
    magic(shell, "demo grid")
    for line, says in (
        ("status", "# %openenv status has no Python of its own\n"),
        ("use env", "# %openenv use has no Python of its own\n"),
        ("debug off", "# %openenv debug has no Python of its own\n"),
    ):
        magic(shell, line)
        capsys.readouterr()
        magic(shell, "python")
        assert capsys.readouterr().out == says
    with pytest.raises(UsageError):
        magic(shell, "stop nothing")
    magic(shell, "python")
    assert capsys.readouterr().out == "# %openenv stop failed before anything was done\n"
