"""A gate that other processes wait at: a lock on a file, which the kernel lets go of when the test ends."""

from __future__ import annotations

import fcntl
from pathlib import Path


class FileGate:
    """Shut until it is opened, for whoever takes a shared lock on the file.

    Args:
        path: Where the file is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._file = path.open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def open(self) -> None:
        """Let everybody pass from now on."""
        self._file.close()
