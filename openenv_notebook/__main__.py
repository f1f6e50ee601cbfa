"""``python -m openenv_notebook``: for a terminal, without a notebook.

::

    python -m openenv_notebook doctor                  what is installed, and what stands in the way
    python -m openenv_notebook doctor localhost:8000   the way to a server, step by step
    python -m openenv_notebook demo grid               a short episode, printed

It ends with 0 if all is well, 1 if something is wrong, 2 for a line it cannot read, and 130
after an interrupt.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from openenv_notebook import __version__, connect
from openenv_notebook.demo import demo_names
from openenv_notebook.demo.players import PLAYERS
from openenv_notebook.jupyter.doctor import examine_outside
from openenv_notebook.values.errors import OpenEnvError

_WELL, _WRONG, _INTERRUPTED = 0, 1, 130
_SEED = 7
_SHOWN = ("text", "hint", "message")


def doctor(target: str | None) -> int:
    """Print what was found, on the way to the target if there is one, a line each; 1 if something is wrong, else 0."""
    wrong = 0
    for finding in examine_outside(target):
        print(finding, flush=True)
        wrong += finding.level == "wrong"
    if wrong:
        print(f"{wrong} of these {'is' if wrong == 1 else 'are'} wrong")
    return _WRONG if wrong else _WELL


def demo(name: str, seed: int) -> int:
    """Play the episode that the seed decides, and print it as the Python that does the same; the exit code is 0."""
    player = PLAYERS[name]
    with connect(f"demo:{name}") as env:
        print(f">>> env = openenv_notebook.connect('demo:{name}')        # {env.base_url}")
        result = env.reset(seed=seed)
        print(f">>> env.reset(seed={seed})\n{_shown(result.observation)}")
        while not result.done and (fields := player(result.observation)) is not None:
            result = env.step(fields)
            line = f">>> env.step({_written(fields)})"
            print(f"{line:<34}  # reward {result.reward:g}{'  done' if result.done else ''}")
            # A maze changes by one cell: its end tells enough.
            if name != "grid" or result.done:
                print(_shown(result.observation))
        episode = env.episode
        print(f">>> env.episode\n{episode!r}")
    return _WELL


def _written(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in fields.items())


def _shown(observation: Any) -> str:
    text = next((str(observation[name]) for name in _SHOWN if name in observation), str(observation))
    return "\n".join(f"    {line}" for line in text.splitlines())


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the words behind the module's name, those of this process for None; it ends the process where it cannot."""
    parser = argparse.ArgumentParser(
        prog="python -m openenv_notebook",
        description="OpenEnv environments from a terminal; in a notebook it is %load_ext openenv_notebook.",
        epilog="It ends with 0 if all is well, with 1 if something is wrong.",
    )
    parser.add_argument("--version", action="version", version=f"openenv-notebook {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="doctor | demo", required=True)
    look = verbs.add_parser("doctor", help="look for what stands in the way", description="What stands in the way?")
    look.add_argument(
        "target",
        nargs="?",
        help="what to reach, step by step: localhost:8000, a URL, owner/name on the Hub, demo:grid, ./folder",
    )
    play = verbs.add_parser("demo", help="play a short episode and print it", description="A short episode, printed.")
    play.add_argument(
        "name", nargs="?", default="grid", choices=demo_names(), help="%(choices)s; grid if none is named"
    )
    play.add_argument("--seed", type=int, default=_SEED, help="another number, another episode (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says and return the exit code; the arguments are as for :func:`read`."""
    options = read(arguments)
    try:
        code = doctor(options.target) if options.verb == "doctor" else demo(options.name, options.seed)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever reads has read enough; Python's own last flush would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _WELL
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OpenEnvError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return _WRONG


if __name__ == "__main__":
    sys.exit(main())
