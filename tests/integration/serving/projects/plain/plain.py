"""An app without any package: it answers /health, tells what it was given, and starts a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request."""
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
