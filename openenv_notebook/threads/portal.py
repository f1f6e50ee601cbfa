"""One private daemon thread with one event loop, shared by all clients of the process.

A client leases the portal and gives it back; the thread ends with the last lease. The
portal knows nothing of environments. Threads never wait for it without looking whether
it is alive, and a wait on the main thread can be interrupted.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import os
import sys
import threading
import time
import weakref
from _thread import LockType, allocate_lock
from collections.abc import Callable
from typing import Any, Protocol

from openenv_notebook.threads.fork import in_forked_child, keep_loop
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.portal_call import DrivenCall
from openenv_notebook.threads.start import start_thread
from openenv_notebook.values.errors import ClientClosed, TransportError, WrongThread
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.tracebacks import shorten

log = our_log()

THREAD_NAME = "openenv-loop"
GONE = "the client's own thread ended"
JOIN_WITHIN = 2.0
UNUSED_FOR = 1.0
CANCEL_WITHIN = 2.0
CLOSE_AT_EXIT_WITHIN = 1.0
# Windows cannot interrupt a lock; elsewhere a slice only bounds how late a dead thread is noticed.
_SLICE = 0.1 if sys.platform == "win32" else 1.0

_guard = threading.RLock()
_current: Portal | None = None
_exiting = False


class Guest(Protocol):
    """What lives on the portal's loop and must be told of its end."""

    def shut_down(self) -> None:
        """Begin to close, on the loop's thread."""

    def orphan(self) -> None:
        """Close inherited sockets by descriptor, in a forked child."""


def new_loop() -> asyncio.AbstractEventLoop:
    """Make the portal's loop: uvloop where it is installed, else asyncio's.

    ``OPENENV_NOTEBOOK_LOOP=asyncio`` turns uvloop off.
    """
    if os.environ.get("OPENENV_NOTEBOOK_LOOP", "").lower() != "asyncio" and sys.platform != "win32":
        try:
            import uvloop

            loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
            return loop
        except ImportError:
            pass  # the extra is not installed
    return asyncio.SelectorEventLoop()


class Portal:
    """The thread and its loop. Use :func:`lease`, not this class; it is made in the thread that it is."""

    def __init__(self) -> None:
        self.loop = new_loop()
        self.alive = True
        self.guests: weakref.WeakSet[Guest] = weakref.WeakSet()
        self.thread = threading.current_thread()
        self.ident = threading.get_ident()

    def run(self) -> None:
        """Run the loop until it is stopped."""
        try:
            self.loop.run_forever()
            tasks = asyncio.all_tasks(self.loop)
            for task in tasks:
                task.cancel()
            if tasks:
                self.loop.run_until_complete(asyncio.wait(tasks, timeout=CANCEL_WITHIN))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        finally:
            self.alive = False
            self.loop.close()

    @property
    def is_usable(self) -> bool:
        """True from its making until it is told to stop, or its thread has died."""
        return self.alive and self.thread.is_alive()

    @property
    def is_here(self) -> bool:
        """True on the portal's own thread."""
        return threading.get_ident() == self.ident

    def post(self, callback: Callable[..., object], *args: Any) -> bool:
        """Run a callback on the loop's thread soon; False if the loop is gone."""
        try:
            self.loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            return False
        return True

    def refuse_here(self, name: str, instead: str = "") -> None:
        """Raise where a blocking call would wait for itself.

        Args:
            name: The call, for the text.
            instead: What can be awaited; the asynchronous client's method of that name if empty.

        Raises:
            WrongThread: On the portal's own thread.
        """
        if threading.get_ident() == self.ident:
            raise WrongThread(
                f"{name}() blocks, and this code runs on the thread it would wait for",
                hint=f"await it instead: await {instead or f'env.async_client.{name}(...)'}",
            )

    def wait(self, lock: LockType, deadline: float | None) -> bool:
        """Wait for a lock that the loop's thread releases.

        Args:
            lock: Acquired by the caller beforehand.
            deadline: In monotonic seconds, None for no limit.

        Returns:
            False when the deadline passed.

        Raises:
            TransportError: If the portal's thread ended meanwhile.
        """
        while True:
            left = _SLICE if deadline is None else min(_SLICE, max(0.0, deadline - time.monotonic()))
            if lock.acquire(timeout=left):
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return False
            if not self.thread.is_alive():
                raise TransportError(GONE)

    def call(self, make: Callable[..., Any], *args: Any, name: str = "", **kwargs: Any) -> Any:
        """Run an async function on the loop, as a task, and wait for its result.

        An interrupt cancels the task, gives it up to 2 s to end, and is raised again; a
        second one leaves at once.

        Args:
            make: Called on the loop's thread; what it returns is awaited where it can be.
            *args: Its arguments.
            name: The call, for error texts.
            **kwargs: Its keywords.

        Returns:
            The result.

        Raises:
            WrongThread: On the portal's own thread.
            TransportError: If the portal's thread ended.
        """
        name = name or getattr(make, "__name__", "call")
        self.refuse_here(name)
        lock = allocate_lock()
        lock.acquire()
        call = DrivenCall(name, make, args, kwargs, lock.release)
        try:
            if not self.post(call.start):
                raise TransportError(GONE)
            self.wait(lock, None)
        except BaseException as error:
            shorten(error)
            if not call.done and self.post(call.cancel):
                # Where the thread has ended, so has the call.
                with contextlib.suppress(TransportError):
                    self.wait(lock, time.monotonic() + CANCEL_WITHIN)
            raise
        return call.outcome()


