"""The verb that shows the last observation: render."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.client.learnt import renderer_key
from openenv_notebook.jupyter.magic.arguments import no_words, read_words
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.verbs.verb import Verb
from openenv_notebook.jupyter.show import renderers
from openenv_notebook.schema.shapes import ABSENT

_TAKES = {"on": "text", "out": "text", "with": "text"}


def render(context: Context, rest: str) -> Any:
    """Show the last observation; no step is made."""
    # Drawing takes time to load: only who wants to see something pays for it.
    from openenv_notebook.jupyter.show.observation_of import last_results, render_observation

    line = no_words(read_words("render", rest, _TAKES))
    name, client = context.client(line)
    twin = [f"openenv_notebook.jupyter.render_observation({name})"]
    if "with" in line.options:
        twin.insert(0, _use(context, renderer_key(client), line.options["with"]))
    context.twin = "\n".join(["import openenv_notebook.jupyter", *twin])
    if last_results(client)[0] is None:
        context.say(f"{name} has no observation yet · next: %openenv reset")
        return context.out(line, None)
    return context.out(line, render_observation(client))


def _use(context: Context, environment: str, given: str) -> str:
    """Set or take away the renderer of a client's environment; returns the Python that does it."""
    if given == "none":
        was = renderers.unregister(environment)
        context.say(f"{environment} is drawn by the default rules{'' if was else ', as before'}")
        return f"openenv_notebook.jupyter.unregister_renderer({environment!r})"
    function = context.workspace.meant(given)
    if function is ABSENT or not callable(function):
        what = "no variable here" if function is ABSENT else f"an object of type {type(function).__name__}"
        raise UsageError(f"--with takes the name of a function of an observation; {given!r} is {what}")
    renderers.register(environment, function)
    context.say(f"{environment} is drawn by {given} · back: %openenv render --with none")
    return f"openenv_notebook.jupyter.register_renderer({environment!r}, {given})"


VERBS = (
    Verb(
        "render",
        "[--on NAME] [--with FUNCTION | --with none]",
        "show the last observation; --with: drawn by a function of this notebook",
        ("render", "render --on env", "render --with draw"),
        render,
        _TAKES,
    ),
)
