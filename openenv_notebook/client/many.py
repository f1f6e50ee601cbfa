"""Many requests in one hop: several sessions at once, or one session pipelined."""

from __future__ import annotations

import contextlib
import time
from _thread import allocate_lock
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace

from openenv_notebook.client.calls import GONE, give_up, note_interrupt, raised, refuse_past, seconds_left, wait_async
from openenv_notebook.client.session import Session
from openenv_notebook.threads.portal import Portal
from openenv_notebook.values.errors import OpenEnvError, ReplyTimeout, TransportError
from openenv_notebook.wire.protocol import Request

Pairs = Sequence[tuple[Session, Request]]

NOTHING_SENT = "nothing was sent"
_OTHERS_RECORDED = "what came for the others stands in env.episode"


@contextlib.contextmanager
def placed(rest: str = _OTHERS_RECORDED) -> Iterator[SimpleNamespace]:
    """Say in an error which of many actions it belongs to.

    Args:
        rest: What became of the others.

    Yields:
        Where the place is noted, ``.index``, before each of them is looked at.
    """
    place = SimpleNamespace(index=0)
    try:
        yield place
    except OpenEnvError as error:
        where = f"it is actions[{place.index}]; {rest}"
        error.hint = f"{error.hint}; {where}" if error.hint else where
        raise


def exchange_together(pairs: Pairs, timeout: float | None, *, began: float | None = None) -> None:
    """Send requests in one hop and block until all are answered.

    Args:
        pairs: Sessions and their requests; those of one session in their order.
        timeout: Seconds for all of them; None for no limit.
        began: Since when they count (monotonic); None for now.

    Raises:
        OpenEnvError: The first failure in order; ReplyTimeout if not all came in time.
        KeyboardInterrupt: With ``.sent``.
    """
    if not pairs:
        return
    portal = pairs[0][0].portal
    portal.refuse_here(pairs[0][1].name)
    refuse_past(pairs[0][1].name, timeout, pairs[0][0].url, began)
    lock = allocate_lock()
    lock.acquire()
    deadline = None if timeout is None else (began or time.monotonic()) + timeout
    try:
        _start_all(portal, pairs, lock.release)
        answered = portal.wait(lock, deadline)
    except BaseException as error:
        note_interrupt(error, pairs[0][1].name, _give_up_all(portal, pairs))
        raise
    _finish(portal, pairs, answered, timeout)


async def exchange_many(pairs: Pairs, timeout: float | None, *, began: float | None = None) -> None:
    """Send requests in one hop and await all replies, on any loop; as exchange_together."""
    if not pairs:
        return
    portal = pairs[0][0].portal
    refuse_past(pairs[0][1].name, timeout, pairs[0][0].url, began)
    try:
        answered = await wait_async(portal, seconds_left(timeout, began), lambda wake: _start_all(portal, pairs, wake))
    except BaseException as error:
        note_interrupt(error, pairs[0][1].name, _give_up_all(portal, pairs))
        raise
    _finish(portal, pairs, answered, timeout)


def _start_all(portal: Portal, pairs: Pairs, done: Callable[[], object]) -> None:
    """Take all requests in, on the loop's thread; call back when the last is done."""
    left = len(pairs)

    def one_less() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            done()

    def take_all() -> None:
        for session, request in pairs:
            request.wake = one_less
            session.take(request)

    for session, _ in pairs:
        if session.portal is not portal:
            raise TransportError(GONE, url=session.url)
    if portal.is_here:
        take_all()
    elif not portal.post(take_all):
        raise TransportError(GONE)


def _give_up_all(portal: Portal, pairs: Pairs) -> bool:
    return any([give_up(session, portal, request) for session, request in pairs])


def _finish(portal: Portal, pairs: Pairs, answered: bool, timeout: float | None) -> None:
    if not answered:
        session, request = pairs[0]
        raise ReplyTimeout(request.name, timeout or 0.0, sent=_give_up_all(portal, pairs), url=session.url)
    failed = next((request for _, request in pairs if request.error is not None), None)
    if failed is not None and failed.error is not None:
        for session, request in pairs:
            session.decoded(request)  # nobody will read the others from here
        with placed() as place:
            place.index = next(index for index, (_, request) in enumerate(pairs) if request is failed)
            raise raised(failed.error, failed.cause)
