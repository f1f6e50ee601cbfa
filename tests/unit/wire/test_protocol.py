"""The conversation without I/O: classification of replies, and their order."""

from __future__ import annotations

import contextvars
import json
from typing import Any

import pytest
from support.recorded import exchanges
from support.wire import error_frame, result_frame

from openenv_notebook.values.errors import (
    AtCapacity,
    EnvironmentFailed,
    FactoryFailed,
    InvalidAction,
    OpenEnvError,
    ProtocolError,
    RequestRejected,
    ServerError,
    SessionRefused,
)
from openenv_notebook.wire.protocol import CLOSE_FRAME, STATE_FRAME, Batch, Exchange, Request, frame
from openenv_notebook.wire.replies import ENDS_SESSION, error_lines, excerpt, reply_data, reply_error, reply_type

RECORDED = [
    (f"{name}-{number}", line["dir"], line["frame"])
    for name, lines in exchanges().items()
    for number, line in enumerate(lines)
    if line["dir"] != "close"
]


class TestFrames:
    """Requests."""

    def test_requests_are_exactly_what_servers_take(self) -> None:
        """A request has a type and its data and no other key."""
        assert json.loads(frame("step", {"column": 3})) == {"type": "step", "data": {"column": 3}}
        assert json.loads(STATE_FRAME) == {"type": "state"}
        assert json.loads(CLOSE_FRAME) == {"type": "close"}

    @pytest.mark.parametrize(
        ("name", "text"), [(name, text) for name, direction, text in RECORDED if direction == "send"]
    )
    def test_every_recorded_request_is_written_the_same(self, name: str, text: Any) -> None:
        """A request that was sent to a real server is written with the same meaning."""
        sent = json.loads(text)
        if isinstance(sent, dict) and set(sent) == {"type", "data"}:
            assert json.loads(frame(sent["type"], sent["data"])) == sent


