"""One private thread with one loop: leased, called, interrupted, and gone with its last lease."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import importlib.util
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.interrupts import interrupted_when, main_thread_is_in
from support.waiting import eventually, in_threads

from openenv_notebook.threads import portal as portals
from openenv_notebook.threads.portal import THREAD_NAME, Portal, new_loop
from openenv_notebook.threads.portal_call import BLOCKED_FOR
from openenv_notebook.values.errors import NotSupportedHere, TransportError, WrongThread

context: contextvars.ContextVar[str] = contextvars.ContextVar("context", default="empty")


class Guest:
    """Somebody who takes a lease."""

    def shut_down(self) -> None:
        """Nothing is open."""

    def orphan(self) -> None:
        """Nothing was inherited."""


@pytest.fixture
def guest() -> Iterator[Guest]:
    """A guest that gives back what it has in the end."""
    somebody = Guest()
    yield somebody
    portals.give_back(somebody, join=True)


@pytest.fixture
def portal(guest: Guest) -> Portal:
    """A leased portal."""
    return portals.lease(guest)


def loop_threads() -> int:
    """How many threads with a loop of ours there are."""
    return sum(thread.name == THREAD_NAME for thread in threading.enumerate())


def waits_in_portal() -> bool:
    """Tell whether the main thread waits by Portal.wait()."""
    return main_thread_is_in(Portal.wait)


class TestLease:
    """Its life."""

    def test_all_share_one_thread(self) -> None:
        """However many leases there are, there is one daemon thread; it ends with the last of them."""
        guests = [Guest() for _ in range(20)]
        leases = [portals.lease(somebody) for somebody in guests]
        assert len(set(map(id, leases))) == 1
        assert loop_threads() == 1
        assert leases[0].thread.daemon
        for somebody in guests[:-1]:
            portals.give_back(somebody, join=True)
        assert leases[0].alive
        portals.give_back(guests[-1], join=True)
        assert loop_threads() == 0
        assert not leases[0].alive

    def test_a_lease_is_taken_and_given_back_once(self, guest: Guest) -> None:
        """Taking twice and giving back twice changes nothing, and who has none gives none back."""
        assert portals.lease(guest) is portals.lease(guest)
        portals.give_back(Guest(), join=True)
        assert loop_threads() == 1
        portals.give_back(guest, join=True)
        portals.give_back(guest, join=True)
        assert loop_threads() == 0

    def test_threads_race_for_the_same_one(self) -> None:
        """Leases taken at once by many threads are of the same portal, and no other is left."""
        guests = [Guest() for _ in range(8)]
        leases = in_threads(*[lambda somebody=somebody: portals.lease(somebody) for somebody in guests])
        assert len(set(map(id, leases))) == 1
        eventually(lambda: loop_threads() == 1)
        for somebody in guests:
            portals.give_back(somebody, join=True)

    def test_a_lease_taken_while_it_ends_gets_a_new_one(self, guest: Guest) -> None:
        """What ends is never leased again."""
        old = portals.lease(guest)
        portals.give_back(guest, join=False)
        new = portals.lease(guest)
        assert new is not old
        assert new.call(lambda: 1) == 1
        eventually(lambda: not old.thread.is_alive())

    def test_a_dead_one_is_not_leased_again(self, guest: Guest) -> None:
        """After its thread died a lease gets a new portal, which works."""
        old = portals.lease(guest)
        old.post(old.loop.stop)
        eventually(lambda: not old.thread.is_alive())
        new = portals.lease(guest)
        assert new is not old
        assert new.call(lambda: 1) == 1

    def test_its_end_cancels_what_runs(self, guest: Guest) -> None:
        """Tasks that still run when the last lease ends are cancelled, and see it."""
        leased, seen = portals.lease(guest), []

        async def forever() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        async def begin() -> None:
            tasks.append(asyncio.create_task(forever()))
            await asyncio.sleep(0)

        tasks: list[Any] = []
        leased.call(begin)
        portals.give_back(guest, join=True)
        assert seen == ["cancelled"]

    def test_it_can_be_given_back_on_its_own_thread(self, guest: Guest) -> None:
        """The loop's own thread may end the last lease; nothing waits for itself."""
        leased = portals.lease(guest)
        leased.post(lambda: portals.give_back(guest, join=True))
        eventually(lambda: not leased.thread.is_alive())

    def test_without_threads_there_is_one_clear_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where no thread can be started the error says so, and nothing is left."""

        def refuse(self: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(NotSupportedHere, match="cannot start threads"):
            portals.lease(Guest())


class TestLoop:
    """What runs on it."""

    def test_the_kind_of_loop_can_be_chosen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """uvloop is used where it is installed; OPENENV_NOTEBOOK_LOOP=asyncio turns it off."""
        monkeypatch.setenv("OPENENV_NOTEBOOK_LOOP", "asyncio")
        with contextlib.closing(new_loop()) as loop:
            assert isinstance(loop, asyncio.SelectorEventLoop)
        monkeypatch.delenv("OPENENV_NOTEBOOK_LOOP")
        with contextlib.closing(new_loop()) as loop:
            expected = "uvloop" if importlib.util.find_spec("uvloop") and sys.platform != "win32" else "asyncio"
            assert type(loop).__module__.split(".")[0] == expected

    def test_a_call_sees_the_context_of_its_caller_alone(self, portal: Portal) -> None:
        """Context variables are those of who calls, not of who started the thread, and changes do not come back."""
        token = context.set("of the caller")
        try:
            assert portal.call(context.get) == "of the caller"
            portal.call(context.set, "changed")
            assert context.get() == "of the caller"
        finally:
            context.reset(token)
        assert portal.call(context.get) == "empty"

    def test_what_is_posted_runs_in_order(self, portal: Portal) -> None:
        """Callbacks run on its thread in the order they were posted."""
        seen: list[Any] = []
        for number in range(100):
            assert portal.post(seen.append, number)
        portal.call(lambda: None)
        assert seen == list(range(100))
        assert portal.call(lambda: portal.is_here)
        assert not portal.is_here

    def test_posting_to_a_dead_one_says_so(self, guest: Guest) -> None:
        """False tells that the loop is gone."""
        leased = portals.lease(guest)
        portals.give_back(guest, join=True)
        assert leased.post(print) is False


class TestCall:
    """Blocking calls of async functions."""

    def test_it_gives_the_result(self, portal: Portal) -> None:
        """The value of a coroutine, of anything awaitable, or of a plain function is the result."""

        async def double(value: int, *, plus: int = 0) -> int:
            await asyncio.sleep(0)
            return 2 * value + plus

        async def wrapped() -> Any:
            return asyncio.ensure_future(double(3))

        assert portal.call(double, 3, plus=1) == 7
        assert portal.call(lambda: double(2)) == 4
        assert portal.call(lambda: asyncio.ensure_future(double(5))) == 10
        assert portal.call(len, [1, 2]) == 2

    def test_it_raises_what_was_raised(self, portal: Portal) -> None:
        """An exception arrives as itself, with the line it came from, and is not kept."""

        async def fail() -> None:
            raise ZeroDivisionError("here")

        with pytest.raises(ZeroDivisionError, match="here") as caught:
            portal.call(fail)
        assert caught.traceback[-1].name == "fail"

    def test_b11_it_runs_as_a_task(self, portal: Portal) -> None:
        """B11: libraries that need a current task, such as asyncio.timeout, find one."""

        async def timed() -> str:
            assert asyncio.current_task() is not None
            try:
                async with asyncio.timeout(0.01):
                    await asyncio.Event().wait()
            except TimeoutError:
                return "timed out"
            return "never"

        assert portal.call(timed) == "timed out"

    def test_b02_it_runs_on_another_thread(self, portal: Portal) -> None:
        """B02: a call never uses the thread, or the loop, that waits for it."""

        async def where() -> int:
            return threading.get_ident()

        async def cell() -> int:
            return portal.call(where)

        assert portal.call(where) == asyncio.run(cell()) == portal.thread.ident != threading.get_ident()

    def test_b03_its_own_thread_is_refused_at_once(self, portal: Portal) -> None:
        """B03: a blocking call from the loop's own thread raises and names what to await."""

        async def nested() -> None:
            portal.call(lambda: 1, name="step")

        with pytest.raises(WrongThread, match=r"step\(\) blocks.*await env\.async_client\.step\(\.\.\.\)"):
            portal.call(nested)

    def test_code_that_blocks_its_thread_is_named(self, portal: Portal, caplog: pytest.LogCaptureFixture) -> None:
        """Each stretch of over half a second without an await is warned about, by the call's name; waiting is not."""

        begun, trained = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            begun.set()
            await trained.wait()

        async def train() -> str:
            await begun.wait()
            time.sleep(BLOCKED_FOR + 0.1)
            trained.set()
            await asyncio.sleep(0)
            return "trained"

        assert in_threads(lambda: portal.call(wait), lambda: portal.call(train)) == [None, "trained"]
        (said,) = (record for record in caplog.records if record.name == "openenv_notebook")
        assert said.levelname == "WARNING"
        assert "train() blocked the client's own thread for 0." in said.getMessage()

    def test_threads_call_at_once(self, portal: Portal) -> None:
        """Calls of many threads run together, and each gets its own result."""
        arrived: list[int] = []

        async def together(number: int) -> int:
            arrived.append(number)
            while len(arrived) < 8:
                await asyncio.sleep(0)
            return number

        assert in_threads(*[lambda n=n: portal.call(together, n) for n in range(8)]) == list(range(8))


