"""Other Pythons of this machine, and environments made with them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_KEPT = Path(__file__).parents[2] / ".venv-kept"
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
        folder: Where it is.

    Attributes:
        python: Its own Python.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = str(folder / "bin/python")

    def make(self, python: str = sys.executable) -> None:
        """Make it anew, with a Python."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        _run([python, "-m", "venv", "--without-pip", str(self.folder)], self.folder)

    def install(self, *what: str, **variables: str) -> None:
        """Install with the pip of the Python that runs the tests."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", self.python]
        _run([*pip, "install", "--quiet", "--no-compile", *what], self.folder, **variables)

    def run(self, *words: str, **variables: str) -> str:
        """Run its Python in its own folder; it must end well and say nothing on stderr."""
        return _run([self.python, *words], self.folder, strict=True, **variables)


@contextmanager
def kept(name: str, *what: str, python: str = sys.executable, until: str = "") -> Iterator[Environment]:
    """Have an environment for oneself that is made once for all runs, until what it holds is another.

    Args:
        name: What it is called.
        *what: What it holds, for pip; ``-r FILE`` is all that stands in the file.
        python: The Python it is made with.
        until: It is made anew when this is another.
    """
    held = [until, python, *what, *(Path(word).read_text() for word in what if Path(word).is_file())]
    key = hashlib.sha256("\n".join(held).encode()).hexdigest()[:12]
    environment = Environment(_KEPT / f"{name}-{key}")
    _KEPT.mkdir(exist_ok=True)
    with (_KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = environment.folder / "complete"
        if not complete.exists():
            for older in _KEPT.glob(f"{name}-*"):
                shutil.rmtree(older)
            environment.make(python)
            environment.install(*what)
            complete.touch()
        yield environment


def _run(command: list[str], folder: Path, *, strict: bool = False, **variables: str) -> str:
    # Nothing of the tree that the tests run in.
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ran = subprocess.run(
        command, cwd=folder, env={**kept, **variables}, capture_output=True, text=True, timeout=150, check=False
    )
    assert ran.returncode == 0, f"{command} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}"
    assert not strict or ran.stderr == "", ran.stderr
    return ran.stdout
