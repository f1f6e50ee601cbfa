"""Nothing listens at the port, and a server does at another one of this machine."""

from __future__ import annotations

import contextlib
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from openenv_notebook import ConnectFailed, connect, parse_target, serve
from openenv_notebook.wire.other_ports import PORTS, find_nearby


@pytest.fixture
def nobody_there() -> Any:
    """A port where nothing listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def test_a_server_at_another_port_is_found(nobody_there: int) -> None:
    """A24: of the ports that are asked, those are told where an OpenEnv server says that it is healthy."""
    with serve("demo:echo") as server:
        port = urlsplit(server.url).port or 0
        address: Any = parse_target(f"127.0.0.1:{nobody_there}")
        assert await find_nearby(address, [nobody_there, port]) == [f"http://127.0.0.1:{port}"]


async def test_other_machines_are_not_asked() -> None:
    """Only ports of this machine are tried."""
    address: Any = parse_target("http://host.example.com:8000")
    assert await find_nearby(address) == []


async def test_something_that_never_answers_holds_nobody_up(nobody_there: int) -> None:
    """A listener that never says anything is no server, and is left."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address: Any = parse_target(f"127.0.0.1:{nobody_there}")
        assert await find_nearby(address, [silent.getsockname()[1]]) == []


def test_a_refused_connection_names_the_right_port(nobody_there: int) -> None:
    """A24: who connects to the wrong port is told 'connection refused', the address, and the port that answers."""
    with contextlib.ExitStack() as stack:
        server = None
        for port in PORTS:
            # Somebody else may use one of them.
            with contextlib.suppress(Exception):
                server = stack.enter_context(serve("demo:echo", port=port))
                break
        if server is None:
            pytest.skip(f"all of the ports {PORTS} are in use here")
        with pytest.raises(ConnectFailed) as caught:
            connect(f"127.0.0.1:{nobody_there}")
    told = str(caught.value)
    assert "refused" in told and f"http://127.0.0.1:{nobody_there}" in told
    assert f"an OpenEnv server answers at http://127.0.0.1:{urlsplit(server.url).port}" in told
