"""A JupyterLab server for browser tests, with settings and data of its own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Self

import nbformat

from support.nursery import provisioned
from support.real_servers import new_python
from support.waiting import eventually

_TESTS = Path(__file__).parent.parent
_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    # All cells are in the page, seen or not.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}
# Each page that is loaded would ask, and the server ask Node, whether JupyterLab should be built anew.
_PAGE = {"buildCheck": False, "buildAvailable": False}
_ARGUMENTS = (
    "--no-browser",
    "--ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--ServerApp.allow_root=True",
    "--ServerApp.quit_button=False",
    # The pages then have `window.jupyterapp`: cells are run by commands, not by keys.
    "--LabApp.expose_app_in_browser=True",
    "--JupyterNotebookApp.expose_app_in_browser=True",
    "--LabApp.news_url=",
    "--LabApp.extension_manager=readonly",
)


class JupyterServer:
    """``jupyter lab``, which serves /lab, /notebooks where Notebook 7 is there, and /voila.

    Args:
        root: The folder of its notebooks; everything else it writes goes beside it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root / "notebooks"
        self.root.mkdir(parents=True)
        self._home = root
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> Self:
        """Start it; returns when it answers."""
        for plugin, values in _SETTINGS.items():
            package, name = plugin.split(":")
            file = self._home / "settings" / package / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        page = self._home / "config/labconfig/page_config.json"
        page.parent.mkdir(parents=True)
        page.write_text(json.dumps(_PAGE))
        own = (f"--port={self._port}", f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.root}")
        for name, provisioner in (("python3", "nursery"), ("official", "nursery-official")):
            self.add_kernel(name, Path(new_python()), **provisioned(provisioner))
        command = [sys.executable, "-m", "support.lab_process", *_ARGUMENTS, *own]
        self._log = (self._home / "server.log").open("wb")
        self._process = subprocess.Popen(
            command,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        eventually(self._answers, 60)
        return self

    def _environment(self) -> dict[str, str]:
        folders = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        }
        paths = [str(_TESTS.parent), str(_TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            **{name: str(self._home / folder) for name, folder in folders.items()},
            "JUPYTER_PREFER_ENV_PATH": "0",
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            "PYTHONPATH": os.pathsep.join(paths),
        }

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            raise RuntimeError(f"jupyter lab ended: {(self._home / 'server.log').read_text()[-2000:]}")
        try:
            self.api("status")
        except OSError:
            return False
        return True

    def api(self, path: str, method: str = "GET") -> Any:
        """Ask the server's REST API."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}", method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            data = answer.read()
        return json.loads(data) if data else None

    def write_notebook(self, name: str, cells: list[str], kernel: str = "python3") -> None:
        """Write a notebook into its folder, a code cell a text."""
        described = {"name": kernel, "display_name": kernel, "language": "python"}
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": described}
        )
        (self.root / name).write_text(nbformat.writes(notebook))

    def add_kernel(self, name: str, python: Path, **metadata: Any) -> None:
        """Offer a kernel of another Python by that name."""
        folder = self._home / "data/kernels" / name
        folder.mkdir(parents=True, exist_ok=True)
        command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        described = {
            "argv": command,
            "display_name": name,
            "language": "python",
            "metadata": {"debugger": False, **metadata},
        }
        (folder / "kernel.json").write_text(json.dumps(described))

    def end_kernels(self) -> None:
        """Shut all its kernels down."""
        for kernel in self.api("kernels"):
            with contextlib.suppress(OSError):
                self.api(f"kernels/{kernel['id']}", "DELETE")

    def stop(self) -> None:
        """Stop it and its kernels."""
        with contextlib.suppress(OSError):
            self.end_kernels()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
