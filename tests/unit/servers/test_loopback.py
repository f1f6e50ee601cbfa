"""Taking a port of the loopback."""

from __future__ import annotations

import pytest

from openenv_notebook.servers.loopback import LOOPBACK, listen, url_at
from openenv_notebook.values.errors import MisuseError, ServerStartFailed


def test_a_free_port_is_taken() -> None:
    """Port 0 takes a free one, on the loopback address only."""
    with listen("grid", 0) as listening:
        host, port = listening.getsockname()
        assert host == LOOPBACK and url_at("grid", port) == f"http://127.0.0.1:{port}"


def test_a_port_that_cannot_be_had_is_told() -> None:
    """A port that is taken, and a number that is none, are told in words, with what to do."""
    with listen("grid", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(ServerStartFailed, match=rf"'grid' could not listen on port {port}: something else listens"):
            listen("grid", port)
    with pytest.raises(ServerStartFailed, match=r"from 0 to 65535.*port 0 takes a free one"):
        listen("grid", 70000)


def test_there_is_no_address_before_the_start() -> None:
    """A server that does not listen yet has no address, and says so."""
    with pytest.raises(MisuseError, match="the server 'grid' has no address yet"):
        url_at("grid", 0)
