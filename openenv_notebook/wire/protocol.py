"""The OpenEnv conversation without I/O: requests out, replies in, strictly in order.

A server answers each request with one frame, in order, without ids. So a reply belongs to
the oldest request that was sent and not answered, whether or not anybody still waits for
it: :class:`Exchange` keeps that order. A request whose caller gave up is *withdrawn* if it
was not sent, else its reply is *owed*.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any, Final, Literal

from pydantic_core import from_json

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
from openenv_notebook.values.secrets import masked
from openenv_notebook.values.to_json import to_bytes

Entry = Literal["reset", "step", "tool"]
Kind = Literal["connect", "hello", "reset", "step", "state", "mcp", "settle", "disconnect", "close"]

# A message of a type no server knows: its UNKNOWN_TYPE proves the session and runs no
# code of the environment.
HELLO_FRAME: Final = b'{"type":"openenv_notebook_hello"}'
STATE_FRAME: Final = b'{"type":"state"}'
CLOSE_FRAME: Final = b'{"type":"close"}'

ENDS_SESSION: Final = frozenset({"CAPACITY_REACHED", "FACTORY_ERROR", "SESSION_ERROR"})

_REPLY_TYPE: Final = {"reset": "observation", "step": "observation", "state": "state", "mcp": "mcp"}
_TYPE_FIRST: Final = re.compile(rb'\s*\{\s*"type"\s*:\s*"([a-z_]+)"')


def frame(kind: str, data: Any) -> bytes:
    """Write a request.

    Args:
        kind: "reset", "step" or "mcp".
        data: Its data, an object.

    Returns:
        The text frame, UTF-8.
    """
    return b'{"type":"%s","data":%s}' % (kind.encode(), to_bytes(data))


class Batch:
    """Requests that may be on the wire together.

    Args:
        window: How many of them at once.
    """

    __slots__ = ("window",)

    def __init__(self, window: int) -> None:
        self.window = window


class Request:
    """One call on its way: made by a caller, changed only on the loop's thread.

    Attributes:
        kind: What is asked.
        frame: The bytes to send.
        name: The method that asks, for error texts.
        status: "new", "queued", "sent", "done" or "withdrawn".
        owed: True when it was sent and its caller gave up.
        reply: The frame that answered it, or None.
        error: What ended it instead of a usable reply, or None.
        cause: What the environment raised, where its server runs in this process; else None.
        context: The context of whoever called.
        wake: Called once, on the loop's thread, when it is done.
        step: What the record made of it.
        held_by: The connection that counts its reply as not decoded yet, or None.
        entry: The kind of entry it makes in the record, None for none.
        actor: Who makes the step: "code", "person" or "policy".
        batch: The requests it may be pipelined with, or None.
        sent_at: When it was sent (monotonic seconds), or 0.0.
        started: The same in seconds since 1970.
    """

    __slots__ = (
        "actor", "batch", "cause", "context", "entry", "error", "frame", "held_by", "kind", "name", "owed", "reply",
        "sent_at", "started", "status", "step", "wake",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        frame: bytes = b"",
        *,
        entry: Entry | None = None,
        actor: str = "code",
        batch: Batch | None = None,
        name: str = "",
    ) -> None:
        self.kind: Kind = kind
        self.name: str = name or kind
        self.frame = frame
        self.entry = entry
        self.actor = actor
        self.batch = batch
        self.status: Literal["new", "queued", "sent", "done", "withdrawn"] = "new"
        self.owed = False
        self.reply: bytes | None = None
        self.error: OpenEnvError | None = None
        self.cause: BaseException | None = None
        self.context = copy_context()
        self.wake: Callable[[], object] | None = None
        self.step: Any = None
        self.held_by: Any = None
        self.sent_at = 0.0
        self.started = 0.0

    def finish(self, error: OpenEnvError | None = None) -> None:
        """Mark it done and wake its caller; a second time does nothing."""
        if self.status in ("done", "withdrawn"):
            return
        if error is not None:
            self.error = error
        self.status = "done"
        wake, self.wake = self.wake, None
        if wake is not None and not self.owed:
            wake()


class Exchange:
    """The order of one session: requests waiting unsent, requests whose reply is due.

    At most one request is on the wire, but for those of one batch.
    """

    def __init__(self) -> None:
        self.waiting: deque[Request] = deque()
        self.on_wire: deque[Request] = deque()

    @property
    def owed(self) -> int:
        """How many replies are still to come that nobody waits for."""
        # Asked from any thread: a copy is made in one go.
        return sum(request.owed for request in tuple(self.on_wire)) if self.on_wire else 0

    @property
    def idle(self) -> bool:
        """True when no reply is awaited or owed."""
        return not self.on_wire

    def submit(self, request: Request) -> None:
        """Put a request at the end of the queue."""
        request.status = "queued"
        self.waiting.append(request)

    def may_send(self) -> bool:
        """Tell whether the first waiting request may be sent now."""
        if not self.on_wire:
            return bool(self.waiting)
        if not self.waiting or (batch := self.waiting[0].batch) is None:
            return False
        return self.on_wire[0].batch is batch and len(self.on_wire) < batch.window

    def put_on_wire(self, request: Request) -> None:
        """Note a request as sent."""
        request.status = "sent"
        self.on_wire.append(request)

    def receive(self, data: bytes) -> Request | None:
        """Match a reply to the oldest request on the wire and classify it.

        Args:
            data: The frame as it came.

        Returns:
            The request it answers, with ``reply`` and, for an error, ``error`` set;
            None when no reply was due.
        """
        if not self.on_wire:
            return None
        request = self.on_wire.popleft()
        request.reply = data
        request.error = reply_error(data, request.kind)
        return request

    def give_up(self, request: Request) -> bool:
        """End a caller's wait.

        Args:
            request: A request of this exchange.

        Returns:
            True if it was sent: its reply is owed, or has come and stands in the record.
            False if it was withdrawn and never happens.
        """
        if request.status in ("sent", "done"):
            request.owed = request.sent_at > 0
            return request.owed
        if request.status == "queued":
            self.waiting.remove(request)
        request.status = "withdrawn"
        return False

    def clear(self) -> Iterator[Request]:
        """Take out every request, those on the wire first."""
        while self.on_wire:
            yield self.on_wire.popleft()
        while self.waiting:
            yield self.waiting.popleft()


def reply_type(data: bytes) -> str:
    """Read the type of a frame without decoding it.

    Args:
        data: The frame.

    Returns:
        Its type; "" where it has none or is not a JSON object.
    """
    found = _TYPE_FIRST.match(data)
    if found:
        return found[1].decode()
    try:
        message = from_json(data)
    except ValueError:
        return ""
    kind = message.get("type") if isinstance(message, dict) else None
    return kind if isinstance(kind, str) else ""


def reply_error(data: bytes, kind: Kind) -> OpenEnvError | None:
    """Tell what is wrong with a reply, without decoding the data of a good one.

    Args:
        data: The frame.
        kind: The request it answers.

    Returns:
        The error it carries or is, or None.
    """
    found = reply_type(data)
    if found == "error":
        return read_error(data, kind)
    if kind == "hello" or found == _REPLY_TYPE.get(kind):
        return None
    what = f"a reply of type {found!r}" if found else "a reply that is not an OpenEnv message"
    return ProtocolError(f"{what} to {kind}()", frame=excerpt(data))


def reply_data(data: bytes, kind: str) -> dict[str, Any]:
    """Decode the data of a reply.

    Args:
        data: The frame.
        kind: The request it answers, for the error's text.

    Returns:
        The object under "data".

    Raises:
        ProtocolError: If it is not JSON, or not an object of objects.
    """
    try:
        message = from_json(data)
    except ValueError as error:
        raise ProtocolError(f"a reply to {kind}() that is not JSON ({error})", frame=excerpt(data)) from error
    content = message.get("data") if isinstance(message, dict) else None
    if not isinstance(content, dict):
        raise ProtocolError(f'a reply to {kind}() without an object under "data"', frame=excerpt(data))
    return content


def excerpt(data: bytes) -> str:
    """Cut a frame for an error's text, at most 200 characters."""
    text = data[:800].decode("utf-8", "replace")
    return text if len(text) <= 200 else text[:199] + "…"


