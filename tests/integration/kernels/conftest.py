"""Kernels for the tests in real kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.kernels import Kernel, started


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    """A fresh kernel."""
    with started() as running:
        yield running
