"""One server-side environment: its states, the order of its calls, its record.

Callers on any thread make a :class:`~openenv_notebook.wire.protocol.Request` and post it to
:meth:`Session.take`. What stands below "on the loop's thread" runs on the portal's loop
only, so there are no locks. A reply is classified, recorded as it came, and only then its
caller is woken: the record never depends on a caller.
"""

from __future__ import annotations

import copy
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from openenv_notebook.client.events import Event, Subscribers
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step, StepKind
from openenv_notebook.threads import portal as portals
from openenv_notebook.threads.fork import close_inherited
from openenv_notebook.threads.portal import Portal
from openenv_notebook.values.errors import (
    CLOSED_HINT,
    ClientClosed,
    OpenEnvError,
    ProtocolError,
    ServerError,
    SessionLost,
)
from openenv_notebook.values.messages import StepResult
from openenv_notebook.wire.link import Link
from openenv_notebook.wire.protocol import ENDS_SESSION, Exchange, Request, excerpt, read_error, reply_type
from openenv_notebook.wire.same_process import Caller

log = logging.getLogger("openenv_notebook")

Status = Literal["new", "open", "lost", "closed"]
Connect = Callable[["Session"], Awaitable[None]]

# A reply of this size is counted until it is decoded, so that a flood of them is not read in.
_COUNTED = 2**20
_WITHOUT_ENVIRONMENT = ("reset", "connect")


