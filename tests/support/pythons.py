"""Other Pythons of this machine, and environments made with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def find_python(version: str) -> str | None:
    """Find a Python of a version: this one, one on the path, or one of pyenv's.

    Args:
        version: Such as "3.13".

    Returns:
        Its path; None where there is none that runs.
    """
    if sys.version_info[:2] == tuple(int(part) for part in version.split(".")):
        return sys.executable
    found = [path for name in (f"python{version}", "python3") if (path := shutil.which(name))]
    for path in [*found, *_of_pyenv(version)]:
        # Run it: a shim can exist and yet fail.
        ran = subprocess.run([path, "-c", _VERSION], capture_output=True, text=True, timeout=20, check=False)
        if ran.stdout.strip() == version:
            return path
    return None


def _of_pyenv(version: str) -> Iterable[str]:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    return (str(path) for path in sorted(root.glob(f"{version}.*/bin/python3"), reverse=True))


class Environment:
    """A virtual environment of its own, without pip; what it gets is installed from outside.

    Args:
        folder: Where it is made.
        python: The Python it is made with.

    Attributes:
        python: Its own Python.
    """

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.folder = folder
        self.python = str(folder / "bin/python")
        _run([python, "-m", "venv", "--without-pip", str(folder)], folder.parent)

    def install(self, *what: str, **variables: str) -> None:
        """Install with the pip of the Python that runs the tests."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", self.python]
        _run([*pip, "install", "--quiet", "--no-compile", *what], self.folder, **variables)

    def run(self, *words: str, **variables: str) -> str:
        """Run its Python in its own folder; it must end well and say nothing on stderr."""
        return _run([self.python, *words], self.folder, strict=True, **variables)


def _run(command: list[str], folder: Path, *, strict: bool = False, **variables: str) -> str:
    # Nothing of the tree that the tests run in.
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ran = subprocess.run(
        command, cwd=folder, env={**kept, **variables}, capture_output=True, text=True, timeout=150, check=False
    )
    assert ran.returncode == 0, f"{command} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}"
    assert not strict or ran.stderr == "", ran.stderr
    return ran.stdout
