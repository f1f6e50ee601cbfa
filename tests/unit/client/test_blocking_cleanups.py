"""Cleaning up after an error: the error is what is raised, on any thread, whatever the cleanup meets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from support.wire import FarEnd, scripted

from openenv_notebook import connect
from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.play.run_episodes import run_episodes
from openenv_notebook.values.errors import ConnectFailed, WrongThread


class Wrong(GenericEnvClient):
    """Calls blocking functions in asynchronous methods, which run on the clients' own thread."""

    async def do(self, call: Callable[[SyncEnvClient[Any, Any, Any]], Any]) -> Any:
        """Call."""
        return call(self.sync())


WRONG: dict[str, tuple[Callable[[SyncEnvClient[Any, Any, Any]], Any], str]] = {
    "connect": (lambda env: connect("demo:echo"), "await GenericEnvClient(...).connect(), or await asyncio.to_thread("),
    "connect by address": (lambda env: connect("localhost:1"), "await GenericEnvClient(...).connect()"),
    "connect of a client": (lambda env: env.connect(), "await env.async_client.connect(...)"),
    "new_session": (lambda env: env.new_session(), "await env.async_client.new_session()"),
    "close": (lambda env: env.close(), "await env.async_client.close()"),
    "with": (lambda env: env.__enter__(), "await env.async_client.connect(...)"),
    "step": (lambda env: env.step(column=1), "await env.async_client.step(...)"),
    "run_episodes": (lambda env: run_episodes(env), "Rollout(env, policy).start().ended()"),
    "wait": (lambda env: Rollout(env, lambda seen: None).start().wait(), "await run.ended()"),
    "from_docker_image": (
        lambda env: GenericEnvClient.from_docker_image("x", provider=object()).sync(),
        "await env.async_client.connect(...)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_blocking_call_on_the_clients_thread_is_named(far_end: FarEnd, name: str) -> None:
    """R34: each blocking call on the thread it would wait for names itself and what to await, not a cleanup's call."""
    env = scripted(Wrong("scripted.test:80"), far_end).sync()
    env.reset()
    call, instead = WRONG[name]
    with pytest.raises(WrongThread) as caught:
        env.do(call)
    assert instead in str(caught.value)
    said = "connect" if name in ("with", "from_docker_image") else name.split()[0]
    assert str(caught.value).startswith(f"{said}() blocks")
    env.close()
    assert env.status == "closed"


class Ill(GenericEnvClient):
    """Cannot be closed in peace."""

    async def close(self) -> None:
        """Close, and fail."""
        await super().close()
        raise RuntimeError("cannot close")


def test_what_connect_failed_by_is_raised() -> None:
    """R34: a client class whose close() fails does not hide why connecting failed."""
    with pytest.raises(ConnectFailed, match="connection refused") as caught:
        connect("localhost:1", client=Ill)
    assert "RuntimeError: cannot close" in caught.value.__notes__[0]


class Provider:
    """Starts and stops a server; both fail."""

    def start_container(self, image: str) -> str:
        """Start."""
        raise KeyError("no such image")

    def stop_container(self) -> None:
        """Stop."""
        raise RuntimeError("nothing to stop")


@pytest.mark.parametrize("how", ["blocking", "awaited"])
def test_what_a_provider_failed_by_is_raised(how: str) -> None:
    """R34: a provider whose stop fails, too, does not hide why its start failed."""
    start = GenericEnvClient.from_docker_image("x", provider=Provider())
    with pytest.raises(Exception, match="no such image"):
        start.sync() if how == "blocking" else asyncio.run(start)


@pytest.mark.parametrize("how", ["blocking", "awaited"])
def test_what_a_block_failed_by_is_raised(far_end: FarEnd, how: str) -> None:
    """R34: a with block's own error stays the error; the failed close is noted, and all is closed."""
    client = scripted(Ill("scripted.test:80"), far_end)

    async def awaited() -> None:
        async with client:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        if how == "awaited":
            asyncio.run(awaited())
        with client.sync():
            raise ZeroDivisionError
    assert "cannot close" in caught.value.__notes__[0]
    assert client.status == "closed"


def test_a_close_that_fails_by_itself_is_raised(far_end: FarEnd) -> None:
    """R34: without another error it is told, and all else is closed."""
    env = scripted(Ill("scripted.test:80"), far_end).sync().connect()
    with pytest.raises(RuntimeError, match="cannot close"):
        env.close()
    assert env.status == "closed"
