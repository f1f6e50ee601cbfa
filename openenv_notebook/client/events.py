"""What happens in a session, told to subscribers on the events thread, in order."""

from __future__ import annotations

import contextvars
import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import Any, Literal

from openenv_notebook.record.step import Step
from openenv_notebook.threads import events_thread


@dataclass(frozen=True)
class Event:
    """Something that happened in a session.

    Attributes:
        kind: "step" for an entry in the record, "status" for a change of state.
        status: The session's state: "new", "open", "lost" or "closed".
        step: The entry, for a step.
    """

    kind: Literal["step", "status"]
    status: str
    step: Step | None = None


Callback = Callable[[Event], object]


class _Held:
    """A subscriber, who is called in the context of the subscription; a method is held weakly."""

    def __init__(self, callback: Callback) -> None:
        is_method = isinstance(callback, MethodType)
        self.callback: Callable[[], Callback | None] = weakref.WeakMethod(callback) if is_method else lambda: callback
        self._run: Any = contextvars.copy_context().run

    def __call__(self) -> Callback | None:
        """Give what calls it; None when it is gone."""
        found = self.callback()
        return None if found is None else functools.partial(self._run, found)


class Subscribers:
    """The subscribers of one session; in ``held``, methods are held weakly, plain functions until removed."""

    def __init__(self) -> None:
        self.held: dict[int, _Held] = {}
        self._told = "new"

    def add(self, callback: Callback) -> Callable[[], None]:
        """Have a callback get each event, in order, on the events thread; returns a function that ends that."""
        held = _Held(callback)
        self.held[id(held)] = held
        events_thread.lease(held)
        return lambda: self._remove(held)

    def remove(self, callback: Callback) -> None:
        """End every subscription of a callback; of one that is not subscribed, nothing."""
        for held in list(self.held.values()):
            if held.callback() == callback:
                self._remove(held)

    def _remove(self, held: _Held) -> None:
        # In one go: the person's thread, which may be interrupted, and the loop's may do so at once.
        self.held.pop(id(held), None)
        events_thread.give_back(held)

    def tell(self, event: Event) -> None:
        """Queue an event for every subscriber; never waits."""
        for held in list(self.held.values()):
            if held() is None:
                self._remove(held)
            else:
                events_thread.put(held, event)

    def tell_status(self, status: str) -> None:
        """Tell the session's state, where it is not what was told last."""
        if status != self._told:
            self._told = status
            self.tell(Event("status", status))

    def close(self) -> None:
        """Tell no more; what is queued is still delivered."""
        for held in list(self.held.values()):
            self._remove(held)
