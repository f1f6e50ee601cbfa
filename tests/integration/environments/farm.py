"""Imports openenv once and forks a server for each line of JSON on stdin; all end with stdin.

A line: ``{"app": "lab", "port": 0, "ping": [20, 20], "options": {…}}``. The answer:
``{"pid": 123, "port": 4567}``. Nothing here has a thread before it forks.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from typing import Any

import board
import catch
import gallery
import hostile_words
import lab
import plain
import script
import toolbox
import uvicorn

APPS = {
    "board": board.make_app,
    "catch": catch.make_app,
    "gallery": gallery.make_app,
    "hostile": hostile_words.make_app,
    "lab": lab.make_app,
    "plain": plain.make_app,
    "script": script.make_app,
    "toolbox": toolbox.make_app,
}


def listen(port: int) -> socket.socket:
    """Listen on the loopback; port 0 takes a free one."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(512)
    return listening


def end_with(lifeline: int) -> None:
    """End this process when the farm is gone: it holds the only other end of a pipe."""
    os.read(lifeline, 1)
    os._exit(0)


def serve(listening: socket.socket, order: dict[str, Any]) -> None:
    """Be a server until told to stop."""
    interval, timeout = order.get("ping", [20.0, 20.0])
    config = uvicorn.Config(
        APPS[order["app"]](**order.get("options", {})),
        log_level="critical",
        ws_ping_interval=interval,
        ws_ping_timeout=timeout,
        timeout_graceful_shutdown=1,
        loop=order.get("loop", "asyncio"),
    )
    uvicorn.Server(config).run(sockets=[listening])


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    lifeline, held = os.pipe()
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        listening = listen(order.get("port", 0))
        child = os.fork()
        if child == 0:
            os.close(held)
            os.close(0)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            threading.Thread(target=end_with, args=[lifeline], daemon=True).start()
            serve(listening, order)
            os._exit(0)
        print(json.dumps({"pid": child, "port": listening.getsockname()[1]}), flush=True)
        listening.close()


if __name__ == "__main__":
    main()
