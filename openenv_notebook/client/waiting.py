"""Waiting for what a call needs: blocking on any thread, or awaiting on any loop.

The logic of a call is a generator, its *body*: it yields what must be waited for and goes on when
that has come. :func:`block` drives it by blocking, :func:`run` by awaiting; so both twins of a
client have one body. Requests are posted to their sessions on the portal's loop. Giving up a
wait (interrupt, cancel, timeout) and sending are decided by who comes first, so it is certain
whether a request was sent, also while that loop's thread is busy.
"""

from __future__ import annotations

import copy
import threading
import time
from _thread import LockType, allocate_lock
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextvars import ContextVar, copy_context
from typing import Any, NamedTuple, TypeAlias, TypeVar

from openenv_notebook.threads.elsewhere import call_async, wait_async
from openenv_notebook.threads.lease import Lease
from openenv_notebook.threads.portal import GONE, Portal
from openenv_notebook.values.ending import note
from openenv_notebook.values.errors import OpenEnvError, ReplyTimeout, ServerError, TransportError
from openenv_notebook.values.tracebacks import shorten
from openenv_notebook.wire.protocol import Request

Take = Callable[[Request], object]
_T = TypeVar("_T")

# Only so that what a caller looks at next shows it.
_ANSWER_WITHIN = 0.1
_UNANSWERED = ("connect", "disconnect", "close")
# What a coroutine that somebody blocks for has asked: what is on its way, and what was asked last.
_made: ContextVar[list[Request] | None] = ContextVar("made", default=None)


class Together(NamedTuple):
    """Many requests in one hop: of several sessions, or of one that are pipelined, in their order."""

    requests: Sequence[Request]


class Apart(NamedTuple):
    """A request that is no message: ``take`` takes it in on the loop's thread, instead of the session's queue.

    It has ``timeout`` seconds of its own; None for no limit.
    """

    request: Request
    take: Take
    timeout: float | None


class Asked(NamedTuple):
    """An asynchronous question, which ``make`` begins on the portal's loop; ``name`` is the call, for warnings."""

    lease: Lease
    make: Callable[[], Awaitable[Any]]
    name: str


Wait: TypeAlias = Request | Together | Apart | Asked
Body: TypeAlias = Generator[Wait, None, _T]


def block(body: Body[_T], timeout: float | None) -> _T:
    """Drive a call by blocking, for at most ``timeout`` seconds, waiting in line included; None for no limit.

    Raises what ended it instead: an OpenEnvError, ReplyTimeout after the timeout; KeyboardInterrupt with ``.sent``:
    True if a reply is now owed.
    """
    asked = None
    try:
        began = time.monotonic()
        try:
            wait = asked = next(body)
            while True:
                try:
                    if type(wait) is Request:
                        exchange((wait,), timeout, began=began)
                    elif type(wait) is Together:
                        exchange(wait.requests, timeout, began=began)
                    elif type(wait) is Apart:
                        exchange((wait.request,), wait.timeout, wait.take)
                    elif type(wait) is Asked:
                        wait.lease.portal.call(wait.make, name=wait.name)
                except BaseException as error:
                    wait = body.throw(error)
                else:
                    wait = next(body)
                asked = asked if type(wait) is Asked and type(asked) is not Asked else wait
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
    except BaseException as error:
        _note_late(error, asked)
        raise


async def run(body: Body[_T], timeout: float | None) -> _T:
    """Drive a call by awaiting, on any loop; as :func:`block`, but that a cancellation has ``.sent``."""
    asked = None
    try:
        began = time.monotonic()
        try:
            wait = asked = next(body)
            while True:
                try:
                    if type(wait) is Request:
                        await exchange_async((wait,), timeout, began=began)
                    elif type(wait) is Together:
                        await exchange_async(wait.requests, timeout, began=began)
                    elif type(wait) is Apart:
                        await exchange_async((wait.request,), wait.timeout, wait.take)
                    elif type(wait) is Asked:
                        await call_async(wait.lease.portal, wait.make, wait.name)
                except BaseException as error:
                    wait = body.throw(error)
                else:
                    wait = next(body)
                asked = asked if type(wait) is Asked and type(asked) is not Asked else wait
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
    except BaseException as error:
        _note_late(error, asked)
        raise


