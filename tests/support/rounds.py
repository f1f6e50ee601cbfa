"""Measuring two things in turn: rounds are interleaved, and what counts is the median of their ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import NamedTuple

ROUNDS = 15

# Does something a number of times and returns the seconds of one.
Measure = Callable[[int], float]


class Outcome(NamedTuple):
    """What a comparison gave.

    Attributes:
        first, second: Seconds, the median of the rounds.
        ratio: How many times as long the first takes, the median of the rounds' ratios.
    """

    first: float
    second: float
    ratio: float


def compare(first: Measure, second: Measure, number: int, *, turns: int = 2) -> Outcome:
    """Take turns as in ABBA; a round before is not counted.

    Args:
        first: One side.
        second: The other.
        number: How often each does it in a turn.
        turns: How many turns each has in a round, an even number; many short ones share what disturbs them.
    """
    rounds = [_round(first, second, number, turns) for _ in range(ROUNDS + 1)][1:]
    firsts, seconds = zip(*rounds, strict=True)
    ratio = statistics.median(one / other for one, other in rounds)
    return Outcome(statistics.median(firsts), statistics.median(seconds), ratio)


def _round(first: Measure, second: Measure, number: int, turns: int) -> tuple[float, float]:
    ones, others = 0.0, 0.0
    for turn in range(turns * 2):
        if turn % 4 in (0, 3):
            ones += first(number)
        else:
            others += second(number)
    return ones / turns, others / turns
