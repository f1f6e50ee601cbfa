"""One session on a scripted connection, on the test's own loop: order, record, owed replies, ends."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from support.waiting import eventually, eventually_here
from support.wire import FarEnd, ScriptedWire, error_frame, result_frame

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.client.events import Event
from openenv_notebook.client.opener import Customer, Opened, Patience
from openenv_notebook.client.results import read_result
from openenv_notebook.client.session import Session
from openenv_notebook.record.recorder import Record
from openenv_notebook.values.errors import (
    AtCapacity,
    ClientClosed,
    ConnectFailed,
    ConnectTimeout,
    EnvironmentFailed,
    FactoryFailed,
    InvalidAction,
    NotAnOpenEnvServer,
    OpenEnvError,
    ProtocolError,
    SessionLost,
    SessionRefused,
    TransportError,
)
from openenv_notebook.wire.link import Link
from openenv_notebook.wire.protocol import STATE_FRAME, Batch, Request, frame
from openenv_notebook.wire.same_process import Caller

URL = "http://scripted"


class Call:
    """One call to a session, made on its loop."""

    def __init__(self, session: Session, kind: Any, data: Any = None, *, batch: Batch | None = None) -> None:
        self.session = session
        entry = kind if kind in ("reset", "step") else None
        sent = STATE_FRAME if kind == "state" else b"" if kind == "connect" else frame(kind, data or {})
        self.request = Request(kind, sent, entry=entry, batch=batch)
        self.woken = asyncio.Event()
        self.request.wake = self.woken.set
        session.take(self.request)

    def give_up(self) -> bool:
        """Stop waiting."""
        return self.session.give_up(self.request)

    async def answered(self) -> Any:
        """Wait for the end; return the observation, or the error."""
        await asyncio.wait_for(self.woken.wait(), 5)
        if self.request.error is not None:
            return self.request.error
        return self.request.step.result.observation if self.request.step is not None else self.request.reply


Make = Callable[..., Session]


@pytest.fixture
def far_end() -> FarEnd:
    """The server's side."""
    return FarEnd()


@pytest.fixture
async def session(far_end: FarEnd) -> AsyncIterator[Session]:
    """A new session; closed in the end."""
    made = Session(URL, far_end.connect, read_result)
    yield made
    made.close()
    await eventually_here(lambda: not made.is_closing)


@pytest.fixture
async def playing(session: Session) -> Session:
    """A session whose environment was reset."""
    await Call(session, "reset").answered()
    return session


def error_of(value: Any, kind: type[OpenEnvError]) -> Any:
    """Check that a call ended with an error of a kind."""
    assert type(value) is kind, value
    assert value.url == URL
    return value


