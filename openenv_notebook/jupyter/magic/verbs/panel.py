"""The verb of the panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from IPython.core.error import UsageError

from openenv_notebook.jupyter.magic.arguments import read_words
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.verbs.verb import Verb
from openenv_notebook.schema.shapes import ABSENT
from openenv_notebook.values.text import nearest

_OPTIONS = {"on": "text", "out": "text", "policy": "list"}


def panel(context: Context, rest: str) -> Any:
    """Show the panel of a client."""
    line = read_words("panel", rest, _OPTIONS)
    if len(line.words) > 1 or (line.words and "on" in line.options):
        raise UsageError("panel takes one client's name: %openenv panel env")
    if line.words:
        line.options["on"] = line.words[0]
    name, client = context.client(line)
    policies = {policy: _function(context, policy) for policy in line.options.get("policy", ())}
    # ipywidgets takes time to load: only who wants a panel pays for it.
    from openenv_notebook.jupyter.panel import Panel

    made = Panel(client, name=name, policies=policies)
    given = f", policies={{{', '.join(f'{policy!r}: {policy}' for policy in policies)}}}" if policies else ""
    context.twin = f"from openenv_notebook.jupyter import Panel\n\nPanel({name}{given})"
    made.display()
    return context.out(line, made)


def _function(context: Context, name: str) -> Callable[..., Any]:
    names = context.workspace.namespace
    function = context.workspace.meant(name)
    if function is ABSENT:
        functions = [each for each, value in names.items() if callable(value) and not each.startswith("_")]
        raise UsageError(f"--policy takes the name of a function; there is no {name!r} here{nearest(name, functions)}")
    if not callable(function):
        raise UsageError(f"--policy takes the name of a function; {name} is a {type(function).__name__}")
    return cast(Callable[..., Any], function)


VERBS = (
    Verb(
        "panel",
        "[NAME] [--policy FUNCTION …]",
        "buttons, a form and a picture for the session; code and clicks share one record",
        ("panel", "panel env --policy agent"),
        panel,
        _OPTIONS,
    ),
)
