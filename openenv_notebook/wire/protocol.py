"""The OpenEnv conversation without I/O: requests out, replies in, strictly in order.

A server answers each request with one frame, in order, without ids. So a reply belongs to
the oldest request that was sent and not answered, whether or not anybody still waits for
it: :class:`Exchange` keeps that order. A request whose caller gave up is *withdrawn* if it
was not sent, else its reply is *owed*.
"""

from __future__ import annotations

import copy
import time
from _thread import LockType
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any, Final, Literal

from openenv_notebook.values.errors import OpenEnvError, ServerError, TransportError
from openenv_notebook.values.to_json import to_bytes
from openenv_notebook.wire.replies import EXPECTED_TYPES, FIRST_TYPE, reply_error

Entry = Literal["reset", "step", "tool"]
Kind = Literal["connect", "reset", "step", "state", "mcp", "settle", "disconnect", "close"]

STATE_FRAME: Final = b'{"type":"state"}'
CLOSE_FRAME: Final = b'{"type":"close"}'


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
        session: What takes it in.
        name: The method that asks, for error texts.
        status: "new", "queued", "sent", "done" or "withdrawn".
        owed: True when it was sent and its caller gave up.
        fate: Under "sent" stands whether it is sent, from when that is decided: by ``setdefault`` on whichever thread
            comes first, the loop's that sends it or that of a caller who gives up; never both.
        reply: The frame that answered it, or None.
        error: What ended it instead of a usable reply, or None.
        cause: What the environment raised, where its server runs in this process; else None.
        context: The context of whoever called.
        caller: Held by whoever blocks for it, for as long as it does; None for others.
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
        "actor", "batch", "caller", "cause", "context", "entry", "error", "fate", "frame", "held_by", "kind", "name",
        "owed", "reply", "sent_at", "session", "started", "status", "step", "wake",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        frame: bytes = b"",
        session: Any = None,
        *,
        entry: Entry | None = None,
        actor: str = "code",
        batch: Batch | None = None,
        name: str = "",
    ) -> None:
        self.kind: Kind = kind
        self.frame = frame
        self.session: Any = session
        self.name: str = name or kind
        self.entry = entry
        self.actor = actor
        self.batch = batch
        self.status: Literal["new", "queued", "sent", "done", "withdrawn"] = "new"
        self.owed = False
        self.fate: dict[str, bool] = {}
        self.reply: bytes | None = None
        self.error: OpenEnvError | None = None
        self.cause: BaseException | None = None
        self.context = copy_context()
        self.caller: LockType | None = None
        self.wake: Callable[[], object] | None = None
        self.step: Any = None
        self.held_by: Any = None
        self.sent_at = 0.0
        self.started = 0.0

    @property
    def is_open(self) -> bool:
        """True where it was to connect, and that is done."""
        return self.kind == "connect" and self.status == "done" and self.error is None

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

    def release(self) -> None:
        """Count its reply no more: it was decoded, or nobody will."""
        wire, self.held_by = self.held_by, None
        if wire is not None:
            wire.release(len(self.reply or b""))


class Exchange:
    """The order of one session: requests waiting unsent, requests whose reply is due.

    At most one request is on the wire, but for those of one batch.
    """

    def __init__(self) -> None:
        self.waiting: deque[Request] = deque()
        self.on_wire: deque[Request] = deque()

    @property
    def queued(self) -> int:
        """How many calls wait unsent."""
        return len(self.waiting)

    @property
    def owed(self) -> int:
        """How many replies are still to come that nobody waits for."""
        # Asked from any thread: a copy is made in one go.
        return sum(request.owed for request in tuple(self.on_wire)) if self.on_wire else 0

    @property
    def activity(self) -> str:
        """What is being waited for, with the seconds so far; "" when nothing is."""
        on_wire, now = tuple(self.on_wire), time.monotonic()
        owed = [request for request in on_wire if request.owed]
        if owed:
            return f"{len(owed)} {'reply' if len(owed) == 1 else 'replies'} owed, {now - owed[0].sent_at:.0f} s"
        return f"waiting for the reply to {on_wire[0].name}(), {now - on_wire[0].sent_at:.0f} s" if on_wire else ""

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
        request.sent_at, request.started = time.monotonic(), time.time()
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
        # A good reply is the rule: told by its first bytes.
        usual = FIRST_TYPE.match(data)
        if usual is None or usual[1] != EXPECTED_TYPES.get(request.kind):
            request.error = reply_error(data, request.kind, request.frame)
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

    def fail_waiting(self, failure: OpenEnvError) -> None:
        """End whoever waits unsent, each with an error of its own; what failed here has its cause."""
        cause = None if isinstance(failure, (TransportError, ServerError)) else failure.__cause__
        waiting = list(self.waiting)
        self.waiting.clear()
        for request in waiting:
            request.cause = cause
            request.finish(copy.copy(failure))

    def clear(self) -> Iterator[Request]:
        """Take out every request, those on the wire first."""
        while self.on_wire:
            yield self.on_wire.popleft()
        while self.waiting:
            yield self.waiting.popleft()
