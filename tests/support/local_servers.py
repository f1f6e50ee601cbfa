"""Servers that this machine started, seen from outside."""

from __future__ import annotations

import json
import socket
import urllib.request
from pathlib import Path
from typing import Any

SERVING = Path(__file__).parents[1] / "integration/serving"
PROJECTS = SERVING / "projects"
STAND_INS = SERVING / "stand_ins"


def ask(url: str, path: str = "/", headers: dict[str, str] | None = None) -> Any:
    """Ask a server over HTTP."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url + path, headers=headers or {}), timeout=10) as response:
        return json.load(response)


def is_there(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def listens(url: str) -> bool:
    """Tell whether anything listens at an address."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.socket() as asking:
        return asking.connect_ex((host, int(port))) == 0


class Docker:
    """The stand-in for docker: what it was asked and what runs."""

    def __init__(self, state: Path) -> None:
        self.state = state

    @property
    def calls(self) -> list[str]:
        """The commands, in order."""
        path = self.state / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def containers(self) -> list[dict[str, Any]]:
        """The containers that exist."""
        return [json.loads(path.read_text()) for path in self.state.glob("*.container")]