class TestReplies:
    """Classification of what comes back."""

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("VALIDATION_ERROR", InvalidAction),
            ("EXECUTION_ERROR", EnvironmentFailed),
            ("INVALID_JSON", RequestRejected),
            ("UNKNOWN_TYPE", RequestRejected),
            ("CAPACITY_REACHED", AtCapacity),
            ("FACTORY_ERROR", FactoryFailed),
            ("SESSION_ERROR", SessionRefused),
        ],
    )
    def test_each_code_has_its_error(self, code: str, kind: type[ServerError]) -> None:
        """The seven codes of servers become seven kinds of error, with message and code."""
        error = reply_error(error_frame(code, "because"), "step")
        assert type(error) is kind
        assert (error.code, error.message) == (code, "because")
        assert (code in ENDS_SESSION) == (kind in (AtCapacity, FactoryFailed, SessionRefused))

    def test_an_unknown_code_is_a_plain_server_error(self) -> None:
        """A code nobody knows yet keeps its name and its words."""
        error = reply_error(error_frame("TEAPOT", "short and stout", handle=1), "step")
        assert type(error) is ServerError
        assert (error.code, error.details) == ("TEAPOT", {"handle": 1})

    def test_what_the_server_says_besides_is_kept(self) -> None:
        """Numbers of sessions and the factory's name are attributes; all of it stands in details."""
        full = reply_error(error_frame("CAPACITY_REACHED", active_sessions=1, max_sessions=2), "hello")
        assert isinstance(full, AtCapacity)
        assert (full.active, full.maximum) == (1, 2)
        broken = reply_error(error_frame("FACTORY_ERROR", factory_name="make"), "hello")
        assert isinstance(broken, FactoryFailed)
        assert broken.factory == "make"

    def test_wrong_fields_are_one_line_each(self) -> None:
        """A validation error names each field, what is wrong with it and what was given."""
        errors = [
            {"type": "int_parsing", "loc": ["column"], "msg": "not an integer", "input": "x"},
            {"type": "missing", "loc": ["pos", 0, "x"], "msg": "Field required", "input": {}},
            {"type": "too_long", "loc": [], "msg": "too long", "input": "y" * 500},
            "odd",
        ]
        error = reply_error(error_frame("VALIDATION_ERROR", errors=errors), "step")
        assert isinstance(error, InvalidAction)
        assert error.errors[:2] == ["column: not an integer (got 'x')", "pos.0.x: Field required"]
        assert error.errors[2].startswith("(action): too long (got 'yyy")
        assert len(error.errors[2]) < 120
        assert error.errors[3] == "odd"
        assert error_lines("odd") == error_lines(None) == []

    @pytest.mark.parametrize("message", [None, 3, {"a": 1}, ["x"]])
    def test_an_odd_message_becomes_text(self, message: Any) -> None:
        """Whatever stands where the words should be, the error has a text."""
        error = reply_error(error_frame("EXECUTION_ERROR", message), "step")  # type: ignore[arg-type]
        assert isinstance(error, EnvironmentFailed)
        assert error.message == str(message)
        assert str(error)

    MALFORMED = (
        b"",
        b"not json",
        b"<html></html>",
        b"{",
        b"null",
        b"3",
        b'"observation"',
        b"[]",
        b"{}",
        b'{"type":null,"data":{}}',
        b'{"type":["observation"],"data":{}}',
        b'{"data":{"observation":{}}}',
        b'{"type":"state","data":{}}',
        b'{"type":"mcp","data":{}}',
        b'{"type":"ping"}',
        b'{"type":"OBSERVATION","data":{}}',
        b'{"type":"error"}',
        b'{"type":"error","data":null}',
        b'{"type":"error","data":"x"}',
        b'{"type":"error","data":[]}',
        b'{"type":"error","data":{',
        b"\xff\xfe",
    )

    @pytest.mark.parametrize("data", MALFORMED)
    @pytest.mark.parametrize("kind", ["step", "reset"])
    def test_a_malformed_reply_is_a_protocol_error(self, data: bytes, kind: Any) -> None:
        """What no OpenEnv server should send is a ProtocolError, never a success."""
        assert type(reply_error(data, kind)) is ProtocolError

    @pytest.mark.parametrize(
        ("kind", "found"), [("state", "observation"), ("mcp", "state"), ("step", "mcp"), ("reset", "state")]
    )
    def test_a_reply_to_another_question_is_a_protocol_error(self, kind: Any, found: str) -> None:
        """A reply of the wrong type is named, with the frame."""
        error = reply_error(b'{"type":"%s","data":{}}' % found.encode(), kind)
        assert isinstance(error, ProtocolError)
        assert str(error).startswith(f"a reply of type {found!r} to {kind}(), received")

    @pytest.mark.parametrize("data", [b"{", b'{"type":"state"}', b'{"type":"state","data":[1]}', b"[]", b"7"])
    def test_data_that_is_no_object_is_a_protocol_error(self, data: bytes) -> None:
        """Without an object under "data" there is nothing to read."""
        with pytest.raises(ProtocolError):
            reply_data(data, "state")

    @pytest.mark.parametrize(
        "data",
        [
            b'{"type":"observation","data":{}}',
            b' \n{ "type" : "observation" , "data":{}}',
            b'{"data":{},"type":"observation"}',
            b'{"data":{"type":"error"},"type":"observation"}',
            b'{"type":"observ\\u0061tion"}',
        ],
    )
    def test_the_type_is_found_wherever_it_stands(self, data: bytes) -> None:
        """The order of keys, blanks and escapes change nothing."""
        assert reply_type(data) == "observation"

    def test_an_excerpt_is_short(self) -> None:
        """An error shows at most 200 characters of a frame, whatever bytes it has."""
        assert excerpt(b"short") == "short"
        assert len(excerpt("é".encode() * 10**6)) == 200
        assert len(excerpt(b"\xff" * 1000)) == 200

    @pytest.mark.parametrize(
        ("name", "text"), [(name, text) for name, direction, text in RECORDED if direction == "recv"]
    )
    def test_every_recorded_reply_is_understood(self, name: str, text: str) -> None:
        """Each reply of a real server, of any version, is what it says or the error it carries."""
        data = text.encode()
        kind = {"observation": "step", "state": "state", "mcp": "mcp"}.get(reply_type(data), "step")
        error = reply_error(data, kind)  # type: ignore[arg-type]
        if reply_type(data) == "error":
            assert isinstance(error, ServerError)
            assert type(error) is not ServerError
        else:
            assert error is None
            assert reply_data(data, kind)


