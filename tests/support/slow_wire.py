"""A slow way to a Jupyter server: what browser and kernel say to each other is delayed, in order.

Playwright's own routing of sockets stands still whenever the test waits outside of Playwright; this does not.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_CHANNELS = re.compile(rb"GET /[^ ]*api/kernels/[^/ ]+/channels")
_CHUNK = 1 << 16


class SlowWire:
    """Stands between browsers and a server, on a thread of its own. Only kernels' sockets are slow, never pages.

    Bytes are kept for a while and passed on as they came: no frame can be broken, none can overtake another.

    Args:
        url: The server's address on this machine.

    Attributes:
        to_kernel_ms, to_page_ms: How long each way takes; a change holds for what comes from now on.
        channels: How many kernels' sockets are open.
        url: Its own address.
    """

    def __init__(self, url: str) -> None:
        self._port = urlsplit(url).port
        self.to_kernel_ms = self.to_page_ms = 0.0
        self.channels = 0
        self.url = ""
        self._began = threading.Event()
        self._ways: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="slow-wire", daemon=True)

    def delay(self, to_kernel_ms: float, to_page_ms: float | None = None) -> None:
        """Choose how long each way takes; one number for both."""
        self.to_kernel_ms = to_kernel_ms
        self.to_page_ms = to_kernel_ms if to_page_ms is None else to_page_ms

    @contextmanager
    def undelayed(self) -> Iterator[None]:
        """Have no delay for a while; what was underway before comes before, all the same."""
        before = self.to_kernel_ms, self.to_page_ms
        self.delay(0)
        try:
            yield
        finally:
            self.delay(*before)

    @property
    def is_running(self) -> bool:
        """True until it was closed."""
        return self._thread.is_alive()

    def start(self) -> Self:
        """Listen; returns when it does."""
        self._thread.start()
        assert self._began.wait(10), "the slow wire does not listen"
        return self

    def close(self) -> None:
        """Cut all connections and end the thread; a second time does nothing."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(10)
        assert not self._thread.is_alive(), "the slow wire does not end"

    __enter__ = start

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._began.set()
        await self._end.wait()
        server.close()
        for way in self._ways:
            way.cancel()
        await asyncio.gather(*self._ways, return_exceptions=True)
        # What is closed is let go of in the loop's next turn.
        await asyncio.sleep(0)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        way = asyncio.ensure_future(self._carry(reader, writer))
        self._ways.add(way)
        way.add_done_callback(self._ways.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection until either side ends it."""
        ends, is_slow = [writer], False
        try:
            first = await reader.read(_CHUNK)
            there, away = await asyncio.open_connection("127.0.0.1", self._port)
            ends.append(away)
            is_slow = _CHANNELS.match(first) is not None
            self.channels += is_slow
            away.write(first)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass_on(reader, away, lambda: self.to_kernel_ms * is_slow))
                group.create_task(self._pass_on(there, writer, lambda: self.to_page_ms * is_slow))
        except* OSError:
            pass  # one of them is gone
        except* asyncio.CancelledError:
            for each in ends:
                each.transport.abort()
        finally:
            self.channels -= is_slow
            for each in ends:
                each.close()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_ms: Callable[[], float]
    ) -> None:
        """Pass on what comes, each piece after its time and never before the piece that came before it."""
        now = asyncio.get_running_loop().time
        kept: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def let_go() -> None:
            while True:
                due, piece = await kept.get()
                if due > now():
                    await asyncio.sleep(due - now())
                if not piece:
                    # The other side hears of the end, and may still have something to say.
                    if writer.can_write_eof():
                        writer.write_eof()
                    return
                writer.write(piece)
                await writer.drain()

        async with asyncio.TaskGroup() as group:
            group.create_task(let_go())
            while True:
                piece = await reader.read(_CHUNK)
                kept.put_nowait((now() + delay_ms() / 1000, piece))
                if not piece:
                    return
