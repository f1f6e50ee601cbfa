"""A process that ends with this one, however this one ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openenv_notebook.servers.log import Log
from openenv_notebook.threads.fork import in_forked_child
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import OwnThread

LAUNCHER = str(Path(__file__).with_name("launcher.py"))
# The launcher's own lines begin so.
MARK = "\x1e"

# Gives freed memory back later: large observations cost half as much.
MEMORY_VARIABLES = {
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_MMAP_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "67108864",
}
STOP_SECONDS = 2.0
_KILL_SECONDS = 0.5
_LONGEST_READ = 8192

_children: set[Child] = set()
_guard = threading.Lock()


class Child:
    """A process of our launcher, started and read by a daemon thread that lives as long as it.

    On Linux the death signal follows the thread that started a process, so it is no thread that could end before. The
    process leads a group of its own: an interrupt of the kernel does not reach it. What it prints goes to the log.

    ``verb`` and ``order`` are what the launcher is told; ``variables`` are added to those of this process.
    """

    def __init__(
        self, name: str, verb: str, order: Mapping[str, Any], log: Log, variables: Mapping[str, str] | None = None
    ) -> None:
        self.told: dict[str, str] = {}
        self._arguments = [sys.executable, "-u", LAUNCHER, verb, json.dumps({**order, "parent": os.getpid()})]
        self._log = log
        self._variables = {**os.environ, **MEMORY_VARIABLES, **(variables or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        self._started = Latch()
        self._pid = os.getpid()
        self._thread = OwnThread(self._run, name=f"openenv-child-{name}")

    def start(self) -> None:
        """Start it; raises OSError where that fails."""
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    @property
    def code(self) -> int | None:
        """The code it ended with; None while it runs, or was never started."""
        return self._process.poll() if self._process is not None else None

    @property
    def running(self) -> bool:
        """True while the process exists."""
        return self._process is not None and self._process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Wait for its end; True when it has ended."""
        end = time.monotonic() + seconds
        while self.running and time.monotonic() < end:
            self._thread.join(0.02)
        return not self.running

    def stop_soon(self) -> None:
        """Ask it to end and wait for nothing."""
        if self.running and os.getpid() == self._pid:
            assert self._process is not None
            self._process.terminate()

    def stop(self, seconds: float = STOP_SECONDS, *, kill: bool = True) -> None:
        """Ask it to end, and after ``seconds`` make it; a second time does nothing.

        Without ``kill`` it is left alone after that: it is still cleaning up.
        """
        if os.getpid() != self._pid or self._thread.ident is None:
            return
        # An interrupted start is still on its way.
        self._started.wait(STOP_SECONDS)
        if self._process is None:
            return
        self.stop_soon()
        if not self.wait(seconds):
            if not kill:
                return
            self._end_group()
            self.wait(_KILL_SECONDS)
        self._end_group()
        self._thread.join(_KILL_SECONDS)

    def _end_group(self) -> None:
        """End whatever is left of its group."""
        assert self._process is not None
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _run(self) -> None:
        try:
            self._process = _popen(self._arguments, self._variables)
        except OSError as error:
            self._failure = error
            return
        finally:
            self._started.set()
        with _guard:
            _children.add(self)
        assert self._process.stdout is not None and self._process.stdin is not None
        for line in iter(lambda: self._process.stdout.readline(_LONGEST_READ), b""):  # type: ignore[union-attr]
            self._take(line.decode("utf-8", "replace"))
        self._process.wait()
        with _guard:
            _children.discard(self)
        self._process.stdin.close()
        self._process.stdout.close()

    def _take(self, line: str) -> None:
        if not line.startswith(MARK):
            self._log.write(line.replace("\r", "\n"))
            return
        word, _, value = line.removeprefix(MARK).strip().partition(" ")
        self.told[word] = value

    def forget(self) -> None:
        """Close the inherited end of its stdin, in a forked child: it would keep the process alive."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def _popen(arguments: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    own_group: dict[str, Any] = (
        {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        if os.name == "nt"
        else {"start_new_session": True}
    )
    return subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(variables),
        **own_group,
    )


def _forget_children() -> None:
    for child in list(_children):
        child.forget()
    _children.clear()


in_forked_child(_forget_children)
