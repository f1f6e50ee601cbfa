"""Giving up a wait: by interrupt, cancellation or timeout. The session stays, and so does the order."""

from __future__ import annotations

import asyncio
import gc
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from support.gates import FileGate
from support.interrupts import interrupted_when
from support.leaks import portal_tasks
from support.pace import storm
from support.real_servers import RealServer, run_program
from support.sockets import Peer, SocketServer
from support.waiting import eventually, eventually_here, in_threads

from openenv_notebook import GenericEnvClient, ReplyTimeout, SyncEnvClient, connect
from openenv_notebook.client.conversation import conversation_of

Env = SyncEnvClient[Any, Any, Any]
LOOPS = pytest.mark.parametrize("loop", ["asyncio", "uvloop"])


@pytest.fixture
def env(any_lab: RealServer) -> Iterator[Env]:
    """A client with an open session, after a reset."""
    with connect(any_lab.url) as made:
        made.reset()
        yield made


def tag() -> str:
    """Name a step, to find it again at the server."""
    return uuid.uuid4().hex


def begun(server: RealServer, mark: str) -> Callable[[], bool]:
    """Make the condition that a server has begun the step of that tag."""
    return lambda: mark in server.get("/begun")


def check_what_follows(env: Env, session: str, mark: str) -> None:
    """After a sent step was given up: the session is the same, replies keep their calls, the record has it."""
    assert env.status == "open"
    following = env.step(op="echo", value="following")
    assert (following.observation.value, following.observation.session) == ("following", session)
    assert following.observation.count == 3
    first, owed, last = [step for step in env.episode if step.kind == "step"]
    assert (first.owed, owed.owed, last.owed) == (False, True, False)
    assert (owed.action["tag"], owed.result.observation["tag"]) == (mark, mark)
    assert [step.action["tag"] for step in env.settle(5)] == [mark]
    assert env.owed == 0 and env.activity == ""


