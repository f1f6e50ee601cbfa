"""Replies that nobody waits for any more: the steps they became, and who waits until none is missing."""

from __future__ import annotations

import copy
from collections import deque

from openenv_notebook.record.step import Step
from openenv_notebook.wire.protocol import Request

_KEPT = 10_000


class Owed:
    """What is owed in one session; changed on the loop's thread only, while there is one.

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
        steps = list(self._steps)
        self._steps.clear()
        return steps

    def wait(self, request: Request) -> None:
        """Have a request finished by :meth:`tell`."""
        request.status = "queued"
        self.settlers.append(request)

    def leave(self, request: Request) -> None:
        """Wait no longer; what was handed out already, and did not arrive, is for the next who asks."""
        if request in self.settlers:
            self.settlers.remove(request)
        steps, request.step = request.step, None
        self._steps.extendleft(reversed(steps or ()))

    def tell(self) -> None:
        """Tell who waits that nothing is owed any more; the first gets all steps."""
        settlers, self.settlers = self.settlers, []
        for settler in settlers:
            # Copies: what the record folds from here on is whole where it was asked for.
            settler.step = [copy.copy(step) for step in self.take()]
            settler.finish()
