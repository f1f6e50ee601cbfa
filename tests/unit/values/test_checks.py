"""What a caller sets is checked when it is set."""

from __future__ import annotations

import pytest

from openenv_notebook.values.checks import check_counts, check_fps, check_seeds
from openenv_notebook.values.errors import MisuseError


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "3"])
def test_what_is_no_count(count: object) -> None:
    """Counts are whole numbers from 1, or None."""
    check_counts(episodes=None, steps=1)
    with pytest.raises(MisuseError, match="steps is a whole number"):
        check_counts(steps=count)


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf"), "10"])
def test_what_is_no_speed(fps: object) -> None:
    """A speed is a number above 0, or None."""
    check_fps(None)
    check_fps(0.5)
    with pytest.raises(MisuseError, match="fps is a number"):
        check_fps(fps)


@pytest.mark.parametrize("seeds", [3, "abc", b"abc"])
def test_what_are_no_seeds(seeds: object) -> None:
    """Seeds can be gone through; one number or a text is refused."""
    check_seeds(range(3))
    with pytest.raises(MisuseError, match="seeds are a list"):
        check_seeds(seeds)
