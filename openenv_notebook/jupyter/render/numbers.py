"""Arrays of numbers: their shape, their range and a line of blocks in place of a curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from openenv_notebook.jupyter.render.blocks import Span

_BARS = "▁▂▃▄▅▆▇█"
_LARGEST = 4_000_000
_NUMBERS = (int, float, bool)


@dataclass(frozen=True)
class Array:
    """A rectangular array of numbers.

    Attributes:
        shape: Its lengths, the outermost first.
        values: All its numbers in a row.
    """

    shape: tuple[int, ...]
    values: Sequence[Any]


def read_array(value: Any) -> Array | None:
    """Read nested lists of numbers.

    Args:
        value: Anything.

    Returns:
        The array; None for what is none, is ragged, or has more than 4 million numbers.
    """
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
    finite = [value for value in array.values if isinstance(value, int) or math.isfinite(value)]
    parts = [f"{'×'.join(map(str, array.shape))} numbers"]
    if finite:
        parts += [f"min {number(min(finite))}", f"max {number(max(finite))}", f"mean {number(_mean(finite))}"]
    if len(finite) < len(array.values):
        parts.append(f"{len(array.values) - len(finite)} not finite")
    curve = f"  {sparkline(finite)}" if len(array.shape) == 1 and len(finite) > 2 else ""
    return " · ".join(parts), Span(curve, "muted")


def number(value: Any) -> str:
    """Write a number in at most some ten characters: ``0.46`` for 0.45999999999999996."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"about {'-' * (value < 0)}10^{_magnitude(value)}"
    return f"{value:.6g}"


def sparkline(values: Sequence[Any], width: int = 32) -> str:
    """Draw numbers as a line of blocks, the lowest and the highest ``▁`` and ``█``.

    Args:
        values: Finite numbers.
        width: At most how many blocks; neighbours share one.

    Returns:
        The blocks, "" for no numbers.
    """
    if not values:
        return ""
    parts = min(width, len(values))
    edges = [round(part * len(values) / parts) for part in range(parts + 1)]
    means = [_mean(values[start:end]) for start, end in pairwise(edges)]
    low, high = min(means), max(means)
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return _BARS[0] * parts
    return "".join(_BARS[min(int((mean - low) / span * len(_BARS)), len(_BARS) - 1)] for mean in means)


def _mean(values: Sequence[Any]) -> float:
    # In float: a sum of large integers may not fit.
    return math.fsum(max(min(value, 1e300), -1e300) / len(values) for value in values)


def _magnitude(value: int) -> int:
    # The digits themselves may be too many to write (sys.set_int_max_str_digits).
    return round((abs(value).bit_length() - 0.5) * math.log10(2))
