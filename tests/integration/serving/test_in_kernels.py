"""Local servers of real kernels: what they show, and how they end."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator

import pytest
from support.gates import FileGate
from support.kernels import Kernel, launched, started
from support.local_servers import PROJECTS, Docker, ask, is_there, listens
from support.real_servers import Farm
from support.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.server]

CLASS = """
import fcntl
import openenv_notebook
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Move(Action):
    by: int

class Board(Observation):
    number: int = 0

class Grid(Environment[Move, Board, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        print("built")

    def reset(self, seed=None, episode_id=None, **_):
        print("reset")
        return Board(number=1)

    def step(self, action, timeout_s=None, **_):
        treasure = action.by * 111
        print("step", action.by)
        if action.by > 100:
            with open(GATE) as gate:
                fcntl.flock(gate, fcntl.LOCK_SH)
            print("late", action.by)
        return Board(number=10 // action.by)

    @property
    def state(self):
        print("state")
        return State(step_count=7)
"""
THREE = f"""
{CLASS}
servers = [
    openenv_notebook.serve(Grid),
    openenv_notebook.serve({str(PROJECTS / "plain")!r}),
    openenv_notebook.serve("docker:here:latest"),
]
envs = [openenv_notebook.connect(servers[0].url), openenv_notebook.connect(servers[2].url)]
print("urls", *[server.url for server in servers])
"""


def urls_of(stdout: str) -> list[str]:
    """Read the addresses that a cell printed."""
    [line] = [line for line in stdout.splitlines() if line.startswith("urls ")]
    return line.split()[1:]


@pytest.mark.official
def test_prints_of_an_environment_reach_the_waiting_cell(kernel: Kernel) -> None:
    """What a served class prints appears in the cell that waits: built, reset, stepped, asked and awaited."""
    kernel.ok(CLASS)
    assert kernel.ok("server = openenv_notebook.serve(Grid)").stdout == ""
    assert kernel.ok("env = openenv_notebook.connect(server.url)").stdout == "built\n"
    assert kernel.ok("env.reset()").stdout == "reset\n"
    assert kernel.ok("env.step(by=2)").stdout == "step 2\n"
    assert kernel.ok("env.state()").stdout == "state\n"
    assert kernel.ok("await env.async_client.step(by=5)").stdout == "step 5\n"


@pytest.mark.official
def test_late_prints_go_to_the_cell_that_called(kernel: Kernel, far_gate: FileGate) -> None:
    """A step that goes on after ■ prints into its own cell, not into the one that runs then."""
    kernel.ok(f"GATE = {far_gate.path!r}\n{CLASS}")
    kernel.ok("env = openenv_notebook.connect(Grid)\nenv.reset()")
    waiting = kernel.send("env.step(by=150)")
    kernel.wait_printed(waiting, "step 150")
    kernel.interrupt()
    assert kernel.gather(waiting).error == ("KeyboardInterrupt", "")
    kernel.ok("print('before')")
    after = kernel.send("env.settle()\nprint('after')")
    far_gate.open()
    homes: dict[str, str] = {}
    while "after" not in homes:
        said = kernel.client.get_iopub_msg(timeout=20)
        if said["msg_type"] == "stream":
            for word in ("late", "after"):
                if word in said["content"]["text"]:
                    homes[word] = said["parent_header"]["msg_id"]
    assert homes == {"late": waiting, "after": after}
    kernel.gather(after)


@pytest.mark.official
def test_an_exception_of_a_class_is_shown_and_debugged(kernel: Kernel) -> None:
    """The cell shows the class's own frame and nothing of the server's; %debug stops in it, with its variables."""
    kernel.ok(CLASS)
    kernel.ok("env = openenv_notebook.connect(Grid)\nenv.reset()")
    failed = kernel.run("env.step(by=0)")
    shown = "\n".join(failed.traceback)
    assert failed.error is not None and failed.error[0] == "EnvironmentFailed"
    assert "in step\n    return Board(number=10 // action.by)" in shown and "ZeroDivisionError" in shown
    assert "site-packages" not in shown and len(failed.traceback) < 10
    assert "treasure = 0" in debugged(kernel, ["p 'treasure = %d' % treasure", "q"])


def debugged(kernel: Kernel, answers: list[str]) -> str:
    """Run %debug and type answers; returns what was printed."""
    message = kernel.client.execute("%debug", allow_stdin=True)
    text = ""
    while True:
        if answers and kernel.client.stdin_channel.msg_ready():
            kernel.client.get_stdin_msg(timeout=1)
            kernel.client.input(answers.pop(0))
        try:
            said = kernel.client.get_iopub_msg(timeout=0.05)
        except Exception:
            continue
        if said["parent_header"].get("msg_id") != message:
            continue
        if said["msg_type"] == "stream":
            text += said["content"]["text"]
        if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
            return text


def test_an_interrupt_leaves_the_served_environment_alive(kernel: Kernel, far_gate: FileGate) -> None:
    """■ during a step ends the cell, not the server: the same process makes the next step of the same episode."""
    kernel.ok(f"import openenv_notebook\nenv = openenv_notebook.connect({str(PROJECTS / 'plain')!r})")
    pid = int(kernel.ok("print(env.reset().observation.pid)").stdout)
    waiting = kernel.send(f"env.step(gate={far_gate.path!r})")
    eventually(lambda: os.path.exists(f"{far_gate.path}.reached"), 20.0)
    kernel.interrupt()
    outputs = kernel.gather(waiting)
    assert outputs.error is not None and outputs.error[0] == "KeyboardInterrupt"
    far_gate.open()
    assert kernel.ok("print(env.step(again=True).observation.pid, env.state().step_count)").stdout == f"{pid} 2\n"


@pytest.fixture
def served(stand_ins: Docker, request: pytest.FixtureRequest) -> Iterator[tuple[Kernel, list[str], list[int]]]:
    """A kernel that serves a class, a folder and an image; their addresses and processes."""
    official = request.node.get_closest_marker("official") is not None
    kernels = started(official=True, PLAIN_STARTS="1") if official else launched(PLAIN_STARTS="1")
    with kernels as kernel:
        urls = urls_of(kernel.ok(THREE).stdout)
        told = ask(urls[1])
        pids = [told["pid"], told["started"], stand_ins.containers[0]["pid"]]
        assert all(is_there(pid) for pid in pids) and all(listens(url) for url in urls)
        yield kernel, urls, pids


def all_gone(urls: list[str], pids: list[int]) -> bool:
    """Tell whether no process and no port is left."""
    return not any(is_there(pid) for pid in pids) and not any(listens(url) for url in urls)


@pytest.mark.official
def test_kill_9_leaves_nothing(served: tuple[Kernel, list[str], list[int]], stand_ins: Docker) -> None:
    """kill -9 of a kernel with three served environments: no process, port or container is left."""
    kernel, urls, pids = served
    os.kill(kernel.manager.provisioner.pid, signal.SIGKILL)
    eventually(lambda: all_gone(urls, pids), 20.0, "everything has ended")
    eventually(lambda: not stand_ins.containers)


@pytest.mark.official
def test_sigterm_leaves_nothing(served: tuple[Kernel, list[str], list[int]]) -> None:
    """SIGTERM to the kernel leaves nothing either."""
    kernel, urls, pids = served
    os.kill(kernel.manager.provisioner.pid, signal.SIGTERM)
    eventually(lambda: all_gone(urls, pids), 20.0, "everything has ended")


@pytest.mark.official
def test_a_restart_leaves_nothing(served: tuple[Kernel, list[str], list[int]]) -> None:
    """E10: a restart of the kernel ends its servers, and the cell that serves at a fixed port works again."""
    kernel, urls, pids = served
    kernel.restart()
    eventually(lambda: all_gone(urls, pids), 20.0, "everything has ended")
    port = int(urls[1].rpartition(":")[2])
    again = f"import openenv_notebook\nserver = openenv_notebook.serve({str(PROJECTS / 'plain')!r}, port={port})"
    for _ in range(2):
        kernel.ok(again)
        kernel.restart()


def test_shutdown_leaves_nothing(served: tuple[Kernel, list[str], list[int]]) -> None:
    """A shutdown of the kernel ends its servers; the kernel ends by itself."""
    kernel, urls, pids = served
    kernel.client.shutdown()
    assert kernel.manager.provisioner.process.wait() == 0
    eventually(lambda: all_gone(urls, pids), 20.0, "everything has ended")


def test_two_kernels_serve_the_same_at_once() -> None:
    """E10: two notebooks serve the same project at once, at ports of their own."""
    serve = f"import openenv_notebook\nserver = openenv_notebook.serve({str(PROJECTS / 'plain')!r})\nprint(server.url)"
    with started() as first, started() as second:
        one, other = first.ok(serve).stdout.strip(), second.ok(serve).stdout.strip()
        assert ask(one)["pid"] != ask(other)["pid"]


def test_a_killed_kernel_frees_its_session(kernel: Kernel, farm: Farm) -> None:
    """A13: the only session of a server is free again at once when the kernel that held it is killed."""
    with farm.server("lab", sessions=1) as server, started() as other:
        connect = f"import openenv_notebook\nenv = openenv_notebook.connect({server.url!r}, wait=WAIT)"
        other.ok(f"WAIT = 0\n{connect}\nenv.reset()")
        full = kernel.run(f"WAIT = 0\n{connect}")
        assert full.error is not None and full.error[0] == "AtCapacity" and "1 of 1" in full.error[1]
        os.kill(other.manager.provisioner.pid, signal.SIGKILL)
        assert kernel.run(f"WAIT = 10\n{connect}").error is None


def test_openenv_is_loaded_only_to_serve_a_class(kernel: Kernel) -> None:
    """Serving a folder or an image does not import the official package into the kernel."""
    cell = f"import sys, openenv_notebook\nserver = openenv_notebook.serve({str(PROJECTS / 'plain')!r})\n"
    assert json.loads(kernel.ok(cell + "print(int('openenv' in sys.modules or 'uvicorn' in sys.modules))").stdout) == 0
