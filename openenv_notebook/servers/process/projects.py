"""Project folders, apps of modules, and projects run by uv: how each is started."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from openenv_notebook.servers.process.child import LAUNCHER
from openenv_notebook.servers.process.server import Launch, Plan, ProcessServer
from openenv_notebook.values.errors import InvalidTarget, NotSupportedHere
from openenv_notebook.values.host_names import without_secrets

MANIFEST = "openenv.yaml"
DEFAULT_APP = "server.app:app"
# A kernel that computes for minutes is not gone; one that vanished frees its session after these.
PING_INTERVAL, PING_TIMEOUT = 30.0, 300.0

_APP_LINE = re.compile(r"app\s*:\s*(?P<quote>[\"']?)(?P<app>[^\"'#\s]+)(?P=quote)\s*(#.*)?")
_SPACE = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_GIT = re.compile(r"(git\+)?(https?|ssh|git|file)://.+|git@.+")


def read_app(folder: Path) -> str:
    """Read the top-level ``app`` of a project's openenv.yaml, "server.app:app" where it names none.

    Raises InvalidTarget if there is no such folder, or no openenv.yaml in it.
    """
    if not folder.is_dir():
        raise InvalidTarget(str(folder), "there is no such folder", hint="a path is read from the current folder")
    manifest = folder / MANIFEST
    if not manifest.is_file():
        hint = "give the folder that openenv init made, or an app: module:app"
        raise InvalidTarget(str(folder), f"there is no {MANIFEST} in it", hint=hint)
    for line in manifest.read_text(encoding="utf-8", errors="replace").splitlines():
        found = _APP_LINE.fullmatch(line.rstrip())
        if found:
            return found["app"]
    return DEFAULT_APP


def _order(app: str, folder: Path, port: int, allowed_hosts: Sequence[str]) -> dict[str, object]:
    return {
        "app": app,
        "folder": str(folder),
        "port": port,
        "allowed_hosts": list(allowed_hosts),
        "ping_interval": PING_INTERVAL,
        "ping_timeout": PING_TIMEOUT,
    }


def plan_folder(argument: str, port: int, allowed_hosts: Sequence[str], variables: Mapping[str, str]) -> Plan:
    """Plan to serve a project folder, as it was typed, with this Python; port 0 takes a free one."""
    folder = Path(argument).expanduser().resolve()

    def plan(server: ProcessServer) -> Launch:
        app = read_app(folder)
        _need_uvicorn(server.name)
        command = f"python -m uvicorn {app} (in {folder.name}/)"
        hint = f"%openenv serve uv:{argument} runs it in an environment of its own, with the packages it asks for"
        order = _order(app, folder, port, allowed_hosts)
        return Launch("serve", order, variables=variables, command=command, hint=hint)

    return plan


def plan_module(app: str, port: int, allowed_hosts: Sequence[str], variables: Mapping[str, str]) -> Plan:
    """Plan to serve ``module:app`` with this Python and what it can import; as :func:`plan_folder`."""

    def plan(server: ProcessServer) -> Launch:
        _need_uvicorn(server.name)
        order = _order(app, Path.cwd(), port, allowed_hosts)
        # What the notebook can import the app can import.
        order["paths"] = [os.getcwd(), *(each for each in sys.path if each and not _is_installed(each))]
        return Launch("serve", order, variables=variables, command=f"python -m uvicorn {app}")

    return plan


def _is_installed(path: str) -> bool:
    return path.startswith((sys.prefix, sys.base_prefix)) or path.endswith(".zip")


def _need_uvicorn(name: str) -> None:
    if importlib.util.find_spec("uvicorn") is None:
        what = f"serving {name} needs uvicorn, which is not installed here"
        raise NotSupportedHere(what, hint="%pip install openenv")


def plan_uv(
    argument: str, port: int, allowed_hosts: Sequence[str], variables: Mapping[str, str], otherwise: str = ""
) -> Plan:
    """Plan to serve a project by ``uv run``, in an environment that uv makes for it; as :func:`plan_folder`.

    It is a folder, a git address (``git+https://…``), or ``owner/name`` of a Hub Space. Where uv or git is missing, or
    fails, ``otherwise`` says what else can be done.
    """
    otherwise = otherwise or _OTHERWISE

    def plan(server: ProcessServer) -> Launch:
        if shutil.which("uv") is None:
            hint = f"%pip install uv; {otherwise}"
            raise NotSupportedHere(f"serving {server.name} needs uv, which is not installed", hint=hint)
        address = git_address(argument)
        folder = _clone(server, address, otherwise) if address else Path(argument).expanduser().resolve()
        app = read_app(folder)
        inner = [*_UV_RUN, str(folder), "--", "python", "-u", LAUNCHER, "serve"]
        order = _order(app, folder, port, allowed_hosts)
        outer = {"command": [*inner, json.dumps(order)], "folder": str(folder)}
        if address:
            outer["remove"] = str(folder)
        command = shlex.join([*_UV_RUN, str(folder), "--", "uvicorn", app])
        return Launch("keep", outer, variables=variables, command=command, hint=otherwise)

    return plan


_OTHERWISE = 'without uv: serve("./folder") runs a project with this Python, serve(MyEnv) a class here'
_UV_RUN = ["uv", "run", "--isolated", "--project"]


def git_address(argument: str) -> str | None:
    """Tell the address that git clones for what was typed behind ``uv:``; None for a folder."""
    if _GIT.fullmatch(argument):
        return argument.removeprefix("git+")
    if _SPACE.fullmatch(argument) and not Path(argument).is_dir():
        return f"https://huggingface.co/spaces/{argument}"
    return None


def _clone(server: ProcessServer, address: str, otherwise: str) -> Path:
    if shutil.which("git") is None:
        hint = f"install it: apt install git, or brew install git; {otherwise}"
        raise NotSupportedHere(f"serving {server.name} needs git, which is not installed", hint=hint)
    folder = tempfile.mkdtemp(prefix="openenv-notebook-")
    server.at_stop.append(lambda: shutil.rmtree(folder, ignore_errors=True))
    command = ["git", "clone", "--depth", "1", address, folder]
    order = {"command": command, "remove": folder, "keep_if_good": True}
    # A question for a password would wait for ever.
    variables = {"GIT_TERMINAL_PROMPT": "0"}
    shown = without_secrets(shlex.join(command))
    hint = f"is the address right, and may it be read without a password? {otherwise}"
    server.run_first(Launch("keep", order, variables=variables, command=shown, hint=hint), "is being cloned")
    return Path(folder)
