"""%openenv serve, typed into a real kernel: classes of the notebook, folders, and what cannot be started."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.kernels import Kernel, started
from support.local_servers import PROJECTS, Docker, is_there, listens
from support.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.server]

CLASS = """
import threading
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Move(Action):
    by: int

class Board(Observation):
    number: int = 0
    thread: int = 0

class Grid(Environment[Move, Board, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, start=0):
        super().__init__()
        self.number, self.thread = start, threading.get_ident()

    def _seen(self):
        assert threading.get_ident() == self.thread, "another thread than that which built it"
        return Board(number=self.number, thread=self.thread)

    def reset(self, seed=None, episode_id=None, **_):
        return self._seen()

    def step(self, action, timeout_s=None, **_):
        self.number += action.by
        return self._seen()

    @property
    def state(self):
        self._seen()
        return State(step_count=self.number)
"""
ALONE = CLASS.replace("SUPPORTS_CONCURRENT_SESSIONS = True", "SUPPORTS_CONCURRENT_SESSIONS = False")
FAKE = """
import asyncio, threading
from openenv_notebook import GenericEnvClient, serve

class Provider:
    ready = threading.Event()
    def start_container(self, image, **options):
        self.server = serve("demo:echo")
        return self.server.url
    def wait_for_ready(self, url):
        assert self.ready.wait(20)
    def stop_container(self):
        self.server.stop()

ticks = 0
async def tick():
    global ticks
    while True:
        await asyncio.sleep(0)
        ticks += 1
        if ticks == 70:
            Provider.ready.set()
ticking = asyncio.create_task(tick())
client = await GenericEnvClient.from_docker_image("image", provider=Provider())
ticking.cancel()
await client.close()
print(ticks >= 70)
"""


@pytest.mark.official
def test_a_class_of_the_notebook_with_sessions(kernel: Kernel) -> None:
    """A21: --sessions 4 lets four clients in and refuses the fifth with the number; --arg reaches the constructor."""
    kernel.ok("%load_ext openenv_notebook\n" + CLASS)
    said = kernel.ok("%openenv serve Grid --sessions 4 --arg start=5 --as grid").stdout
    assert said.startswith("openenv: grid → Grid, http://127.0.0.1:") and "· by: int · next: %openenv reset" in said
    assert kernel.ok("r = %openenv reset\nprint(r.observation.number)").stdout == "5\n"
    kernel.ok("others = [grid.new_session() for _ in range(3)]\nfor other in others: other.reset()")
    full = kernel.run("import openenv_notebook\nopenenv_notebook.connect(grid.base_url)")
    assert full.error is not None and full.error[0] == "AtCapacity" and "4 of 4 sessions in use" in full.error[1]
    assert "· 4 of 4 sessions" in kernel.ok("%openenv status").stdout


@pytest.mark.official
def test_a_class_for_one_session_is_not_served_for_four(kernel: Kernel) -> None:
    """A21: --sessions 4 of a class that takes one at a time is refused before anything starts, with the reason."""
    kernel.ok("%load_ext openenv_notebook\n" + ALONE)
    refused = kernel.run("%openenv serve Grid --sessions 4")
    assert refused.error is not None and "SUPPORTS_CONCURRENT_SESSIONS" in refused.error[1]
    assert len(refused.traceback) == 1
    assert kernel.ok("%openenv status").stdout.startswith("nothing is connected")


@pytest.mark.official
def test_an_edited_class_is_served_anew(kernel: Kernel) -> None:
    """Editing the class and serving it again replaces the server and reconnects the name; the old one is gone."""
    kernel.ok("%load_ext openenv_notebook\n" + CLASS)
    first = kernel.ok("%openenv serve Grid\nold = env\nprint(env.base_url)").stdout.splitlines()[-1]
    kernel.ok("%openenv reset\n%openenv step by=1")
    kernel.ok(CLASS.replace("self.number += action.by", "self.number += 100 * action.by"))
    again = kernel.ok("%openenv serve Grid").stdout
    assert "· the earlier env is closed · its server is stopped ·" in again
    assert kernel.ok("%openenv reset\nr = %openenv step by=1\nprint(r.observation.number)").stdout == "100\n"
    assert kernel.ok("print(old.status, env.status)").stdout == "closed open\n"
    assert not listens(first)


@pytest.mark.official
def test_every_call_is_on_the_thread_that_built_it(kernel: Kernel) -> None:
    """E02: a class that fails on any other thread is stepped by lines, calls, await and threads of the notebook."""
    kernel.ok("%load_ext openenv_notebook\n" + CLASS + "\nimport threading")
    kernel.ok("%openenv serve Grid\n%openenv reset\n%openenv step by=1\nenv.step(by=1)")
    kernel.ok("await env.async_client.step(by=1)")
    kernel.ok("worker = threading.Thread(target=lambda: env.step(by=1))\nworker.start()\nworker.join()")
    kernel.ok("state = %openenv state")
    told = kernel.ok("print(state.step_count, env.last.observation.thread != threading.get_ident())").stdout
    assert told == "4 True\n"


def test_a_start_that_fails_is_told_at_once(stand_ins: Docker, kernel: Kernel) -> None:
    """A09: an address that cannot be cloned fails, with the command, its code and its own last lines."""
    kernel.ok("%load_ext openenv_notebook")
    failed = kernel.run("%openenv serve uv:git+http://127.0.0.1:9/nothing.git")
    assert failed.error is not None and failed.error[0] == "ServerStartFailed"
    shown = "\n".join(failed.traceback)
    assert "git clone --depth 1" in shown and "ended with code 128" in shown and "fatal:" in shown
    assert "openenv_notebook/" not in shown
    assert kernel.ok("print('env' in globals())").stdout == "False\n"


def test_a_start_that_takes_long_shows_progress_and_can_be_stopped() -> None:
    """A09, A15: while a folder's server starts the cell says so; ■ ends the start, and no process is left."""
    with started(PLAIN_IS_ILL="1", PLAIN_STARTS="1") as kernel:
        kernel.ok("%load_ext openenv_notebook\nimport os\nfrom pathlib import Path")
        starting = kernel.send(f"%openenv serve {PROJECTS / 'plain'}")
        kernel.wait_shown(starting, "plain is starting, ")
        parent = kernel.manager.provisioner.pid
        children = processes_of(parent)
        assert children
        kernel.interrupt()
        outputs = kernel.gather(starting)
        assert outputs.error is not None and outputs.error[0] == "KeyboardInterrupt", outputs.traceback
        eventually(lambda: not any(is_there(pid) for pid in children), what="what was started has ended")
        assert kernel.ok("%openenv status").stdout.startswith("nothing is connected")


def processes_of(parent: int) -> set[int]:
    """The processes that a process has started, and those that these have."""
    found: set[int] = set()
    for task in (Path("/proc") / str(parent) / "task").iterdir():
        for pid in map(int, (task / "children").read_text().split()):
            found |= {pid, *processes_of(pid)}
    return found


def test_awaiting_a_start_blocks_no_other_task(kernel: Kernel) -> None:
    """B31: a task beside `await from_docker_image(…)` ticks on in the cell while the provider's readiness blocks."""
    assert kernel.ok(FAKE).stdout == "True\n"