class TestInterrupts:
    """Real SIGINT."""

    def test_of_a_blocking_step(self, env: Env, any_lab: RealServer, far_gate: FileGate) -> None:
        """B12: an interrupted step is back before its reply and says it was sent; that is owed and recorded."""
        session, mark = env.step("echo").observation.session, tag()
        with pytest.raises(KeyboardInterrupt) as caught, interrupted_when(begun(any_lab, mark)):
            env.step(op="echo", tag=mark, gate=far_gate.path)
        assert caught.value.sent is True  # type: ignore[attr-defined]
        assert "its reply is owed and will stand in the record" in caught.value.__notes__[0]
        assert env.owed == 1
        far_gate.open()
        check_what_follows(env, session, mark)

    def test_of_an_awaited_step(self, env: Env, any_lab: RealServer, far_gate: FileGate) -> None:
        """An interrupted `await` is back before the reply too, and the cancellation says that the step was sent."""
        session, mark = env.step("echo").observation.session, tag()
        seen: list[BaseException] = []

        async def cell() -> None:
            try:
                await env.async_client.step(op="echo", tag=mark, gate=far_gate.path)
            except asyncio.CancelledError as error:
                seen.append(error)
                raise

        with pytest.raises(KeyboardInterrupt), interrupted_when(begun(any_lab, mark)):
            asyncio.run(cell())
        assert seen[0].sent is True  # type: ignore[attr-defined]
        assert "its reply is owed" in seen[0].__notes__[0]
        assert env.owed == 1
        far_gate.open()
        check_what_follows(env, session, mark)

    def test_of_a_call_that_waits_in_line(self, env: Env, any_lab: RealServer, far_gate: FileGate) -> None:
        """An interrupted call that was not sent is withdrawn, says so, and never happens."""
        first, second = tag(), tag()
        with pytest.raises(KeyboardInterrupt), interrupted_when(begun(any_lab, first)):
            env.step(op="echo", tag=first, gate=far_gate.path)
        exchange = conversation_of(env).session.exchange
        with pytest.raises(KeyboardInterrupt) as caught, interrupted_when(lambda: exchange.queued == 1):
            env.step(op="echo", tag=second)
        far_gate.open()
        assert caught.value.sent is False  # type: ignore[attr-defined]
        assert "withdrawn before it was sent" in caught.value.__notes__[0]
        assert env.step("echo").observation.count == 2
        assert first in any_lab.made and second not in any_lab.made

    def test_of_a_server_that_never_answers(self) -> None:
        """B12: the blocking form is back after an interrupt though the server never answers; so is close()."""

        def script(peer: Peer) -> None:
            peer.prove()
            peer.wait_for_end()

        with SocketServer(script) as server:
            env = GenericEnvClient(server.url, message_timeout_s=None).sync()
            with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: env.activity.startswith("waiting")):
                env.reset()
            env.close()
        assert env.status == "closed"

    def test_then_reset(self, env: Env, any_lab: RealServer, far_gate: FileGate) -> None:
        """B14: reset() right after an interrupt returns, and the interrupted call leaves no task."""
        mark = tag()
        with pytest.raises(KeyboardInterrupt), interrupted_when(begun(any_lab, mark)):
            env.step(op="echo", tag=mark, gate=far_gate.path)
        far_gate.open()
        result = env.reset(seed=5)
        assert result.observation["value"] == 5
        assert env.step("echo").observation.count == 1
        assert portal_tasks() == set()

    def test_of_a_longer_coroutine(self, any_lab: RealServer) -> None:
        """B25: an interrupt cancels a subclass's own coroutine, and its clean-up is over when the call returns."""
        events: list[str] = []

        class Slow(GenericEnvClient):
            async def forever(self) -> None:
                try:
                    events.append("begun")
                    await asyncio.get_running_loop().create_future()
                finally:
                    await self.state()
                    events.append("cleaned up")

        with Slow(any_lab.url).sync() as env:
            with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: events):
                env.forever()
            assert events == ["begun", "cleaned up"]
            assert portal_tasks() == set()

    def test_twice(self, any_lab: RealServer) -> None:
        """A second interrupt leaves a clean-up that does not end."""
        events: list[str] = []

        class Stubborn(GenericEnvClient):
            async def forever(self) -> None:
                try:
                    events.append("begun")
                    await asyncio.get_running_loop().create_future()
                finally:
                    events.append("cleaning up")
                    await asyncio.get_running_loop().create_future()

        with Stubborn(any_lab.url).sync() as env:
            conditions = [lambda: "begun" in events, lambda: "cleaning up" in events]
            with pytest.raises(KeyboardInterrupt) as caught, interrupted_when(*conditions):
                env.forever()
            assert isinstance(caught.value.__context__, KeyboardInterrupt), "the second is what ended the wait"
            env.reset()

    @pytest.mark.parametrize("kind", ["step", "await", "coroutine"])
    def test_keeps_nobody_alive(self, any_lab: RealServer, far_gate: FileGate, kind: str) -> None:
        """A client whose call was interrupted is gone as soon as it is dropped, and its slot is free."""

        class Slow(GenericEnvClient):
            async def state(self) -> Any:
                events.append("begun")
                await asyncio.get_running_loop().create_future()

        events, mark = list[str](), tag()
        env = Slow(any_lab.url).sync().connect()
        kept = weakref.ref(env.async_client)
        gc.collect()
        gc.disable()
        try:
            env.reset()
            condition = (lambda: events) if kind == "coroutine" else begun(any_lab, mark)
            with suppress(KeyboardInterrupt), interrupted_when(condition):
                if kind == "coroutine":
                    env.state()
                if kind == "step":
                    env.step(op="echo", tag=mark, gate=far_gate.path)
                asyncio.run(env.async_client.step(op="echo", tag=mark, gate=far_gate.path))
            del env
            eventually(lambda: kept() is None, 2.0)
        finally:
            gc.enable()
        far_gate.open()
        any_lab.wait_live(0)

    @LOOPS
    def test_a_storm(self, lab: RealServer, loop: str) -> None:
        """Interrupts at random moments: no wrong reply, no lost session, no leftover; what was sent is recorded.

        The server's own count decides: a withdrawn step was never made, a sent one exactly once.
        """
        seed = {"asyncio": "1", "uvloop": "2"}[loop]
        number = storm(250, 2000)
        said = run_program("storm", lab.url, str(number), seed, OPENENV_NOTEBOOK_LOOP=loop.replace("uvloop", ""))
        counts = {name: said.pop(name) for name in ("interrupts", "calls", "sent", "withdrawn", "outside a wait")}
        assert said == {
            "wrong replies": [],
            "sessions": 1,
            "made twice": [],
            "answered but not made": [],
            "sent but not made": [],
            "withdrawn but made": [],
            "sent but not owed in the record": [],
            "record differs": False,
            "tasks": 0,
            "owed": 0,
            "activity": "",
        }
        assert counts["interrupts"] >= number and counts["sent"] > number / 10 and counts["withdrawn"] > 0

    @LOOPS
    def test_of_beginnings(self, any_lab: RealServer, loop: str) -> None:
        """B15: after interrupts at random moments of connect, reset and step a whole episode runs, on one thread."""
        variables = {"OPENENV_NOTEBOOK_LOOP": loop.replace("uvloop", "")}
        said = run_program("beginnings", any_lab.url, str(storm(8, 100)), "3", **variables)
        assert said == {"counts": list(range(1, 11)), "done": True, "threads": ["openenv-loop"], "left": []}
        any_lab.wait_live(0)