class Session:
    """One session of one client.

    Args:
        url: The address, as it may be shown.
        connect: Opens a connection, attaches it to ``session.link`` and proves it.
        read: Makes a result from the reply to a reset or step.
        record: Where the steps are kept.
    """

    def __init__(
        self, url: str, connect: Connect, read: Callable[[bytes], StepResult[Any]], record: Record | None = None
    ) -> None:
        self.url = url
        self.record = record if record is not None else Record(url)
        self.subscribers = Subscribers()
        self.is_closed = False
        self.is_closing = False
        self.was_reset = False
        self.lost: SessionLost | None = None
        self._was_asked = False
        self.farewell: OpenEnvError | None = None
        self.caller: Caller | None = None
        self._connect = connect
        self._read = read
        self._guard = threading.Lock()
        self._portal: Portal | None = None
        self._owed_steps: deque[Step] = deque(maxlen=10_000)
        self._told: Status = "new"
        self._begin()

    def _begin(self) -> None:
        """Start from nothing: no connection, no request."""
        self._exchange = Exchange()
        self._settlers: list[Request] = []
        self.link = Link(lambda: self._connect(self), on_frame=self.received, on_end=self.ended, on_opened=self._opened)

    # From any thread

    @property
    def portal(self) -> Portal:
        """The portal, leased on first use and again after its thread has died."""
        portal = self._portal
        if portal is not None and portal.alive:
            return portal
        with self._guard:
            if self._portal is None or not self._portal.alive:
                if self.is_closed:
                    raise ClientClosed(url=self.url)
                if self._portal is not None:
                    self.lost = self.lost or SessionLost("the client's own thread ended", url=self.url)
                    self._begin()
                self._portal = portals.lease(self)
            return self._portal

    @property
    def status(self) -> Status:
        """The state: "new", "open", "lost" (until a reset) or "closed"."""
        if self.is_closed:
            return "closed"
        if self.lost is not None:
            return "lost"
        return "open" if self.link.is_open else "new"

    @property
    def owed(self) -> int:
        """Replies still to come that nobody waits for."""
        return self._exchange.owed

    @property
    def is_busy(self) -> bool:
        """True when a reply is awaited or owed."""
        return not self._exchange.idle

    @property
    def request_in_progress(self) -> Request | None:
        """The call that is being answered, or that waits for the session to open; None where there is none."""
        requests = (*self._exchange.on_wire, *self._exchange.waiting)
        return next((request for request in requests if request.kind != "hello"), None)

    @property
    def activity(self) -> str:
        """What is being waited for, with the seconds so far; "" when nothing is."""
        doing, on_wire, now = self.link.doing, tuple(self._exchange.on_wire), time.monotonic()
        if doing is not None:
            return f"{doing[0]}, {now - doing[1]:.0f} s"
        owed = [request for request in on_wire if request.owed]
        if owed:
            return f"{len(owed)} {'reply' if len(owed) == 1 else 'replies'} owed, {now - owed[0].sent_at:.0f} s"
        if on_wire:
            return f"waiting for the reply to {on_wire[0].name}(), {now - on_wire[0].sent_at:.0f} s"
        return ""

    @property
    def is_live(self) -> bool:
        """True when it has a portal: when there may be something to end."""
        return self._portal is not None and self._portal.alive

    def drop(self) -> None:
        """Let a session go whose client was collected; only hands over to the loop."""
        portal = self._portal
        if portal is not None and not self.is_closed:
            portal.post(self.shut_down)

    def end(self, *, join: bool, within: float = portals.JOIN_WITHIN) -> None:
        """Give everything back after :meth:`close`; waits for nothing but the thread's end, so many seconds."""
        self.is_closed = True
        self.subscribers.close()
        if self._portal is not None:
            self._portal.post(self._leave)
        self.give_back(join=join, within=within)

    def _leave(self) -> None:
        """Leave nobody waiting and no socket open on a portal that was too busy to close, and is about to stop."""
        self._end_everyone("the client was closed", CLOSED_HINT)
        self.link.abort()

    def decoded(self, request: Request) -> None:
        """Say that a reply was decoded, so that reading may go on after large ones."""
        if request.held_by is not None and self._portal is not None:
            self._portal.post(self._release, request)

    def take_owed_steps(self) -> list[Step]:
        """Return the steps nobody waited for since the last time, in wire order."""
        steps = []
        while self._owed_steps:
            steps.append(self._owed_steps.popleft())
        return steps

    def give_back(self, *, join: bool, within: float = portals.JOIN_WITHIN) -> None:
        """End the lease of the portal; an interrupted call may have taken it unseen."""
        with self._guard:
            self._portal = None
        portals.give_back(self, join=join, within=within)

    def orphan(self) -> None:
        """Leave the parent's session alone, in a forked child."""
        close_inherited(self.link.forget())
        self._guard = threading.Lock()
        self._portal = None
        self._begin()
        self.lost = SessionLost("it belongs to the process that this one was forked from", url=self.url)

    # On the loop's thread: calls

    def take(self, request: Request) -> None:
        """Take a call in: connect if need be, send it when it is its turn."""
        if self.is_closed:
            request.finish(ClientClosed(url=self.url))
            return
        self._exchange.submit(request)
        self._pump()

    def settle(self, request: Request) -> None:
        """Finish a request when no reply is owed any more."""
        request.status = "queued"
        self._settlers.append(request)
        self._tell_settlers()

    def give_up(self, request: Request) -> bool:
        """End a caller's wait; True if the request was sent, else it never happens."""
        if request in self._settlers:
            self._settlers.remove(request)
            return False
        sent = self._exchange.give_up(request)
        if sent and request.step is not None and not request.step.owed:
            request.step.owed = True
            self._owed_steps.append(request.step)
        self._release(request)
        if self.link.is_connecting and not self._exchange.waiting:
            self.link.cancel()
        return sent

    def send_now(self, request: Request) -> None:
        """Send a request ahead of all others: the proof of a new session."""
        request.sent_at, request.started = time.monotonic(), time.time()
        self._exchange.put_on_wire(request)
        try:
            assert self.link.wire is not None
            self.link.wire.send(request.frame)
        except Exception as error:
            self._lose(SessionLost(str(error) or type(error).__name__, code=1006, url=self.url))

    def _pump(self) -> None:
        """Send what may be sent, refuse what cannot be."""
        waiting = self._exchange.waiting
        while waiting and not self.link.is_connecting:
            head = waiting[0]
            if head.kind == "connect" and self.link.is_open:
                waiting.popleft().finish()
            elif not self._exchange.may_send():
                return
            elif self.lost is not None and head.kind not in _WITHOUT_ENVIRONMENT:
                waiting.popleft().finish(copy.copy(self.lost))
            elif not self.link.is_open:
                self.farewell = None
                self.link.start()
            else:
                self._was_asked = True
                if head.kind == "reset":
                    self._owed_steps.clear()
                self.send_now(waiting.popleft())

    def _opened(self, failure: OpenEnvError | None) -> None:
        if not self.link.is_open:
            # Nobody will answer the proof of a session that did not open.
            self._exchange.on_wire.clear()
        if failure is not None:
            failure.url = failure.url or self.url
            waiting = list(self._exchange.waiting)
            self._exchange.waiting.clear()
            for request in waiting:
                request.finish(copy.copy(failure))
        elif self.is_closed:
            self.link.retire()
        elif self.lost is not None and self.link.is_open:
            log.warning("openenv: a new session was opened on %s; the lost episode is over", self.url)
        self._tell_status()
        self._pump()

    # On the loop's thread: replies

    def received(self, data: bytes) -> None:
        """Take one frame from the connection."""
        request = self._exchange.receive(data)
        if request is None:
            self._unsolicited(data)
            return
        error = request.error
        if error is not None:
            error.url = error.url or self.url
            request.cause = self.caller.cause_of(error) if self.caller is not None else None
        elif len(data) > _COUNTED and not request.owed and request.batch is None:
            # Replies of a batch are read when the last has come, so they must all come in.
            self._hold(request, len(data))
        if request.kind == "reset" and error is None:
            self.was_reset, self.lost = True, None
        self._note(request)
        if request.kind == "reset":
            self._tell_status()
        if isinstance(error, ServerError) and error.code in ENDS_SESSION:
            self.farewell = error
            error.__cause__ = request.cause
            self._lose(SessionLost(error.message, url=self.url))
        # Whoever is woken finds the session as it is from now on.
        request.finish()
        if self._settlers or self._exchange.waiting:
            self._tell_settlers()
            self._pump()

    def _note(self, request: Request) -> None:
        """Write a finished request into the record, before its caller is woken."""
        kind: StepKind | None = request.entry or ("state" if request.owed else None)
        if kind is None:
            return
        read = self._read if kind in ("reset", "step") else None
        step = Step.from_frames(kind, request.frame, reply=request.reply, read=read, error=request.error)
        step.started, step.seconds = request.started, time.monotonic() - request.sent_at
        step.actor, step.owed = request.actor, request.owed
        request.step = step
        if request.owed:
            self._owed_steps.append(step)
        if request.entry:
            self.record.append(step)
            if self.subscribers:
                self.subscribers.tell(Event("step", self.status, step))

    def _unsolicited(self, data: bytes) -> None:
        """A frame nobody asked for: a full server's refusal, or the order is broken."""
        if reply_type(data) == "error":
            self.farewell = read_error(data)
            self.farewell.url = self.url
            if self.caller is not None:
                self.farewell.__cause__ = self.caller.cause_of(self.farewell)
            return
        self.farewell = ProtocolError("a message nobody asked for", frame=excerpt(data), url=self.url)
        self._lose(SessionLost("the server sent a message nobody asked for", code=1002, url=self.url))

    def _hold(self, request: Request, size: int) -> None:
        """Count a reply that waits to be decoded, where the connection counts."""
        wire: Any = self.link.wire
        if hasattr(wire, "hold"):
            wire.hold(size)
            request.held_by = wire

    def _release(self, request: Request) -> None:
        """Count it no more: it was decoded, or nobody will."""
        wire, request.held_by = request.held_by, None
        if wire is not None:
            wire.release(len(request.reply or b""))

    # On the loop's thread: ends

    def ended(self, code: int, reason: str) -> None:
        """Take the end of the connection, which nobody here asked for."""
        farewell = self.farewell.describe() if self.farewell is not None else ""
        self._lose(SessionLost(reason or farewell, code=code, url=self.url, hint=_HINTS.get(code)), ended=True)

    def _lose(self, lost: SessionLost, *, ended: bool = False) -> None:
        """The environment is gone: end who waits, but for a reset, which connects anew."""
        # First of all, so that nobody sees a session without a connection and not lost.
        if not self.link.is_connecting:
            self.lost, self.was_reset = lost, False
        if ended:
            self.link.forget()
        else:
            self.link.retire()
        while self._exchange.on_wire:
            self._fail(self._exchange.on_wire.popleft(), lost)
        self._tell_status()
        self._tell_settlers()
        self._pump()

    def _fail(self, request: Request, lost: SessionLost) -> None:
        """End a request that was sent and will not be answered."""
        if request.status == "sent":
            request.error = copy.copy(lost)
            request.error.sent = True
            self._note(request)
            request.finish()

    def detach(self, request: Request) -> None:
        """Give the session up on our side; the client may connect again."""
        had_environment = self._was_asked or self.lost is not None
        reason = "it was given up by disconnect()"
        self.lost = SessionLost(reason, url=self.url) if had_environment else None
        self.was_reset = self._was_asked = False
        self._end_everyone(reason)
        self.link.when_gone(request.finish)
        self._tell_status()

    def close(self, request: Request | None = None) -> None:
        """End the session for good."""
        if not self.is_closed:
            self.is_closed = self.is_closing = True
            self._end_everyone("the client was closed", CLOSED_HINT)
            self._tell_status()
            self.subscribers.close()
            self.link.when_gone(lambda: setattr(self, "is_closing", False))
        if request is not None:
            self.link.when_gone(request.finish)

    def shut_down(self) -> None:
        """Close without a caller: a dropped client, or the end of the interpreter."""
        if not self.is_closed:
            self.close()
            self.link.when_gone(lambda: self.give_back(join=False))

    def _end_everyone(self, reason: str, hint: str | None = None) -> None:
        self.link.cancel()
        lost = SessionLost(reason, url=self.url, hint=hint)
        for request in list(self._exchange.clear()):
            if request.status == "sent":
                self._fail(request, lost)
            else:
                request.finish(ClientClosed(reason, url=self.url))
        self.link.retire()
        self._tell_settlers()

    def _tell_settlers(self) -> None:
        if self._settlers and not self._exchange.owed:
            settlers, self._settlers = self._settlers, []
            for settler in settlers:
                settler.finish()

    def _tell_status(self) -> None:
        """Tell the status where it is not what was told last."""
        status = self.status
        if status != self._told:
            self._told = status
            self.subscribers.tell(Event("status", status))


_HINTS = {
    1009: (
        "a message was larger than allowed: raise max_message_size_mb for what comes in "
        "(servers take at most 16 MiB); then reset()"
    ),
    1011: "the server missed the keepalive, or failed; call reset() to start a new episode",
}
