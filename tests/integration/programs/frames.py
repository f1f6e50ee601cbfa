"""Prints each Python frame of one echo step, as JSON: the thread, the file and the function.

The shortest of three; counted on the calling thread and on the portal's, with asyncio's loop and the
schema known. Those of the standard library and of other packages are counted, calls into C are not.
"""

from __future__ import annotations

import json
import sys
import threading
from types import FrameType
from typing import Any

import openenv_notebook
from openenv_notebook.client.conversation import conversation_of

seen: list[tuple[str, str, str]] = []


def note(frame: FrameType, event: str, _: Any) -> None:
    """Note a frame that begins or goes on."""
    if event == "call":
        seen.append((threading.current_thread().name, frame.f_code.co_filename, frame.f_code.co_name))


def on_loop(hook: Any) -> None:
    """Set the profile hook of the portal's thread, and see that its loop has gone back to waiting."""
    portal = conversation_of(env).session.lease.portal
    for profile in (hook, hook):
        done = threading.Event()

        def turn(profile: Any = profile, done: threading.Event = done) -> None:
            sys.setprofile(profile)
            portal.loop.call_soon(done.set)

        portal.loop.call_soon_threadsafe(turn)
        done.wait()


env = openenv_notebook.connect("demo:echo")
env.reset()
for _ in range(2):
    env.step(message="x")
on_loop(note)
counted = []
for _ in range(3):
    seen.clear()
    sys.setprofile(note)
    env.step(message="x")
    sys.setprofile(None)
    # The loop's thread has gone back to waiting once it selects again.
    while [function for thread, _, function in list(seen) if thread != "MainThread"][-1] != "select":
        threading.Event().wait(0.001)
    counted.append(list(seen))
on_loop(None)
env.close()
# A busy machine may wake the loop once more than needed.
print(json.dumps(min(counted, key=len)))
