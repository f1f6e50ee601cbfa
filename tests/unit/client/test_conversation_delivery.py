"""What somebody waits for is whole, whatever the record can keep."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.waiting import eventually
from support.wire import FarEnd, result_frame

from openenv_notebook import ReplyTimeout, step_all
from openenv_notebook.client.clients import SyncEnvClient

Env = SyncEnvClient[Any, Any, Any]
# One frame for all replies: what they take is what is made of it.
LARGE = result_frame({"text": "x" * 1_000_000}, 1.0)
MANY = 90


def large(request: dict[str, Any]) -> bytes:
    """Answer with a megabyte."""
    return LARGE


def whole(result: Any) -> bool:
    """Tell whether nothing is missing."""
    return len(result.observation.text) == 1_000_000


def test_of_many_steps(playing: Env, far_end: FarEnd) -> None:
    """T02: every result of step_many is whole, though together they are more than the record holds."""
    far_end.policy = large
    results = playing.step_many([{"column": 1}] * MANY)
    assert len(results) == MANY and all(map(whole, results))
    assert playing.episode[1].folded, "it was more"


async def test_of_steps_awaited_together(playing: Env, far_end: FarEnd) -> None:
    """T02: so are those of calls that were awaited together, and not looked at while the cell computed."""
    far_end.policy = large
    calls = [asyncio.ensure_future(playing.async_client.step(column=1)) for _ in range(MANY)]
    await asyncio.sleep(0)
    eventually(lambda: playing.episode.length == MANY)
    assert all(map(whole, await asyncio.gather(*calls)))


def test_of_steps_of_many_clients(playing: Env, far_end: FarEnd) -> None:
    """T02: so are those of step_all, also where one client makes many of them."""
    far_end.policy = large
    results = step_all([playing] * MANY, [{"column": 1}] * MANY)
    assert all(map(whole, results))


@pytest.mark.parametrize("goes_on", [False, True])
def test_of_what_is_settled(playing: Env, far_end: FarEnd, goes_on: bool) -> None:
    """T02: settle() hands out whole what came while it waited, also after later steps made the record fold."""
    far_end.hold()
    with pytest.raises(ReplyTimeout):
        playing.options(timeout=0.2).step_many([{"column": 1}] * MANY, window=MANY)
    far_end.policy = large

    async def settle() -> Any:
        waiting = asyncio.ensure_future(playing.async_client.settle(20))
        await asyncio.sleep(0)
        far_end.release()
        return await waiting

    steps = asyncio.run(settle())
    if goes_on:
        playing.step(column=1)
        assert playing.episode[1].folded
    assert len(steps) == MANY and all(whole(step.result) for step in steps)
