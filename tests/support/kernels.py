"""A real Jupyter kernel, driven as a front end would."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

import nbformat
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from support.nursery import (
    ROOT,
    AsyncManager,
    AsyncOfficialManager,
    Manager,
    OfficialManager,
    offer_provisioners,
    provisioned,
)


@dataclass
class Outputs:
    """What a cell showed.

    Attributes:
        stdout: What it printed.
        stderr: What it printed there.
        result: The plain text of its value.
        error: The exception's class and text, or None.
        traceback: What is shown of it.
        status: "ok", "error" or "aborted".
        count: The cell's number.
    """

    stdout: str = ""
    stderr: str = ""
    result: str | None = None
    error: tuple[str, str] | None = None
    traceback: list[str] = field(default_factory=list)
    displays: list[dict[str, Any]] = field(default_factory=list)
    status: str = ""
    count: int | None = None


class Kernel:
    """A kernel and its client."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def send(self, code: str, cell: str | None = None) -> str:
        """Send a cell without waiting for it; ``cell`` is the front end's id of it."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        message = self.client.session.msg("execute_request", content, metadata={"cellId": cell} if cell else {})
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def gather(self, message: str, seconds: float = 30.0) -> Outputs:
        """Wait for a cell's end and return what it showed."""
        outputs, end = Outputs(), time.monotonic() + seconds
        idle = False
        while not idle:
            said = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            if said["parent_header"].get("msg_id") != message:
                continue
            content = said["content"]
            match said["msg_type"]:
                case "stream":
                    name = content["name"]
                    setattr(outputs, name, getattr(outputs, name) + content["text"])
                case "execute_result":
                    outputs.result = content["data"]["text/plain"]
                case "display_data" | "update_display_data":
                    outputs.displays.append(content["data"])
                case "error":
                    outputs.error = content["ename"], content["evalue"]
                    outputs.traceback = content["traceback"]
                case "status":
                    idle = content["execution_state"] == "idle"
        while (reply := self.client.get_shell_msg(timeout=max(0.01, end - time.monotonic())))["parent_header"].get(
            "msg_id"
        ) != message:
            pass
        outputs.status, outputs.count = reply["content"]["status"], reply["content"].get("execution_count")
        return outputs

    def run(self, code: str, cell: str | None = None, seconds: float = 30.0) -> Outputs:
        """Run a cell and return what it showed.

        A kernel aborts what comes right behind a failed cell; nobody types that fast, so it is run again.
        """
        outputs = self.gather(self.send(code, cell), seconds)
        while outputs.status == "aborted":
            outputs = self.gather(self.send(code, cell), seconds)
        return outputs

    def ok(self, code: str, cell: str | None = None) -> Outputs:
        """Run a cell that must not fail, nor say anything on stderr."""
        outputs = self.run(code, cell)
        assert outputs.error is None, "\n".join(outputs.traceback)
        assert outputs.stderr == "", outputs.stderr
        return outputs

    def ask(self, what: str, code: str) -> dict[str, Any]:
        """Ask for completions or an inspection at the end of a text."""
        message = getattr(self.client, what)(code, len(code))
        while (reply := self.client.get_shell_msg(timeout=20))["parent_header"].get("msg_id") != message:
            pass
        return dict(reply["content"])

    def wait_printed(self, message: str, text: str, seconds: float = 20.0) -> None:
        """Wait until a running cell has printed a text."""
        end = time.monotonic() + seconds
        while True:
            said = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            mine = said["parent_header"].get("msg_id") == message
            if mine and said["msg_type"] == "stream" and text in said["content"]["text"]:
                return

    def wait_shown(self, message: str, text: str, seconds: float = 20.0) -> str:
        """Wait until a running cell has shown a text, printed or displayed; returns what was shown."""
        end = time.monotonic() + seconds
        while True:
            said = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            content = said["content"]
            shown = content.get("text") or content.get("data", {}).get("text/plain") or ""
            if said["parent_header"].get("msg_id") == message and text in shown:
                return str(shown)

    def interrupt(self) -> None:
        """Press ■."""
        self.manager.interrupt_kernel()

    def restart(self) -> None:
        """Restart the kernel, as the menu does."""
        self.manager.restart_kernel(now=False)
        assert wait_ready(self.manager, self.client)