def drive(lease: Lease, make: Callable[[], Any], name: str) -> Any:
    """Run an async function on the portal's loop and wait for its result, as :meth:`Portal.call`.

    An interrupt has ``.sent``, of the request that was made in there last.
    """
    made: list[Request] = []
    try:
        context = copy_context()
        context.run(_made.set, made)
        return context.run(lease.portal.call, make, name=name)
    except BaseException as error:
        _note_late(error, Together(made), name)
        raise


def exchange(
    requests: Sequence[Request], timeout: float | None, take: Take | None = None, *, began: float | None = None
) -> None:
    """Send requests in one hop and block until all are answered, be it by an error.

    Those of one session stand in their order; the name of the first stands for the call in errors. The timeout
    (seconds; None for no limit) is for all of them, waiting in line included, since ``began`` (monotonic): a call may
    have had to ask something first; None for now. ``take`` takes them in on the loop's thread, if not their session's
    queue. Raises ReplyTimeout after the timeout, TransportError if the portal's thread ended, and KeyboardInterrupt
    with ``.sent``: True if a reply is now owed.
    """
    first = requests[0]
    lease: Lease = first.session.lease
    portal = lease.held
    if portal is None or not portal.alive:
        portal = lease.portal
    if threading.get_ident() == portal.ident:
        portal.refuse_here(first.name)
    deadline = None if timeout is None else (began or time.monotonic()) + timeout
    if deadline is not None and take is None and deadline <= time.monotonic():
        raise _never_sent(first, timeout)
    lock, caller = allocate_lock(), allocate_lock()
    lock.acquire()
    for request in requests:
        request.caller = caller
    # It is let go in one go, however this ends: also where giving up is interrupted before its first line.
    with caller:
        try:
            if len(requests) == 1:
                first.wake = lock.release
                if not portal.post(take or first.session.take, first):
                    raise TransportError(GONE, url=first.session.url)
            else:
                _post_all(portal, requests, lock.release)
            answered = portal.wait(lock, deadline)
        except BaseException as error:
            note_interrupt(error, first.name, _give_up_all(portal, requests), has_reply=first.kind not in _UNANSWERED)
            raise
        if not answered:
            raise _timed_out(portal, requests, timeout or 0.0)


async def exchange_async(
    requests: Sequence[Request], timeout: float | None, take: Take | None = None, *, began: float | None = None
) -> None:
    """Send requests in one hop and await all answers on any loop; as :func:`exchange`, a cancellation has ``.sent``."""
    first = requests[0]
    portal: Portal = first.session.lease.portal
    if (made := _made.get()) is not None:
        made[:] = [*(request for request in made if request.status != "done"), *requests]
    left = seconds_left(timeout, began)
    if left is not None and take is None and left <= 0:
        raise _never_sent(first, timeout)

    def start(wake: Callable[[], object]) -> None:
        if len(requests) > 1:
            _post_all(portal, requests, wake)
            return
        first.wake, take_in = wake, take or first.session.take
        if portal.is_here:
            take_in(first)
        elif not portal.post(take_in, first):
            raise TransportError(GONE, url=first.session.url)

    try:
        answered = await wait_async(portal, left, start)
    except BaseException as error:
        note_interrupt(error, first.name, _give_up_all(portal, requests), has_reply=first.kind not in _UNANSWERED)
        raise
    if not answered:
        raise _timed_out(portal, requests, timeout or 0.0)


def seconds_left(timeout: float | None, began: float | None) -> float | None:
    """Tell how much is left of a call's time, at least 0.0; None where it has no limit."""
    if timeout is None or began is None:
        return timeout
    return max(0.0, began + timeout - time.monotonic())


def raised(error: OpenEnvError, cause: BaseException | None) -> OpenEnvError:
    """Copy an error that stands in the record, to raise the copy: one that was raised holds the frames it went through.

    One that an environment of this process caused also gets the environment's (of ``cause``, where that is known):
    there a debugger stops, at the line that failed.
    """
    made = copy.copy(error)
    cause = cause or (made.__cause__ if isinstance(made, ServerError) else None)
    if cause is not None:
        made.__cause__ = cause
        made.__traceback__ = cause.__traceback__
    return made


