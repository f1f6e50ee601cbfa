"""The wheel and the source distribution, built by the hatchling of this environment."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Built:
    """What is uploaded.

    Attributes:
        wheel: The wheel.
        sdist: The source distribution.
    """

    wheel: Path
    sdist: Path


def build(tree: Path, into: Path) -> None:
    """Build a tree, with the hatchling of this environment."""
    ran = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(into)], cwd=tree, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
