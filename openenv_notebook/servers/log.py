"""The last lines a server said, kept in memory without secrets."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from openenv_notebook.values.known_secrets import Secrets, foreign_text

KEPT_LINES = 500
LONGEST_LINE = 2000


class Log:
    """A bounded list of lines, written and read on any thread."""

    def __init__(self) -> None:
        self._secrets = Secrets()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._guard = threading.Lock()

    def hide(self, given: Mapping[str, Any]) -> None:
        """Hide what the server is given, by name: environment variables, and those it has from this process."""
        self._secrets.keep(given)

    def write(self, text: str) -> None:
        """Add the lines of a text; long ones are cut, and secrets are hidden."""
        lines = [foreign_text(line[: 2 * LONGEST_LINE], self._secrets).rstrip() for line in text.splitlines()]
        with self._guard:
            self._lines.extend(line[:LONGEST_LINE] for line in lines if line)

    def last(self, number: int) -> list[str]:
        """Give the last lines, at most ``number`` of them."""
        with self._guard:
            return list(self._lines)[-number:]

    @property
    def lines(self) -> list[str]:
        """All lines that are kept, the oldest first."""
        return self.last(KEPT_LINES)
