"""Real SIGINTs at random moments of what a program does, and never elsewhere."""

import os
import queue
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Any


class Interrupts:
    """Sends this process SIGINT from another thread; admits one for each time it is armed.

    Args:
        number: A seed, so that a failure can be tried again.
    """

    def __init__(self, number: int) -> None:
        self.random = random.Random(number)
        self.count = 0
        self.cancel: Callable[[], object] | None = None
        self._armed = False
        self._delays = queue.SimpleQueue[float]()
        self._sent = threading.Event()
        signal.signal(signal.SIGINT, self._on_signal)
        threading.Thread(target=self._send, daemon=True).start()

    def _send(self) -> None:
        while True:
            time.sleep(self._delays.get())
            os.kill(os.getpid(), signal.SIGINT)
            self._sent.set()

    def _on_signal(self, number: int, frame: Any) -> None:
        if not self._armed:
            return
        self._armed = False
        self.count += 1
        if self.cancel is None:
            raise KeyboardInterrupt
        self.cancel()

    def arm(self, within: float) -> None:
        """Send one at a random moment from now."""
        self._armed = True
        self._sent.clear()
        self._delays.put(self.random.uniform(0, within))

    def disarm(self) -> None:
        """Admit none any more; returns when the one that was sent has come."""
        self._armed = False
        self._sent.wait(10)
