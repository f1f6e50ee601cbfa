"""A container of a docker image, by the docker command."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping

from openenv_notebook.servers.loopback import LOOPBACK, listen
from openenv_notebook.servers.process.server import Launch, Plan, ProcessServer
from openenv_notebook.values.errors import NotSupportedHere

INSIDE_PORT = 8000
_ASK_SECONDS = 10.0
_numbers = itertools.count(1)


def plan_docker(image: str, port: int, variables: Mapping[str, str], otherwise: str = "") -> Plan:
    """Plan to run an image, its port 8000 on the loopback only, where port 0 takes a free one.

    The container is attached to a process that ends with this one, and that stops and removes it then. An image that is
    not there is pulled first. ``otherwise`` says what else can be done where docker is missing or fails.
    """
    otherwise = otherwise or _OTHERWISE
    hint = f"docker info tells whether docker itself runs; {otherwise}"

    def plan(server: ProcessServer) -> Launch:
        if shutil.which("docker") is None:
            install = f"install it: apt install docker.io, or brew install --cask docker; {otherwise}"
            raise NotSupportedHere(f"serving {server.name} needs docker, which is not installed", hint=install)
        if not _is_here(image):
            pull = ["docker", "pull", image]
            server.run_first(Launch("keep", {"command": pull}, command=shlex.join(pull), hint=hint), "is being pulled")
        name = f"openenv-notebook-{os.getpid()}-{next(_numbers)}"
        outside = port or _free_port(server.name)
        # The values travel in the command's environment: arguments can be read by everybody.
        passed = [part for key in variables for part in ("--env", key)]
        published = f"{LOOPBACK}:{outside}:{INSIDE_PORT}"
        command = ["docker", "run", "--rm", "--name", name, "-p", published, *passed, image]
        at_end = [["docker", "stop", "-t", "1", name], ["docker", "rm", "--force", name]]
        order = {"command": command, "at_end": at_end}
        return Launch(
            "keep", order, port=outside, variables=variables, command=shlex.join(command), slow_end=True, hint=hint
        )

    return plan


_OTHERWISE = (
    'without docker: connect("owner/name") plays on a Hub Space, serve("./folder") runs a project with this Python, '
    "serve(MyEnv) a class here"
)


def _is_here(image: str) -> bool:
    """Ask for the image; any failure is left to the commands that follow, which say more."""
    command = ["docker", "image", "inspect", "--format", "{{.Id}}", image]
    try:
        asked = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ASK_SECONDS, start_new_session=True
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return asked.returncode == 0


def _free_port(name: str) -> int:
    with listen(name, 0) as asking:
        return int(asking.getsockname()[1])
