"""Waiting for a reply: blocking on any thread, or awaiting on any loop.

Both post the request to the session on the portal's loop and wait. Giving up a wait
(interrupt, cancel, timeout) is decided on the loop's thread, so it is certain whether a
request was sent.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import time
from _thread import LockType, allocate_lock
from collections.abc import Callable

from openenv_notebook.client.session import Session
from openenv_notebook.threads.portal import Portal
from openenv_notebook.values.errors import OpenEnvError, ReplyTimeout, ServerError, TransportError
from openenv_notebook.values.tracebacks import shorten
from openenv_notebook.wire.protocol import Request

log = logging.getLogger("openenv_notebook")

GONE = "the client's own thread ended"
Take = Callable[[Request], object]

_ANSWER_WITHIN = 0.5
# A kernel's interrupt is only seen when its loop wakes (ipykernel #881).
_TICK = 0.1


def exchange(
    session: Session, request: Request, timeout: float | None, take: Take | None = None, *, began: float | None = None
) -> Request:
    """Send a request and block until it is answered.

    Args:
        session: The session it belongs to.
        request: The request; its name stands for the call in errors.
        timeout: Seconds, waiting in line included; None for no limit.
        take: What takes it in on the loop's thread, if not the session's queue.
        began: Since when they count (monotonic): a call that had to ask something first; None for now.

    Returns:
        The request, with its reply.

    Raises:
        OpenEnvError: What ended it instead; ReplyTimeout after the timeout.
        KeyboardInterrupt: With ``.sent``: True if its reply is now owed.
    """
    portal = session.portal
    portal.refuse_here(request.name)
    if take is None:
        refuse_past(request.name, timeout, session.url, began)
    lock = allocate_lock()
    lock.acquire()
    request.wake = lock.release
    deadline = None if timeout is None else (began or time.monotonic()) + timeout
    try:
        if not portal.post(take or session.take, request):
            raise TransportError(GONE, url=session.url)
        answered = portal.wait(lock, deadline)
    except BaseException as error:
        note_interrupt(error, request.name, give_up(session, portal, request))
        raise
    return _finish(session, portal, request, answered, timeout)


async def exchange_async(
    session: Session, request: Request, timeout: float | None, take: Take | None = None, *, began: float | None = None
) -> Request:
    """Send a request and wait for its answer, on any loop.

    Args:
        session: The session it belongs to.
        request: The request.
        timeout: Seconds, waiting in line included; None for no limit.
        take: What takes it in on the loop's thread, if not the session's queue.
        began: Since when they count (monotonic); None for now.

    Returns:
        The request, with its reply.

    Raises:
        OpenEnvError: What ended it instead; ReplyTimeout after the timeout.
        asyncio.CancelledError: With ``.sent``: True if its reply is now owed.
    """
    portal = session.portal
    if take is None:
        refuse_past(request.name, timeout, session.url, began)

    def start(wake: Callable[[], object]) -> None:
        request.wake = wake
        if portal.is_here:
            (take or session.take)(request)
        elif not portal.post(take or session.take, request):
            raise TransportError(GONE, url=session.url)

    try:
        answered = await wait_async(portal, seconds_left(timeout, began), start)
    except BaseException as error:
        note_interrupt(error, request.name, give_up(session, portal, request))
        raise
    return _finish(session, portal, request, answered, timeout)


async def wait_async(portal: Portal, timeout: float | None, start: Callable[[Callable[[], object]], object]) -> bool:
    """Wait on any loop for something that the portal's thread reports.

    Args:
        portal: The portal.
        timeout: Seconds; None for no limit.
        start: Gets the function that reports it, to be called once on the portal's thread.

    Returns:
        False when the time ran out.

    Raises:
        TransportError: If the portal's thread ended.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[bool] = loop.create_future()
    timers: dict[str, asyncio.TimerHandle] = {}
    if timeout is not None:
        timers["limit"] = loop.call_later(timeout, _resolve, future, False)
    if loop is portal.loop:
        start(lambda: _resolve(future, True))
    else:
        start(lambda: _wake_elsewhere(loop, future))
        timers["tick"] = loop.call_later(_TICK, _tick, loop, portal, future, timers)
    try:
        return await future
    finally:
        for timer in timers.values():
            timer.cancel()


