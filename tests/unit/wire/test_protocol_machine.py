"""Any interleaving of calls, waits given up, replies and losses matches each reply to its request."""

from __future__ import annotations

import json
from collections import deque

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule
from support.wire import result_frame

from openenv_notebook.values.errors import SessionLost
from openenv_notebook.wire.protocol import Batch, Exchange, Request


class Conversation(RuleBasedStateMachine):
    """An exchange beside a model of it: what the server has received, and what each caller may see."""

    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.exchange = Exchange()
        self.at_server: deque[int] = deque()
        self.numbers: dict[int, Request] = {}
        self.woken: list[int] = []
        self.given_up: set[int] = set()
        self.happened: list[int] = []
        self.batches = [None, Batch(1), Batch(3)]

    def pump(self) -> None:
        """Send what may be sent, as a session does."""
        while self.exchange.may_send():
            request = self.exchange.waiting.popleft()
            request.sent_at = 1.0
            self.exchange.put_on_wire(request)
            self.at_server.append(int(request.frame))
            self.happened.append(int(request.frame))

    @rule(target=calls, batch=st.integers(0, 2))
    def submit(self, batch: int) -> int:
        """A caller makes a call."""
        number = len(self.numbers)
        request = Request("step", str(number).encode(), batch=self.batches[batch])
        request.wake = lambda: self.woken.append(number)
        self.numbers[number] = request
        self.exchange.submit(request)
        self.pump()
        return number

    @rule(number=calls)
    def give_up(self, number: int) -> None:
        """A caller gives up; true if and only if the server has seen the call."""
        assert self.exchange.give_up(self.numbers[number]) == (number in self.happened)
        self.given_up.add(number)
        self.pump()

    @precondition(lambda self: self.at_server)
    @rule()
    def receive(self) -> None:
        """The server answers its oldest request."""
        number = self.at_server.popleft()
        request = self.exchange.receive(result_frame({"number": number}))
        assert request is self.numbers[number]
        request.finish()
        self.pump()

    @rule()
    def lose(self) -> None:
        """The connection is lost: what was sent fails, what waits goes on to the next one."""
        while self.exchange.on_wire:
            self.exchange.on_wire.popleft().finish(SessionLost())
        self.at_server.clear()
        self.pump()

    @invariant()
    def replies_are_matched(self) -> None:
        """Every reply that was given belongs to the request it is kept with."""
        for number, request in self.numbers.items():
            if request.reply is not None:
                assert json.loads(request.reply)["data"]["observation"]["number"] == number

    @invariant()
    def callers_are_woken_once_and_in_their_turn(self) -> None:
        """Nobody is woken twice, nor after giving up, nor before the end."""
        assert len(self.woken) == len(set(self.woken))
        for number in self.woken:
            assert self.numbers[number].status == "done"
        for number, request in self.numbers.items():
            if request.status == "done" and number not in self.given_up:
                assert number in self.woken

    @invariant()
    def order_holds(self) -> None:
        """Calls reach the server in the order they were made, each at most once; the wire agrees with the server."""
        assert self.happened == sorted(set(self.happened))
        assert [int(request.frame) for request in self.exchange.on_wire] == list(self.at_server)
        assert self.exchange.owed == sum(number in self.given_up for number in self.at_server)

    @invariant()
    def what_was_withdrawn_never_happens(self) -> None:
        """A withdrawn call is never sent."""
        assert not any(self.numbers[number].status == "withdrawn" for number in self.happened)


TestConversation = Conversation.TestCase
