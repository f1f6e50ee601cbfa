"""Subscribers: called in order, on a thread of their own, held weakly, never in the way."""

from __future__ import annotations

import gc
import logging
import threading
import weakref
from typing import Any

import pytest
from support.waiting import eventually

from openenv_notebook.client.events import Event, Subscribers
from openenv_notebook.threads import events_thread
from openenv_notebook.threads.events_thread import QUEUE_LIMIT, THREAD_NAME


def event(number: int) -> Event:
    """An event that can be told from others."""
    return Event("status", str(number))


def events_threads() -> int:
    """How many threads for events there are."""
    return sum(thread.name == THREAD_NAME for thread in threading.enumerate())


def test_events_come_in_order_on_a_thread_of_their_own() -> None:
    """Every subscriber gets every event, in order, on the one daemon thread for events."""
    subscribers, seen, threads = Subscribers(), [], set()

    def note(happened: Event) -> None:
        seen.append(happened.status)
        threads.add(threading.current_thread())

    subscribers.add(note)
    for number in range(200):
        subscribers.tell(event(number))
    eventually(lambda: len(seen) == 200)
    assert seen == [str(number) for number in range(200)]
    assert [(thread.name, thread.daemon) for thread in threads] == [(THREAD_NAME, True)]
    subscribers.close()


def test_the_thread_ends_with_the_last_subscription() -> None:
    """One thread serves all sessions; it ends when nobody is subscribed, after what is queued was delivered."""
    one, other, seen = Subscribers(), Subscribers(), []
    assert not one.held
    stop = one.add(lambda happened: seen.append(happened.status))
    other.add(lambda happened: None)
    assert one.held
    assert events_threads() == 1
    one.tell(event(1))
    stop()
    other.close()
    events_thread.join()
    assert events_threads() == 0
    assert seen == ["1"]
    one.add(lambda happened: seen.append("again"))
    one.tell(event(2))
    eventually(lambda: seen == ["1", "again"])
    one.close()


class Panel:
    """Something that shows a session."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def update(self, happened: Event) -> None:
        """Take an event."""
        self.seen.append(happened.status)


def test_a_method_is_held_weakly() -> None:
    """A subscribed method does not keep its object; once that is gone, so is the subscription."""
    subscribers, panel = Subscribers(), Panel()
    seen, alive = panel.seen, weakref.ref(panel)
    subscribers.add(panel.update)
    subscribers.tell(event(1))
    eventually(lambda: seen == ["1"])
    del panel
    eventually(lambda: gc.collect() >= 0 and alive() is None)
    subscribers.tell(event(2))
    assert not subscribers.held
    events_thread.join()
    assert events_threads() == 0


def test_a_function_is_held_until_it_is_removed() -> None:
    """A plain function, a lambda too, stays subscribed although nobody else holds it."""
    subscribers, seen = Subscribers(), []
    stop = subscribers.add(lambda happened: seen.append(happened.status))
    gc.collect()
    subscribers.tell(event(1))
    eventually(lambda: seen == ["1"])
    stop()
    stop()
    subscribers.tell(event(2))
    events_thread.join()
    assert seen == ["1"]


def test_removing_finds_functions_and_methods() -> None:
    """A callback is removed by itself, a method by an equal one; one that is not subscribed does nothing."""
    subscribers, panel = Subscribers(), Panel()
    subscribers.add(panel.update)
    subscribers.add(panel.update)
    subscribers.add(print)
    subscribers.remove(len)  # type: ignore[arg-type]
    subscribers.remove(panel.update)
    subscribers.remove(print)
    assert not subscribers.held


def test_a_subscriber_that_fails_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """An exception of a subscriber is logged, and the others and itself go on."""
    subscribers, seen = Subscribers(), []

    def broken(happened: Event) -> None:
        seen.append("broken")
        raise RuntimeError("mine")

    subscribers.add(broken)
    subscribers.add(lambda happened: seen.append("whole"))
    with caplog.at_level(logging.ERROR, "openenv_notebook"):
        subscribers.tell(event(1))
        subscribers.tell(event(2))
        eventually(lambda: len(seen) == 4)
    assert seen == ["broken", "whole", "broken", "whole"]
    assert "a subscriber failed" in caplog.text
    subscribers.close()


def test_a_slow_subscriber_blocks_nobody() -> None:
    """The queue is bounded: what does not fit is dropped, oldest first, and counted."""
    subscribers, seen, entered, gate = Subscribers(), [], threading.Event(), threading.Event()

    def slow(happened: Event) -> None:
        entered.set()
        gate.wait(20)
        seen.append(int(happened.status))

    before = events_thread.dropped()
    subscribers.add(slow)
    subscribers.tell(event(0))
    assert entered.wait(5)
    for number in range(1, QUEUE_LIMIT + 101):
        subscribers.tell(event(number))
    assert events_thread.dropped() - before == 100
    gate.set()
    eventually(lambda: len(seen) == QUEUE_LIMIT + 1)
    assert seen == [0, *range(101, QUEUE_LIMIT + 101)]
    subscribers.close()


def test_a_subscriber_may_unsubscribe_itself() -> None:
    """A subscription can be ended from within a callback."""
    subscribers, seen = Subscribers(), []
    stops: list[Any] = []

    def once(happened: Event) -> None:
        seen.append(happened.status)
        stops[0]()

    stops.append(subscribers.add(once))
    subscribers.tell(event(1))
    eventually(lambda: not subscribers.held)
    events_thread.join()
    assert seen == ["1"]


def test_waiting_for_the_thread_from_itself_does_not_hang() -> None:
    """A callback that waits for the events thread to end goes on."""
    subscribers, seen = Subscribers(), []

    def last(happened: Event) -> None:
        subscribers.close()
        events_thread.join()
        seen.append(happened.status)

    subscribers.add(last)
    subscribers.tell(event(1))
    eventually(lambda: seen == ["1"])


def test_a_call_for_later_comes_on_the_events_thread_not_before_its_time() -> None:
    """What is to be called later is called on the events thread, in the order of its times."""
    seen: list[tuple[str, str]] = []
    events_thread.lease(seen)
    try:
        events_thread.after(0.05, lambda: seen.append(("second", threading.current_thread().name)))
        events_thread.after(0.0, lambda: seen.append(("first", threading.current_thread().name)))
        eventually(lambda: len(seen) == 2)
    finally:
        events_thread.give_back(seen)
    assert seen == [("first", THREAD_NAME), ("second", THREAD_NAME)]
    events_thread.join()
    assert events_threads() == 0


def test_calls_for_later_do_not_keep_the_thread_alive() -> None:
    """The thread ends with its last lease, whatever was to be called later."""
    seen: list[int] = []
    events_thread.lease(seen)
    events_thread.after(60.0, lambda: seen.append(1))
    events_thread.give_back(seen)
    events_thread.join()
    assert events_threads() == 0
    assert seen == []
