"""Imports what is slow to import, once, and forks a kernel, a program, a server or a nursery for each line of JSON.

``nursery_process.py ADDRESS MODULE…`` ends when it listens at the address, a Unix socket; what it has imported lives
on as long as anybody is connected. A line: ``{"run": "kernel", "argv": […], "env": {…}, "cwd": "…"}``. The answer is
the child's pid and, of a program, the code it ended with, of a server, its port. Children end as any process ends;
kernels and servers end with this one.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
from typing import Any

# What stands on the path of every Python here; a child's own PYTHONPATH comes before it.
_PATH = [entry for entry in sys.path[1:] if entry not in os.environ.get("PYTHONPATH", "").split(os.pathsep)]

Order = tuple[dict[str, Any], socket.socket]


def listen(address: str, modules: list[str]) -> socket.socket:
    """Import what children need, and listen."""
    importlib.import_module("quick_imports").be_quick()
    for name in modules:
        # What has a question mark need not be there.
        with contextlib.suppress(*[ImportError] * name.endswith("?")):
            importlib.import_module(name.removesuffix("?"))
    listening = socket.socket(socket.AF_UNIX)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(address)
    listening.bind(address)
    listening.listen(64)
    # No child looks through all that again, nor copies it.
    gc.collect()
    gc.freeze()
    return listening


def tend(listening: socket.socket, address: str) -> Order | None:
    """Fork until nobody is connected any more; returns, in a child, its order and whom it may answer."""
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    lifeline, held = os.pipe()
    selector = selectors.DefaultSelector()
    selector.register(listening, selectors.EVENT_READ)
    asking: dict[Any, Any] = {}
    # Whoever had it started may be gone by now.
    while ready := selector.select(None if asking else 60):
        for one in [key.fileobj for key, _ in ready]:
            if one is listening:
                asker, _ = listening.accept()
                asker.sendall(b"ready\n")
                asking[asker] = asker.makefile("rb")
                selector.register(asker, selectors.EVENT_READ)
            elif line := asking[one].readline():
                if os.fork() == 0:
                    selector.close()
                    os.close(held)
                    listening.close()
                    for asker, lines in asking.items():
                        lines.close()
                        if asker is not one:
                            asker.close()
                    return {**json.loads(line), "lifeline": lifeline}, one
            else:
                selector.unregister(one)
                asking.pop(one).close()
                one.close()
        if not asking:
            break
    # Who comes now finds nobody, and starts another.
    os.unlink(address)
    return None


def answer(asker: socket.socket, **said: Any) -> None:
    """Tell who asked, and be no longer connected."""
    asker.sendall(json.dumps(said).encode() + b"\n")
    asker.close()


def become(order: dict[str, Any], asker: socket.socket) -> Order | None:
    """Be what was ordered, in this fresh child; returns as :func:`tend` where that is a nursery."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if order["run"] == "program":
        pid = os.fork()
        if pid:
            answer(asker, pid=pid, ended=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            os._exit(0)
        asker.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
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
    sys.path[:] = [*own, *_PATH]
    match order["run"]:
        case "kernel":
            os.environ["JPY_PARENT_PID"] = str(os.getppid())
            answer(asker, pid=os.getpid())
            os.close(order["lifeline"])
            importlib.import_module("ipykernel.kernelapp").launch_new_instance(argv=sys.argv[1:])
        case "program":
            os.close(order["lifeline"])
            sys.path.insert(0, os.path.dirname(sys.argv[0]))
            runpy.run_path(sys.argv[0], run_name="__main__")
        case "server":
            serve(sys.argv[0], order["settings"], order["lifeline"], asker)
        case "nursery":
            os.close(order["lifeline"])
            address, *modules = sys.argv
            listening = listen(address, modules)
            answer(asker, pid=os.getpid())
            return tend(listening, address)
    return None


def end_with(lifeline: int) -> None:
    """End this process when the one it was forked from is gone: it holds the only other end of a pipe."""
    os.read(lifeline, 1)
    os._exit(0)


def serve(app: str, order: dict[str, Any], lifeline: int, asker: socket.socket) -> None:
    """Be a server until told to stop; it listens when it answers."""
    uvicorn = importlib.import_module("uvicorn")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", order["port"]))
    listening.listen(512)
    answer(asker, pid=os.getpid(), port=listening.getsockname()[1])
    threading.Thread(target=end_with, args=[lifeline], daemon=True).start()
    interval, timeout = order["ping"]
    config = uvicorn.Config(
        importlib.import_module(app).make_app(**order["options"]),
        log_level="critical",
        ws_ping_interval=interval,
        ws_ping_timeout=timeout,
        timeout_graceful_shutdown=1,
        loop=order["loop"],
    )
    uvicorn.Server(config).run(sockets=[listening])
    os._exit(0)


def main() -> Order | None:
    """Listen, and go on in a process of its own."""
    address, *modules = sys.argv[1:]
    listening = listen(address, modules)
    if os.fork():
        os._exit(0)
    os.setsid()
    return tend(listening, address)


if __name__ == "__main__":
    ordered = main()
    while ordered is not None:
        ordered = become(*ordered)
