"""Runs in cells of a real kernel: what they show, where, and how much of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from support.kernels import Kernel, execute, started

pytestmark = pytest.mark.kernel

ROOT = Path(__file__).parents[3]
BEGIN = (
    "%load_ext openenv_notebook\nimport openenv_notebook\nfrom openenv_notebook import Rollout, run_episodes\n"
    "env = openenv_notebook.connect('demo:grid')"
)


@pytest.fixture
def notebook() -> Iterator[Kernel]:
    """A kernel with an environment."""
    with started() as running:
        running.ok(BEGIN)
        yield running


@dataclass
class Traffic:
    """What came over IOPub.

    Attributes:
        messages: All of it.
        size: Its bytes.
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The messages of a type."""
        return [message for message in self.messages if message["msg_type"] == kind]


def traffic(kernel: Kernel, code: str, seconds: float = 50.0, press_at: str = "") -> Traffic:
    """Run a cell and keep all that comes over IOPub until its end, from whatever cell.

    Args:
        kernel: The kernel.
        code: The cell.
        seconds: When the test fails.
        press_at: Press ■ when this is shown.
    """
    message, seen, end = kernel.send(code), Traffic(), time.monotonic() + seconds
    while True:
        kernel.client.iopub_channel.socket.poll(max(1, int(1000 * (end - time.monotonic()))))
        parts = kernel.client.iopub_channel.socket.recv_multipart()
        _, rest = kernel.client.session.feed_identities(parts)
        said = kernel.client.session.deserialize(rest)
        seen.messages.append(said)
        seen.size += sum(map(len, parts))
        if press_at and press_at in said["content"].get("data", {}).get("text/plain", ""):
            press_at = ""
            kernel.interrupt()
        mine = said["parent_header"].get("msg_id") == message
        if mine and said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
            break
    while kernel.client.get_shell_msg(timeout=20)["parent_header"].get("msg_id") != message:
        pass
    return seen


def test_a_run_in_the_background_says_nothing_elsewhere(notebook: Kernel) -> None:
    """C05: of a background run that prints each step, started in cell 3, nothing lands in cells 4 and 5."""
    third = notebook.ok(
        "def policy(observation):\n    print('step', flush=True)\n    return observation.legal_actions[0]\n"
        "run = Rollout(env, policy, episodes=None, fps=100).start()"
    )
    quiet = "while run.steps_made < {steps}: run.wait(0.01)\nprint('end of a cell')"
    fourth = notebook.ok(quiet.format(steps=run_steps(notebook) + 30))
    fifth = notebook.ok(quiet.format(steps=run_steps(notebook) + 30))
    assert fourth.stdout == fifth.stdout == "end of a cell\n"
    assert not third.displays and not fourth.displays and not fifth.displays
    assert notebook.ok("run.stop()\nprint(run.wait(5), run.error)").stdout == "True None\n"


def run_steps(kernel: Kernel) -> int:
    """Ask how many steps the background run has made."""
    return int(kernel.ok("print(run.steps_made)").stdout)


def test_watching_an_episode_replaces_one_output(notebook: Kernel) -> None:
    """C23: a run of 40 steps, 40 a second, makes one output, updates it in place, and clears nothing."""
    seen = traffic(notebook, "episodes = run_episodes(env, episodes=None, seeds=[1], fps=40, max_steps=40)")
    (shown,) = seen.of("display_data")
    updates = seen.of("update_display_data")
    assert 2 <= len(updates) <= 45
    name = shown["content"]["transient"]["display_id"]
    assert {update["content"]["transient"]["display_id"] for update in updates} == {name}
    assert seen.of("clear_output") == [] and seen.of("stream") == []
    assert updates[-1]["content"]["data"]["text/plain"].startswith("1 episode · 40 steps · ")


def test_ten_thousand_steps_say_little(notebook: Kernel) -> None:
    """C26: a run of 10,000 steps sends fewer than 1,000 messages and less than 1 MB."""
    notebook.ok("env = openenv_notebook.connect('demo:echo')")
    seen = traffic(
        notebook,
        "episodes = run_episodes(env, lambda seen: 'hello', 100, max_steps=100)\nsum(e.length for e in episodes)",
    )
    assert seen.of("execute_result")[0]["content"]["data"]["text/plain"] == "10000"
    assert len(seen.messages) < 1000
    assert seen.size < 1_000_000


def test_one_line_tells_how_far_it_is(notebook: Kernel) -> None:
    """E28: one output shows episode i of n, the steps a second and the mean return, updated in place."""
    seen = traffic(notebook, "episodes = run_episodes(env, episodes=20, max_steps=10, fps=200)")
    texts = [message["content"]["data"]["text/plain"] for message in seen.messages if "data" in message["content"]]
    assert len(seen.of("display_data")) == 1 and len(texts) > 2
    assert texts[-2].startswith("episode ") and "/20 · " in texts[-2] and " · mean return -1" in texts[-2]
    assert texts[-1].startswith("20 episodes · 200 steps · ") and texts[-1].endswith(" · mean return -1")


def test_a_notebook_without_a_person_keeps_the_end() -> None:
    """E28: executed by nbclient, the saved cell has one output: the last line, as plain text."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell(BEGIN),
        nbformat.v4.new_code_cell("episodes = run_episodes(env, episodes=4, max_steps=10, fps=40)"),
    ]
    execute(notebook)
    (output,) = notebook.cells[1].outputs
    assert list(output.data) == ["text/plain"]
    assert output.data["text/plain"].startswith("4 episodes · 40 steps · ")