def read_error(data: bytes, kind: Kind = "connect") -> OpenEnvError:
    """Make the error that an error frame carries.

    Args:
        data: The frame, of type "error".
        kind: The request it answers; a full server answers the connection.

    Returns:
        One of the subclasses of ServerError by its code; ProtocolError for a malformed frame.
    """
    try:
        content = reply_data(data, kind)
    except ProtocolError as error:
        return error
    code, message = str(content.pop("code", "")), content.pop("message", "")
    message = message if isinstance(message, str) else str(message)
    made = _server_error(code, message, content)
    if isinstance(made, EnvironmentFailed) and kind in _FAILED_HINTS:
        made.hint = _FAILED_HINTS[kind]
    return made


# Only a step may have happened half.
_FAILED_HINTS = {
    "reset": "the reset may have happened: state() tells; reset() tries again",
    "state": "the session goes on",
    "mcp": "the call may have happened; the session goes on",
}


def _server_error(code: str, message: str, details: dict[str, Any]) -> ServerError:
    match code:
        case "VALIDATION_ERROR":
            return InvalidAction(message, errors=error_lines(details.get("errors")), details=details)
        case "EXECUTION_ERROR":
            return EnvironmentFailed(message, code=code, details=details)
        case "CAPACITY_REACHED":
            active, maximum = details.get("active_sessions"), details.get("max_sessions")
            return AtCapacity(message, active=active, maximum=maximum, details=details)
        case "FACTORY_ERROR":
            return FactoryFailed(message, factory=details.get("factory_name"), details=details)
        case "SESSION_ERROR":
            return SessionRefused(message, code=code, details=details)
        case "INVALID_JSON" | "UNKNOWN_TYPE":
            return RequestRejected(message, code=code, details=details)
    return ServerError(message, code=code, details=details)


def error_lines(errors: Any) -> list[str]:
    """Write the server's list of validation errors, one line a field.

    Args:
        errors: What stands under "errors": dicts with loc, msg and input.

    Returns:
        Lines such as ``column: Input should be a valid integer (got 'x')``.
    """
    lines = []
    for item in errors if isinstance(errors, list) else []:
        if not isinstance(item, dict):
            lines.append(str(item))
            continue
        place = ".".join(str(part) for part in item.get("loc") or ()) or "(action)"
        # An error is shown, logged and saved.
        got = repr(masked(item).get("input"))
        got = got if len(got) <= 80 else got[:79] + "…"
        missing = item.get("type") == "missing"
        lines.append(f"{place}: {item.get('msg', '')}" + ("" if missing else f" (got {got})"))
    return lines
