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


def compare(first: Measure, second: Measure, number: int, rounds: int = ROUNDS) -> Outcome:
    """Take turns, and change every other time who begins; a round before is not counted.

    Args:
        first: One side.
        second: The other.
        number: How often each does it in a round.
        rounds: How many rounds.
    """
    pairs = []
    for turn in range(rounds + 1):
        if turn % 2:
            one = first(number)
            other = second(number)
        else:
            other = second(number)
            one = first(number)
        pairs.append((one, other))
    firsts, seconds = zip(*pairs[1:], strict=True)
    ratio = statistics.median(one / other for one, other in pairs[1:])
    return Outcome(statistics.median(firsts), statistics.median(seconds), ratio)
