"""Replies that nobody waits for any more: the steps they became, and who waits until none is missing."""

from __future__ import annotations

from collections import deque

from openenv_notebook.record.step import Step
from openenv_notebook.wire.protocol import Request

_KEPT = 10_000


class Owed:
    """What is owed in one session; changed on the loop's thread only, but for :meth:`take`.

    ``settlers`` are the requests of callers that wait until no reply is owed.
    """

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=_KEPT)
        self.settlers: list[Request] = []

    def add(self, step: Step) -> None:
        """Keep a step nobody waited for."""
        step.owed = True
        self._steps.append(step)

    def forget(self) -> None:
        """Drop the steps of an episode that is over."""
        self._steps.clear()

    def take(self) -> list[Step]:
        """Return the steps nobody waited for since the last time, in wire order."""
        steps = []
        while self._steps:
            steps.append(self._steps.popleft())
        return steps

    def wait(self, request: Request) -> None:
        """Have a request finished by :meth:`tell`."""
        request.status = "queued"
        self.settlers.append(request)

    def leave(self, request: Request) -> bool:
        """Wait no longer; False if the request did not wait here."""
        if request not in self.settlers:
            return False
        self.settlers.remove(request)
        return True

    def tell(self) -> None:
        """Tell who waits that nothing is owed any more."""
        settlers, self.settlers = self.settlers, []
        for settler in settlers:
            settler.finish()
