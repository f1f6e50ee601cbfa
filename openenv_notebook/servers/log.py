"""The last lines a server said, kept in memory."""

from __future__ import annotations

import re
import threading
from collections import deque

KEPT_LINES = 500
LONGEST_LINE = 2000
_PASSWORD = re.compile(r"://[^/\s@]+@")


class Log:
    """A bounded list of lines, written and read on any thread."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._guard = threading.Lock()

    def write(self, text: str) -> None:
        """Add the lines of a text; long ones are cut, and passwords in addresses are masked."""
        lines = [_PASSWORD.sub("://***@", line.rstrip()[:LONGEST_LINE]) for line in text.splitlines()]
        with self._guard:
            self._lines.extend(line for line in lines if line)

    def last(self, number: int) -> list[str]:
        """Give the last lines, at most ``number`` of them."""
        with self._guard:
            return list(self._lines)[-number:]

    @property
    def lines(self) -> list[str]:
        """All lines that are kept, the oldest first."""
        return self.last(KEPT_LINES)