class TestConnecting:
    """How a session opens."""

    async def test_the_first_call_connects(self, session: Session, far_end: FarEnd) -> None:
        """A new session has no connection; the first call opens one, which is proven before it is used."""
        assert (session.status, far_end.wires) == ("new", [])
        assert await Call(session, "step", {"a": 1}).answered() == {"echo": {"a": 1}, "step": 1}
        assert (session.status, far_end.hellos, far_end.kinds) == ("open", 1, ["step"])

    async def test_a_first_connection_is_no_loss(
        self, session: Session, far_end: FarEnd, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Nothing is logged where nothing was lost."""
        await Call(session, "reset").answered()
        assert caplog.messages == []

    async def test_the_record_is_the_one_that_was_given(self, far_end: FarEnd) -> None:
        """Entries go into the given record, or into one of its own with the server's address."""
        given = Record("http://elsewhere")
        for record, address in ((given, "http://elsewhere"), (None, URL)):
            session = Session(URL, far_end.connect, read_result, record)
            await Call(session, "reset").answered()
            assert (session.record is given) == (record is given)
            assert [episode.base_url for episode in session.record.episodes] == [address]
            session.close()

    async def test_first_calls_at_once_share_one_connect(self, session: Session, far_end: FarEnd) -> None:
        """Many first calls open one connection and are answered in their order."""
        calls = [Call(session, "step", {"n": n}) for n in range(5)] + [Call(session, "connect")]
        answers = [await call.answered() for call in calls]
        assert [answer["echo"]["n"] for answer in answers[:5]] == [0, 1, 2, 3, 4]
        assert answers[5] is None
        assert (len(far_end.wires), far_end.hellos) == (1, 1)

    async def test_connecting_twice_does_nothing(self, session: Session, far_end: FarEnd) -> None:
        """A session that is open is connected already."""
        for _ in range(3):
            assert await Call(session, "connect").answered() is None
        assert (session.status, len(far_end.wires), far_end.requests) == ("open", 1, [])

    async def test_a_failure_ends_all_who_wait(self, session: Session, far_end: FarEnd) -> None:
        """Who waited for the connection gets its failure; the next call tries again, and is not told of a loss."""
        far_end.refusals = [ConnectFailed("nothing listens")]
        calls = [Call(session, "connect"), Call(session, "step")]
        errors = [error_of(await call.answered(), ConnectFailed) for call in calls]
        assert errors[0] is not errors[1]
        assert session.status == "new"
        assert await Call(session, "step", {"a": 1}).answered() == {"echo": {"a": 1}, "step": 1}

    @pytest.mark.parametrize(
        "error", [ZeroDivisionError("a defect"), MemoryError(), RuntimeError("odd"), KeyError("k")]
    )
    async def test_a_fault_of_this_process_is_told_by_its_cause(self, error: Exception) -> None:
        """R29: a defect while connecting ends each call, is told as what it is, and has its cause; nothing hangs."""

        async def broken(session: Session, link: Any) -> None:
            raise error

        session = Session(URL, broken, read_result)
        calls = [Call(session, "connect"), Call(session, "reset")]
        for call in calls:
            told = error_of(await call.answered(), OpenEnvError)
            assert not isinstance(told, TransportError)
            assert f"failed in this process, not on the network: {type(error).__name__}" in str(told)
            assert call.request.cause is error
        session.close()

    async def test_a_patched_asyncio_is_told_as_such(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """R29: where asyncio knows no task within a task, that is the hint, not the server."""

        async def broken(session: Session, link: Any) -> None:
            monkeypatch.setattr(asyncio.tasks, "current_task", lambda loop=None: None)
            async with asyncio.timeout(1):
                pass

        session = Session(URL, broken, read_result)
        call = Call(session, "connect")
        await eventually_here(lambda: call.request.status == "done")
        monkeypatch.undo()
        told = str(error_of(await call.answered(), OpenEnvError))
        assert "RuntimeError: Timeout should be used inside a task" in told and "asyncio is patched" in told
        session.close()

    @pytest.mark.parametrize("closes", [True, False])
    async def test_a_full_server_refuses_before_it_is_asked(
        self, session: Session, far_end: FarEnd, closes: bool
    ) -> None:
        """The refusal that comes by itself, before the proof, is the error of the call, with its numbers."""
        far_end.greeting = error_frame("CAPACITY_REACHED", "full", active_sessions=1, max_sessions=1)
        far_end.greets_and_closes = closes
        error = error_of(await Call(session, "connect").answered(), AtCapacity)
        assert (error.active, error.maximum) == (1, 1)
        assert session.status == "new"

    @pytest.mark.parametrize(
        ("code", "kind"),
        [("CAPACITY_REACHED", AtCapacity), ("FACTORY_ERROR", FactoryFailed), ("SESSION_ERROR", SessionRefused)],
    )
    async def test_a_full_server_refuses_as_the_answer(
        self, session: Session, far_end: FarEnd, code: str, kind: type[OpenEnvError]
    ) -> None:
        """The refusal that answers the proof is the error as well; a slot that gets free is taken by the next call."""
        far_end.holds_hello = True
        call = Call(session, "reset")
        await eventually_here(lambda: far_end.held)
        far_end.wire.on_frame(error_frame(code, "no"))
        error_of(await call.answered(), kind)
        assert session.status == "new"
        far_end.holds_hello = False
        assert await Call(session, "reset").answered() == {"reset": {}, "step": 0}

    async def test_a_connection_that_closes_before_the_proof_is_no_session(
        self, session: Session, far_end: FarEnd
    ) -> None:
        """An end before the first answer fails the call and leaves nothing lost."""
        far_end.holds_hello = True
        call = Call(session, "step")
        await eventually_here(lambda: far_end.held)
        far_end.wire.break_off(1011, "bad day")
        error = error_of(await call.answered(), ConnectFailed)
        assert "closed the new session" in str(error) and "bad day" in str(error)
        assert session.status == "new"

    async def test_a_server_just_started_gives_its_address(self, far_end: FarEnd) -> None:
        """The address that is known when the server has started stands in errors and in the record."""
        session = Session("demo:grid", far_end.connect, read_result)
        session.move(URL)
        far_end.policy = lambda request: error_frame("EXECUTION_ERROR", "no")
        error_of(await Call(session, "reset").answered(), EnvironmentFailed)
        assert session.record.episode.base_url == URL
        session.close()

    async def test_what_is_no_openenv_message_is_no_server(self, session: Session, far_end: FarEnd) -> None:
        """A WebSocket that answers something else is told apart."""
        far_end.holds_hello = True
        call = Call(session, "connect")
        await eventually_here(lambda: far_end.held)
        far_end.wire.on_frame(b'{"type":"welcome"}')
        assert "welcome" in str(error_of(await call.answered(), NotAnOpenEnvServer))

    async def test_building_is_waited_for_and_said(self, session: Session, far_end: FarEnd) -> None:
        """While the environment is built the activity says so; then the call goes on."""
        far_end.holds_hello = True
        call = Call(session, "reset")
        await eventually_here(lambda: far_end.held)
        assert "building" in session.activity and session.activity.endswith(" 0 s")
        assert session.status == "new"
        far_end.wire.on_frame(error_frame("UNKNOWN_TYPE"))
        assert await call.answered() == {"reset": {}, "step": 0}
        assert session.activity == ""

    async def test_a_build_that_takes_too_long_can_be_tried_again(self, far_end: FarEnd) -> None:
        """After a proof that timed out the next call connects anew and works."""
        session = Session(URL, lambda it, link: far_end.connect(it, link, Patience(build=0.02)), read_result)
        far_end.holds_hello = True
        error_of(await Call(session, "connect").answered(), ConnectTimeout)
        far_end.holds_hello = False
        assert await Call(session, "reset").answered() == {"reset": {}, "step": 0}
        assert len(far_end.wires) == 2
        session.close()

    async def test_a_connect_that_is_given_up_can_be_tried_again(self, session: Session, far_end: FarEnd) -> None:
        """A connect that nobody waits for is cancelled, wherever it is, and the next call works."""
        far_end.holds_hello = True
        call = Call(session, "connect")
        await eventually_here(lambda: far_end.held)
        assert call.give_up() is False
        await eventually_here(lambda: far_end.wire.closed_by_us)
        far_end.holds_hello = False
        assert await Call(session, "reset").answered() == {"reset": {}, "step": 0}

    async def test_a_call_that_comes_while_a_connect_is_given_up_is_not_hit(
        self, session: Session, far_end: FarEnd
    ) -> None:
        """Who calls right after an interrupted connect gets a connection of its own."""
        far_end.may_connect = asyncio.Event()
        call = Call(session, "connect")
        await eventually_here(far_end.connecting.is_set)
        call.give_up()
        later = Call(session, "reset")
        far_end.may_connect.set()
        assert await later.answered() == {"reset": {}, "step": 0}

    @pytest.mark.parametrize("turns", range(6))
    async def test_t01_a_connect_given_up_at_once_leaves_nothing_behind(
        self, session: Session, far_end: FarEnd, turns: int
    ) -> None:
        """T01: given up before it began, or after any few turns of the loop, the next call connects."""
        call = Call(session, "connect")
        for _ in range(turns):
            await asyncio.sleep(0)
        call.give_up()
        assert await Call(session, "reset").answered() == {"reset": {}, "step": 0}

    async def test_giving_one_up_leaves_the_others_connecting(self, session: Session, far_end: FarEnd) -> None:
        """As long as somebody waits for the connection, it is not given up."""
        far_end.holds_hello = True
        first, second = Call(session, "connect"), Call(session, "reset")
        await eventually_here(lambda: far_end.held)
        first.give_up()
        far_end.wire.on_frame(error_frame("UNKNOWN_TYPE"))
        assert await second.answered() == {"reset": {}, "step": 0}
        assert len(far_end.wires) == 1


class TestOrder:
    """One request at a time, first come first served."""

    async def test_later_calls_wait_unsent(self, playing: Session, far_end: FarEnd) -> None:
        """While a reply is awaited no other request goes out."""
        far_end.hold()
        calls = [Call(playing, "step", {"n": 1}), Call(playing, "state"), Call(playing, "step", {"n": 2})]
        await eventually_here(lambda: far_end.held)
        assert far_end.kinds == ["reset", "step"]
        assert "step()" in playing.activity and playing.activity.endswith(" 0 s")
        far_end.release()
        answers = [await call.answered() for call in calls]
        assert (answers[0]["echo"], answers[2]["echo"]) == ({"n": 1}, {"n": 2})
        assert far_end.kinds == ["reset", "step", "state", "step"]

    async def test_the_record_comes_before_the_caller(self, playing: Session) -> None:
        """When a caller is woken, its step stands in the record already."""
        seen: list[int] = []
        request = Request("step", frame("step", {}), entry="step")
        request.wake = lambda: seen.append(len(playing.record.episode))
        playing.take(request)
        await eventually_here(lambda: seen)
        assert seen == [2]

    async def test_a_batch_is_pipelined(self, playing: Session, far_end: FarEnd) -> None:
        """As many requests of a batch as its window says are on the wire; others wait behind it."""
        far_end.hold()
        batch = Batch(3)
        calls = [Call(playing, "step", {"n": n}, batch=batch) for n in range(5)] + [Call(playing, "step", {"n": 5})]
        await eventually_here(lambda: len(far_end.held) == 3)
        far_end.release(1)
        await eventually_here(lambda: len(far_end.held) == 3 and len(far_end.steps) == 4)
        far_end.release()
        assert [(await call.answered())["echo"]["n"] for call in calls] == list(range(6))

    async def test_an_error_is_the_error_of_its_call(self, playing: Session, far_end: FarEnd) -> None:
        """A refused and a failed step end their own calls; the session goes on, and both stand in the record."""
        replies = [error_frame("VALIDATION_ERROR", "no"), error_frame("EXECUTION_ERROR", "KeyError")]
        far_end.policy = lambda request: replies.pop(0) if replies else result_frame({"fine": 1})
        calls = [Call(playing, "step") for _ in range(3)]
        error_of(await calls[0].answered(), InvalidAction)
        error_of(await calls[1].answered(), EnvironmentFailed)
        assert await calls[2].answered() == {"fine": 1}
        assert [type(step.error).__name__ for step in playing.record.episode] == [
            "NoneType", "InvalidAction", "EnvironmentFailed", "NoneType",
        ]  # fmt: skip
        assert playing.record.episode.length == 2

    @pytest.mark.parametrize("code", ["EXECUTION_ERROR", "FACTORY_ERROR"])
    async def test_what_an_environment_here_raised_is_given_beside_the_error(self, far_end: FarEnd, code: str) -> None:
        """The caller gets what a server of this process left; the error in the record does not hold its frames."""
        left = LookupError("no such room")

        async def connect(customer: Customer, link: Link) -> Opened:
            opened, caller = await far_end.connect(customer, link), Caller(customer.running_context)
            caller.leave(left, None)
            return Opened(opened.wire, caller)

        session = Session(URL, connect, read_result)
        far_end.policy = lambda request: error_frame(code, "no such room")
        call = Call(session, "step")
        error = await call.answered()
        assert call.request.cause is left
        assert session.record.episode[-1].error is error
        assert error.__cause__ is None
        session.close()

    async def test_the_context_of_the_call_that_is_answered_is_known(self, playing: Session, far_end: FarEnd) -> None:
        """What is on the wire comes before what waits; without a call there is no context."""
        assert playing.running_context() is None
        far_end.hold()
        first, second = Call(playing, "step"), Call(playing, "step")
        assert playing.running_context() is first.request.context
        far_end.release(1)
        await first.answered()
        assert playing.running_context() is second.request.context
        far_end.release()
        await second.answered()
        assert playing.running_context() is None

    async def test_the_context_of_a_call_that_connects_is_known(self, session: Session, far_end: FarEnd) -> None:
        """While the session opens, the first call that waits for it is the one that is answered."""
        far_end.holds_hello = True
        call = Call(session, "reset")
        await eventually_here(lambda: far_end.held)
        assert session.running_context() is call.request.context

    async def test_a_malformed_reply_is_the_error_of_its_call(self, playing: Session, far_end: FarEnd) -> None:
        """A reply that is no reply is a ProtocolError for its call, and the next call gets its own."""
        replies: list[bytes] = [b"not json", b'{"type":"state","data":{}}']
        far_end.policy = lambda request: replies.pop(0) if replies else result_frame({"fine": 1})
        calls = [Call(playing, "step") for _ in range(3)]
        for call in calls[:2]:
            error_of(await call.answered(), ProtocolError)
        assert await calls[2].answered() == {"fine": 1}

    async def test_every_episode_is_kept(self, playing: Session, far_end: FarEnd) -> None:
        """Each reset begins an episode; entries stand in wire order with kind, action, times and actor."""
        for data in ({"a": 1}, {"a": 2}):
            await Call(playing, "step", data).answered()
        await Call(playing, "reset", {"seed": 7}).answered()
        assert [[step.kind for step in episode] for episode in playing.record.episodes] == [
            ["reset", "step", "step"], ["reset"],
        ]  # fmt: skip
        step = playing.record.episodes[0][1]
        assert (step.action, step.actor, step.owed, step.error) == ({"a": 1}, "code", False, None)
        assert step.started > 1e9
        assert 0 <= step.seconds < 5
        assert playing.record.episode.reset_arguments == {"seed": 7}

    async def test_subscribers_hear_of_steps_and_states(self, session: Session, far_end: FarEnd) -> None:
        """Each entry and each change of state is told, in order, with the state at that time."""
        heard: list[Event] = []
        stop = session.subscribers.add(heard.append)
        await Call(session, "reset").answered()
        await Call(session, "step").answered()
        far_end.wire.break_off(1001, "bye")
        session.close()
        await eventually_here(lambda: len(heard) == 5)
        assert [(event.kind, event.status) for event in heard] == [
            ("status", "open"), ("step", "open"), ("step", "open"), ("status", "lost"), ("status", "closed"),
        ]  # fmt: skip
        assert heard[2].step is session.record.episode[1]
        stop()

    async def test_only_changes_of_the_state_are_told(self, session: Session, far_end: FarEnd) -> None:
        """Around a loss each state is told once; the entry of a lost step says "lost", a reset after it "open"."""
        heard: list[Event] = []
        session.subscribers.add(heard.append)
        await Call(session, "reset").answered()
        far_end.hold()
        step = Call(session, "step")
        await eventually_here(lambda: far_end.held)
        step.give_up()
        far_end.wire.break_off(1006, "")
        far_end.holding = False
        await Call(session, "connect").answered()
        await Call(session, "reset").answered()
        disconnect = Request("disconnect")
        session.detach(disconnect)
        await eventually_here(lambda: disconnect.status == "done")
        await Call(session, "reset").answered()
        session.close()
        await eventually_here(lambda: heard and heard[-1].status == "closed")
        assert [(event.step.kind if event.step else "status", event.status) for event in heard] == [
            ("status", "open"), ("reset", "open"),
            ("step", "lost"), ("status", "lost"),
            ("reset", "open"), ("status", "open"),
            ("status", "lost"),
            ("reset", "open"), ("status", "open"),
            ("status", "closed"),
        ]  # fmt: skip


class TestGivingUp:
    """Interrupts, cancellations and timeouts all give up a wait."""

    async def test_what_was_not_sent_never_happens(self, playing: Session, far_end: FarEnd) -> None:
        """A waiting call is withdrawn: it is not sent later, and does not stand in the record."""
        far_end.hold()
        first, second, third = (Call(playing, "step", {"n": n}) for n in range(3))
        await eventually_here(lambda: far_end.held)
        assert second.give_up() is False
        far_end.release()
        await third.answered()
        assert far_end.steps == [{"n": 0}, {"n": 2}]
        assert not second.woken.is_set()
        assert [step.action for step in playing.record.episode][1:] == [{"n": 0}, {"n": 2}]
        assert first.woken.is_set()

    async def test_what_nobody_blocks_for_any_more_never_happens(self, playing: Session, far_end: FarEnd) -> None:
        """T08: a waiting call whose caller left without a word, interrupted before its first line, is not sent."""
        far_end.hold()
        first, second, third = (Call(playing, "step", {"n": n}) for n in range(3))
        await eventually_here(lambda: far_end.held)
        second.request.caller, third.request.caller = threading.Lock(), threading.Lock()
        with third.request.caller:
            far_end.release()
            await third.answered()
        assert far_end.steps == [{"n": 0}, {"n": 2}]
        assert first.woken.is_set() and not second.woken.is_set()
        assert [step.action for step in playing.record.episode][1:] == [{"n": 0}, {"n": 2}]

    async def test_a01_a_late_reply_is_nobody_elses(self, playing: Session, far_end: FarEnd) -> None:
        """A01: what was sent is owed; the next call waits behind it and gets its own answer; the record has both."""
        far_end.hold()
        first = Call(playing, "step", {"n": 1})
        await eventually_here(lambda: far_end.held)
        assert first.give_up() is True
        assert playing.exchange.owed == 1
        assert playing.activity == "1 reply owed, 0 s"
        second = Call(playing, "step", {"n": 2})
        await asyncio.sleep(0)
        assert far_end.steps == [{"n": 1}]
        far_end.release()
        assert (await second.answered())["echo"] == {"n": 2}
        assert not first.woken.is_set()
        assert playing.exchange.owed == 0
        steps = playing.record.episode.steps[1:]
        assert [(step.action["n"], step.owed) for step in steps] == [(1, True), (2, False)]
        assert steps[0].result is not None
        assert steps[0].result.observation.echo == {"n": 1}
        assert playing.unclaimed.take() == [steps[0]]
        assert playing.unclaimed.take() == []

    async def test_replies_of_a_batch_can_be_owed(self, playing: Session, far_end: FarEnd) -> None:
        """Several owed replies are counted and come in order."""
        far_end.hold()
        batch = Batch(3)
        calls = [Call(playing, "step", {"n": n}, batch=batch) for n in range(4)]
        await eventually_here(lambda: len(far_end.held) == 3)
        assert [call.give_up() for call in calls] == [True, True, True, False]
        assert playing.activity == "3 replies owed, 0 s"
        far_end.release()
        await eventually_here(lambda: playing.exchange.owed == 0)
        assert [step.action["n"] for step in playing.unclaimed.take()] == [0, 1, 2]

    async def test_giving_up_when_the_reply_has_come_is_owed_too(self, playing: Session) -> None:
        """A wait that ends in the moment of the reply: the step happened and nobody saw it."""
        call = Call(playing, "step", {"n": 1})
        await call.answered()
        assert call.give_up() is True
        assert playing.exchange.owed == 0
        assert playing.record.episode[-1].owed
        assert playing.unclaimed.take() == [playing.record.episode[-1]]

    async def test_settling_waits_for_what_is_owed(self, playing: Session, far_end: FarEnd) -> None:
        """settle ends when no reply is owed any more, before calls that wait."""
        far_end.hold()
        first = Call(playing, "step")
        await eventually_here(lambda: far_end.held)
        first.give_up()
        settled = asyncio.Event()
        request = Request("settle")
        request.wake = settled.set
        playing.settle(request)
        waiting = Call(playing, "step")
        await asyncio.sleep(0)
        assert not settled.is_set()
        far_end.release(1)
        await asyncio.wait_for(settled.wait(), 5)
        assert len(request.step) == 1
        far_end.release()
        await waiting.answered()

    async def test_settling_with_nothing_owed_ends_at_once(self, playing: Session) -> None:
        """A session that owes nothing is settled."""
        request = Request("settle")
        playing.settle(request)
        assert request.status == "done"

    async def test_settling_can_be_given_up(self, playing: Session, far_end: FarEnd) -> None:
        """A settle that nobody waits for is forgotten."""
        far_end.hold()
        first, request = Call(playing, "step"), Request("settle")
        await eventually_here(lambda: far_end.held)
        first.give_up()
        playing.settle(request)
        assert playing.give_up(request) is False
        far_end.release()
        await eventually_here(lambda: playing.exchange.owed == 0)
        assert request.status == "queued"

    async def test_an_owed_state_is_no_step_of_the_episode(self, playing: Session, far_end: FarEnd) -> None:
        """A state nobody waited for is told by settle and stands in no episode."""
        far_end.hold()
        call = Call(playing, "state")
        await eventually_here(lambda: far_end.held)
        call.give_up()
        far_end.release()
        await eventually_here(lambda: playing.exchange.owed == 0)
        (step,) = playing.unclaimed.take()
        assert (step.kind, step.result, step.error) == ("state", None, None)
        assert len(playing.record.episode) == 1

    async def test_a_reset_waits_for_the_owed_reply(self, playing: Session, far_end: FarEnd) -> None:
        """A reset goes out after the late reply, which stays in the episode it belongs to."""
        far_end.hold()
        first = Call(playing, "step", {"n": 1})
        await eventually_here(lambda: far_end.held)
        first.give_up()
        reset = Call(playing, "reset")
        await asyncio.sleep(0)
        assert far_end.kinds == ["reset", "step"]
        far_end.release()
        assert await reset.answered() == {"reset": {}, "step": 0}
        assert [[step.owed for step in episode] for episode in playing.record.episodes] == [[False, True], [False]]

    async def test_a_reset_ends_what_could_be_settled(self, playing: Session, far_end: FarEnd) -> None:
        """Steps nobody waited for are not given any more when their episode is over."""
        call = Call(playing, "step")
        await call.answered()
        call.give_up()
        await Call(playing, "reset").answered()
        assert playing.unclaimed.take() == []

    async def test_an_error_nobody_waited_for_is_recorded(self, playing: Session, far_end: FarEnd) -> None:
        """An owed reply may be an error."""
        far_end.hold()
        call = Call(playing, "step")
        await eventually_here(lambda: far_end.held)
        call.give_up()
        far_end.wire.on_frame(error_frame("EXECUTION_ERROR", "boom"))
        assert isinstance(playing.unclaimed.take()[0].error, EnvironmentFailed)


class TestLoss:
    """The far end closes."""

    @pytest.mark.parametrize("code", [1000, 1001, 1006, 1009, 1011, 1012])
    async def test_a03_pending_and_later_calls_get_the_code(self, playing: Session, far_end: FarEnd, code: int) -> None:
        """A03: a pending step, and every later one until a reset, raise SessionLost with the code; reset() recovers."""
        far_end.hold()
        call = Call(playing, "step", {"n": 1})
        await eventually_here(lambda: far_end.held)
        far_end.wire.break_off(code, "the reason")
        error = error_of(await call.answered(), SessionLost)
        assert (error.code, error.reason, error.sent) == (code, "the reason", True)
        assert "reset()" in str(error)
        assert playing.status == "lost"
        assert not playing.was_reset
        assert playing.record.episode[-1].error is not None
        far_end.release()
        for kind in ("step", "state", "mcp"):
            later = error_of(await Call(playing, kind, {"id": 1}).answered(), SessionLost)
            assert (later.code, later.sent) == (code, None)
        assert len(far_end.wires) == 1
        assert await Call(playing, "reset").answered() == {"reset": {}, "step": 0}
        assert playing.status == "open"
        assert (await Call(playing, "step", {"n": 2}).answered())["echo"] == {"n": 2}

    async def test_a_loss_while_idle_is_told_by_the_next_call(self, playing: Session, far_end: FarEnd) -> None:
        """An end that nobody waits in is noticed at once, and told to the next call."""
        far_end.wire.break_off(1001, "")
        assert playing.status == "lost"
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert (error.code, error.reason) == (1001, "")

    async def test_after_a_connect_a_step_is_still_refused(
        self, playing: Session, far_end: FarEnd, caplog: pytest.LogCaptureFixture
    ) -> None:
        """connect() after a loss opens a session; nothing runs in it until it was reset."""
        far_end.wire.break_off(1006, "")
        with caplog.at_level(logging.WARNING, "openenv_notebook"):
            assert await Call(playing, "connect").answered() is None
        (warning,) = caplog.messages
        assert "new session" in warning and URL in warning
        assert playing.status == "lost"
        for kind in ("step", "state", "mcp"):
            error_of(await Call(playing, kind, {"id": 1}).answered(), SessionLost)
        assert far_end.kinds == ["reset"]
        await Call(playing, "reset").answered()
        assert await Call(playing, "state").answered()
        assert len(far_end.wires) == 2

    async def test_waiting_steps_fail_and_a_waiting_reset_goes_on(self, playing: Session, far_end: FarEnd) -> None:
        """Of the calls that wait when the session is lost, steps fail unsent and a reset opens a new one."""
        far_end.hold()
        calls = [Call(playing, "step"), Call(playing, "step"), Call(playing, "reset"), Call(playing, "step")]
        await eventually_here(lambda: far_end.held)
        far_end.held.clear()
        far_end.holding = False
        far_end.wire.break_off(1012, "restart")
        assert error_of(await calls[0].answered(), SessionLost).sent is True
        assert error_of(await calls[1].answered(), SessionLost).sent is None
        assert await calls[2].answered() == {"reset": {}, "step": 0}
        assert (await calls[3].answered())["step"] == 1
        assert far_end.kinds == ["reset", "step", "reset", "step"]

    async def test_a_reset_that_fails_leaves_it_lost(self, playing: Session, far_end: FarEnd) -> None:
        """As long as no reset was answered, the environment is gone."""
        far_end.wire.break_off(1006, "")
        far_end.refusals = [ConnectFailed("nothing listens")]
        error_of(await Call(playing, "reset").answered(), ConnectFailed)
        error_of(await Call(playing, "step").answered(), SessionLost)
        far_end.policy = lambda request: error_frame("EXECUTION_ERROR", "no")
        error_of(await Call(playing, "reset").answered(), EnvironmentFailed)
        error_of(await Call(playing, "step").answered(), SessionLost)

    async def test_an_owed_reply_is_lost_with_its_session(self, playing: Session, far_end: FarEnd) -> None:
        """An owed step is recorded with the loss, and settle ends."""
        far_end.hold()
        call, settle = Call(playing, "step"), Request("settle")
        await eventually_here(lambda: far_end.held)
        call.give_up()
        playing.settle(settle)
        far_end.wire.break_off(1006, "")
        assert settle.status == "done"
        assert [type(step.error) for step in settle.step] == [SessionLost]
        assert settle.step == [playing.record.episode[-1]]

    async def test_a_wire_that_breaks_while_sending_is_a_loss(self, playing: Session, far_end: FarEnd) -> None:
        """A send that fails is an end without a close code."""
        far_end.refuses_frames = True
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert (error.code, error.reason, error.sent) == (1006, ScriptedWire.BROKEN, True)

    async def test_a_wire_that_breaks_without_a_word_is_told_by_its_error(self) -> None:
        """Where what broke says nothing, its kind is the reason."""

        class Mute(FarEnd):
            def take(self, wire: ScriptedWire, data: bytes) -> None:
                if b"hello" not in data:
                    raise BrokenPipeError
                super().take(wire, data)

        session = Session(URL, Mute().connect, read_result)
        assert error_of(await Call(session, "reset").answered(), SessionLost).reason == "BrokenPipeError"
        session.close()

    async def test_a_server_that_ends_the_session_says_why(self, playing: Session, far_end: FarEnd) -> None:
        """SESSION_ERROR is the call's own error; the session is lost with its words."""
        far_end.policy = lambda request: error_frame("SESSION_ERROR", "odd action")
        error_of(await Call(playing, "step").answered(), SessionRefused)
        assert playing.status == "lost"
        assert "odd action" in str(error_of(await Call(playing, "step").answered(), SessionLost))
        assert far_end.wire.closed_by_us

    async def test_a_farewell_is_the_reason(self, playing: Session, far_end: FarEnd) -> None:
        """An error frame that nobody asked for, followed by the end, tells why it ended."""
        far_end.wire.on_frame(error_frame("SESSION_ERROR", "evicted"))
        assert playing.status == "open"
        far_end.wire.break_off(1000, "")
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert error.code == 1000
        assert "evicted" in str(error)

    @pytest.mark.parametrize("data", [result_frame({"n": 1}), b'{"type":"state","data":{}}', b"noise"])
    async def test_a_reply_nobody_asked_for_breaks_the_order(
        self, playing: Session, far_end: FarEnd, data: bytes
    ) -> None:
        """After a reply too many no answer could be trusted: the session is lost, with 1002."""
        far_end.wire.on_frame(data)
        assert playing.status == "lost"
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert error.code == 1002 and "nobody asked for" in error.reason
        assert len(playing.record.episode) == 1

    async def test_a_retired_connection_is_not_listened_to(self, playing: Session, far_end: FarEnd) -> None:
        """What an old connection still says, and its end, concern nobody."""
        old = far_end.wire
        far_end.wire.on_frame(b"noise")
        await Call(playing, "reset").answered()
        far_end.hold()
        call = Call(playing, "step", {"n": 1})
        await eventually_here(lambda: far_end.held)
        old.on_frame(result_frame({"old": True}))
        old.break_off(1006, "")
        far_end.release()
        assert (await call.answered())["echo"] == {"n": 1}
        assert playing.status == "open"

    async def test_a_size_limit_names_its_option(self, playing: Session, far_end: FarEnd) -> None:
        """A18: 1009 names the limit that can be raised."""
        far_end.wire.break_off(1009, "too big")
        assert "max_message_size_mb" in str(await Call(playing, "step").answered())


class TestOurEnd:
    """disconnect and close."""

    @pytest.mark.parametrize("way", ["detach", "close"])
    async def test_whoever_waits_is_told(self, playing: Session, far_end: FarEnd, way: str) -> None:
        """What was sent is lost, what was not sent never happens, and the owed step is recorded with its error."""
        far_end.hold()
        batch = Batch(2)
        owed, sent = (Call(playing, "step", {"n": n}, batch=batch) for n in range(2))
        unsent = Call(playing, "step", {"n": 2})
        await eventually_here(lambda: len(far_end.held) == 2)
        owed.give_up()
        request = Request("disconnect" if way == "detach" else "close")
        request.status = "queued"
        getattr(playing, way)(request)
        reason = "disconnect()" if way == "detach" else "closed"
        lost = error_of(await sent.answered(), SessionLost)
        assert reason in lost.reason and lost.sent is True
        assert ("connect again" in str(lost)) is (way == "close")
        withdrawn = error_of(await unsent.answered(), ClientClosed)
        assert reason in str(withdrawn) and withdrawn.sent is False
        assert [type(step.error) for step in playing.unclaimed.take()] == [SessionLost]
        assert [step.action for step in playing.record.episode][1:] == [{"n": 0}, {"n": 1}]
        await eventually_here(lambda: request.status == "done")
        assert far_end.wire.end is not None

    async def test_after_a_disconnect_a_reset_begins_anew(self, playing: Session, far_end: FarEnd) -> None:
        """A session that was given up is lost until a reset, like one that ended by itself."""
        playing.detach(Request("disconnect"))
        assert playing.status == "lost"
        assert not playing.was_reset
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert "disconnect()" in error.reason
        assert await Call(playing, "reset").answered() == {"reset": {}, "step": 0}

    async def test_a_disconnect_before_any_reset_loses_nothing(self, session: Session, far_end: FarEnd) -> None:
        """Where no environment was reset, disconnecting leaves a new session."""
        await Call(session, "connect").answered()
        for _ in range(2):
            session.detach(Request("disconnect"))
            assert session.status == "new"
        assert await Call(session, "step", {"n": 1}).answered() == {"echo": {"n": 1}, "step": 1}
        assert len(far_end.wires) == 2

    @pytest.mark.parametrize("answered", [True, False])
    async def test_a_disconnect_loses_what_was_begun(self, session: Session, far_end: FarEnd, answered: bool) -> None:
        """Where anything was asked of the environment, answered or not, it is lost until a reset."""
        if not answered:
            far_end.hold()
        call = Call(session, "step", {"n": 1})
        await eventually_here(lambda: far_end.held or call.woken.is_set())
        session.detach(Request("disconnect"))
        assert session.status == "lost"
        error_of(await Call(session, "step", {"n": 2}).answered(), SessionLost)

    async def test_a_disconnect_ends_a_connect(self, session: Session, far_end: FarEnd) -> None:
        """Who waits for a connection is told, and no connection is left."""
        far_end.holds_hello = True
        call = Call(session, "reset")
        await eventually_here(lambda: far_end.held)
        request = Request("disconnect")
        request.status = "queued"
        session.detach(request)
        error_of(await call.answered(), ClientClosed)
        await eventually_here(lambda: request.status == "done")
        assert far_end.wire.end is not None
        far_end.holds_hello = False
        assert await Call(session, "reset").answered() == {"reset": {}, "step": 0}

    async def test_a_closed_session_makes_no_calls(self, playing: Session, far_end: FarEnd) -> None:
        """After close every call is ClientClosed; closing again does nothing, also while the connection closes."""
        far_end.ignores_close = True
        first, second = Request("close"), Request("close")
        first.status = second.status = "queued"
        playing.close(first)
        playing.close(second)
        assert playing.status == "closed"
        assert playing.is_closing
        for kind in ("connect", "reset", "step", "state"):
            error_of(await Call(playing, kind).answered(), ClientClosed)
        assert (first.status, second.status) == ("queued", "queued")
        far_end.wire.break_off(1000, "")
        assert (first.status, second.status) == ("done", "done")
        assert not playing.is_closing

    async def test_closing_while_connecting_leaves_no_connection(self, session: Session, far_end: FarEnd) -> None:
        """A connect that is under way is given up by close."""
        far_end.may_connect = asyncio.Event()
        call = Call(session, "connect")
        await eventually_here(far_end.connecting.is_set)
        session.close()
        error_of(await call.answered(), ClientClosed)
        far_end.may_connect.set()
        await eventually_here(lambda: not session.is_closing)
        assert all(wire.end is not None for wire in far_end.wires)

    async def test_a_new_session_closes_at_once(self, session: Session, far_end: FarEnd) -> None:
        """Where nothing was opened nothing is waited for."""
        request = Request("close")
        request.status = "queued"
        session.close(request)
        assert request.status == "done"
        assert far_end.wires == []


class TestThread:
    """The session on the client's own thread."""

    def test_an_end_without_a_close_leaves_nobody_waiting(self, far_end: FarEnd) -> None:
        """Where close() was not heard in time, the end tells whoever still waits."""
        session, woken = Session(URL, far_end.connect, read_result), threading.Event()
        far_end.hold()
        request = Request("step", frame("step", {}), entry="step")
        request.wake = woken.set
        assert session.lease.portal.post(session.take, request)
        eventually(lambda: far_end.held)
        session.end(join=True)
        assert woken.wait(5)
        error = error_of(request.error, SessionLost)
        assert "closed" in error.reason and "connect again" in str(error) and error.sent is True

    def test_an_end_waits_no_longer_than_told(self, far_end: FarEnd) -> None:
        """A thread that is busy is left to itself after so many seconds."""
        session, busy, freed = Session(URL, far_end.connect, read_result), threading.Event(), threading.Event()
        portal = session.lease.portal

        def block() -> None:
            busy.set()
            freed.wait(1)

        portal.post(block)
        assert busy.wait(5)
        session.end(join=True, within=0.0)
        assert portal.thread.is_alive()
        freed.set()
        portal.thread.join(5)

    def test_a_closed_session_gets_no_thread(self, far_end: FarEnd) -> None:
        """A call after the end is refused where it would start the thread anew, and says where."""
        session = Session(URL, far_end.connect, read_result)
        session.end(join=False)
        with pytest.raises(ClientClosed) as caught:
            _ = session.lease.portal
        assert caught.value.url == URL

    async def test_what_lived_on_a_dead_thread_is_lost(self, playing: Session, far_end: FarEnd) -> None:
        """On a new thread nothing of the old connection is used; what was lost before keeps its reason."""
        old = far_end.wire
        playing.before_lease(anew=True)
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert "thread" in error.reason and error.code is None
        assert await Call(playing, "reset").answered() == {"reset": {}, "step": 0}
        assert far_end.wire is not old
        far_end.wire.break_off(1001, "bye")
        playing.before_lease(anew=True)
        assert error_of(await Call(playing, "step").answered(), SessionLost).reason == "bye"

    async def test_a_forked_child_leaves_the_session_to_its_parent(self, playing: Session, far_end: FarEnd) -> None:
        """Nothing is said over the parent's connection; the child is told, until a reset opens one of its own."""
        old = far_end.wire
        playing.orphan()
        error = error_of(await Call(playing, "step").answered(), SessionLost)
        assert "forked" in error.reason
        assert await Call(playing, "reset").answered() == {"reset": {}, "step": 0}
        assert far_end.wire is not old
        assert not old.closed_by_us

    async def test_a_forked_child_keeps_no_connection_open(self, playing: Session, far_end: FarEnd) -> None:
        """The child's copy of the socket is closed: else the server would not see the parent's end."""
        ours, theirs = socket.socketpair()

        class Transport:
            def get_extra_info(self, name: str) -> Any:
                return ours if name == "socket" else None

        far_end.wire.transport = Transport()  # type: ignore[attr-defined]
        playing.orphan()
        theirs.settimeout(5)
        assert theirs.recv(1) == b""
        ours.detach()
        theirs.close()


class TestBackPressure:
    """Large replies are counted until they are decoded, so that a flood of them is not read in."""

    BIG = "x" * (2 * 2**20)

    async def ask(self, reply: bytes) -> tuple[FarEnd, Session, Call]:
        """Step once and get a large reply."""
        far_end = FarEnd()
        session = Session(URL, far_end.connect, read_result, Record(URL))
        await Call(session, "connect").answered()
        far_end.policy = lambda request: reply
        call = Call(session, "step")
        await call.woken.wait()
        return far_end, session, call

    async def test_a_large_reply_is_counted(self) -> None:
        """A reply of over a MiB counts as long as nobody has read it."""
        reply = result_frame({"big": self.BIG})
        far_end, session, _ = await self.ask(reply)
        assert far_end.wire.undecoded == len(reply)
        session.close()

    async def test_up_to_a_mebibyte_nothing_is_counted(self) -> None:
        """A reply of exactly a MiB is not counted."""
        rest = 2**20 - len(result_frame({"big": ""}))
        far_end, session, _ = await self.ask(result_frame({"big": "x" * rest}))
        assert far_end.wire.undecoded == 0
        session.close()

    def test_a_reply_that_was_read_is_not_counted(self, env: SyncEnvClient[Any, Any, Any], far_end: FarEnd) -> None:
        """What was counted is counted down when the caller has its result."""
        env.reset()
        far_end.policy = lambda request: result_frame({"big": self.BIG})
        env.step(1)
        eventually(lambda: far_end.wire.undecoded == 0)

    async def test_replies_of_a_batch_must_all_come(self) -> None:
        """A batch is read when its last reply has come: counting would keep that one out."""
        far_end = FarEnd()
        session = Session(URL, far_end.connect, read_result, Record(URL))
        await Call(session, "connect").answered()
        far_end.policy = lambda request: result_frame({"big": self.BIG})
        batch = Batch(2)
        calls = [Call(session, "step", batch=batch) for _ in range(3)]
        for call in calls:
            await call.woken.wait()
        assert far_end.wire.undecoded == 0
        session.close()

    async def test_an_error_is_read_already(self) -> None:
        """A large error was read when it came, and nobody would count it down."""
        far_end, session, _ = await self.ask(error_frame("EXECUTION_ERROR", self.BIG))
        assert far_end.wire.undecoded == 0
        session.close()

    async def test_a_reply_nobody_waits_for_is_not_counted(self) -> None:
        """A wait that is given up in the moment of the reply counts it down again."""
        far_end, session, call = await self.ask(result_frame({"big": self.BIG}))
        call.give_up()
        assert far_end.wire.undecoded == 0
        session.close()
