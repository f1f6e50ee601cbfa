"""Giving up while the loop's thread is busy: unknown is never told as no."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.waiting import eventually
from support.wire import FarEnd

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.client.step_all import step_all
from openenv_notebook.values.errors import ReplyTimeout

Env = SyncEnvClient[Any, Any, Any]


@contextlib.contextmanager
def busy(env: Env) -> Iterator[None]:
    """Keep the loop's thread busy, as a blocking async method of a subclass does."""
    is_there, may_go = threading.Event(), threading.Event()

    def block() -> None:
        is_there.set()
        may_go.wait(20)

    conversation_of(env).session.lease.post(block)
    assert is_there.wait(5)
    try:
        yield
    finally:
        may_go.set()


def main_waits() -> bool:
    """Tell whether the main thread waits for the portal's."""
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    return frame.f_code.co_name == "wait" and frame.f_code.co_filename.endswith("portal.py")


CALLS: dict[str, Callable[[Env], Any]] = {
    "step": lambda env: env.step({"column": 1}),
    "reset": lambda env: env.reset(seed=1),
    "state": lambda env: env.state(),
    "step_many": lambda env: env.step_many([{"column": 1}] * 5),
    "step_all": lambda env: step_all([env], [{"column": 1}], timeout=0.05),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_timed_out_unsent_never_happens(playing: Env, far_end: FarEnd, name: str) -> None:
    """T10: a timeout while the loop's thread is busy says that nothing was sent, and nothing is sent afterwards."""
    before = len(far_end.requests)
    with busy(playing), pytest.raises(ReplyTimeout) as caught:
        CALLS[name](playing.options(timeout=0.05))
    assert not caught.value.sent
    assert playing.state().step_count == 0
    assert [request["type"] for request in far_end.requests[before:]] == ["state"]


@pytest.mark.parametrize("name", ["step", "reset", "step_many"])
def test_a_call_that_was_interrupted_unsent_never_happens(playing: Env, far_end: FarEnd, name: str) -> None:
    """T10: an interrupt while the loop's thread is busy says that nothing was sent, and nothing is sent afterwards."""
    before = len(far_end.requests)
    with busy(playing), pytest.raises(KeyboardInterrupt) as caught, interrupted_when(main_waits):
        CALLS[name](playing)
    assert caught.value.sent is False  # type: ignore[attr-defined]
    assert "will not happen" in caught.value.__notes__[0]
    playing.state()
    assert [request["type"] for request in far_end.requests[before:]] == ["state"]


@pytest.mark.parametrize("within", [0.0, 0.05])
async def test_a_call_that_was_cancelled_unsent_never_happens(
    client: GenericEnvClient, far_end: FarEnd, within: float
) -> None:
    """T10: a cancellation while the loop's thread is busy says that nothing was sent, and nothing is sent later."""
    await client.reset()
    before = len(far_end.requests)
    with busy(client.sync()):
        task = asyncio.create_task(client.step({"column": 1}))
        await asyncio.wait([task], timeout=within)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
    assert getattr(caught.value, "sent", False) is False
    await client.state()
    assert [request["type"] for request in far_end.requests[before:]] == ["state"]


def test_what_was_sent_is_told_as_sent(playing: Env, far_end: FarEnd) -> None:
    """T10: a step that was sent before the loop's thread became busy is owed, however late that thread answers."""
    far_end.holding = True
    failed: list[BaseException] = []

    def step() -> None:
        try:
            playing.options(timeout=0.3).step({"column": 1})
        except ReplyTimeout as error:
            failed.append(error)

    thread = threading.Thread(target=step)
    thread.start()
    eventually(lambda: far_end.held)
    with busy(playing):
        thread.join(10)
    assert [error.sent for error in failed] == [True]  # type: ignore[attr-defined]
    far_end.release()
    assert [step.owed for step in playing.settle(5)] == [True]


def test_a_disconnect_that_timed_out_never_happens(playing: Env, far_end: FarEnd) -> None:
    """T10: giving the session up is not told as withdrawn and done all the same."""
    with busy(playing), pytest.raises(ReplyTimeout) as caught:
        playing.disconnect()
    assert not caught.value.sent
    assert playing.step({"column": 1}).observation.step == 1, "the session lives"


def test_a_disconnect_that_has_begun_is_told_as_begun(playing: Env, far_end: FarEnd) -> None:
    """T10: giving the session up that is only slow to end says that it goes on."""
    far_end.ignores_close = True
    with pytest.raises(ReplyTimeout, match="the session is given up; its connection is still closing") as caught:
        playing.disconnect()
    assert caught.value.sent
