"""How far a run is: its counts, and the line that tells them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Progress:
    """The counts of a run; written by its thread, read by any.

    Attributes:
        episodes: How many episodes there will be, None where that is open.
        begun: How many have begun.
        ended: How many are over.
        steps: The steps made.
        returned: The sum of the returns of those that are over.
        so_far: The return of the one in progress.
        waits_for: What keeps it from beginning, as a part of a sentence; empty where nothing does.
        clock: Tells the time, in seconds.
    """

    episodes: int | None = None
    begun: int = 0
    ended: int = 0
    steps: int = 0
    returned: float = 0.0
    so_far: float = 0.0
    waits_for: str = ""
    clock: Callable[[], float] = time.monotonic
    _started: float | None = None
    _stopped: float | None = None

    def start(self) -> None:
        """Let the time run."""
        self._started = self.clock()

    def stop(self) -> None:
        """Let it stand."""
        self._stopped = self.clock()

    def begin(self) -> None:
        """Count an episode."""
        self.begun += 1

    def join(self, so_far: float) -> None:
        """Go on in an episode, whoever began it, whose return until now is ``so_far``."""
        self.begun = max(1, self.begun)
        self.so_far = so_far

    def step(self, so_far: float) -> None:
        """Count a step; ``so_far`` is the episode's return with it."""
        self.steps += 1
        self.so_far = so_far

    def end(self, total: float) -> None:
        """Count an episode that is over, and its return."""
        self.returned += total
        self.so_far = 0.0
        self.ended += 1

    @property
    def seconds(self) -> float:
        """How long it runs, or ran."""
        if self._started is None:
            return 0.0
        return (self._stopped if self._stopped is not None else self.clock()) - self._started

    @property
    def steps_per_second(self) -> float:
        """The steps a second, over all of it."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    @property
    def mean_return(self) -> float | None:
        """The mean return of the episodes that are over; None before the first is."""
        return self.returned / self.ended if self.ended else None

    def _pace(self) -> str:
        rate, mean = self.steps_per_second, self.mean_return
        gain = f"return so far {self.so_far:.3g}" if mean is None else f"mean return {_plain(mean):.3g}"
        return f"{rate:,.0f} steps/s · {gain}" if rate >= 10 else f"{rate:.1f} steps/s · {gain}"

    def __str__(self) -> str:
        if self.waits_for:
            return f"waiting for {self.waits_for}"
        total = f"/{self.episodes}" if self.episodes is not None else ""
        return f"episode {self.begun}{total} · {self._pace()}"

    def summary(self, how: str = "") -> str:
        """Tell in one line, at the end, what was done, and ``how`` it ended, where that is not by itself: "stopped"."""
        if how:
            return f"{how} {'while' if self.waits_for else 'in'} {self}"
        return f"{_number(self.begun, 'episode')} · {_number(self.steps, 'step')} · {self._pace()}"


def _plain(total: float) -> float:
    """Round off what adding binary fractions leaves behind; single returns have it done."""
    return round(total, 12) + 0.0  # and no -0.0


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
