"""Servers that a client owns, by duck type."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from support.waiting import eventually, eventually_here

from openenv_notebook.client.provider import hold_of, stop_soon
from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import MisuseError, ServerStartFailed


class Container:
    """A provider as upstream's for docker."""

    def __init__(self, fails: str = "") -> None:
        self.calls: list[str] = []
        self.threads: set[str] = set()
        self.fails = fails

    def start_container(self) -> str:
        """Start."""
        self._note("start_container")
        return "http://localhost:1"

    def wait_for_ready(self, url: str) -> None:
        """Wait."""
        self._note(f"wait_for_ready {url}")

    def stop_container(self) -> None:
        """Stop."""
        self._note("stop_container")

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.threads.add(threading.current_thread().name)
        if self.fails and call.startswith(self.fails):
            raise RuntimeError("no docker here")


class Process:
    """A provider as upstream's for uv."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def start(self) -> str:
        """Start."""
        self.calls.append("start")
        return "http://localhost:2"

    def wait_for_ready(self) -> None:
        """Wait."""
        self.calls.append("wait")

    def stop(self) -> None:
        """Stop."""
        self.calls.append("stop")


async def test_a_container_is_started_waited_for_and_stopped_once() -> None:
    """The container form is driven off the loop, and stopped once however often it is asked for."""
    container = Container()
    hold = hold_of(container)
    assert await in_thread(hold.start) == "http://localhost:1"
    hold.stop()
    hold.stop()
    assert container.calls == ["start_container", "wait_for_ready http://localhost:1", "stop_container"]
    assert "openenv-start" in container.threads


async def test_a_process_is_driven_the_same_way() -> None:
    """The other form, start and stop, works as well."""
    process = Process()
    hold = hold_of(process)
    assert await in_thread(hold.start) == "http://localhost:2"
    hold.stop()
    assert process.calls == ["start", "wait", "stop"]


async def test_what_does_not_get_ready_is_stopped() -> None:
    """A server that was started and does not get ready is stopped, and why is raised as it was."""
    container = Container(fails="wait_for_ready")
    with pytest.raises(RuntimeError, match="no docker here"):
        await in_thread(hold_of(container).start)
    assert container.calls[-1] == "stop_container"


async def test_an_object_that_starts_nothing_is_a_mistake() -> None:
    """Anything else given as a provider is named as the mistake it is."""
    with pytest.raises(MisuseError, match="neither start_container"):
        await in_thread(hold_of(object()).start)


async def test_one_that_is_stopped_while_it_starts_is_stopped_when_it_is_there() -> None:
    """Stopping does not wait for a start that goes on: it is stopped once when it is over, and never waited for."""
    go = threading.Event()

    class Slow(Container):
        def start_container(self) -> str:
            super().start_container()
            go.wait(5)
            return "http://localhost:1"

    container = Slow()
    hold = hold_of(container)
    start = asyncio.ensure_future(in_thread(hold.start))
    await eventually_here(lambda: container.calls)
    hold.stop()
    with pytest.raises(ServerStartFailed, match="Slow was stopped while it started"):
        await start
    assert container.calls == ["start_container"]
    go.set()
    await eventually_here(lambda: container.calls == ["start_container", "stop_container"])


async def test_the_start_gets_its_arguments() -> None:
    """What a start is to be given reaches it."""
    given: list[Any] = []

    class Images(Process):
        def start(self, image: str, port: int = 0) -> str:  # type: ignore[override]
            given.append((image, port))
            return super().start()

    hold = hold_of(Images(), "grid:latest", port=7)
    assert await in_thread(hold.start) == "http://localhost:2"
    hold.stop()
    assert given == [("grid:latest", 7)]


async def test_a_dropped_client_stops_it_from_a_thread() -> None:
    """Stopping soon does not block who asks."""
    process: Any = Process()
    hold = hold_of(process)
    await in_thread(hold.start)
    stop_soon(hold)
    eventually(lambda: process.calls[-1] == "stop")
    stop_soon(hold)
    hold.stop()
    assert process.calls.count("stop") == 1


async def test_it_can_be_started_again() -> None:
    """A provider that was stopped may be started again, and is then stopped again."""
    process = Process()
    hold = hold_of(process)
    for _ in range(2):
        await in_thread(hold.start)
        hold.stop()
    assert process.calls == ["start", "wait", "stop"] * 2


def test_what_runs_already_is_stopped() -> None:
    """A server that was started before the client, as upstream's helpers do, is stopped with it."""
    process = Process()
    hold_of(process).stop()
    assert process.calls == ["stop"]
