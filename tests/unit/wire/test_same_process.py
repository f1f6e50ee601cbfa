"""What a server in the process of its client hands over beside the wire."""

from __future__ import annotations

import contextvars
import copy
import gc

import pytest

from openenv_notebook.values.errors import ConnectFailed, EnvironmentFailed, FactoryFailed
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire import same_process
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.protocol import Request
from openenv_notebook.wire.same_process import HEADER, Caller


class Talking:
    """A session with one call in progress."""

    def __init__(self) -> None:
        self.in_progress: Request | None = Request("step")

    def context(self) -> contextvars.Context | None:
        """The context of the call."""
        return self.in_progress.context if self.in_progress is not None else None


def endpoint_of(text: str) -> Endpoint:
    """Make the endpoint of an address."""
    address = parse_target(text)
    assert isinstance(address, Address)
    return Endpoint(address, {"X-Own": "1"})


def left(error: BaseException) -> Caller:
    """Make a caller to whom an exception was left."""
    caller = Caller(Talking().context)
    caller.leave(error, None)
    return caller


def test_only_servers_of_this_process_are_told_a_word() -> None:
    """A session is introduced to a port of this process on the loopback, and to nothing else."""
    session = Talking()
    same_process.open_door(4567)
    try:
        for text in ("localhost:4568", "https://example.com:4567"):
            asked = endpoint_of(text)
            assert same_process.introduce(asked, session.context) == (asked, None)
        endpoint, caller = same_process.introduce(endpoint_of("localhost:4567"), session.context)
        assert endpoint.headers["X-Own"] == "1"
        assert same_process.find(endpoint.headers[HEADER]) is caller
        assert endpoint.headers[HEADER] not in repr(endpoint)
    finally:
        same_process.close_door(4567)
    assert same_process.introduce(endpoint_of("localhost:4567"), session.context)[1] is None


def test_a_word_is_forgotten_with_its_session() -> None:
    """Neither the word nor the caller keeps a session alive."""
    session = Talking()
    same_process.open_door(4567)
    endpoint, caller = same_process.introduce(endpoint_of("localhost:4567"), session.context)
    same_process.close_door(4567)
    word = endpoint.headers[HEADER]
    assert same_process.find(word) is caller
    assert caller is not None
    del session
    gc.collect()
    assert caller.context is None
    del caller
    gc.collect()
    assert same_process.find(word) is None


def test_the_context_is_that_of_the_call() -> None:
    """The context is that in which the call in progress was made."""
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")

    def call() -> Talking:
        variable.set("mine")
        return Talking()

    session = contextvars.Context().run(call)
    caller = Caller(session.context)
    assert caller.context is not None and caller.context[variable] == "mine"
    session.in_progress = None
    assert caller.context is None


def test_a_cause_is_found_by_its_words() -> None:
    """A failure gets the exception of its own words; one that is not the environment's gets none."""
    caller = left(LookupError("first"))
    caller.leave(LookupError("second"), None)
    cause = caller.cause_of(EnvironmentFailed("second"))
    assert str(cause) == "second"
    assert caller.cause_of(EnvironmentFailed("first")) is None, "what lies before it is past"
    assert left(LookupError("x")).cause_of(EnvironmentFailed("its result cannot be sent")) is None
    assert left(LookupError("x")).cause_of(ConnectFailed("x")) is None


def test_a_failed_factory_has_the_last_cause() -> None:
    """The words of a failed factory name no cause: it is the last that was left, and no log need be read."""
    error = FactoryFailed("it failed")
    assert str(left(LookupError("the level")).cause_of(error)) == "the level"
    assert error.hint == "what it raised is its cause (__cause__), with the line"


@pytest.mark.parametrize("cause", [None, LookupError("why")])
def test_a_copy_keeps_the_cause(cause: BaseException | None) -> None:
    """A copy of an error of the server has the same cause, shown in a cell, and no other."""
    error = EnvironmentFailed("it failed")
    if cause is not None:
        error.__cause__ = cause
    made = copy.copy(error)
    assert made.__cause__ is cause and made.args == error.args
    assert ("LookupError: why" in "\n".join(made._render_traceback_())) is (cause is not None)