def test_interrupting_a_run(notebook: Kernel) -> None:
    """C01: ■ ends a run, the line says so, the record is kept, and the kernel goes on."""
    seen = traffic(notebook, "run_episodes(env, episodes=10**6, fps=30)", press_at="episode ")
    (error,) = seen.of("error")
    assert error["content"]["ename"] == "KeyboardInterrupt"
    lines = error["content"]["traceback"]
    assert lines[1].endswith(", line 1") and "run_episodes(env" in lines[2] and lines[3] == "KeyboardInterrupt"
    texts = [message["content"]["data"]["text/plain"] for message in seen.of("update_display_data")]
    assert texts[-1].startswith("stopped in episode ")
    assert notebook.ok("print(env.episode.length > 0, env.owed, env.status)").stdout == "True 0 open\n"
    again = notebook.ok("print(run_episodes(env, max_steps=3)[0].length)")
    assert again.stdout == "3\n"


def test_a_run_is_awaited(notebook: Kernel) -> None:
    """A cell that awaits the end of a run lets the kernel's loop go on."""
    outputs = notebook.ok(
        "import asyncio\nturns = 0\nasync def count():\n    global turns\n    while True:\n"
        "        turns += 1\n        await asyncio.sleep(0)\n"
        "counting = asyncio.ensure_future(count())\nrun = Rollout(env, fps=50, steps=10).start()\n"
        "await run.ended()\ncounting.cancel()\nprint(run.steps_made, turns > 5)"
    )
    assert outputs.stdout == "10 True\n"


def test_interrupting_a_cell_that_awaits_a_run(notebook: Kernel) -> None:
    """C01: ■ on a cell that awaits a run stops the run, and the kernel goes on."""
    message = notebook.send(
        "run = Rollout(env, episodes=None, fps=50).start()\nprint('begun', flush=True)\nawait run.ended()"
    )
    notebook.wait_printed(message, "begun")
    notebook.interrupt()
    outputs = notebook.gather(message)
    assert outputs.error is not None and outputs.error[0] in ("KeyboardInterrupt", "CancelledError")
    assert notebook.ok("print(run.wait(5), run.error)").stdout == "True None\n"
    assert notebook.ok("print(env.step(env.last.observation.legal_actions[0]).done)").stdout == "False\n"
