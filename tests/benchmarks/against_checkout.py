"""The echo step of this tree beside that of another checkout: run by ``make bench BEFORE=/path/to/checkout``.

::

    python tests/benchmarks/against_checkout.py /path/to/checkout [--steps 40] [--most 1.03]

Each tree is imported from its own path, in a process of its own that lives for the whole run and plays on a server of
its own. All share one core. The trees take turns, on uvloop and on asyncio; a figure is the median of the ratios of
15 rounds. Beside it stands the ratio of the processor time that the clients alone took: on a machine that others use,
too, that is the steadier one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
ECHO = {"kind": "echo"}
# In a round, for each tree.
TURNS = 10


class Player:
    """A process that steps with one tree's client.

    Args:
        tree: The checkout.
        loop: "uvloop" or "asyncio".
        url: Its server.

    Attributes:
        processor: Seconds of processor time that its steps took.
    """

    def __init__(self, tree: Path, loop: str, url: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(tree),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENENV_NOTEBOOK_LOOP": loop,
        }
        self.processor = 0.0
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--play", url, str(tree)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def __call__(self, number: int) -> float:
        """Make that many steps.

        Args:
            number: How many.

        Returns:
            The seconds of one.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        seconds, processor = map(float, self._process.stdout.readline().split())
        self.processor += processor
        return seconds / number

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def play(url: str, tree: str) -> None:
    """Be such a process: a number comes in; the seconds and the processor's seconds of so many steps go out."""
    import openenv_notebook

    assert Path(openenv_notebook.__file__).is_relative_to(tree), openenv_notebook.__file__
    with openenv_notebook.connect(url) as env:
        env.reset()
        for line in sys.stdin:
            number = int(line)
            started, used = time.perf_counter(), time.process_time()
            for _ in range(number):
                env.step(ECHO)
            print(time.perf_counter() - started, time.process_time() - used, flush=True)


def measure(before: Path, steps: int) -> dict[str, float]:
    """Measure both trees on both loops.

    Args:
        before: The other checkout.
        steps: How many steps a round has.

    Returns:
        How many times as long a step of this tree takes, by loop.
    """
    from support.real_servers import Farm
    from support.rounds import compare

    ratios = {}
    farm = Farm(sys.executable)
    for loop in ("uvloop", "asyncio"):
        with ExitStack() as stack:
            mine, theirs = (
                stack.enter_context(Player(tree, loop, stack.enter_context(farm.server("plain", loop="auto")).url))
                for tree in (ROOT, before)
            )
            outcome = compare(mine, theirs, steps, turns=TURNS)
        ratios[loop] = outcome.ratio
        print(
            f"echo ({loop}): this tree {outcome.first * 1e6:.0f} us, before {outcome.second * 1e6:.0f} us, "
            f"new/old {outcome.ratio:.3f} (processor {mine.processor / theirs.processor:.3f})",
            flush=True,
        )
    return ratios


def main() -> int:
    """Compare, and say whether this tree is slow.

    Returns:
        0, or 1 where a step of this tree takes longer than ``--most`` times the other's.
    """
    parser = argparse.ArgumentParser(description="Compare the echo step of this tree with another checkout's.")
    parser.add_argument("before", type=Path, help="the other checkout")
    parser.add_argument("--steps", type=int, default=40, help="steps of a turn, of which a round has ten")
    parser.add_argument("--most", type=float, default=1.03, help="the ratio new/old that is still well")
    asked = parser.parse_args()
    before = asked.before.resolve()
    assert (before / "openenv_notebook/__init__.py").exists(), f"{before} is no checkout"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return int(max(measure(before, asked.steps).values()) > asked.most)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(*sys.argv[2:])
    else:
        sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
        sys.exit(main())
