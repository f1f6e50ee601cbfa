"""Servers in processes of their own: project folders and apps of modules."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import urllib.error
from pathlib import Path

import pytest
from support.interrupts import interrupted_when
from support.local_servers import PROJECTS, ask, is_there, listens
from support.waiting import eventually, in_threads

from openenv_notebook import (
    FactoryFailed,
    InvalidTarget,
    MisuseError,
    NotSupportedHere,
    ServerStartFailed,
    connect,
    serve,
)
from openenv_notebook.servers import running_servers

PLAIN = str(PROJECTS / "plain")


def test_a_project_folder_is_served() -> None:
    """A folder of `openenv init` is served by its own app, in its own folder; status claims no more than it knows."""
    said: list[str] = []
    with serve(str(PROJECTS / "counting"), progress=said.append) as server, connect(server.url) as env:
        env.reset()
        result = env.step(to=3)
        assert (result.observation.number, env.state().step_count) == (3, 1)
        assert result.observation.pid != os.getpid()
        assert (server.kind, server.sessions_active, server.sessions_maximum) == ("folder", None, None)
        assert "Application startup complete" in "\n".join(server.log)
        assert repr(server) == f"<Server {server.name}, {server.url}>"
        pid = result.observation.pid
    assert not is_there(pid) and not listens(server.url)
    assert not server.running
    for line in said:
        assert "is starting" in line


def test_it_has_a_group_and_a_place_of_its_own() -> None:
    """The process leads its own group, runs in the project's folder and is told to keep freed memory."""
    with serve(PLAIN) as server:
        told = ask(server.url)
    assert told["group"] == told["pid"]
    assert told["folder"] == PLAIN
    assert told["variables"]["MALLOC_TRIM_THRESHOLD_"] == "268435456"


def test_an_app_of_a_module_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """module:app is served with what this interpreter can import, in this folder."""
    monkeypatch.syspath_prepend(PLAIN)
    with serve("plain:app") as server:
        assert ask(server.url)["folder"] == os.getcwd()
        assert (server.name, server.kind) == ("plain:app", "module")


def test_stop_ends_what_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """stop() may be called again, and also ends what the app had started."""
    monkeypatch.setenv("PLAIN_STARTS", "1")
    server = serve(PLAIN)
    told = ask(server.url)
    server.stop()
    server.stop()
    assert not is_there(told["pid"])
    eventually(lambda: not is_there(told["started"]))


def test_a_process_that_does_not_listen_to_signals_is_ended() -> None:
    """A stopped process (SIGSTOP) is ended all the same."""
    server = serve(PLAIN)
    pid = ask(server.url)["pid"]
    os.kill(pid, signal.SIGSTOP)
    server.stop()
    assert not is_there(pid)


def test_an_app_that_fails_is_noticed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A09: a process that ends early fails the start at once, with its command, its code and its last lines."""
    monkeypatch.setenv("PLAIN_FAILS", "1")
    with pytest.raises(ServerStartFailed, match=r"uvicorn plain:app .*ended with code 1") as caught:
        serve(PLAIN, ready_within=1e6)
    assert "line before the end" in caught.value.log
    assert "this app does not want to start" in str(caught.value)


def test_a_missing_module_is_told_in_its_own_words() -> None:
    """An app that cannot be imported fails in seconds with uvicorn's own sentence."""
    with pytest.raises(ServerStartFailed, match='Could not import module "no_such_module"'):
        serve("no_such_module:app")


def test_an_app_that_never_gets_healthy_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A15: an app that does not get healthy within the limit is stopped, with progress meanwhile and nothing left."""
    monkeypatch.setenv("PLAIN_IS_ILL", "1")
    monkeypatch.setenv("PLAIN_STARTS", "1")
    said: list[str] = []
    with pytest.raises(ServerStartFailed, match=r"did not answer GET /health within 2\.5 s"):
        serve(PLAIN, ready_within=2.5, progress=said.append)
    assert said and "is starting, 2 s" in said[0]


def test_an_interrupt_during_the_start_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A15: an interrupt while a server starts stops what was started and is raised."""
    monkeypatch.setenv("PLAIN_IS_ILL", "1")
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: said):
        serve(PLAIN, progress=said.append)


def test_a_failing_progress_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A15: an exception of the caller's own progress function stops what was started, too."""
    monkeypatch.setenv("PLAIN_IS_ILL", "1")

    def fail(text: str) -> None:
        raise LookupError(text)

    with pytest.raises(LookupError, match="is starting"):
        serve(PLAIN, progress=fail)


def test_no_page_may_drive_it() -> None:
    """A foreign Origin and a foreign Host are refused by the process as well."""
    with serve(PLAIN, allowed_hosts=["hub.example"]) as server:
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            with pytest.raises(urllib.error.HTTPError) as caught:
                ask(server.url, "/", headers)
            with caught.value:
                assert caught.value.code == 403
        assert ask(server.url, "/", {"Host": "hub.example"})


