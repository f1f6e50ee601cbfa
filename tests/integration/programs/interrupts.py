"""Real SIGINTs at random moments of what a program does, and never elsewhere."""

import os
import queue
import random
import signal
import threading
import time


class Interrupts:
    """Sends this process SIGINT from another thread; admits one for each time it is armed.

    Args:
        number: A seed, so that a failure can be tried again.
    """

    def __init__(self, number):
        self.random = random.Random(number)
        self.count = 0
        self.cancel = None
        self._armed = False
        self._delays = queue.SimpleQueue()
        self._sent = threading.Event()
        signal.signal(signal.SIGINT, self._on_signal)
        threading.Thread(target=self._send, daemon=True).start()

    def _send(self):
        while True:
            time.sleep(self._delays.get())
            os.kill(os.getpid(), signal.SIGINT)
            self._sent.set()

    def _on_signal(self, number, frame):
        if not self._armed:
            return
        self._armed = False
        self.count += 1
        if self.cancel is None:
            raise KeyboardInterrupt
        self.cancel()

    def arm(self, within):
        """Send one at a random moment from now."""
        self._armed = True
        self._sent.clear()
        self._delays.put(self.random.uniform(0, within))

    def disarm(self):
        """Admit none any more; returns when the one that was sent has come."""
        self._armed = False
        self._sent.wait(10)
