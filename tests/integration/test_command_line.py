"""`python -m openenv_notebook`: the doctor and the demos in a terminal."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import pytest
from support.real_servers import ROOT, RealServer

from openenv_notebook import __version__, connect, serve
from openenv_notebook.__main__ import main
from openenv_notebook.demo import demo_names
from openenv_notebook.demo.players import PLAYERS


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run it as a person does."""
    return subprocess.run(
        [sys.executable, "-m", "openenv_notebook", *words],
        capture_output=True,
        text=True,
        timeout=50,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
    )


def test_the_doctor_finds_nothing_wrong_here(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a target it tells Python, the loop, versions, proxies and the token, and ends with 0."""
    assert main(["doctor"]) == 0
    report = capsys.readouterr().out
    for part in ("CPython 3.", f"openenv-notebook {__version__}", "loop of their own", "asyncio is not patched",
                 "ipywidgets ", "websockets ", "no proxy", "no Hub token"):  # fmt: skip
        assert part in report
    assert all(line.startswith(("ok ", "look here ", "           →")) for line in report.splitlines())


def test_a_reader_may_leave_early() -> None:
    """`doctor | head -1` ends without a traceback."""
    read, write = os.pipe()
    command = [sys.executable, "-m", "openenv_notebook", "doctor"]
    with subprocess.Popen(command, stdout=write, stderr=subprocess.PIPE, text=True) as process:
        os.close(write)
        os.close(read)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, "")


def test_the_doctor_shows_no_token(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It tells where a token and a proxy come from, and shows neither."""
    monkeypatch.setenv("HF_TOKEN", "hf_topsecret")
    monkeypatch.setenv("ALL_PROXY", "http://nobody:topsecret@proxy:3128")
    monkeypatch.setenv("HTTPS_PROXY", "http://someone:topsecret@proxy:3128")
    assert main(["doctor"]) == 0
    report = capsys.readouterr().out
    assert "a Hub token is there (HF_TOKEN)" in report and "a proxy applies beyond this machine (HTTPS_PROXY)" in report
    assert "topsecret" not in report


@pytest.mark.server
def test_the_doctor_goes_to_a_server(any_lab: RealServer, capsys: pytest.CaptureFixture[str]) -> None:
    """With an address it tells name, port, health and session, one after the other, and leaves no session behind."""
    assert main(["doctor", any_lab.url]) == 0
    report = capsys.readouterr().out
    steps = ["address: http", "name: 127.0.0.1", "is open", "health: healthy", "session: a new one could be opened"]
    places = [report.index(step) for step in steps]
    assert places == sorted(places) and "wrong" not in report
    any_lab.wait_live(0)


def test_the_doctor_says_where_the_way_ends(capsys: pytest.CaptureFixture[str]) -> None:
    """A closed port, a full server and a text that is no address: each ends with 1 or says what to look at."""
    with serve("demo:echo", sessions=1) as server:
        with connect(server.url):
            assert main(["doctor", server.url]) == 0
            assert "look here  session: the server is full" in capsys.readouterr().out
        url = server.url
    assert main(["doctor", url]) == 1
    report = capsys.readouterr().out
    assert "is not open" in report and "→ is the server running?" in report and "1 of these is wrong" in report
    assert "health" not in report
    assert main(["doctor", "a//b"]) == 1
    assert "wrong      'a//b' is not an address" in capsys.readouterr().out


def test_the_doctor_serves_a_demo_meanwhile(capsys: pytest.CaptureFixture[str]) -> None:
    """A target that has to be served is served, reached and ended."""
    assert main(["doctor", "demo:grid"]) == 0
    report = capsys.readouterr().out
    assert "server: demo:grid is served at http://127.0.0.1:" in report and "session: open" in report


@pytest.mark.parametrize("name", demo_names())
def test_a_demo_is_played(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each demo prints the Python that does the same, and what came of it."""
    assert main(["demo", name]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f">>> env = openenv_notebook.connect('demo:{name}')")
    assert ">>> env.reset(seed=7)" in shown and "# reward " in shown and "Episode(" in shown.splitlines()[-1]
    assert main(["demo", name, "--seed", "3"]) == 0
    assert ("done)" in capsys.readouterr().out) == (name != "echo")


@pytest.mark.parametrize("name", ["grid", "guess"])
def test_a_player_always_wins(name: str) -> None:
    """Whatever the seed, the player of a demo ends it with its reward."""
    with connect(f"demo:{name}") as env:
        for seed in range(12):
            result = env.reset(seed=seed)
            while not result.done:
                result = env.step(PLAYERS[name](result.observation))
            assert result.reward == 1.0, seed


def test_the_command_in_a_process_of_its_own() -> None:
    """It answers --help and --version, refuses what it cannot read with 2, and says nothing on stderr else."""
    helped = run("--help")
    assert (helped.returncode, helped.stderr) == (0, "") and "doctor" in helped.stdout and "demo" in helped.stdout
    assert run("--version").stdout == f"openenv-notebook {__version__}\n"
    for words in ((), ("demo", "chess"), ("doctor", "a", "b"), ("dance",)):
        refused = run(*words)
        assert (refused.returncode, refused.stdout) == (2, "") and "usage: python -m openenv_notebook" in refused.stderr
    played = run("demo")
    assert (played.returncode, played.stderr) == (0, "") and "done)" in played.stdout


def test_an_interrupt_ends_the_command() -> None:
    """Ctrl-C while it waits for a server that never answers: 130, and no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        program = subprocess.Popen(
            [sys.executable, "-m", "openenv_notebook", "doctor", f"127.0.0.1:{silent.getsockname()[1]}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        with program:
            assert program.stdout is not None
            while "is open" not in (line := program.stdout.readline()):
                assert line, "it ended before"
            program.send_signal(signal.SIGINT)
            _, said = program.communicate(timeout=20)
    assert (program.returncode, said) == (130, "")