def note_interrupt(error: BaseException, kind: str, sent: bool, *, has_reply: bool = True) -> None:
    """Say in an interrupt or a cancellation whether the call (``kind``) had been sent, so that its reply is now owed.

    Errors proper are left alone. What has no reply ends the session, and goes on.
    """
    if isinstance(error, Exception):
        return
    shorten(error)
    error.sent = sent  # type: ignore[attr-defined]
    if not sent:
        told = "was withdrawn before it was sent and will not happen"
    elif has_reply:
        told = "had been sent; its reply is owed and will stand in the record (settle() waits for it)"
    else:
        told = "had begun, and goes on without being waited for"
    note(error, f"the {kind} {told}")


def _note_late(error: BaseException, wait: Wait | None, name: str = "") -> None:
    """Say in an interrupt what became of a call, whatever of it had come: that it gave nothing back.

    One that came while another was handled here is the last chance not to lose the first.
    """
    if isinstance(error, Exception) or hasattr(error, "sent"):
        return
    requests = [wait] if isinstance(wait, Request) else [wait.request] if isinstance(wait, Apart) else []
    requests = list(wait.requests) if isinstance(wait, Together) else requests
    if not requests:
        note_interrupt(error, name or getattr(wait, "name", "call"), False)
        return
    first = requests[0]
    portal = first.session.lease.held
    sent = portal is not None and _give_up_all(portal, requests)
    note_interrupt(error, name or first.name, sent, has_reply=first.kind not in _UNANSWERED)


def _never_sent(first: Request, timeout: float | None) -> ReplyTimeout:
    """Make the timeout of a call that has no time, or none left, before it is sent."""
    return ReplyTimeout(first.name, timeout or 0.0, sent=False, url=first.session.url)


def _post_all(portal: Portal, requests: Sequence[Request], done: Callable[[], object]) -> None:
    """Have many requests taken in in one hop; call back when the last is done."""
    for request in requests:
        if request.session.lease.portal is not portal:
            raise TransportError(GONE, url=request.session.url)
    if portal.is_here:
        _take_all(requests, done)
    elif not portal.post(_take_all, requests, done):
        raise TransportError(GONE, url=requests[0].session.url)


def _take_all(requests: Sequence[Request], done: Callable[[], object]) -> None:
    left = len(requests)

    def one_less() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            done()

    for request in requests:
        request.wake = one_less
        request.session.take(request)


def _timed_out(portal: Portal, requests: Sequence[Request], timeout: float) -> ReplyTimeout:
    """Give up a wait whose time has run out."""
    first = requests[0]
    sent, hint = _give_up_all(portal, requests), None
    if first.kind == "settle":
        owed = first.session.exchange.owed
        still = f"{owed} {'reply is' if owed == 1 else 'replies are'} still owed"
        hint = f"{still}: call settle() again, or give the session up by disconnect()"
    elif sent and first.kind in _UNANSWERED:
        hint = "the session is given up; its connection is still closing"
    return ReplyTimeout(first.name, timeout, sent=sent, url=first.session.url, hint=hint)


def _give_up_all(portal: Portal, requests: Sequence[Request]) -> bool:
    """End the wait for requests; True if one had been sent, and its reply is owed.

    That is decided here, however busy the loop's thread is: what was not sent by now never is.
    """
    if portal.is_here:
        return any([request.session.give_up(request) for request in requests])
    told = allocate_lock()
    told.acquire()
    while True:
        try:
            # A connection has no message of its own: it is there, or not.
            sent = [request.fate.setdefault("sent", request.is_open) for request in requests]
            if portal.post(_give_up_there, requests, told):
                told.acquire(timeout=_ANSWER_WITHIN)
            return any(sent)
        except KeyboardInterrupt:
            # Giving up must not be lost itself, or an unsent call might still happen.
            continue


def _give_up_there(requests: Sequence[Request], told: LockType) -> None:
    for request in requests:
        request.session.give_up(request)
    if told.locked():
        told.release()
