"""How long a test storms: short in ``make test``, long in ``make faults``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

LONG = os.environ.get("OPENENV_TEST_PACE") == "long"


def storm(short: int, long: int) -> int:
    """Choose how many rounds, examples or seconds a storm takes."""
    return long if LONG else short


# Short runs try the same examples each time, so that no change is blamed for another's luck; long ones look for new.
settings.register_profile(
    "short", max_examples=100, stateful_step_count=40, deadline=None, derandomize=True, database=None
)
settings.register_profile(
    "long",
    max_examples=2000,
    stateful_step_count=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("long" if LONG else "short")

# For an example that takes some milliseconds.
SLOW = settings(max_examples=storm(30, 1000), suppress_health_check=[HealthCheck.too_slow])
# For an example that builds a whole form of widgets.
HEAVY = settings(max_examples=storm(6, 100), suppress_health_check=[HealthCheck.too_slow])
