"""One patience for a schema that does not come, whoever waits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from openenv_notebook.client.known import PATIENCE, Known
from openenv_notebook.values.attribute_dict import attribute_dict


class Server:
    """Answers when it is let."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.may_answer = asyncio.Event()
        self.asked = 0

    async def __call__(self) -> None:
        """Answer a question."""
        self.asked += 1
        await self.may_answer.wait()
        self.known.take_schema(attribute_dict({"action": {"properties": {"a": {}}}}))


async def test_an_interrupted_wait_is_deducted_too() -> None:
    """Whoever is cancelled has waited all the same."""
    known = Known(patience=60.0)
    server = Server(known)
    waiting = asyncio.create_task(known.learn(server, None))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert 0 < known.patience < 60.0
    server.may_answer.set()


async def test_a_call_with_a_time_of_its_own_waits_that_long() -> None:
    """The patience that is shared is spent; a call that was given more time learns the schema."""
    known = Known(patience=0.0)
    server = Server(known)
    await known.learn(server, 0.0)
    asyncio.get_running_loop().call_later(0.01, server.may_answer.set)
    known.patience = 0.0
    await known.learn(server, 30.0, is_shared=False)
    assert (known.schema is not None, server.asked) == (True, 1)


async def test_a_new_question_gets_a_little_patience() -> None:
    """After one that hung, a server that is well again is heard at once."""
    known = Known(patience=0.0)
    server = Server(known)
    server.may_answer.set()
    await known.learn(server, None)
    assert known.schema is not None


def test_a_question_of_another_loop_is_asked_anew() -> None:
    """A forked child, and whoever comes after a thread that died, waits for no task of a loop that is gone."""
    known = Known()
    gone: Any = asyncio.new_event_loop()
    known.asking = gone.create_task(asyncio.Event().wait())
    try:
        with asyncio.Runner() as runner:
            server = Server(known)
            server.may_answer.set()
            runner.run(known.learn(server, None))
        assert (known.schema is not None, known.patience) == (True, PATIENCE)
    finally:
        known.asking = None
        for task in asyncio.all_tasks(gone):
            task.cancel()
        gone.run_until_complete(asyncio.sleep(0))
        gone.close()