class TestOrder:
    """Replies belong to requests in the order these were sent."""

    def test_a_request_goes_through_its_states(self) -> None:
        """It is new, queued, sent and done; before it is sent it has no times, and before its end no answer."""
        exchange, request = Exchange(), Request("step")
        assert request.status == "new"
        exchange.submit(request)
        assert request.status == "queued"
        assert (request.sent_at, request.started) == (0.0, 0.0)
        exchange.put_on_wire(exchange.waiting.popleft())
        assert request.status == "sent"
        assert (request.reply, request.error, request.cause) == (None, None, None)
        reply = result_frame()
        exchange.receive(reply)
        request.finish()
        assert (request.status, request.reply, request.error) == ("done", reply, None)

    def test_a_request_has_the_context_of_its_caller(self) -> None:
        """What the caller's context holds when the call is made is found in the request, on whatever thread."""
        variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
        variable.set("mine")
        request = Request("step")
        variable.set("later")
        assert request.context[variable] == "mine"

    def test_a_reply_of_another_type_names_the_call(self) -> None:
        """The error of a reply that does not fit says what was asked."""
        exchange = Exchange()
        exchange.put_on_wire(Request("mcp"))
        answered = exchange.receive(b'{"type":"state","data":{}}')
        assert answered is not None and isinstance(answered.error, ProtocolError)
        assert "to mcp()" in str(answered.error)

    def test_one_request_is_on_the_wire(self) -> None:
        """The next request may be sent when the reply to the one before has come."""
        exchange = Exchange()
        for _ in range(2):
            exchange.submit(Request("step"))
        assert exchange.may_send()
        first = exchange.waiting.popleft()
        exchange.put_on_wire(first)
        assert not exchange.may_send()
        assert exchange.receive(result_frame()) is first
        assert exchange.may_send()

    def test_a_batch_widens_the_wire(self) -> None:
        """Requests of one batch may be on the wire together, as many as its window says."""
        exchange, batch = Exchange(), Batch(2)
        for _ in range(3):
            exchange.submit(Request("step", batch=batch))
        exchange.submit(Request("step"))
        for _ in range(2):
            assert exchange.may_send()
            exchange.put_on_wire(exchange.waiting.popleft())
        assert not exchange.may_send()
        exchange.receive(result_frame())
        exchange.put_on_wire(exchange.waiting.popleft())
        exchange.receive(result_frame())
        assert not exchange.may_send()
        exchange.receive(result_frame())
        assert exchange.may_send()

    def test_batches_do_not_mix(self) -> None:
        """A batch waits until the wire is free of others."""
        exchange = Exchange()
        exchange.submit(Request("step", batch=Batch(4)))
        exchange.submit(Request("step", batch=Batch(4)))
        exchange.put_on_wire(exchange.waiting.popleft())
        assert not exchange.may_send()

    def test_a_reply_nobody_is_due_belongs_to_nobody(self) -> None:
        """With nothing on the wire a frame is matched to no request."""
        exchange = Exchange()
        exchange.submit(Request("step"))
        assert exchange.receive(result_frame()) is None
        assert exchange.idle

    def test_what_is_given_up_unsent_never_happens(self) -> None:
        """A waiting request is withdrawn: it leaves the queue and nothing is owed."""
        exchange, request = Exchange(), Request("step")
        exchange.submit(request)
        assert exchange.give_up(request) is False
        assert request.status == "withdrawn"
        assert not exchange.waiting
        assert exchange.owed == 0
        assert exchange.give_up(request) is False

    def test_what_failed_unsent_owes_nothing(self) -> None:
        """A request that was ended before it was sent never happens, also where its wait is given up later."""
        exchange, request = Exchange(), Request("step")
        exchange.submit(request)
        exchange.fail_waiting(OpenEnvError("no server"))
        assert exchange.give_up(request) is False
        assert not request.owed

    def test_what_is_given_up_after_sending_is_owed(self) -> None:
        """A sent request keeps its place; its reply is owed until it comes."""
        exchange, request = Exchange(), Request("step")
        request.sent_at = 1.0
        exchange.put_on_wire(request)
        assert exchange.give_up(request) is True
        assert exchange.owed == 1
        assert exchange.receive(result_frame()) is request
        assert (exchange.owed, request.owed) == (0, True)

    def test_an_owed_request_wakes_nobody(self) -> None:
        """The end of a request is told once, and not to a caller who went."""
        woken: list[str] = []
        request = Request("step")
        request.wake = lambda: woken.append("kept")
        request.finish()
        request.finish()
        owed = Request("step")
        owed.wake, owed.owed = lambda: woken.append("owed"), True
        owed.finish()
        gone = Request("step")
        gone.wake, gone.status = lambda: woken.append("withdrawn"), "withdrawn"
        gone.finish()
        assert woken == ["kept"]

    def test_the_first_end_counts(self) -> None:
        """A request that is done keeps what ended it."""
        request = Request("step")
        error = OpenEnvError("first")
        request.finish(error)
        request.finish(OpenEnvError("second"))
        assert request.error is error

    def test_taking_out_empties_it(self) -> None:
        """clear() gives what was sent first, then what waits."""
        exchange = Exchange()
        sent, waiting = Request("step"), Request("state")
        exchange.put_on_wire(sent)
        exchange.submit(waiting)
        assert list(exchange.clear()) == [sent, waiting]
        assert exchange.idle
        assert not exchange.waiting


@pytest.mark.parametrize(
    ("kind", "hint"),
    [("reset", "the reset may have"), ("state", "goes on"), ("step", "the step may"), ("mcp", "the call")],
)
def test_a_failure_says_what_may_have_happened(kind: Any, hint: str) -> None:
    """Only a failed step may have been a step."""
    error = reply_error(error_frame("EXECUTION_ERROR", "boom"), kind)
    assert error is not None and hint in str(error)
    assert kind == "step" or "the step" not in str(error)
