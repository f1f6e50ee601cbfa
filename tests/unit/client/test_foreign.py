"""Blocking calls on client objects of other packages."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.waiting import in_threads

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.client.foreign import ForeignClient
from openenv_notebook.values.errors import ClientClosed, MisuseError, NotSupportedHere, WrongThread


def test_it_is_wrapped_by_the_name_that_the_official_package_has() -> None:
    """SyncEnvClient(async_client=x) takes both kinds of clients."""
    assert isinstance(SyncEnvClient(async_client=Official()), ForeignClient)
    assert type(SyncEnvClient(async_client=GenericEnvClient("localhost:1"))) is SyncEnvClient


class Official:
    """A client object as the official package makes it."""

    base_url = "http://localhost:1"
    limit = 3

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.loops: set[int] = set()
        self.waiting = threading.Event()

    def _note(self, *call: Any) -> None:
        self.calls.append(call)
        self.loops.add(id(asyncio.get_running_loop()))

    async def connect(self) -> Official:
        """Connect."""
        self._note("connect")
        return self

    async def reset(self, **kwargs: Any) -> Any:
        """Reset."""
        self._note("reset", kwargs)
        return "first"

    def step(self, action: Any) -> Any:
        """Return something awaitable, as some versions do."""

        async def later() -> Any:
            self._note("step", action)
            return action

        return later()

    async def state(self) -> Any:
        """Read the state."""
        self._note("state")
        return {"step_count": 1}

    async def close(self) -> None:
        """Close."""
        self._note("close")

    async def disconnect(self) -> None:
        """Disconnect."""
        self._note("disconnect")

    async def helper(self, value: int) -> int:
        """Help."""
        return value + 1

    async def wait(self) -> None:
        """Wait for ever."""
        self.waiting.set()
        await asyncio.Event().wait()

    async def nested(self, env: Any) -> None:
        """Call the blocking client from the loop."""
        env.reset()


@pytest.fixture
def official() -> Official:
    """The object."""
    return Official()


@pytest.fixture
def env(official: Official) -> Iterator[Any]:
    """The blocking client over it."""
    wrapped = SyncEnvClient(official)  # type: ignore[arg-type]
    yield wrapped
    wrapped.close()


def test_a_foreign_object_is_recognised(env: Any, official: Official) -> None:
    """SyncEnvClient chooses the way by what the object can do."""
    assert type(env) is ForeignClient
    assert env.async_client is official
    assert (env.base_url, env.status) == ("http://localhost:1", "new")
    env.connect()
    assert env.status == "open"
    assert repr(env).startswith("<Official of ")


def test_wrapping_it_again_gives_the_same(env: Any) -> None:
    """SyncEnvClient of a blocking client is that client."""
    env.reset()
    assert SyncEnvClient(env) is env
    assert env.status == "open"


def test_it_is_looked_at_and_not_copied(env: Any) -> None:
    """dir() has the object's own methods; pickling and copying are refused in words."""
    assert {"helper", "limit", "step"} <= set(dir(env))
    for duplicate, word in ((pickle.dumps, "pickled"), (copy.copy, "copied"), (copy.deepcopy, "copied")):
        with pytest.raises(MisuseError, match=f"cannot be {word}"):
            duplicate(env)


def test_its_calls_block_on_one_loop(env: Any, official: Official) -> None:
    """connect, reset, step and state run on one loop, also from threads, whether coroutines or awaitables."""
    with env:
        assert env.reset(seed=1) == "first"
        assert env.step({"a": 1}) == {"a": 1}
        assert env.state() == {"step_count": 1}
        in_threads(env.state, env.reset)
    assert len(official.loops) == 1
    assert official.calls[0] == ("connect",)
    assert official.calls[-1] == ("close",)


def test_keywords_are_refused(env: Any, official: Official) -> None:
    """Only the object knows its action's class: step(a=1) says to pass it, step(action=X) hands over the X."""
    assert env.step(action=5) == 5
    for call in (lambda: env.step(a=1, b=2), lambda: env.step({"a": 1}, b=2), lambda: env.step()):
        with pytest.raises(MisuseError, match=r"pass the action object: env.step\(TheAction\("):
            call()


async def test_it_works_under_a_running_loop(env: Any) -> None:
    """A cell may use it."""
    assert env.reset() == "first"


def test_other_methods_and_attributes_pass(env: Any) -> None:
    """Helper methods block, plain attributes pass, probes find nothing."""
    assert env.helper(1) == 2
    assert env.helper is env.helper
    assert env.limit == 3
    for name in ("nothing", "_repr_html_"):
        with pytest.raises(AttributeError):
            getattr(env, name)


def test_the_record_is_for_our_own_clients(env: Any) -> None:
    """What cannot be promised says how to get it."""
    properties, methods = (
        ("episode", "episodes", "last", "done", "owed", "activity"),
        ("settle", "options", "step_many"),
    )
    for name in (*properties, *methods, "subscribe", "unsubscribe"):
        with pytest.raises(NotSupportedHere, match="adopt"):
            getattr(env, name)


def test_closed_is_closed(env: Any, official: Official) -> None:
    """close is idempotent, and nothing is called afterwards."""
    env.reset()
    env.close()
    env.close()
    assert official.calls.count(("close",)) == 1
    assert env.status == "closed"
    with pytest.raises(ClientClosed):
        env.reset()


def test_an_interrupt_cancels_it(env: Any, official: Official) -> None:
    """A real SIGINT ends the call, and no task is left."""
    with pytest.raises(KeyboardInterrupt), interrupted_when(official.waiting.is_set):
        env.wait()
    assert env.state() == {"step_count": 1}


def test_its_own_thread_is_refused(env: Any) -> None:
    """A blocking call from the loop's thread raises at once."""
    with pytest.raises(WrongThread):
        env.nested(env)
