"""Behaves as the docker command does, as far as it is used; its words are docker's own.

The container is a process of its own that survives its command, as under docker's daemon.
What runs stands in the folder named by DOCKER_STAND_IN, one file a container.
"""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

STATE = Path(os.environ["DOCKER_STAND_IN"])
CONTAINER = Path(__file__).with_name("container.py")


def note(line: str) -> None:
    with open(STATE / "calls", "a") as calls:
        calls.write(line + "\n")


def fail(code: int, text: str) -> NoReturn:
    print(text, file=sys.stderr, flush=True)
    sys.exit(code)


def run(arguments: list[str]) -> None:
    name = arguments[arguments.index("--name") + 1]
    published = arguments[arguments.index("-p") + 1]
    host, port, inside = published.split(":")
    image = arguments[-1]
    passed = [arguments[at + 1] for at, each in enumerate(arguments) if each == "--env"]
    if image == "taken:latest":
        fail(
            125,
            f"docker: Error response from daemon: driver failed programming external connectivity on endpoint "
            f"{name}: Bind for {host}:{port} failed: port is already allocated.",
        )
    variables = {key: os.environ[key] for key in passed}
    if (host, inside) != ("127.0.0.1", "8000"):
        fail(125, f"docker: invalid publish opts format {published}")
    process = subprocess.Popen(
        [sys.executable, str(CONTAINER), image, port],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **variables},
    )
    (STATE / f"{name}.container").write_text(json.dumps({"pid": process.pid, "port": port, "variables": variables}))
    code = process.wait()
    (STATE / f"{name}.container").unlink(missing_ok=True)
    sys.exit(code if code >= 0 else 128 - code)


def stop(name: str, number: int, text: str) -> None:
    path = STATE / f"{name}.container"
    if not path.exists():
        fail(1, f"Error response from daemon: No such container: {name}")
    pid = json.loads(path.read_text())["pid"]
    try:
        process = os.pidfd_open(pid)
        os.kill(pid, number)
        select.select([process], [], [])
    except ProcessLookupError:
        pass  # it has ended already
    path.unlink(missing_ok=True)
    print(text)


def main() -> None:
    verb, *rest = sys.argv[1:]
    note(" ".join(sys.argv[1:]))
    if os.environ.get("DOCKER_STAND_IN_DOWN"):
        fail(1, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?")
    if verb == "image":
        if rest[-1].startswith(("here", "crashing", "taken")):
            print("sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1")
            return
        fail(1, f"Error response from daemon: No such image: {rest[-1]}")
    elif verb == "pull":
        if rest[0].startswith("far"):
            print("latest: Pulling from library/far\nDigest: sha256:9f1\nStatus: Downloaded newer image for far:latest")
            return
        fail(
            1,
            f"Error response from daemon: pull access denied for {rest[0]}, repository does not exist or may "
            "require 'docker login': denied: requested access to the resource is denied",
        )
    elif verb == "run":
        run(rest)
    elif verb == "stop":
        stop(rest[-1], signal.SIGTERM, rest[-1])
    elif verb == "rm":
        stop(rest[-1], signal.SIGKILL, rest[-1])


main()
