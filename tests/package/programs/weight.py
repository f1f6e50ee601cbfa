"""What the package brings beside Jupyter, and how long its import takes: printed as JSON."""

from __future__ import annotations

import importlib.metadata as metadata
import json
import re
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement

JUPYTER = ("ipython", "ipykernel", "ipywidgets")


def closure(names: tuple[str, ...]) -> set[str]:
    """Name the packages that these need, themselves included."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found.add(name)
        for text in metadata.requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name)
    return found


def size(name: str) -> int:
    """Sum up a package's files, in bytes."""
    return sum(
        Path(file.locate()).stat().st_size for file in metadata.files(name) or () if Path(file.locate()).exists()
    )


ours, jupyter = closure(("openenv-notebook",)), closure(JUPYTER)
# Its own time: how busy the machine is does not count.
timed = "import time; a = time.process_time(); import openenv_notebook; print(time.process_time() - a)"
seconds = [float(subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True).stdout) for _ in "123"]
print(
    json.dumps(
        {
            "all": sorted(ours | jupyter),
            "added": {name: size(name) for name in sorted(ours - jupyter)},
            "seconds": min(seconds),
            "file": __import__("openenv_notebook").__file__,
        }
    )
)
