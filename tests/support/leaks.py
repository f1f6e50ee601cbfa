"""What a test must not leave behind: threads, tasks, sockets and other descriptors, children."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import threading
from pathlib import Path

from openenv_notebook.threads import portal
from support.waiting import eventually

with contextlib.suppress(ImportError):
    import uvloop

    # It keeps one pair of pipes for the life of the process, from its first loop on.
    uvloop.new_event_loop().close()

_PROC = Path("/proc")
# Whatever else is open (the terminal, a log, a database of hypothesis) is not of the package.
_KINDS = ("socket:", "pipe:", "anon_inode:")


def our_threads() -> set[int]:
    """The threads of the package that run now."""
    return {id(thread) for thread in threading.enumerate() if thread.name.startswith("openenv-")}


def portal_tasks() -> set[int]:
    """The tasks on the portal's loop that are not done."""
    current = portal.current()
    if current is None or not current.alive:
        return set()
    try:
        return {id(task) for task in asyncio.all_tasks(current.loop)}
    except RuntimeError:
        return {0}  # they change right now: look again


def descriptors() -> set[str]:
    """Sockets, pipes and polls this process holds; nothing where /proc is missing."""
    found: set[str] = set()
    folder = _PROC / "self" / "fd"
    if not folder.exists():
        return found
    for entry in os.listdir(folder):
        try:
            target = os.readlink(folder / entry)
        except OSError:
            continue  # it was closed meanwhile, such as the listing itself
        if target.startswith(_KINDS):
            found.add(f"{entry} {target}")
    return found


def children() -> set[int]:
    """The processes this one has started that have not been waited for; nothing where /proc is missing."""
    found: set[int] = set()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):
        return found  # there are none, which is the usual case and cheap to find out
    for entry in _PROC.glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[1]) == os.getpid():
            found.add(int(entry.parent.name))
    return found


class Census:
    """What there is before a test, to be compared with what there is after it.

    Args:
        processes: False leaves descriptors and children out: for tests of things that have their own.
    """

    def __init__(self, *, processes: bool = True) -> None:
        self.threads = our_threads()
        self.tasks = portal_tasks()
        self.descriptors = descriptors() if processes else None
        self.children = children() if processes else None

    def left(self) -> list[str]:
        """Name what has been added since."""
        added = [
            f"thread {thread.name}"
            for thread in threading.enumerate()
            if thread.name.startswith("openenv-") and id(thread) not in self.threads
        ]
        added += [f"task {task}" for task in portal_tasks() - self.tasks]
        if self.descriptors is not None:
            added += [f"descriptor {name}" for name in sorted(descriptors() - self.descriptors)]
        if self.children is not None:
            added += [f"child {pid}" for pid in sorted(children() - self.children)]
        return added

    def check(self, within: float = 10.0) -> None:
        """Fail if something is left after a short while; unreachable objects are collected first."""
        if not self.left():
            return
        # Most ends by itself in no time.
        with contextlib.suppress(AssertionError):
            eventually(lambda: not self.left(), 0.05)
        if not self.left():
            return
        gc.collect()
        try:
            eventually(lambda: not self.left(), within)
        except AssertionError:
            raise AssertionError(f"the test left behind: {', '.join(self.left())}") from None
