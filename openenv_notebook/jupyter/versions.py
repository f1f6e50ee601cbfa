"""Which versions of the official package this one is tested with."""

from __future__ import annotations

import importlib.metadata
import re

# The first and the last release that the tests run against.
OLDEST, NEWEST = "0.2.3", "0.10"
_PACKAGES = ("openenv", "openenv-core")


def version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def openenv_version() -> str | None:
    """Return the version of the official package under either of its names, or None."""
    return next((found for found in map(version, _PACKAGES) if found is not None), None)


def untested(found: str | None) -> str:
    """Say in a line which version of the official package, outside of what is tested, there is; "" where all is well.

    None, where it is not installed, is fine: clients do not need it.
    """
    if found is None or _numbers(OLDEST) <= _numbers(found) < _after(NEWEST):
        return ""
    return f"openenv {found} is installed; this package is tested with {OLDEST} to {NEWEST}"


def _numbers(text: str) -> tuple[int, ...]:
    """Read the leading numbers: "0.10.0rc1" is (0, 10, 0)."""
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", text)[0]))


def _after(text: str) -> tuple[int, ...]:
    """Give the first release that a series no longer covers: that of "0.10" is (0, 11)."""
    *front, last = _numbers(text)
    return (*front, last + 1)
