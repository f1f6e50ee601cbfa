"""An app without any package: it answers /health, tells what it was given, starts a process, and has sessions."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

told = {
    "pid": os.getpid(),
    "group": os.getpgrp(),
    "folder": os.getcwd(),
    "variables": {name: value for name, value in os.environ.items() if name.startswith("MALLOC_")},
}

if os.environ.get("PLAIN_FAILS"):
    print("line before the end", flush=True)
    raise SystemExit("this app does not want to start")

if os.environ.get("PLAIN_STARTS"):
    # As a browser or a database that an environment starts.
    told["started"] = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]).pid


def pass_gate(path: str) -> None:
    """Say that it is reached, and wait until the test lets go of a file."""
    Path(f"{path}.reached").touch()
    with open(path) as gate:
        fcntl.flock(gate, fcntl.LOCK_SH)


async def reply(kind: str, data: Any, steps: int) -> Any:
    """Do what a session is asked for; each observation tells the process."""
    if kind not in ("reset", "step", "state"):
        return {"type": "error", "data": {"message": f"Unknown message type: {kind}", "code": "UNKNOWN_TYPE"}}
    if kind == "state":
        return {"type": "state", "data": {"step_count": steps}}
    if data.get("gate"):
        await asyncio.to_thread(pass_gate, data["gate"])
    return {"type": "observation", "data": {"observation": {"pid": told["pid"]}, "reward": None, "done": False}}


async def talk(receive: Any, send: Any) -> None:
    """Be one session."""
    await receive()
    await send({"type": "websocket.accept"})
    steps = 0
    while (event := await receive())["type"] == "websocket.receive":
        message = json.loads(event["text"])
        if message["type"] == "close":
            return
        steps = 0 if message["type"] == "reset" else steps + (message["type"] == "step")
        answer = await reply(message["type"], message.get("data"), steps)
        await send({"type": "websocket.send", "text": json.dumps(answer)})


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request."""
    if scope["type"] == "websocket":
        await talk(receive, send)
    if scope["type"] != "http":
        return
    healthy = scope["path"] != "/health" or not os.environ.get("PLAIN_IS_ILL")
    await send(
        {
            "type": "http.response.start",
            "status": 200 if healthy else 503,
            "headers": [(b"content-type", b"application/json")],
        }
    )
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})
