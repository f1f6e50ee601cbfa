"""Real OpenEnv servers in processes of their own, and programs that drive them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.nursery import Nursery, nursery
from support.pace import storm
from support.waiting import eventually

ROOT = Path(__file__).parents[2]
_TESTS = ROOT / "tests/integration"
VERSIONS = ("0.10.0", "0.2.3")


def old_python() -> str:
    """Find the Python of the oldest server; a test that needs it fails without."""
    fallback = ROOT / ".venv-old/bin/python"
    named = os.environ.get("OPENENV_OLD_PYTHON") or (str(fallback) if fallback.exists() else "")
    assert named, (
        "OPENENV_OLD_PYTHON is not set: it names the Python of an environment with openenv==0.2.3. "
        "`make test` makes one and sets it; `make .venv-old/.installed` makes it alone"
    )
    assert Path(named).exists(), f"OPENENV_OLD_PYTHON names {named}, which does not exist"
    return named


def new_python() -> str:
    """Find the Python of the newest server: this one, unless OPENENV_PYTHON names another."""
    named = os.environ.get("OPENENV_PYTHON") or sys.executable
    assert Path(named).exists(), f"OPENENV_PYTHON names {named}, which does not exist; `make lowest` makes it"
    return named


class RealServer:
    """A server of the official package.

    Attributes:
        url: Its HTTP address.
        pid: Its process.
    """

    def __init__(self, pid: int, port: int) -> None:
        self.pid = pid
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path: str) -> Any:
        """Ask over HTTP."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, timeout=10) as response:
            return json.load(response)

    @property
    def made(self) -> list[Any]:
        """The tags of all steps that it made, in order."""
        return list(self.get("/made"))

    @property
    def live(self) -> int:
        """How many environments there are."""
        return int(self.get("/live"))

    def wait_begun(self, tag: Any) -> None:
        """Wait until it has begun the step of that tag."""
        eventually(lambda: tag in self.get("/begun"), 20.0, f"the server begins step {tag!r}")

    def wait_live(self, number: int) -> None:
        """Wait until there are that many environments."""
        eventually(lambda: self.live == number, 20.0, f"the server has {number} environments")

    def send(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    @property
    def is_running(self) -> bool:
        """True while its process exists."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def end(self, number: int = signal.SIGKILL) -> None:
        """Send it a signal and wait for its end."""
        if self.is_running:
            self.send(number)
        eventually(lambda: not self.is_running, 10.0, "the server has ended")


class Farm:
    """Forks servers from a process that has openenv imported; the import takes seconds, a fork none.

    Args:
        python: The interpreter, with whichever version of openenv.
    """

    def __init__(self, python: str) -> None:
        self.python = python
        folder = _TESTS / "environments"
        modules = ["uvicorn", *sorted(path.stem for path in folder.glob("*.py"))]
        parent = nursery(python, official=True) if python == sys.executable else None
        self._nursery = Nursery(python, *modules, folder=folder, parent=parent)
        self._env = {**os.environ, "ENABLE_WEB_INTERFACE": "false", "PYTHONPATH": str(folder)}

    def start(self, app: str = "lab", *, port: int = 0, **order: Any) -> RealServer:
        """Start a server; it listens when this returns, and may not answer yet."""
        order = {"port": port, "ping": [20, 20], "loop": "asyncio", "options": {}, **order}
        answer = self._nursery.fork("server", [app], self._env, str(ROOT), **order)
        return RealServer(answer["pid"], answer["port"])

    def run_program(self, name: str, folder: Path, *arguments: str) -> Any:
        """Run, in a folder, one of the programs of the integration tests, which finds openenv imported; as below."""
        program = _TESTS / "programs" / f"{name}.py"
        ended = self._nursery.run(program, folder, *arguments, PYTHONPATH=str(ROOT))
        assert (ended.code, ended.errors) == (0, ""), f"{name} ended with {ended.code}:\n{ended.output}\n{ended.errors}"
        return json.loads(ended.output)

    @contextmanager
    def server(self, app: str = "lab", **order: Any) -> Iterator[RealServer]:
        """Have a server for a while; keywords beside ping and loop are options of the application."""
        known = {name: order.pop(name) for name in ("port", "ping", "loop") if name in order}
        server = self.start(app, **known, options=order)
        try:
            yield server
        finally:
            server.end()


def run_program(name: str, *arguments: str, **variables: str) -> Any:
    """Run one of the programs of the integration tests; it must end well, warn of nothing and say nothing on stderr.

    Args:
        name: The program's name.
        *arguments: Its arguments.
        **variables: Environment variables.

    Returns:
        The JSON it printed.
    """
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(_TESTS / "programs" / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=storm(55, 600),
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
    )
    assert (ran.returncode, ran.stderr) == (0, ""), f"{name} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}"
    return json.loads(ran.stdout) if ran.stdout else None