def seconds_left(timeout: float | None, began: float | None) -> float | None:
    """Tell how much is left of a call's time, at least 0.0; None where it has no limit."""
    if timeout is None or began is None:
        return timeout
    return max(0.0, began + timeout - time.monotonic())


def refuse_past(name: str, timeout: float | None, url: str, began: float | None = None) -> None:
    """Raise the timeout of a call that has no time, or none left, before it is sent."""
    if timeout is not None and (seconds_left(timeout, began) or 0.0) <= 0:
        raise ReplyTimeout(name, timeout, sent=False, url=url)


def _timed_out(session: Session, portal: Portal, request: Request, timeout: float) -> ReplyTimeout:
    """Give up a wait whose time has run out."""
    sent, hint = give_up(session, portal, request), None
    if request.kind == "settle":
        still = f"{session.owed} {'reply is' if session.owed == 1 else 'replies are'} still owed"
        hint = f"{still}: call settle() again, or give the session up by disconnect()"
    return ReplyTimeout(request.name, timeout, sent=sent, url=session.url, hint=hint)


def _finish(session: Session, portal: Portal, request: Request, answered: bool, timeout: float | None) -> Request:
    if not answered:
        raise _timed_out(session, portal, request, timeout or 0.0)
    if request.error is not None:
        raise raised(request.error, request.cause)
    return request


def raised(error: OpenEnvError, cause: BaseException | None) -> OpenEnvError:
    """Make the error to raise for one that stands in the record, which keeps its own.

    A raised error holds the frames it went through. One that an environment of this process
    caused also gets the environment's: there a debugger stops, at the line that failed.

    Args:
        error: The error.
        cause: What the environment raised, where that is known.

    Returns:
        A copy.
    """
    made = copy.copy(error)
    cause = cause or (made.__cause__ if isinstance(made, ServerError) else None)
    if cause is not None:
        made.__cause__ = cause
        made.__traceback__ = cause.__traceback__
    return made


def give_up(session: Session, portal: Portal, request: Request) -> bool:
    """End a wait.

    Args:
        session: The session it belongs to.
        portal: The portal it was posted to.
        request: The request.

    Returns:
        True if it had been sent and its reply is owed; False if it never happens.
    """
    if portal.is_here:
        return session.give_up(request)
    answer: list[bool] = []
    lock = allocate_lock()
    lock.acquire()
    while True:
        try:
            if portal.post(_give_up_there, session, request, answer, lock):
                lock.acquire(timeout=_ANSWER_WITHIN)
            break
        except KeyboardInterrupt:
            # Giving up must not be lost itself, or an unsent call might still happen.
            continue
    return answer[0] if answer else request.sent_at > 0


def _give_up_there(session: Session, request: Request, answer: list[bool], lock: LockType) -> None:
    answer.append(session.give_up(request))
    if lock.locked():
        lock.release()


def note_interrupt(error: BaseException, kind: str, sent: bool) -> None:
    """Say in an interrupt or a cancellation whether the call had been sent.

    Args:
        error: What ended the wait; errors proper are left alone.
        kind: The call.
        sent: True if its reply is now owed.
    """
    if isinstance(error, Exception):
        return
    shorten(error)
    error.sent = sent  # type: ignore[attr-defined]
    error.add_note(
        f"openenv: the {kind} had been sent; its reply is owed and will stand in the record (settle() waits for it)"
        if sent
        else f"openenv: the {kind} was withdrawn before it was sent and will not happen"
    )


def _resolve(future: asyncio.Future[bool], answered: bool) -> None:
    if not future.done():
        future.set_result(answered)


def _wake_elsewhere(loop: asyncio.AbstractEventLoop, future: asyncio.Future[bool]) -> None:
    try:
        loop.call_soon_threadsafe(_resolve, future, True)
    except RuntimeError:
        log.debug("the loop that waited is closed")


def _tick(
    loop: asyncio.AbstractEventLoop,
    portal: Portal,
    future: asyncio.Future[bool],
    timers: dict[str, asyncio.TimerHandle],
) -> None:
    """Wake a foreign loop while it waits, and notice a dead portal, which never would."""
    if future.done():
        return
    if not portal.thread.is_alive():
        future.set_exception(TransportError(GONE))
        return
    timers["tick"] = loop.call_later(_TICK, _tick, loop, portal, future, timers)
