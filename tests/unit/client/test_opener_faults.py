"""What fails in this process while connecting: told by its cause, and the next call works."""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import Any

import pytest
from support.wire import FarEnd, scripted

from openenv_notebook import connect
from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.servers.server import serve
from openenv_notebook.values.errors import OpenEnvError, ServerStartFailed, TransportError


class Provider:
    """Somebody's provider, with a bug."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def start_container(self, *arguments: Any) -> str:
        """Start."""
        raise self._error

    def stop_container(self) -> None:
        """Stop."""


ERRORS = [KeyError("IMAGE"), MemoryError(), RuntimeError("no docker here"), FileNotFoundError("docker"), SystemExit(3),
          KeyboardInterrupt(), asyncio.CancelledError(), TimeoutError("slow")]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("how", ["blocking", "awaited"])
def test_a_provider_that_fails(error: BaseException, how: str) -> None:
    """R29: whatever a provider raises, exits too, is why there is no server: with its cause and line, for each call."""
    start = GenericEnvClient.from_docker_image("x", provider=Provider(error))
    with pytest.raises(ServerStartFailed, match=f"could not be started: {type(error).__name__}") as caught:
        start.sync() if how == "blocking" else asyncio.run(start)
    assert not isinstance(caught.value, TransportError)
    assert caught.value.__cause__ is error
    assert "raise self._error" in "".join(traceback.format_exception(caught.value))


class Exiting(GenericEnvClient):
    """Its own methods exit, on the clients' own thread."""

    async def leave(self, error: BaseException) -> None:
        """Exit."""
        raise error


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=lambda error: type(error).__name__)
def test_an_exit_in_a_method_of_ones_own(far_end: FarEnd, error: BaseException) -> None:
    """R29: an exit in an asynchronous method reaches who called it; every session lives on."""
    env = scripted(Exiting("scripted.test:80"), far_end).sync()
    env.reset()
    with pytest.raises(type(error)):
        env.leave(error)
    assert env.step({"column": 1}).observation.step == 1
    env.close()


def test_a_patched_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    """R29: on a real server, an asyncio that knows no task is named as what it is; without the patch it connects."""
    server = serve("demo:echo")
    with monkeypatch.context() as patched:
        for module in (asyncio, asyncio.tasks, sys.modules["asyncio.timeouts"].tasks):
            patched.setattr(module, "current_task", lambda loop=None: None)
        with pytest.raises(OpenEnvError, match="asyncio is patched in this process") as caught:
            connect(server.url)
    assert not isinstance(caught.value, TransportError)
    assert "is the server running" not in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)
    with connect(server.url) as env:
        assert env.reset().done is False
    server.stop()
