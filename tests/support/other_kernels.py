"""Kernels of other versions of ipykernel: an environment each, made by ``make browser``."""

from __future__ import annotations

from pathlib import Path

OTHER_KERNELS = ("ipykernel-6.31", "ipykernel-7.0", "ipykernel-7.3")
ROOT = Path(__file__).parents[2]


def python_of(kernel: str) -> Path:
    """Find the Python of a kernel: ``ipykernel-7.0``; a test that needs it fails without."""
    folder = ROOT / f".venv-kernel-{kernel.removeprefix('ipykernel-')}"
    python = folder / "bin/python"
    assert python.exists(), f"there is no {folder.name}: `make {folder.name}/.installed` makes it"
    return python
