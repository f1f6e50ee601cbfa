"""Calls where threads were replaced by something else, and what came of each.

argv: HOW ("gevent", "eventlet", "at once", "never", "not"), WHEN ("before" or "after" the import), URL
"""

import json
import sys
import threading
import time
import warnings
from typing import Any

warnings.simplefilter("ignore")
how, when, url = sys.argv[1:]


class AtOnce(threading.Thread):
    """Runs where it is started."""

    def start(self) -> None:
        """Run."""
        self.run()


class Never(threading.Thread):
    """Waits for a turn that does not come."""

    def start(self) -> None:
        """Wait."""


def replace() -> None:
    """Replace threads."""
    match how:
        case "gevent":
            from gevent import monkey

            monkey.patch_all()
        case "not":
            from gevent import monkey

            monkey.patch_all(thread=False)
        case "eventlet":
            import eventlet

            eventlet.monkey_patch()
        case _:
            threading.Thread = {"at once": AtOnce, "never": Never}[how]  # type: ignore[misc]


if when == "before":
    replace()
import openenv_notebook  # noqa: E402

if when == "after":
    replace()


def play(target: Any) -> Any:
    """Play an episode."""
    with openenv_notebook.connect(target) as env:
        env.reset()
        return env.step(message="hello").observation.message


DOORS = {
    "connect": lambda: play(url),
    "demo": lambda: play("demo:echo"),
    "serve": lambda: openenv_notebook.serve("demo:echo").stop(),
    "progress": lambda: openenv_notebook.connect(url, progress=print).close(),
    "client": lambda: openenv_notebook.GenericEnvClient(url).sync().schema()["action"]["title"],
}
found = {}
for door, call in DOORS.items():
    began = time.monotonic()
    try:
        said = repr(call())
    except openenv_notebook.OpenEnvError as error:
        said = f"{type(error).__name__}: {error}"
    found[door] = [said, time.monotonic() - began]
print(json.dumps(found))
