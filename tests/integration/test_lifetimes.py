"""Sessions, servers and processes that begin and end, in every order."""

from __future__ import annotations

import threading

from openenv_notebook import GenericEnvClient
from support.sockets import Ended, Peer, SocketServer


def test_closing_does_not_leave_the_socket_to_the_server() -> None:
    """A client that closes ends its side of TCP itself, though the server takes its time with it."""
    gone, may_go = threading.Event(), threading.Event()

    def script(peer: Peer) -> None:
        peer.prove()
        try:
            peer.serve()
        except Ended:
            peer.sock.settimeout(5)
            if peer.sock.recv(1) == b"":
                gone.set()
            may_go.wait(10)

    with SocketServer(script) as server:
        with GenericEnvClient(server.url).sync() as env:
            env.reset()
        closed_by_us = gone.wait(5)
        may_go.set()
    assert closed_by_us
