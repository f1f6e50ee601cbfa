"""A Hub Space that sleeps, seen from a cell; a server on loopback stands for the Hub."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from support.kernels import ROOT, Kernel, started
from support.sockets import Peer, Script, SocketServer
from support.spaces import HTML, PAGE, asleep_at_first
from support.waiting import eventually
from support.wire import error_frame

pytestmark = pytest.mark.kernel

CONNECTS = {
    "magic": "%openenv connect owner/name --client support.spaces:SpaceClient --wait 60",
    "plain": "import openenv_notebook\nfrom support.spaces import SpaceClient\n"
    "env = openenv_notebook.connect('owner/name', client=SpaceClient, wait=60, progress=print)",
}
Space = tuple[SocketServer, Kernel]


@pytest.fixture
def make_space() -> Iterator[Callable[[Script], Space]]:
    """Make a Space that follows a script, and a notebook whose clients reach it as owner/name."""
    opened = []

    def make(script: Script) -> Space:
        server = SocketServer(script)
        kernel = started(SPACE_STAND_IN=server.url, PYTHONPATH=f"{ROOT}:{ROOT / 'tests'}")
        opened.append((server.__enter__(), kernel))
        running = kernel.__enter__()
        running.ok("%load_ext openenv_notebook")
        return server, running

    yield make
    for server, kernel in opened:
        kernel.__exit__(None, None, None)
        server.__exit__(None, None, None)


@pytest.mark.parametrize("connect", CONNECTS.values(), ids=CONNECTS)
def test_the_wait_for_a_space_is_seen_and_stopped(make_space: Callable[[Script], Space], connect: str) -> None:
    """E19: the cell says that the Space is waking up and for how long so far; ■ ends it, binding nothing."""
    _, notebook = make_space(asleep_at_first(999))
    running = notebook.send(connect)
    first = notebook.wait_shown(running, "the Space is waking up (starting or asleep), ")
    later = notebook.wait_shown(running, "the Space is waking up (starting or asleep), 2 s")
    assert [re.search(r", (\d+) s", shown) is not None for shown in (first, later)] == [True, True]
    notebook.interrupt()
    outputs = notebook.gather(running)
    assert outputs.error is not None and outputs.error[0] == "KeyboardInterrupt", outputs.traceback
    assert notebook.ok("print('env' in globals())").stdout == "False\n"
    assert notebook.ok("%openenv").stdout.startswith("nothing is connected")
    threads = "import threading\nprint([thread.name for thread in threading.enumerate() if 'openenv' in thread.name])"
    eventually(lambda: notebook.ok(threads).stdout == "[]\n", what="nothing asks any more")


def test_a_space_that_wakes_up_is_used(make_space: Callable[[Script], Space]) -> None:
    """The line on the wait is one that changes in place, says "so far", and gives way to the line on the client."""
    _, notebook = make_space(asleep_at_first(2))
    outputs = notebook.ok(CONNECTS["magic"])
    shown = [display["text/plain"] for display in outputs.displays]
    waiting = re.compile(r"openenv: the Space is waking up \(starting or asleep\), \d+ s so far")
    waits = [text for text in shown if waiting.fullmatch(text)]
    # What comes behind is of the session, where that takes long, too.
    assert len(waits) >= 2 and shown[: len(waits)] == waits, shown
    assert outputs.stdout.startswith("openenv: env → ") and "next: %openenv reset" in outputs.stdout
    assert "0" in notebook.ok("%openenv reset").result


def is_full(peer: Peer) -> None:
    """A Space whose only session is taken."""
    details = {"active_sessions": 1, "max_sessions": 1}
    peer.accept([error_frame("CAPACITY_REACHED", "full", **details)], close=1000)


def is_something_else(peer: Peer) -> None:
    """A WebSocket that is no OpenEnv server."""
    peer.accept()
    peer.receive()
    peer.say(b'{"hello": 1}')
    peer.wait_for_end()


UNUSABLE: list[tuple[Script, str]] = [
    (lambda peer: peer.answer_http(503, PAGE, HTML), "SpaceAsleep: the Space is not running (starting or asleep)"),
    (lambda peer: peer.answer_http(404, PAGE, HTML), "the Space was not found, or it is private"),
    (lambda peer: peer.answer_http(401), "the Space refused the token"),
    (is_full, "AtCapacity: the server is full: 1 of 1 sessions in use"),
    (is_something_else, "NotAnOpenEnvServer: what answers there is a WebSocket, but not OpenEnv"),
]


def test_spaces_that_cannot_be_used_are_told_apart(make_space: Callable[[Script], Space]) -> None:
    """Asleep, missing or private, refused, full, no OpenEnv: one line each, with what to do, and never the token."""
    scripts = [script for script, _ in UNUSABLE]
    _, notebook = make_space(lambda peer: scripts[peer.number](peer))
    notebook.ok("import os\nos.environ['HF_TOKEN'] = 'hf_very_private'")
    for _, says in UNUSABLE:
        outputs = notebook.run(CONNECTS["magic"].replace(" --wait 60", ""))
        shown = "\n".join(outputs.traceback)
        assert says in shown and " · owner/name" in shown and len(outputs.traceback) == 1, shown
        assert "hf_very_private" not in shown
    assert notebook.ok("%openenv").stdout.startswith("nothing is connected")
