"""The connection a session has right now: none, one being opened, or one that is open.

A connection that is given up is retired: what it still says is ignored, and its end only
counts for those who wait until everything is closed. All of it runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.wire.fault import fault


class Wire(Protocol):
    """What a session needs of a connection; tests give it a scripted one.

    ``on_frame`` is called with each data frame, and ``on_end`` once, with the close code and the reason; from then on
    ``end`` holds them.
    """

    on_frame: Callable[[bytes], None]
    on_end: Callable[[int, str], None]
    end: tuple[int, str] | None

    def send(self, data: bytes) -> None:
        """Send one frame; never waits."""

    def close(self) -> None:
        """Close; ``on_end`` follows within a second or two."""

    def abort(self) -> None:
        """Drop it without a word; ``on_end`` follows at once."""

    def hold(self, size: int) -> None:
        """Count a reply of so many bytes that waits to be decoded; reading stops above a limit."""

    def release(self, size: int) -> None:
        """Count a reply that was decoded."""


class Link:
    """Opens, holds and retires the connections of one session, one after the other.

    ``open_wire`` opens a connection and proves that a session stands behind it; where that fails or is cancelled, it
    is given to :meth:`drop`. ``on_frame`` and ``on_end``, for an end that nobody here asked for, are given to each
    connection. ``on_opened`` is called after an attempt, with None or with what it failed with. ``is_connecting`` is
    true from the first attempt until the session is proven.
    """

    def __init__(
        self,
        open_wire: Callable[[], Awaitable[Wire]],
        *,
        on_frame: Callable[[bytes], None],
        on_end: Callable[[int, str], None],
        on_opened: Callable[[OpenEnvError | None], None],
    ) -> None:
        self.wire: Wire | None = None
        self.is_connecting = False
        self._doing: tuple[str, float] | None = None
        self._open_wire = open_wire
        self._on_frame = on_frame
        self._on_end = on_end
        self._on_opened = on_opened
        self._task: asyncio.Task[None] | None = None
        self._leaving: list[Wire] = []
        self._waiting_for_end: list[Callable[[], object]] = []

    def say(self, what: str) -> None:
        """Note what connecting waits for, since now."""
        self._doing = (what, time.monotonic()) if what else None

    @property
    def activity(self) -> str:
        """What connecting waits for, with the seconds so far; "" when nothing is."""
        doing = self._doing
        return f"{doing[0]}, {time.monotonic() - doing[1]:.0f} s" if doing is not None else ""

    def start(self) -> None:
        """Begin to connect; the outcome is told to ``on_opened``."""
        if not self.is_connecting:
            self.is_connecting = True
            self._task = asyncio.get_running_loop().create_task(self._attempt())
            # Called in any case: a task that is cancelled before it began runs no line of its own.
            self._task.add_done_callback(self._attempted)

    def cancel(self) -> None:
        """Give an attempt up."""
        if self._task is not None:
            self._task.cancel()

    async def _attempt(self) -> None:
        try:
            wire = await self._open_wire()
        except OpenEnvError:
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            raise fault(error) from error
        wire.on_frame, wire.on_end = self._on_frame, self._on_end
        self.wire = wire

    def _attempted(self, task: asyncio.Task[None]) -> None:
        """Take the outcome; where it was given up, who came since then gets an attempt of its own."""
        error = None if task.cancelled() else task.exception()
        failure = error.with_traceback(None) if isinstance(error, OpenEnvError) else None
        self._task, self.is_connecting = None, False
        self.say("")
        self._on_opened(failure)
        self._tell_end()

    def retire(self) -> None:
        """Close the connection there is and listen to it no more."""
        wire = self.forget()
        if wire is not None and self._leaves(wire):
            wire.close()

    def drop(self, wire: Wire) -> None:
        """Drop a connection that was opened and not proven: nothing was asked over it yet."""
        wire.on_frame = _ignore
        if self._leaves(wire):
            wire.abort()

    def _leaves(self, wire: Wire) -> bool:
        """Wait for a connection's end, if it has not come yet."""
        if wire.end is not None:
            return False
        self._leaving.append(wire)
        wire.on_end = lambda code, reason: self._left(wire)
        return True

    def forget(self) -> Wire | None:
        """Let go of a connection that has ended, or that another process owns."""
        wire, self.wire = self.wire, None
        if wire is not None:
            wire.on_frame = wire.on_end = _ignore
        return wire

    def when_gone(self, callback: Callable[[], object]) -> None:
        """Call back when no connection is open, closing or being opened any more."""
        self._waiting_for_end.append(callback)
        self._tell_end()

    def abort(self) -> None:
        """Wait no longer for the end of what was retired."""
        for wire in list(self._leaving):
            wire.abort()

    def _left(self, wire: Wire) -> None:
        wire.on_end = _ignore
        self._leaving.remove(wire)
        self._tell_end()

    def _tell_end(self) -> None:
        if self._leaving or self.is_connecting or self.wire is not None:
            return
        callbacks, self._waiting_for_end = self._waiting_for_end, []
        for callback in callbacks:
            callback()


def _ignore(*_: object) -> None:
    """Nobody listens to a retired connection."""