class Stubborn:
    """A coroutine that can be made to ignore its cancellation."""

    def __init__(self, ignores: bool) -> None:
        self.ignores = ignores
        self.running = threading.Event()
        self.cancelled = threading.Event()
        self.ended = threading.Event()
        self.may_end = asyncio.Event()

    async def run(self) -> None:
        """Wait for ever, or until it may end."""
        self.running.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            if self.ignores:
                await self.may_end.wait()
            raise
        finally:
            self.ended.set()


class TestInterrupt:
    """Real SIGINT on the main thread."""

    def test_b14_it_is_cancelled_and_waited_for(self, portal: Portal) -> None:
        """B14: an interrupt ends the coroutine before it is raised; no task is left, and the next call works."""
        work = Stubborn(ignores=False)
        with pytest.raises(KeyboardInterrupt), interrupted_when(work.running.is_set):
            portal.call(work.run)
        assert work.ended.is_set()
        assert portal.call(lambda: len(asyncio.all_tasks())) == 1
        assert portal.call(lambda: "next") == "next"

    def test_a_second_interrupt_leaves_at_once(self, portal: Portal) -> None:
        """Where the coroutine does not end, a second interrupt does not wait for it."""
        work = Stubborn(ignores=True)
        with pytest.raises(KeyboardInterrupt) as caught, interrupted_when(work.running.is_set, work.cancelled.is_set):
            portal.call(work.run)
        assert isinstance(caught.value.__context__, KeyboardInterrupt), "the second is what ended the wait"
        assert not work.ended.is_set()
        portal.post(work.may_end.set)
        eventually(work.ended.is_set)

    def test_the_wait_for_a_stubborn_one_is_bounded(self, portal: Portal) -> None:
        """A coroutine that ignores its cancellation for ever holds the cell for about two seconds."""
        work = Stubborn(ignores=True)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt), interrupted_when(work.running.is_set):
            portal.call(work.run)
        assert time.monotonic() - began > 1.5
        assert not work.ended.is_set()
        portal.post(work.may_end.set)
        eventually(work.ended.is_set)

    def test_a_wait_for_a_lock_is_interrupted(self, portal: Portal) -> None:
        """Waiting for a reply that never comes ends with the interrupt."""
        lock = threading.Lock()
        lock.acquire()
        with pytest.raises(KeyboardInterrupt), interrupted_when(waits_in_portal):
            portal.wait(lock, None)


class TestDeath:
    """A portal whose thread ended."""

    def test_b05_a_waiting_call_notices(self, portal: Portal) -> None:
        """B05: who waits for ever when the loop dies gets an error."""
        lock = threading.Lock()
        lock.acquire()
        killer = threading.Thread(target=lambda: eventually(waits_in_portal) and portal.post(portal.loop.stop))
        killer.start()
        with pytest.raises(TransportError, match="the client's own thread ended"):
            portal.wait(lock, None)
        killer.join()

    def test_b05_a_later_call_notices(self, portal: Portal) -> None:
        """B05: a call to a loop that is gone raises at once."""
        portal.post(portal.loop.stop)
        portal.thread.join(2)
        with pytest.raises(TransportError, match="call reset"):
            portal.call(lambda: 1)

    def test_a_deadline_is_kept(self, portal: Portal) -> None:
        """Waiting with a deadline ends at it, and a deadline in the past does not wait."""
        lock = threading.Lock()
        lock.acquire()
        began = time.monotonic()
        assert portal.wait(lock, began + 0.05) is False
        assert time.monotonic() - began > 0.04
        assert portal.wait(lock, began) is False
        lock.release()
        assert portal.wait(lock, began) is True