class TestTimeouts:
    """A timeout ends the wait and tells what became of the call."""

    @pytest.mark.parametrize("is_awaited", [False, True])
    def test_of_a_step(self, env: Env, any_lab: RealServer, far_gate: FileGate, is_awaited: bool) -> None:
        """B25: a timeout raises before the reply; the step it had sent is owed, by design, and comes in order."""
        mark = tag()
        env.schema()
        patient = env.options(timeout=0.3)

        async def cell() -> Any:
            return await patient.async_client.step(op="echo", tag=mark, gate=far_gate.path)

        with pytest.raises(ReplyTimeout, match=r"no reply to step\(\) within 0.3 s") as caught:
            asyncio.run(cell()) if is_awaited else patient.step(op="echo", tag=mark, gate=far_gate.path)
        assert caught.value.sent is True
        assert env.owed == 1 and env.activity.startswith("1 reply owed")
        far_gate.open()
        assert env.step(op="echo", value=2).observation.value == 2
        assert any_lab.made.count(mark) == 1

    def test_of_a_coroutine(self, any_lab: RealServer) -> None:
        """B25: a time limit inside a subclass's coroutine cancels the work, not only the wait."""
        cancelled = threading.Event()

        class Limited(GenericEnvClient):
            async def limited(self) -> None:
                try:
                    async with asyncio.timeout(0.2):
                        await asyncio.get_running_loop().create_future()
                except TimeoutError:
                    cancelled.set()
                    raise

        with Limited(any_lab.url).sync() as env, pytest.raises(TimeoutError):
            env.limited()
        assert cancelled.is_set() and portal_tasks() == set()

    def test_trying_again_never_makes_two_steps_of_one(self, env: Env, any_lab: RealServer) -> None:
        """Who tries a withdrawn call again, and settles a sent one, makes each step exactly once."""
        impatient, marks = env.options(timeout=0.05), [tag() for _ in range(8)]
        for number, mark in enumerate(marks):
            while True:
                try:
                    impatient.step(op="echo", tag=mark, seconds=0.08 if number % 2 else 0.0)
                except ReplyTimeout as error:
                    if error.sent:
                        break
                else:
                    break
        env.settle(5)
        made = [mark for mark in any_lab.made if mark in marks]
        assert made == marks
        assert [step.action["tag"] for step in env.episode if step.kind == "step"] == marks

    async def test_of_wait_for(self, env: Env, any_lab: RealServer, far_gate: FileGate) -> None:
        """A cancelled await that had been sent is owed; one that had not never happens."""
        client, sent, unsent = env.async_client, tag(), tag()
        step = asyncio.ensure_future(client.step(op="echo", tag=sent, gate=far_gate.path))
        await eventually_here(begun(any_lab, sent))
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.step(op="echo", tag=unsent), 0.1)
        far_gate.open()
        assert (await client.step("echo")).observation.count == 2
        made = any_lab.made
        assert sent in made and unsent not in made


class TestManyCalls:
    """Many callers on one client."""

    async def test_gather(self, env: Env) -> None:
        """Of 50 calls gathered on one client every reply belongs to its call, in the order they were made."""
        results = await asyncio.gather(*(env.async_client.step(op="echo", value=n) for n in range(50)))
        assert [result.observation.value for result in results] == list(range(50))
        assert [result.observation.count for result in results] == list(range(1, 51))

    def test_threads(self, env: Env) -> None:
        """Of 8 threads on one client every reply belongs to its call."""

        def work(number: int) -> list[Any]:
            return [env.step(op="echo", value=[number, turn]).observation.value for turn in range(40)]

        outcomes = in_threads(*(lambda n=n: work(n) for n in range(8)))
        assert outcomes == [[[number, turn] for turn in range(40)] for number in range(8)]
        assert env.state().step_count == 320

    def test_threads_and_gathers_mixed(self, env: Env, any_lab: RealServer) -> None:
        """Threads that block, loops that gather, states, timeouts and cancellations: no reply goes astray."""

        def blocking(number: int) -> bool:
            right = True
            for turn in range(20):
                try:
                    value = env.options(timeout=0.02 if turn % 5 == 0 else 60).step(
                        op="echo", value=[number, turn], seconds=0.002
                    )
                except ReplyTimeout:
                    continue
                right &= value.observation.value == [number, turn]
            return right

        async def gathering(number: int) -> bool:
            client = env.async_client

            async def one(turn: int) -> bool:
                if turn % 7 == 0:
                    return bool((await client.state()).episode_id)
                task = asyncio.ensure_future(client.step(op="echo", value=[number, turn]))
                if turn % 5 == 0:
                    asyncio.get_running_loop().call_later(0.01, task.cancel)
                try:
                    return (await task).observation.value == [number, turn]
                except asyncio.CancelledError:
                    return True

            return all(await asyncio.gather(*(one(turn) for turn in range(25))))

        works: list[Callable[[], bool]] = [lambda n=n: blocking(n) for n in range(4)]  # type: ignore[misc]
        works += [lambda n=n: asyncio.run(gathering(n)) for n in range(4, 7)]  # type: ignore[misc]
        assert in_threads(*works) == [True] * 7
        env.settle(10)
        recorded = [step for step in env.episode if step.kind == "step"]
        assert len(recorded) == env.state().step_count
        assert all(step.action["value"] == step.result.observation["value"] for step in recorded)
        assert portal_tasks() == set()