def wait_ready(manager: KernelManager, client: BlockingKernelClient, seconds: float = 30.0) -> bool:
    """Wait until a kernel answers on all its channels, not for silence, as Jupyter does; False if it has ended."""
    end = time.monotonic() + seconds
    while manager.is_alive():
        assert time.monotonic() < end, "the kernel is silent"
        asked = client.kernel_info()
        with contextlib.suppress(Empty):
            while client.get_shell_msg(timeout=1)["parent_header"].get("msg_id") != asked:
                pass
            while (said := client.get_iopub_msg(timeout=0.05))["parent_header"].get("msg_id") != asked or (
                said["content"].get("execution_state") != "idle"
            ):
                pass
            return True
    return False


@contextmanager
def started(*, official: bool = False, **variables: str) -> Iterator[Kernel]:
    """Have a kernel for a while, with our package on its path; it is forked, which takes no time.

    Args:
        official: It has the official package imported, which takes seconds.
        **variables: Environment variables.
    """
    manager = OfficialManager() if official else Manager()
    with _running(manager, {**os.environ, "PYTHONPATH": str(ROOT), **variables}) as kernel:
        yield kernel


@contextmanager
def launched(**variables: str) -> Iterator[Kernel]:
    """Have a kernel that Jupyter starts by its command, where its start or its end is the promise."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    with _running(KernelManager(kernel_name="python3"), environment) as kernel:
        yield kernel


def execute(notebook: nbformat.NotebookNode, folder: Path = ROOT, *, seconds: int = 50, official: bool = False) -> None:
    """Run a notebook without a front end, as papermill and nbconvert do, in a forked kernel.

    Args:
        notebook: Its cells get their outputs.
        folder: Where the kernel works.
        seconds: The time a cell may take.
        official: The kernel has the official package imported.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed.
    """
    kind = AsyncOfficialManager if official else AsyncManager
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, kernel_manager_class=kind, timeout=seconds, resources=resources)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client.execute(env=environment)


@contextmanager
def started_by(python: str, folder: Path, *, forked: bool = False, **variables: str) -> Iterator[Kernel]:
    """Have a kernel of another environment for a while.

    Args:
        python: The environment's Python, which has ipykernel.
        folder: Where the kernel starts.
        forked: The tree is on its path, and imported already; else neither, and Jupyter starts it by its command.
        **variables: Environment variables.
    """
    command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    place = folder / "kernels" / "other"
    place.mkdir(parents=True, exist_ok=True)
    described = {"argv": command, "display_name": "other", "language": "python"}
    if forked:
        offer_provisioners()
        described["metadata"] = provisioned("nursery")
        variables.setdefault("PYTHONPATH", str(ROOT))
    (place / "kernel.json").write_text(json.dumps(described))
    specs = KernelSpecManager(kernel_dirs=[str(place.parent)])
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    manager = KernelManager(kernel_name="other", kernel_spec_manager=specs)
    with _running(manager, environment, cwd=str(folder)) as kernel:
        yield kernel


@contextmanager
def _running(manager: KernelManager, environment: dict[str, str], **options: Any) -> Iterator[Kernel]:
    options["env"] = {**environment, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client = _begun(manager, options) or _begun(manager, options) or _begun(manager, options)
    assert client is not None, "the kernel ends before it answers"
    try:
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def _begun(manager: KernelManager, options: dict[str, Any]) -> BlockingKernelClient | None:
    """Start a kernel that answers; None where it has ended: others may take the ports that Jupyter chose for it."""
    manager.start_kernel(**options)
    client = manager.blocking_client()
    client.start_channels()
    if wait_ready(manager, client):
        return client
    client.stop_channels()
    manager.cleanup_connection_file()
    manager.cleanup_random_ports()
    return None
