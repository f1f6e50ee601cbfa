"""Arrays of numbers: their shape, their range and a line of blocks in place of a curve."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from openenv_notebook.jupyter.show.blocks import Span

_BARS = "▁▂▃▄▅▆▇█"
_LARGEST = 4_000_000
# A curve has so many at most.
_POINTS = 120
_NUMBERS = (int, float, bool)


@dataclass(frozen=True)
class Array:
    """A rectangular array of numbers: its lengths, the outermost first, and all its numbers in a row."""

    shape: tuple[int, ...]
    values: Sequence[Any]


def read_array(value: Any) -> Array | None:
    """Read nested lists of numbers; None for what is none, is ragged, or has more than 4 million numbers."""
    level: Any = value
    shape: list[int] = []
    while isinstance(level, (list, tuple)) and level and len(level) <= _LARGEST and len(shape) < 8:
        kinds = set(map(type, level))
        if kinds <= set(_NUMBERS):
            return Array((*shape, len(level) // math.prod(shape)), level)
        if not kinds <= {list, tuple} or len(set(map(len, level))) != 1:
            return None
        shape.append(len(level) // math.prod(shape))
        if len(level) * len(level[0]) > _LARGEST:
            return None
        level = list(chain.from_iterable(level))
    return None


def summary(array: Array) -> tuple[str, Span]:
    """Write an array in a line: ``20×20×8 numbers · min 0 · max 1 · mean 0.13``, and its curve ``▁▂▇``."""
    finite = _finite(array.values)
    parts = [f"{'×'.join(map(str, array.shape))} numbers"]
    if finite:
        parts += [f"min {number(min(finite))}", f"max {number(max(finite))}", f"mean {number(_mean(finite))}"]
    if len(finite) < len(array.values):
        parts.append(f"{len(array.values) - len(finite)} not finite")
    if len(array.shape) > 1 or len(finite) <= 2:
        return " · ".join(parts), Span("")
    return " · ".join(parts), Span(f"  {sparkline(finite)}", "muted", tuple(means(finite, _POINTS)))


def number(value: Any) -> str:
    """Write a number in at most some ten characters: ``0.46`` for 0.45999999999999996."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"about {'-' * (value < 0)}10^{_magnitude(value)}"
    return f"{value:.6g}"


def sparkline(values: Sequence[Any], width: int = 32) -> str:
    """Draw finite numbers as a line of blocks, the lowest and the highest ``▁`` and ``█``; "" for none.

    Neighbours share a block where there are more numbers than the width.
    """
    if not values:
        return ""
    drawn = means(values, width)
    low, high = min(drawn), max(drawn)
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return _BARS[0] * len(drawn)
    return "".join(_BARS[min(int((mean - low) / span * len(_BARS)), len(_BARS) - 1)] for mean in drawn)


def means(values: Sequence[Any], most: int) -> list[float]:
    """Make at most so many of many finite numbers, in their order: neighbours share their mean."""
    parts = min(most, len(values))
    edges = [round(part * len(values) / parts) for part in range(parts + 1)] if parts else [0]
    return [_mean(values[start:end]) for start, end in pairwise(edges)]


def _finite(values: Sequence[Any]) -> Sequence[Any]:
    """Leave out infinity and what is no number."""
    with contextlib.suppress(OverflowError, ValueError):
        # One pass in C for the usual case.
        if math.isfinite(math.fsum(values)):
            return values
    return [value for value in values if isinstance(value, int) or math.isfinite(value)]


def _mean(values: Sequence[Any]) -> float:
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        # A sum of large numbers may not fit.
        return math.fsum(max(min(value, 1e300), -1e300) / len(values) for value in values)


def _magnitude(value: int) -> int:
    # The digits themselves may be too many to write (sys.set_int_max_str_digits).
    return round((abs(value).bit_length() - 0.5) * math.log10(2))
