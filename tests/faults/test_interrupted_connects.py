"""■ while connect() waits, wherever it waits: it is back at once, and nothing of it stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from support.interrupts import interrupted_when, main_thread_is_in
from support.sockets import Peer
from support.waiting import eventually
from support.wire import error_frame

from openenv_notebook import connect
from openenv_notebook.threads.portal import Portal
from openenv_notebook.threads.worker import own_threads


def silent(peer: Peer) -> None:
    """Take the connection and say nothing."""
    peer.read_request()
    peer.wait_for_end()


def building(peer: Peer) -> None:
    """Build the environment for ever."""
    peer.accept()
    peer.receive()
    peer.wait_for_end()


def full(peer: Peer) -> None:
    """Refuse, as a full server does."""
    peer.accept()
    peer.say(error_frame("CAPACITY_REACHED", active_sessions=1, max_sessions=1))
    peer.close(1000)


SCRIPTS: dict[str, Callable[[Peer], None]] = {"handshake": silent, "building": building, "full": full}


@pytest.mark.parametrize("progress", [None, lambda text: None], ids=["plain", "with progress"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_an_interrupted_connect_leaves_nothing(serve: Any, script: str, progress: Any) -> None:
    """T11: ■ ends connect() at once, wherever it waits; no thread, no session, no socket stays."""
    server, pressed = serve(SCRIPTS[script]), []

    def waits() -> bool:
        ready = bool(server.peers and server.peers[-1].request) and (script != "full" or len(server.peers) > 1)
        if ready and (script == "full" or main_thread_is_in(Portal.wait)):
            pressed.append(time.monotonic())
            return True
        return False

    with pytest.raises(KeyboardInterrupt), interrupted_when(waits):
        try:
            connect(server.url, progress=progress, wait=60 if script == "full" else 0)
        finally:
            took = time.monotonic() - pressed[0]
    assert took < 1.0
    eventually(lambda: own_threads() == [], 2)


def test_an_interrupt_while_the_progress_thread_starts(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """T11: ■ as the thread that reports starts, which then begins all the same, leaves no such thread."""
    server, start = serve(building), threading.Thread.start
    starting, pressed = threading.Event(), threading.Event()

    def held(thread: threading.Thread) -> None:
        if thread.name == "openenv-progress":
            starting.set()
            pressed.wait(10)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", held)
    try:
        with pytest.raises(KeyboardInterrupt), interrupted_when(starting.is_set):
            connect(server.url, progress=lambda text: None)
    finally:
        pressed.set()
    eventually(lambda: own_threads() == [], 2)
