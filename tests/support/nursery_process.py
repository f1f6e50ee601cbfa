"""Imports what is slow to import, once, and forks a kernel or a program for each line of JSON on stdin.

A line: ``{"run": "kernel", "argv": […], "env": {…}, "cwd": "…", "output": "file"}``. The answer is the
child's pid and, of a program, which is waited for, the code it ended with. Children end as any process
ends; kernels end with this one, which is their parent, and this one ends with stdin.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
from typing import Any

# What stands on the path of every Python here; a child's own PYTHONPATH comes before it.
_PATH = [entry for entry in sys.path[1:] if entry not in os.environ.get("PYTHONPATH", "").split(os.pathsep)]


def main() -> dict[str, Any] | None:
    """Fork until stdin ends; returns an order in the child that has to follow it."""
    for name in sys.argv[1:]:
        importlib.import_module(name)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("ready", flush=True)
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        waited = order["run"] == "program"
        signal.signal(signal.SIGCHLD, signal.SIG_DFL if waited else signal.SIG_IGN)
        pid = os.fork()
        if pid == 0:
            return order
        answer = {"pid": pid}
        if waited:
            answer["ended"] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(json.dumps(answer), flush=True)
    return None


def become(order: dict[str, Any]) -> None:
    """Be what was ordered, in this fresh child."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 -- for as long as the process lives
    for place, file in ((0, os.devnull), (1, order["output"] or os.devnull), (2, order["errors"] or os.devnull)):
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, place)
        os.close(opened)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    own = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.argv = order["argv"]
    if order["run"] == "kernel":
        os.environ["JPY_PARENT_PID"] = str(os.getppid())
        sys.path[:] = [*own, *_PATH]
        importlib.import_module("ipykernel.kernelapp").launch_new_instance(argv=sys.argv[1:])
    else:
        sys.path[:] = [os.path.dirname(sys.argv[0]), *own, *_PATH]
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    ordered = main()
    if ordered is not None:
        become(ordered)
