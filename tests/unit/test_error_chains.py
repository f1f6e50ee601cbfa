"""What Python shows of an error together with what it came from."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import pydantic
import pytest
from websockets.exceptions import InvalidHandshake, InvalidProxy, InvalidURI, ProxyError, SecurityError

from openenv_notebook import Episode
from openenv_notebook.servers.loopback import listen
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.values.to_json import to_bytes
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.handshake_errors import translate
from openenv_notebook.wire.http import fetch
from openenv_notebook.wire.replies import read_error, reply_data


class Refusing(pydantic.BaseModel):
    """A model whose own code fails when it is written."""

    x: int = 1

    @pydantic.field_serializer("x")
    def written(self, value: int) -> int:
        """Fail."""
        raise ValueError(f"no {value} today")


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Go through the errors that Python shows for one."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def fails(call: Callable[[Any], Any], *given: Any) -> BaseException:
    """Give the error of a call: raised, or returned."""
    try:
        outcome = call(*given)
    except Exception as error:
        return error
    assert isinstance(outcome, BaseException), f"no error, but {outcome!r}"
    return outcome


NO_JSON = ["", "{", "nothing", '{"data": 01}', '{"data": {"a": "\n"}}', "[1,]", "\ufeff{}", '"\\x"', "9" * 5000 + "]"]


@pytest.mark.parametrize("text", NO_JSON, ids=repr)
@pytest.mark.parametrize("read", ["episode", "reply", "error"])
def test_what_is_no_json_is_told_once(read: str, text: str) -> None:
    """A reader's error has the words of the parser, which are not shown again above it."""
    match read:
        case "episode":
            error = fails(Episode.from_jsonl, text)
        case "reply":
            error = fails(reply_data, text.encode(), "step")
        case _:
            error = fails(read_error, text.encode())
    assert [each for each in list(chain(error))[1:] if str(each) in str(error)] == []


@pytest.mark.parametrize(
    ("value", "place"),
    [(object(), ""), ({"a": [0, object()]}, "a[1]"), (Refusing(), ""), ({"a": {"b": Refusing()}}, "a.b")],
    ids=["object", "object inside", "model", "model inside"],
)
def test_what_cannot_be_written_is_told_once(value: Any, place: str) -> None:
    """The error names what cannot be written and where, by the encoder's words or the model's own, and stands alone."""
    error = fails(to_bytes, value)
    assert [type(each).__name__ for each in chain(error)] == ["MisuseError"]
    assert str(error).endswith(f"in place of {place}" if place else "models or dataclasses")


NO_ROUTE = OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (InvalidHandshake("odd header"), 1),
        (SecurityError("it leads to http://elsewhere"), 1),
        (ProxyError("it refused"), 1),
        (InvalidProxy("x", "odd"), 1),
        (InvalidURI("x", "odd"), 1),
        (NO_ROUTE, 1),
        (ssl.SSLError(1, "wrong version number"), 1),
        (ConnectionRefusedError(111, "Connect call failed"), 2),
        (EOFError("odd"), 2),
        (OSError(), 2),
    ],
    ids=repr,
)
def test_why_no_connection_is_opened_is_told_once(error: Exception, shown: int) -> None:
    """What a handshake failed with is shown once: in our words where they have all of it, else as their cause."""
    address = parse_target("http://example.test:8000")
    assert isinstance(address, Address)
    told = list(chain(translate(error, Endpoint(address))))
    assert len(told) == shown
    assert [each for each in told[1:] if str(each) and str(each) in str(told[0])] == []


def test_why_there_is_no_answer_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says of a port or a route stands in our error, and is not shown again above it."""

    def refuse(*_: object) -> None:
        raise NO_ROUTE

    address = parse_target("http://127.0.0.1:9")
    assert isinstance(address, Address)
    for name in ("bind", "connect"):
        monkeypatch.setattr(socket.socket, name, refuse)
    asked = fails(lambda _: fetch(address, "GET", "/health", headers={}, timeout=5), None)
    for error in (asked, fails(listen, "env", 8000)):
        assert str(NO_ROUTE.strerror) in str(error)
        assert len(list(chain(error))) == 1
