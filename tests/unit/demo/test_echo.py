"""The echo demo."""

from __future__ import annotations

import asyncio
import math

import pytest
from pydantic import ValidationError

from openenv_notebook.demo.echo import EchoAction, EchoEnvironment


def test_it_says_what_it_is_told() -> None:
    """A step gives the message back with its length and a tenth of a point a character."""
    environment = EchoEnvironment()
    first = environment.reset()
    seen = asyncio.run(environment.step(EchoAction(message="hey")))
    assert (first.reward, first.done) == (None, False)
    assert (seen.message, seen.length, seen.reward, seen.done) == ("hey", 3, 0.3, False)
    assert environment.state.step_count == 1


def test_a_reset_starts_a_new_episode() -> None:
    """After a reset the steps are counted from zero, under a new episode id."""
    environment = EchoEnvironment()
    before = environment.state.episode_id
    asyncio.run(environment.step(EchoAction(message="")))
    environment.reset()
    assert environment.state.step_count == 0
    assert environment.state.episode_id not in (None, before)


@pytest.mark.parametrize("delay", [-0.1, 60.1, math.inf, math.nan])
def test_a_delay_is_bounded(delay: float) -> None:
    """A delay outside 0 to 60 seconds is refused."""
    with pytest.raises(ValidationError):
        EchoAction(message="x", delay=delay)


def test_a_slow_step_lets_others_go_on() -> None:
    """While a step waits for its delay, another environment on the loop answers."""

    async def both() -> list[str]:
        order: list[str] = []

        async def say(message: str, delay: float) -> None:
            seen = await EchoEnvironment().step(EchoAction(message=message, delay=delay))
            order.append(seen.message)

        await asyncio.gather(say("slow", 0.05), say("quick", 0.0))
        return order

    assert asyncio.run(both()) == ["quick", "slow"]
