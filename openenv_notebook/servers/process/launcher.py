"""Runs a server, or a command, in a process that ends with the notebook's. A program, not a module.

    python -u launcher.py serve '{"app": "server.app:app", "folder": "/my_env", "port": 0, …}'
    python -u launcher.py keep  '{"command": ["docker", "run", …], "at_end": [["docker", "stop", …]], …}'

Only the standard library is used (and uvicorn, by ``serve``): a project's own Python runs it.
It ends when its stdin does, which happens however the notebook's process ends, and on Linux
also by a signal of the kernel. Its whole process group ends with it.
"""

from __future__ import annotations

import os
import sys

# The folder of this file is no place to import from.
if sys.path and sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
    del sys.path[0]

import contextlib
import importlib
import importlib.util
import json
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

# A line that begins so is for the notebook, not for its log.
MARK = "\x1e"
OFFICIAL_SERVER = "openenv.core.env_server.http_server"
GROUP_SECONDS = 0.2
COMMAND_SECONDS = 1.5
END_COMMAND_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1


def tell(word: str, value: object) -> None:
    """Tell the notebook something."""
    print(f"{MARK}{word} {value}", flush=True)


def end_with_stdin(end: Any) -> None:
    """Call a function when stdin ends, from a thread."""

    def watch() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        end()

    threading.Thread(target=watch, daemon=True).start()


def end_with_parent(parent: int) -> None:
    """On Linux, have the kernel send SIGTERM when the thread that started this process ends."""
    if sys.platform != "linux" or not parent:
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)  # it ended before


def leads_group() -> bool:
    """Tell whether this process leads a group, in which only what it started can be."""
    return hasattr(os, "killpg") and os.getpgrp() == os.getpid()


def end_group(process: subprocess.Popen[bytes] | None = None) -> None:
    """End all that this process started, and itself, on any thread; ``process`` gets some time to end by itself."""
    if leads_group():
        with contextlib.suppress(OSError):
            os.killpg(0, signal.SIGTERM)
        if process is None:
            time.sleep(GROUP_SECONDS)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(COMMAND_SECONDS)
        with contextlib.suppress(OSError):
            os.killpg(0, signal.SIGKILL)
    os._exit(0)


def serve(order: dict[str, Any]) -> None:
    """Serve an application with uvicorn until told to stop."""
    end_with_stdin(end_group)
    # uvicorn stops gracefully and raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=end_group).start())
    listening = listen(order["port"])
    tell("port", listening.getsockname()[1])
    os.chdir(order["folder"])
    sys.path[:0] = order.get("paths") or [order["folder"]]
    try:
        import uvicorn
    except ImportError:
        sys.exit(f"{sys.executable} has no uvicorn: does the project depend on openenv?")
    config = uvicorn.Config(
        order["app"].removesuffix("()"),
        factory=order["app"].endswith("()"),
        ws_ping_interval=order["ping_interval"],
        ws_ping_timeout=order["ping_timeout"],
        timeout_graceful_shutdown=1,
        access_log=False,
    )
    sys.meta_path.insert(0, RefusedInWords())
    refuse_what_is_no_app(order["app"])
    config.load()
    web_guard = load_beside("web_guard")
    config.loaded_app = web_guard.Guarded(config.loaded_app, web_guard.WebGuard(order.get("allowed_hosts", ())))
    uvicorn.Server(config).run(sockets=[listening])


def refuse_what_is_no_app(app: str) -> None:
    """End at once, in words, where module:attr is no application; what cannot be imported is left to uvicorn."""
    module, _, path = app.removesuffix("()").partition(":")
    try:
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except Exception:
        return
    if isinstance(found, type) and hasattr(found, "reset") and hasattr(found, "step"):
        sys.exit(
            f"{app} is a class of environments, not an ASGI app: serve the class itself, "
            f"from {module} import {path} and serve({path}), or module:app with app = create_app({path}, ...)"
        )
    if not callable(found):
        sys.exit(f"{app} is no ASGI app, but an object of type {type(found).__name__}")


def listen(port: int) -> socket.socket:
    """Take a port of the loopback; 0 takes a free one."""
    listening = socket.socket()
    if os.name == "posix":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        sys.exit(f"port {port} cannot be taken: {error}")
    return listening


def load_beside(name: str) -> Any:
    """Load a file of the folder above by itself: this program imports no package."""
    file = Path(__file__).parents[1] / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"openenv_notebook_{name}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class RefusedInWords:
    """Has the official server refuse actions by what it can send, once an app imports it; nothing else is imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find that one module as it is found without this, and change what it defines."""
        if name != OFFICIAL_SERVER:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_change(module: Any) -> None:
                load(module)
                with contextlib.suppress(Exception):
                    load_beside("refusals").judge_for(module.HTTPEnvServer)

            spec.loader.exec_module = load_and_change  # type: ignore[method-assign]
        return spec


def keep(order: dict[str, Any]) -> None:
    """Run a command; end it with the notebook, and clean up after it."""
    once = threading.Lock()
    process = subprocess.Popen(order["command"], cwd=order.get("folder"))

    def end() -> None:
        if once.acquire(blocking=False):
            clean_up(order)
            end_group(process)

    end_with_stdin(end)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=end).start())
    code = process.wait()
    if not once.acquire(blocking=False):
        threading.Event().wait()  # the other thread ends this process
    if code != 0 or not order.get("keep_if_good"):
        clean_up(order)
    os._exit(code if code >= 0 else 128 - code)


def clean_up(order: dict[str, Any]) -> None:
    """Run the commands for the end, and remove what is to be removed."""
    for command in order.get("at_end", ()):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            nothing = subprocess.DEVNULL
            subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, timeout=END_COMMAND_SECONDS)
    if order.get("remove"):
        shutil.rmtree(order["remove"], ignore_errors=True)


def main() -> None:
    """Do what the arguments say."""
    verb, order = sys.argv[1], json.loads(sys.argv[2])
    end_with_parent(order.get("parent", 0))
    try:
        {"serve": serve, "keep": keep}[verb](order)
    finally:
        if verb == "serve" and leads_group():
            # What the application started and did not end itself.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.killpg(0, signal.SIGTERM)


if __name__ == "__main__":
    main()
