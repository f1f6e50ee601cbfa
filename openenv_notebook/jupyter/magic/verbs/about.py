"""The verbs on %openenv itself: help, python, debug, nest."""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.client.connect import target_of
from openenv_notebook.jupyter.doctor import examine
from openenv_notebook.jupyter.magic.arguments import no_words, read_words
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.python_twin import episode_code
from openenv_notebook.jupyter.magic.verbs.verb import Verb
from openenv_notebook.values.tracebacks import show_full_tracebacks

# Measured on a private loop with nest_asyncio 1.6 and nest_asyncio2 1.7.
_COST = "tasks on every loop of this kernel are slower now; env.step(…) never needed it"


def python(context: Context, rest: str) -> Any:
    """Print the Python twin of the last verb, or of the whole episode."""
    line = no_words(read_words("python", rest, {"all": "flag", "on": "text"}))
    if not line.options.get("all"):
        print(context.twin or "# nothing was done by %openenv yet")
        return
    name, client = context.workspace.get(line.options.get("on"))
    episode = client.episode
    print(episode_code(name, target_of(client), episode))


def doctor(context: Context, rest: str) -> Any:
    """Look for what stands in the way."""
    no_words(read_words("doctor", rest, {}))
    name, client = context.workspace.get() if context.workspace.clients() else ("", None)
    for finding in examine(context.workspace.shell, name, client):
        print(finding)


def debug(context: Context, rest: str) -> Any:
    """Show full tracebacks, or short errors again."""
    words = read_words("debug", rest, {}).words
    if words not in (["on"], ["off"]):
        raise UsageError("debug takes on or off: %openenv debug on")
    show_full_tracebacks(words == ["on"])
    context.say("errors show every frame" if words == ["on"] else "errors are short again")


def nest(context: Context, rest: str) -> Any:
    """Let the notebook's own code call asyncio.run in a cell."""
    words = read_words("nest", rest, {}).words
    if words:
        raise UsageError(f"nest takes nothing, not {' '.join(words)!r}; to undo it restart the kernel")
    names = ("nest_asyncio2", "nest_asyncio") if sys.version_info < (3, 14) else ("nest_asyncio2",)
    for name in names:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        module.apply(asyncio.get_event_loop_policy().get_event_loop() if not _running() else None)
        context.twin = f"import {name}\n\n{name}.apply()"
        context.say(f"{name} is applied: asyncio.run works in cells · {_COST}")
        return
    raise UsageError(f"{' or '.join(names)} is not installed: pip install {names[0]}")


def _running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


VERBS = (
    Verb("doctor", "", "look for what stands in the way: kernel, loop, widgets, network, server", ("doctor",), doctor),
    Verb(
        "python",
        "[--all]",
        "the Python that does what the last line did; --all: the whole episode",
        ("python", "python --all"),
        python,
        {"all": "flag", "on": "text"},
    ),
    Verb("debug", "on | off", "full tracebacks, or short errors", ("debug on",), debug),
    Verb("nest", "", "let your own code call asyncio.run in a cell; it costs speed", ("nest",), nest),
)
