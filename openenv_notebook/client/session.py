"""One server-side environment: its states, the order of its calls, its record.

Callers on any thread make a :class:`~openenv_notebook.wire.protocol.Request` and post it to :meth:`Session.take`.
What stands below "on the loop's thread" runs on the portal's loop only, so there are no locks. A reply is classified,
recorded as it came, and only then its caller is woken: the record never depends on a caller.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any, Literal

from openenv_notebook.client.events import Event, Subscribers
from openenv_notebook.client.opener import Customer, Opened
from openenv_notebook.client.owed import Owed
from openenv_notebook.client.results import complete
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step
from openenv_notebook.threads import portal as portals
from openenv_notebook.threads.fork import close_inherited
from openenv_notebook.threads.lease import Lease
from openenv_notebook.values.errors import CLOSED_HINT, ClientClosed, OpenEnvError, ServerError, SessionLost
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import StepResult
from openenv_notebook.wire.close_codes import lost_hint
from openenv_notebook.wire.link import Link, Wire
from openenv_notebook.wire.protocol import Exchange, Request
from openenv_notebook.wire.replies import ENDS_SESSION, own_failure, read_error, reply_type
from openenv_notebook.wire.same_process import Caller

log = our_log()

Status = Literal["new", "open", "lost", "closed"]
Connect = Callable[[Customer, Link], Awaitable[Opened]]

# A reply of this size is counted until it is decoded, so that a flood of them is not read in.
_COUNTED = 2**20
_WITHOUT_ENVIRONMENT = ("reset", "connect")


class Session:
    """One session of one client; ``connect`` opens its connections, ``read`` makes results of its replies.

    Attributes:
        lost: Why there is no environment any more, until a reset; else None.
        was_reset: True when an episode was begun in this environment.
        is_closed: True once it has ended for good.
        is_closing: True while a connection is still being closed then.
    """

    def __init__(
        self, url: str, connect: Connect, read: Callable[[bytes], StepResult[Any]], record: Record | None = None
    ) -> None:
        self.url = url
        self.record = record if record is not None else Record(url)
        self.subscribers = Subscribers()
        self.lease = Lease(self)
        self.look_after: Callable[[], object] = int
        self.is_closed = self.is_closing = self.was_reset = self._was_asked = False
        self.lost: SessionLost | None = None
        self._connect = connect
        self.read = read
        self._last_words: OpenEnvError | None = None
        self._caller: Caller | None = None
        self.unclaimed = Owed()
        self._begin()

    def _begin(self) -> None:
        """Start from nothing: no connection, no request."""
        self.exchange = Exchange()
        self.unclaimed.settlers = []
        self._link = Link(self._open, on_frame=self.received, on_end=self.ended, on_opened=self._opened)

    # From any thread

    @property
    def status(self) -> Status:
        """The state: "new", "open", "lost" (until a reset) or "closed"."""
        if self.is_closed:
            return "closed"
        return "lost" if self.lost is not None else "open" if self._link.wire is not None else "new"

    @property
    def is_busy(self) -> bool:
        """True when a reply is awaited or owed."""
        return not self.exchange.idle

    @property
    def activity(self) -> str:
        """What is being waited for, with the seconds so far; "" when nothing is."""
        return self._link.activity or self.exchange.activity

    def running_context(self) -> Context | None:
        """The context of the call that is being answered, or that waits for the session to open; None without one."""
        requests = (*self.exchange.on_wire, *self.exchange.waiting)
        return requests[0].context if requests else None

    def end(self, *, join: bool, within: float = portals.JOIN_WITHIN) -> None:
        """Give everything back after :meth:`close`; waits for nothing but the thread's end, so many seconds."""
        self.is_closed = True
        self.subscribers.close()
        self.lease.post(self._leave)
        self.lease.end(join=join, within=within)

    def _leave(self) -> None:
        """Leave nobody waiting on a portal that was too busy to close, and is about to stop."""
        self._end_everyone("the client was closed", CLOSED_HINT)
        self._link.abort()

    def decoded(self, request: Request) -> None:
        """Say that a reply was decoded, so that reading may go on after large ones."""
        if request.held_by is not None:
            self.lease.post(request.release)

    def before_lease(self, anew: bool) -> None:
        """Prepare for a portal: a closed session gets none, and what lived on one that died is lost."""
        if self.is_closed:
            raise ClientClosed(url=self.url)
        if anew:
            self.lost = self.lost or SessionLost("the client's own thread ended", url=self.url)
            self._begin()

    def orphan(self) -> None:
        """Leave the parent's session alone, in a forked child."""
        close_inherited(self._link.forget())
        self.lease.orphan()
        self._begin()
        self.lost = SessionLost("it belongs to the process that this one was forked from", url=self.url)

    # On the loop's thread: calls

    def take(self, request: Request) -> None:
        """Take a call in: connect if need be, send it when it is its turn."""
        if self.is_closed:
            request.finish(ClientClosed(url=self.url))
            return
        exchange, wire = self.exchange, self._link.wire
        if wire is None or exchange.on_wire or exchange.waiting or self.lost is not None or request.kind == "connect":
            exchange.submit(request)
            self._pump()
        else:
            self._send(request, wire)

    def settle(self, request: Request) -> None:
        """Finish a request when no reply is owed any more."""
        self.unclaimed.wait(request)
        self._tell_settlers()

    def give_up(self, request: Request) -> bool:
        """End a caller's wait; True if the request was sent, else it never happens."""
        if request.kind == "settle":
            self.unclaimed.leave(request)
            return False
        sent = self.exchange.give_up(request)
        if sent and request.step is not None and not request.step.owed:
            self.unclaimed.add(request.step)
        elif sent and request.step is None and request.status == "done":
            self._note(request)  # it came, and makes no entry where it is waited for
        request.release()
        if self._link.is_connecting and not self.exchange.waiting:
            self._link.cancel()
        return sent

    def _pump(self) -> None:
        """Send what may be sent, refuse what cannot be."""
        exchange, link = self.exchange, self._link
        waiting = exchange.waiting
        while waiting and not link.is_connecting:
            head = waiting[0]
            if head.kind == "connect" and link.wire is not None:
                waiting.popleft().finish()
            elif exchange.on_wire and not exchange.may_send():
                return
            elif self.lost is not None and head.kind not in _WITHOUT_ENVIRONMENT:
                waiting.popleft().finish(copy.copy(self.lost))
            elif link.wire is None:
                self._last_words = None
                link.start()
            else:
                self._send(waiting.popleft(), link.wire)

    def _send(self, request: Request, wire: Wire) -> None:
        # Whoever blocks for it holds a lock: free, it has left, and could not say so.
        if not request.fate.setdefault("sent", request.caller is None or request.caller.locked()):
            request.status = "withdrawn"  # by its caller, while this thread was busy
            return
        self._was_asked = True
        if request.kind == "reset":
            self.unclaimed.forget()
        self.exchange.put_on_wire(request)
        try:
            wire.send(request.frame)
        except Exception as error:
            self._lose(SessionLost(str(error) or type(error).__name__, code=1006, url=self.url))

    # On the loop's thread: the connection

    def move(self, url: str) -> None:
        """Note the address of the server, which was just started."""
        self.url = url
        self.record.move(url)

    async def _open(self) -> Wire:
        wire, self._caller = await self._connect(self, self._link)
        return wire

    def _opened(self, failure: OpenEnvError | None) -> None:
        if failure is not None:
            complete(failure, self.url, self.record.secrets)
            self.exchange.fail_waiting(failure)
        elif self.is_closed:
            self._link.retire()
        elif self.lost is not None and self._link.wire is not None:
            log.warning("openenv: a new session was opened on %s; the lost episode is over", self.url)
        self.subscribers.tell_status(self.status)
        self._pump()

    # On the loop's thread: replies

    def received(self, data: bytes) -> None:
        """Take one frame from the connection."""
        request = self.exchange.receive(data)
        if request is None:
            self._unsolicited(data)
            return
        error = request.error
        if error is not None:
            request.cause = self._caller.cause_of(error) if self._caller is not None else None
            error = request.error = own_failure(error, request.kind) if request.cause is not None else error
            complete(error, self.url, self.record.secrets, request.frame)
        elif len(data) > _COUNTED and not request.owed and request.batch is None and self._link.wire is not None:
            # Replies of a batch are read when the last has come, so they must all come in.
            request.held_by = self._link.wire
            request.held_by.hold(len(data))
        if request.kind == "reset" and error is None:
            self.was_reset, self.lost = True, None
        self._note(request)
        if request.kind == "reset":
            self.subscribers.tell_status(self.status)
        if isinstance(error, ServerError) and error.code in ENDS_SESSION:
            self._lose(SessionLost(error.message, url=self.url))
        # Whoever is woken finds the session as it is from now on.
        request.finish()
        if self.unclaimed.settlers or self.exchange.waiting:
            self._tell_settlers()
            self._pump()

    def _note(self, request: Request) -> None:
        """Write a finished request into the record, before its caller is woken."""
        kind = request.entry or ("state" if request.owed else None)
        if kind is None:
            return
        seconds, read = time.monotonic() - request.sent_at, self.read if kind in ("reset", "step") else None
        request.step = step = Step(
            kind, None, None, request.error, request.started, seconds, request.actor,
            request=request.frame, reply=request.reply, read=read, secrets=self.record.secrets,
        )  # fmt: skip
        if request.owed:
            self.unclaimed.add(step)
        if request.entry:
            self.record.append(step, may_fold=not self.unclaimed.settlers)
            if self.subscribers.held:
                self.subscribers.tell(Event("step", self.status, step))

    def _unsolicited(self, data: bytes) -> None:
        """A frame nobody asked for: a server's last words, or the order is broken."""
        if reply_type(data) == "error":
            self._last_words = read_error(data)
            return
        self._lose(SessionLost("the server sent a message nobody asked for", code=1002, url=self.url))

    # On the loop's thread: ends

    def ended(self, code: int, reason: str) -> None:
        """Take the end of the connection, which nobody here asked for."""
        words = self._last_words.describe() if self._last_words is not None else ""
        self._lose(SessionLost(reason or words, code=code, url=self.url, hint=lost_hint(code, reason)))

    def _lose(self, lost: SessionLost) -> None:
        """The environment is gone: end who waits, but for a reset, which connects anew."""
        complete(lost, self.url, self.record.secrets)
        # First of all, so that nobody sees a session without a connection and not lost.
        self.lost, self.was_reset = lost, False
        self._link.retire()
        while self.exchange.on_wire:
            self._fail(self.exchange.on_wire.popleft(), lost)
        self.subscribers.tell_status(self.status)
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
        if not request.fate.setdefault("sent", True):
            return  # taken back, while this thread was busy
        reason = "it was given up by disconnect()"
        had_environment = self._was_asked or self.lost is not None
        self.lost = SessionLost(reason, url=self.url) if had_environment else None
        self.was_reset = self._was_asked = False
        self._end_everyone(reason)
        self._link.when_gone(request.finish)
        self.subscribers.tell_status(self.status)

    def close(self, request: Request | None = None) -> None:
        """End the session for good."""
        if not self.is_closed:
            self.is_closed = self.is_closing = True
            self._end_everyone("the client was closed", CLOSED_HINT)
            self.subscribers.tell_status(self.status)
            self.subscribers.close()
            self._link.when_gone(lambda: setattr(self, "is_closing", False))
        if request is not None:
            request.fate.setdefault("sent", True)
            self._link.when_gone(request.finish)

    def shut_down(self) -> None:
        """Close without a caller: a dropped client, or the end of the interpreter."""
        if not self.is_closed:
            self.close()
            self._link.when_gone(lambda: self.lease.end(join=False))

    def _end_everyone(self, reason: str, hint: str | None = None) -> None:
        self._link.cancel()
        lost = SessionLost(reason, url=self.url, hint=hint)
        for request in list(self.exchange.clear()):
            if request.status == "sent":
                self._fail(request, lost)
            else:
                request.finish(ClientClosed(reason, url=self.url))
        self._link.retire()
        self._tell_settlers()

    def _tell_settlers(self) -> None:
        if not self.exchange.owed:
            self.unclaimed.tell()
