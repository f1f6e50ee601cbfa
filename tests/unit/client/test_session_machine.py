"""Whatever people, servers and networks do in whatever order, a session keeps its promises."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule
from support.wire import FarEnd, ScriptedWire, error_frame, result_frame

from openenv_notebook.client.results import read_result
from openenv_notebook.client.session import Session
from openenv_notebook.values.errors import ClientClosed, ConnectFailed, OpenEnvError, SessionLost
from openenv_notebook.wire.protocol import STATE_FRAME, Batch, Request, frame


class NumberedServer(FarEnd):
    """A server that answers with the number of the request, and notes what ran in which environment."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: list[tuple[ScriptedWire, dict[str, Any]]] = []
        self.ran: list[tuple[int, str, int]] = []
        self.was_reset: dict[int, bool] = {}

    def take(self, wire: ScriptedWire, data: bytes) -> None:
        """Take a request in; it runs when the test lets it."""
        self.queue.append((wire, json.loads(data)))

    def answer(self) -> None:
        """Run the oldest request whose connection still stands, and answer it."""
        wire, request = self.queue.pop(0)
        place = self.wires.index(wire)
        kind, number = request["type"], (request.get("data") or {}).get("n", -1)
        if kind == "openenv_notebook_hello":
            reply = error_frame("UNKNOWN_TYPE")
        else:
            self.ran.append((place, kind, number))
            self.was_reset[place] = self.was_reset.get(place, False) or kind == "reset"
            reply = result_frame({"n": number}, 1.0)
        if kind == "state":
            reply = b'{"type":"state","data":{}}'
        if wire.end is None:
            wire.on_frame(reply)


class Life(RuleBasedStateMachine):
    """A session beside a model of what it promised."""

    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.server = NumberedServer()
        self.session = Session("http://scripted", self.server.connect, read_result)
        self.requests: list[Request] = []
        self.outcome: dict[int, str] = {}
        self.given_up: dict[int, bool] = {}
        self.lost_before = False
        self.batch = Batch(3)
        self.turn()

    def turn(self) -> None:
        """Let the loop do all it can."""
        for _ in range(12):
            self.loop.run_until_complete(asyncio.sleep(0))

    def on_loop(self, act: Any) -> Any:
        """Act on the loop's thread, as posted callbacks do."""

        async def run() -> Any:
            return act()

        found = self.loop.run_until_complete(run())
        self.turn()
        return found

    @rule(
        target=calls, kind=st.sampled_from(["step", "step", "step", "reset", "state", "connect"]), batched=st.booleans()
    )
    def call(self, kind: Any, batched: bool) -> int:
        """Somebody makes a call."""
        number = len(self.requests)
        sent = {"state": STATE_FRAME, "connect": b""}.get(kind) or frame(kind, {"n": number})
        sent = b"" if kind == "connect" else sent
        entry = kind if kind in ("step", "reset") else None
        request = Request(kind, sent, entry=entry, batch=self.batch if batched and kind == "step" else None)
        request.wake = lambda: self.outcome.setdefault(number, "woken")
        self.requests.append(request)
        self.on_loop(lambda: self.session.take(request))
        return number

    @rule(number=calls)
    def give_up(self, number: int) -> None:
        """Somebody stops waiting, once, unless told already."""
        if number not in self.outcome and number not in self.given_up:
            self.given_up[number] = self.on_loop(lambda: self.session.give_up(self.requests[number]))

    @precondition(lambda self: self.server.queue)
    @rule()
    def answer(self) -> None:
        """The server answers what it got first."""
        self.on_loop(self.server.answer)

    @precondition(lambda self: self.server.wires and self.server.wire.end is None)
    @rule(code=st.sampled_from([1000, 1006, 1011]))
    def lose(self, code: int) -> None:
        """The connection ends."""
        self.on_loop(lambda: self.server.wire.break_off(code, "gone"))

    @precondition(lambda self: self.server.wires and self.server.wire.end is None)
    @rule()
    def babble(self) -> None:
        """The server sends a frame too many, if nothing is due: neither a reply nor the proof of a new session."""
        if not self.session.activity:
            self.on_loop(lambda: self.server.wire.on_frame(result_frame({"n": -5})))

    @rule()
    def disconnect(self) -> None:
        """Somebody gives the session up."""
        self.on_loop(lambda: self.session.detach(Request("disconnect")))

    @rule()
    def refuse(self) -> None:
        """The next connect fails."""
        self.server.refusals = [ConnectFailed("no")]

    @invariant()
    def replies_belong_to_their_calls(self) -> None:
        """A call that was answered has its own number."""
        for number, request in enumerate(self.requests):
            if request.reply is not None and request.error is None and request.kind in ("step", "reset"):
                assert json.loads(request.reply)["data"]["observation"]["n"] == number

    @invariant()
    def nothing_runs_where_nothing_was_reset(self) -> None:
        """After the first connection no step or state runs in an environment that was not reset."""
        reset: set[int] = set()
        for place, kind, _ in self.server.ran:
            if kind == "reset":
                reset.add(place)
            elif any(earlier in reset for earlier in range(place)):
                assert place in reset

    @invariant()
    def each_call_runs_once_and_in_order(self) -> None:
        """No request arrives twice, and those of one kind of turn arrive as they were made."""
        numbers = [number for _, kind, number in self.server.ran if kind != "state"]
        assert numbers == sorted(set(numbers))

    @invariant()
    def what_was_withdrawn_never_arrives(self) -> None:
        """Giving up told the truth: false means it never ran."""
        arrived = {number for _, _, number in self.server.ran}
        arrived |= {(request.get("data") or {}).get("n", -1) for _, request in self.server.queue}
        for number, sent in self.given_up.items():
            if not sent:
                assert number not in arrived

    @invariant()
    def nobody_waits_for_nothing(self) -> None:
        """Where the server owes no answer, no call waits and nothing is due."""
        if all(wire.end is not None for wire, _ in self.server.queue):
            assert (self.session.exchange.queued, self.session.is_busy, self.session.activity) == (0, False, "")

    @invariant()
    def who_gave_up_is_not_woken(self) -> None:
        """Nobody is woken after giving up."""
        assert not set(self.outcome) & set(self.given_up)

    @invariant()
    def the_record_has_what_was_sent(self) -> None:
        """Every reset and step that was sent and has ended stands in the record once, in order."""
        steps = [step for episode in self.session.record.episodes for step in episode]
        recorded = [step.action["n"] for step in steps]
        ended = [
            number
            for number, request in enumerate(self.requests)
            if request.entry and request.sent_at and request.status == "done"
        ]
        assert recorded == ended
        owed = {step.action["n"] for step in steps if step.owed}
        assert owed == {number for number in ended if self.given_up.get(number)}

    def teardown(self) -> None:
        """Once the server has answered all it got, every call has ended, and close leaves nothing on the loop."""
        try:
            while self.server.queue:
                self.on_loop(self.server.answer)
            for number, request in enumerate(self.requests):
                assert number in self.outcome or number in self.given_up, f"{request.kind} {number} hangs"
                if request.error is not None:
                    assert isinstance(request.error, OpenEnvError)
                if request.status == "done" and not request.sent_at and request.kind != "connect":
                    assert isinstance(request.error, (SessionLost, ClientClosed, ConnectFailed))
            assert self.session.exchange.owed == 0
            self.on_loop(self.session.close)
            assert not self.session.is_closing
            assert not asyncio.all_tasks(self.loop)
        finally:
            self.loop.close()


TestLife = Life.TestCase
