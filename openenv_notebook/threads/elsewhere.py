"""Waiting on any loop for what the portal's thread does: the other loop stays awake, and may be interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from openenv_notebook.threads.portal import GONE, Portal
from openenv_notebook.threads.portal_call import DrivenCall
from openenv_notebook.values.errors import TransportError
from openenv_notebook.values.logs import our_log

log = our_log()

# A kernel's interrupt is only seen when its loop wakes (ipykernel #881).
_TICK = 0.1


async def wait_async(portal: Portal, timeout: float | None, start: Callable[[Callable[[], object]], object]) -> bool:
    """Wait on any loop for what the portal's thread reports; False if ``timeout`` (seconds, None for no limit) ran out.

    ``start`` gets the function that reports it, to be called once on the portal's thread. Raises TransportError if that
    thread ended.
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


async def call_async(portal: Portal, make: Callable[[], Any], name: str) -> Any:
    """Run an async function on the portal's loop and await its result on any loop.

    ``make`` is called on the portal's thread, and what it returns is awaited where it can be; ``name`` is for warnings.
    What it raised is raised, and TransportError if the portal's thread ended.
    """
    if asyncio.get_running_loop() is portal.loop:
        return await make()
    wakers: list[Callable[[], object]] = []
    call = DrivenCall(name, make, (), {}, lambda: wakers[0]())

    def start(wake: Callable[[], object]) -> None:
        wakers.append(wake)
        if not portal.post(call.start):
            raise TransportError(GONE)

    try:
        await wait_async(portal, None, start)
    except BaseException:
        if not call.done:
            portal.post(call.cancel)
        raise
    return call.outcome()


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