def test_a_taken_port_is_told() -> None:
    """A port that is taken fails the start at once and is named."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServerStartFailed, match=f"port {port} cannot be taken"):
            serve(PLAIN, port=port)


def test_what_is_no_project_is_refused(tmp_path: Path) -> None:
    """A folder that is not there, and one without openenv.yaml, are told apart before anything runs."""
    with pytest.raises(InvalidTarget, match="there is no such folder"):
        serve(str(tmp_path / "nowhere"))
    with pytest.raises(InvalidTarget, match=r"there is no openenv\.yaml in it"):
        serve(str(tmp_path))


def test_what_an_app_decides_itself_is_not_taken() -> None:
    """sessions, arguments and models are refused for an app of another process: nobody could tell it."""
    for given in ({"sessions": 4}, {"arguments": {"level": 1}}, {"action": dict}):
        with pytest.raises(MisuseError):
            serve(PLAIN, **given)  # type: ignore[arg-type]


def test_a_server_that_ended_by_itself_is_not_said_to_run() -> None:
    """A process that was killed by somebody else is no more said to run."""
    with serve(PLAIN) as server:
        os.kill(ask(server.url)["pid"], signal.SIGKILL)
        eventually(lambda: not server.running)
        assert repr(server).endswith("stopped>")


def test_the_starting_thread_may_end() -> None:
    """A server started on a thread that ends lives on: the death signal follows another."""
    [server] = in_threads(lambda: serve(PLAIN))
    assert [thread for thread in threading.enumerate() if thread.name.startswith("openenv-child")]
    assert ask(server.url)["pid"]
    server.stop()


def test_a_forked_process_does_not_keep_it_alive() -> None:
    """A process forked from this one neither stops the server nor keeps it from ending."""
    with serve(PLAIN) as server:
        forked = os.fork()
        if forked == 0:
            server.stop()
            os._exit(0)
        os.waitpid(forked, 0)
        assert ask(server.url)["pid"]


def test_clients_share_one_server() -> None:
    """connect("./folder") starts one server for all clients of it, also at once; the last close stops it."""
    first, second = in_threads(*[lambda: connect(PLAIN)] * 2)
    assert first.base_url == second.base_url
    assert len(running_servers()) == 1
    url = str(first.base_url)
    first.close()
    assert second.reset().observation.pid
    second.close()
    assert not listens(url) and running_servers() == []


def test_giving_up_one_of_two_connects_leaves_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that gives up while the shared server starts lets go of it; another gets it."""
    monkeypatch.chdir(PROJECTS)
    others: list[threading.Thread] = []
    outcome: list[str] = []

    def connect_too() -> None:
        with connect("./plain") as env:
            outcome.append(str(env.reset().done))

    def is_starting() -> bool:
        if not others:
            others.append(threading.Thread(target=connect_too, daemon=True))
            others[0].start()
        return any(thread.name.startswith("openenv-child") for thread in threading.enumerate())

    with pytest.raises(KeyboardInterrupt), interrupted_when(is_starting):
        connect("./plain")
    others[0].join(30)
    assert outcome == ["False"]
    eventually(lambda: not running_servers())


def test_an_interrupted_connect_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A15: an interrupt while connect("./folder") waits stops the server that was starting."""
    monkeypatch.setenv("PLAIN_IS_ILL", "1")

    def is_starting() -> bool:
        return any(thread.name.startswith("openenv-child") for thread in threading.enumerate())

    with pytest.raises(KeyboardInterrupt), interrupted_when(is_starting):
        connect(PLAIN)
    eventually(lambda: not is_starting())


def test_without_uvicorn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where uvicorn is missing, one sentence says so, with the command that installs it."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises((NotSupportedHere, ServerStartFailed), match=r"uvicorn.*%pip install openenv"):
        serve(PLAIN)


_BROKEN = """
from openenv.core.env_server import Action, Environment, Observation, State, create_app

class Broken(Environment):
    def __init__(self):
        raise LookupError("the level is missing")
    def reset(self, **_):
        return Observation()
    def step(self, action, **_):
        return Observation()
    @property
    def state(self):
        return State()

app = create_app(Broken, Action, Observation, env_name="broken")
"""


def test_an_environment_that_cannot_be_built_there_is_no_dead_end(tmp_path: Path) -> None:
    """P13: the official server logs no cause of FactoryFailed; what the error says to try does bring it to light."""
    (tmp_path / "openenv.yaml").write_text("app: broken_app:app\n")
    (tmp_path / "broken_app.py").write_text(_BROKEN)
    with serve(str(tmp_path)) as server:
        with pytest.raises(FactoryFailed, match="'Broken' failed to create") as told:
            connect(server.url)
        assert "LookupError" not in "\n".join(server.log)
        assert "open /metadata of the server" in str(told.value) and "serve(MyEnv)" in str(told.value)
        with pytest.raises(urllib.error.HTTPError):
            ask(server.url, "/metadata")
        eventually(lambda: "LookupError: the level is missing" in "\n".join(server.log), what="its log has the cause")
