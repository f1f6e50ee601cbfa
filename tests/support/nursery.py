"""Kernels and programs that begin at once: forked from a process that has imported what is slow to import.

For tests whose promise is neither the start nor the end of the process, nor the import of the package.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, NamedTuple

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager, KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from traitlets import default

ROOT = Path(__file__).parents[2]
_PROCESS = Path(__file__).parent / "nursery_process.py"
_KERNEL = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.iostream", "ipywidgets", "websockets.sync.client",
    # What a kernel imports as it starts.
    "IPython.core.completerlib", "IPython.extensions.storemagic", "sqlite3", "tornado.platform.asyncio",
    "tornado.queues", "debugpy?", "ipykernel.debugger?", "psutil?", "uvloop?",
)  # fmt: skip
# Imports take seconds: the official package brings gradio, fastmcp and fastapi.
_OFFICIAL = ("openenv.core.env_server.http_server", "openenv.core.env_server.mcp_environment", "uvicorn")


class Ended(NamedTuple):
    """How a program ended: its code, and what it wrote."""

    code: int
    output: str
    errors: str


class Forked:
    """A forked process as :class:`subprocess.Popen` shows one; how it ended is not known here."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return None while it is there."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        from support.waiting import eventually

        eventually(lambda: self.poll() is not None, timeout or 30.0, f"process {self.pid} ends")
        return 0

    def send_signal(self, number: int) -> None:
        """Send it a signal; one that has ended gets none, as of Popen."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """End it."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The process that forks: one for all the processes of a test run, which ends when all of them have ended.

    Args:
        python: The Python it is and its children are.
        modules: What it imports first.
        folder: Where it finds them, if they are not installed.
        parent: The nursery it is forked from, as it needs what that has imported, too.

    Attributes:
        imports: All that it has imported.
    """

    def __init__(self, python: str, *modules: str, folder: Path | None = None, parent: Nursery | None = None) -> None:
        # xdist has a name for a run, which its workers and all that they start know.
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
        self.imports: tuple[str, ...] = (*(parent.imports if parent else ()), *modules)
        name = hashlib.sha256("\0".join([run, python, *self.imports]).encode()).hexdigest()[:24]
        self._address = f"{tempfile.gettempdir()}/openenv-nursery-{name}"
        with open(f"{self._address}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._connect():
                self._start(python, modules, folder, parent)
                assert self._connect(), f"{python} cannot import {modules}"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(lock.name)
        atexit.register(self.close)

    def _connect(self) -> bool:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(self._address)
        except OSError:
            self._socket.close()
            return False
        self._stream = self._socket.makefile("rw", encoding="utf-8")
        # One that ends just now says nothing.
        return self._stream.readline() == "ready\n"

    def _start(self, python: str, modules: tuple[str, ...], folder: Path | None, parent: Nursery | None) -> None:
        env = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"} | ({"PYTHONPATH": str(folder)} if folder else {})
        if parent is not None:
            parent.fork("nursery", [self._address, *modules], env, os.getcwd())
            return
        subprocess.run(
            [python, str(_PROCESS), self._address, *modules], stdin=subprocess.DEVNULL, env=env, timeout=120, check=True
        )

    def fork(
        self, run: str, argv: list[str], env: Mapping[str, str], cwd: str, *files: str, **settings: Any
    ) -> dict[str, int]:
        """Fork a kernel, a program, a server or a nursery; a program has ended when this returns, a server listens."""
        output, errors = files or ("", "")
        order = {"run": run, "argv": argv, "env": dict(env), "cwd": cwd, "output": output, "errors": errors}
        self._stream.write(json.dumps({**order, "settings": settings}) + "\n")
        self._stream.flush()
        return dict(json.loads(self._stream.readline()))

    def run(self, program: Path, folder: Path, *arguments: str, **variables: str) -> Ended:
        """Run a program to its end, in a folder."""
        files = folder / "output.txt", folder / "errors.txt"
        env = {**os.environ, **variables}
        answer = self.fork("program", [str(program), *arguments], env, str(folder), *map(str, files))
        return Ended(answer["ended"], *(file.read_text(encoding="utf-8") for file in files))

    def close(self) -> None:
        """Need it no longer."""
        self._stream.close()
        self._socket.close()


@functools.cache
def nursery(python: str = sys.executable, *, official: bool = False, ours: bool = False) -> Nursery:
    """The one of that Python; it has the official package imported, too, or ours, with all that it imports late."""
    if ours:
        return Nursery(python, *_package(), folder=ROOT, parent=nursery(python, official=official))
    return Nursery(python, *_KERNEL, *(_OFFICIAL if official else ()))


def _package() -> Iterator[str]:
    for file in sorted((ROOT / "openenv_notebook").rglob("*.py")):
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        if not name.endswith("__main__"):
            yield name.removesuffix(".__init__")


class Provisioner(LocalProvisioner):  # type: ignore[misc]
    """Lets Jupyter fork a kernel where it would start one; all else, its signals and its end, is Jupyter's."""

    official = False

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Fork a kernel."""
        cwd = str(kwargs.get("cwd") or Path.cwd())
        python, _, *argv = cmd
        answer = nursery(python, official=self.official, ours=True).fork("kernel", argv, kwargs["env"], cwd)
        self.process = Forked(answer["pid"])
        self.pid = self.pgid = answer["pid"]
        self.cwd = cwd
        return self.connection_info

    async def kill(self, restart: bool = False) -> None:
        """Kill it, and see its end sooner than Jupyter looks for it."""
        from support.waiting import eventually_here

        await super().kill(restart)
        if self.process is not None:
            await eventually_here(lambda: self.process.poll() is not None)


class OfficialProvisioner(Provisioner):
    """The same, with the official package imported."""

    official = True


COMMAND = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]


def provisioned(name: str) -> dict[str, Any]:
    """Say in the metadata of a kernel's specification who starts it."""
    return {"kernel_provisioner": {"provisioner_name": name}}


def offer_provisioners() -> None:
    """Tell Jupyter, in this process, of those above: what is installed does so by entry points."""
    known = KernelProvisionerFactory.instance().provisioners
    for name, maker in (("nursery", Provisioner), ("nursery-official", OfficialProvisioner)):
        known[name] = EntryPoint(name, f"{__name__}:{maker.__name__}", "jupyter_client.kernel_provisioners")


class _Specs(KernelSpecManager):  # type: ignore[misc]
    """One kernel: this Python's, forked."""

    provisioner = "nursery"

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Describe it."""
        return KernelSpec(
            argv=COMMAND, display_name="forked", language="python", metadata=provisioned(self.provisioner)
        )


class _OfficialSpecs(_Specs):
    provisioner = "nursery-official"


class Manager(KernelManager):  # type: ignore[misc]
    """Manages a forked kernel."""

    specs = _Specs

    @default("kernel_spec_manager")
    def _forked(self) -> KernelSpecManager:
        offer_provisioners()
        return self.specs(parent=self)


class OfficialManager(Manager):
    """The same, with the official package imported."""

    specs = _OfficialSpecs


class AsyncManager(AsyncKernelManager, Manager):  # type: ignore[misc]
    """As nbclient wants it."""


class AsyncOfficialManager(AsyncKernelManager, OfficialManager):  # type: ignore[misc]
    """The same, with the official package imported."""
