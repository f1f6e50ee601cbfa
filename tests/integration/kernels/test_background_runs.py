"""■ and the runs in the background: it ends what the interrupted cell started, however that cell waited."""

from __future__ import annotations

import pytest
from support.kernels import Kernel

pytestmark = pytest.mark.kernel

BEGIN = (
    "{load}\nimport asyncio, threading, openenv_notebook\npause = threading.Event()\n"
    "from openenv_notebook import Rollout\n"
    "envs = [openenv_notebook.connect('demo:echo') for _ in range(8)]\n"
    "play = lambda seen: 'hello'\n"
    "earlier = Rollout(openenv_notebook.connect('demo:echo'), play, episodes=None, fps=50).start()"
)
START = "runs = [Rollout(env, play, episodes=None, fps=50).start() for env in envs]\nprint('started')\n"
WAITS = {
    "wait for each": "[run.wait() for run in runs]",
    "in a function": "def all_of(runs):\n    for run in runs:\n        run.wait()\nall_of(runs)",
    "a pause": "while any(run.running for run in runs):\n    pause.wait(0.05)",
    "another call": "env = openenv_notebook.connect('demo:echo')\nenv.reset()\nwhile True:\n    env.step('x')",
    "awaited one by one": "for run in runs:\n    await run.ended()",
    "awaited together": "await asyncio.gather(*(run.ended() for run in runs))",
}


def check(kernel: Kernel, wait: str) -> None:
    """Start eight runs in a cell, press ■ while it waits, and see what goes on."""
    running = kernel.send(START + wait)
    kernel.wait_printed(running, "started")
    kernel.interrupt()
    outputs = kernel.gather(running)
    assert outputs.error is not None, "the cell is over"
    ended = kernel.ok("print([run.wait(5) for run in runs] == [True] * 8, [run.error for run in runs] == [None] * 8)")
    assert ended.stdout == "True True\n"
    assert kernel.ok("print(earlier.running, earlier.stopping)").stdout == "True False\n"


@pytest.mark.parametrize("name", WAITS)
def test_interrupting_a_cell_ends_all_its_runs(kernel: Kernel, name: str) -> None:
    """R30: ■ ends all eight runs that the cell started; one that an earlier cell started goes on."""
    kernel.ok(BEGIN.format(load="%load_ext openenv_notebook"))
    check(kernel, WAITS[name])
    assert kernel.ok("earlier.stop(); print(earlier.wait(5))").stdout == "True\n"


def test_without_the_extension(kernel: Kernel) -> None:
    """R30: so it is without the magics, where the cell waits for a run; a cell that fails otherwise ends none."""
    kernel.ok(BEGIN.format(load=""))
    check(kernel, WAITS["in a function"])
    kernel.run(START + "1/0")
    assert kernel.ok("print([run.stopping for run in runs] == [False] * 8)").stdout == "True\n"
    kernel.ok("[run.stop() for run in [*runs, earlier]]")
