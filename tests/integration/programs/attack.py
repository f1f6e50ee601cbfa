"""SIGINTs at a rate of a kHz and more, from another process: they hit any line of this one, not only its waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import FrameType
from typing import Any, Self

_SENDER = """
import os, random, sys, time
target, number = int(sys.argv[1]), random.Random(int(sys.argv[2]))
while True:
    try:
        os.kill(target, 2)
    except OSError:
        break
    time.sleep(number.uniform(0.0002, 0.0008))
"""


class Attack:
    """While it is entered, signals come, and few are let through as KeyboardInterrupt.

    Args:
        seed: So that a failure can be tried again.

    Attributes:
        left: How many are let through from now on.
        before: How many are not before those.
        count: How many were.
    """

    def __init__(self, seed: int) -> None:
        self.count = 0
        self._seed = seed
        self.left = self.before = 0

    def __enter__(self) -> Self:
        signal.signal(signal.SIGINT, self._on_signal)
        sender = [sys.executable, "-c", _SENDER, str(os.getpid()), str(self._seed)]
        self._sender = subprocess.Popen(sender, start_new_session=True)
        return self

    def __exit__(self, *_: Any) -> None:
        self.left = 0
        self._sender.kill()
        self._sender.wait()
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.left > 0 and self.before > 0:
            self.before -= 1
        elif self.left > 0:
            self.left -= 1
            self.count += 1
            raise KeyboardInterrupt
