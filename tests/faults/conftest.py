"""Clients of misbehaving servers over real sockets on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from support.sockets import Script, SocketServer

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient

Serve = Callable[[Script], SocketServer]
MakeEnv = Callable[..., SyncEnvClient[Any, Any, Any]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers that follow a script; they are stopped after the clients were closed."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(SocketServer(script))


@pytest.fixture
def make_env(serve: Serve) -> Iterator[MakeEnv]:
    """Make blocking clients of a server or an address; closed in the end."""
    with ExitStack() as stack:

        def make(server: SocketServer | str, **settings: Any) -> SyncEnvClient[Any, Any, Any]:
            url = server if isinstance(server, str) else server.url
            settings = {"message_timeout_s": 10, "connect_timeout_s": 10, **settings}
            client = GenericEnvClient(url, **settings)
            stack.callback(client.sync().close)
            return client.sync()

        yield make