def lease(guest: Guest) -> Portal:
    """Take the process's portal, starting it if there is none; give it back with :func:`give_back`.

    The guest is held weakly; a second time changes nothing. An interrupt may come anywhere in here: then the guest may
    have it or not, and takes it again, or gives it back. Raises NotSupportedHere where no thread can be started,
    ClientClosed while the interpreter exits.
    """
    while True:
        with _guard:
            if _exiting:
                raise ClientClosed("the interpreter is exiting", hint="make no calls from exit handlers")
            if _current is not None and _current.is_usable:
                _current.guests.add(guest)
                return _current
        _start()


def _start() -> None:
    """Start a thread that makes itself the portal: interrupts only hit the main one, never halfway there."""
    ready = Latch()
    failures: list[Exception] = []

    def become_portal() -> None:
        try:
            portal = _new_portal()
        except Exception as error:
            failures.append(error)
            return
        finally:
            ready.set()
        if portal is not None:
            portal.run()

    run = contextvars.Context().run
    start_thread(run, become_portal, name=THREAD_NAME)
    ready.wait()
    if failures:
        raise failures.pop()


def _new_portal() -> Portal | None:
    """Make this thread the portal; None if another was faster."""
    global _current
    with _guard:
        if _current is not None and _current.is_usable:
            return None
        if _current is not None:
            _current.post(_current.loop.stop)
        portal = Portal()
        portal.loop.call_later(UNUSED_FOR, _look_after, portal)
        _current = portal
        return portal


def _look_after(portal: Portal) -> None:
    """End what interrupts leave: guests that were dropped unseen, a portal that nobody has (any more)."""
    for guest in list(portal.guests):
        getattr(guest, "look_after", int)()
    if not _end_if_unused(portal):
        portal.loop.call_later(UNUSED_FOR, _look_after, portal)


def _end_if_unused(portal: Portal) -> bool:
    """End a portal without guests; whatever became of their callbacks, those that are gone do not count."""
    with _guard:
        if next(iter(portal.guests), None) is None:
            _end(portal)
    return not portal.alive


def current() -> Portal | None:
    """Give the portal that clients lease now; None while there is none."""
    return _current


def refuse_here(name: str, instead: str) -> None:
    """Raise WrongThread on the portal's own thread, as :meth:`Portal.refuse_here`; elsewhere start nothing."""
    portal = _current
    if portal is not None:
        portal.refuse_here(name, instead)


def give_back(guest: Guest, *, join: bool, within: float = JOIN_WITHIN) -> None:
    """End a lease, if the guest has one; the last one ends the thread.

    ``join`` waits for the thread's end, ``within`` seconds at most, on any thread but its own.
    """
    with _guard:
        portal = _current
        if portal is None:
            return
        portal.guests.discard(guest)
        has_ended = _end_if_unused(portal)
    if join and has_ended and not portal.is_here:
        portal.thread.join(within)


def _end(portal: Portal) -> None:
    """Stop a portal; in this order an interrupt in between leaves nothing that the next lease does not end."""
    global _current
    portal.alive = False
    portal.post(portal.loop.stop)
    if _current is portal:
        _current = None


def _at_exit() -> None:
    """Close what is open while the loop still runs; daemon threads end with the process."""
    global _exiting
    with _guard:
        _exiting = True
        portal = _current
    if portal is None or not portal.thread.is_alive():
        return
    ended = Latch()

    async def close_all() -> None:
        guests = list(portal.guests)
        for guest in guests:
            guest.shut_down()
        limit = portal.loop.time() + CLOSE_AT_EXIT_WITHIN
        try:
            while any(getattr(guest, "is_closing", False) for guest in guests) and portal.loop.time() < limit:
                await asyncio.sleep(0.005)
        finally:
            # The last guest that goes stops the loop, which cancels this.
            ended.set()

    portal.post(lambda: _keep(portal.loop.create_task(close_all())))
    ended.wait(CLOSE_AT_EXIT_WITHIN + 0.5)
    with _guard:
        if portal.alive:
            _end(portal)
    portal.thread.join(JOIN_WITHIN)


_kept: set[Any] = set()


def _keep(task: asyncio.Task[Any]) -> None:
    _kept.add(task)
    task.add_done_callback(_kept.discard)


def _in_child() -> None:
    """Leave the parent's portal alone: its thread is not here, its sockets are shared."""
    global _current, _guard
    _guard = threading.RLock()
    portal, _current = _current, None
    if portal is None:
        return
    portal.alive = False
    for guest in list(portal.guests):
        guest.orphan()
    keep_loop(portal, portal.loop)


atexit.register(_at_exit)
in_forked_child(_in_child)
