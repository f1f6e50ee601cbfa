"""The last observation of a client as a cell shows it."""

from __future__ import annotations

from typing import Any

from openenv_notebook.client.learnt import renderer_key
from openenv_notebook.jupyter.show.as_html import write_html
from openenv_notebook.jupyter.show.blocks import Block, Span, Stack, line
from openenv_notebook.jupyter.show.bounded import bounded_html, bounded_text, failure
from openenv_notebook.jupyter.show.custom import of_result_by
from openenv_notebook.jupyter.show.observations import changes, headline
from openenv_notebook.jupyter.show.renderers import Renderer, has_any, renderer_of
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import StepResult


class Rendering:
    """What an observation looks like; a cell shows it when it is its last value.

    Args:
        block: What is shown.

    Attributes:
        html: It as HTML that needs no style sheet.
        text: It as text.
    """

    def __init__(self, block: Block) -> None:
        self.html = bounded_html(block, write_html)
        self.text = bounded_text(block)

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def render_observation(env: Any, function: Renderer | None = None) -> Rendering:
    """Show the last observation of a client; no step is made.

    Args:
        env: The client, of either kind.
        function: Draws it instead: gets the observation; gives text, a picture, HTML of your
            own, or any value. None for the environment's renderer, or the default view.

    Returns:
        What a cell shows: a picture, a board, a conversation or text, the other fields below.

    Raises:
        MisuseError: If there is no observation yet.

    Example:
        >>> with connect("demo:echo") as env:
        ...     first = env.reset()
        ...     print(render_observation(env, lambda seen: seen.message.upper()))
        text
        READY. SAY SOMETHING.
    """
    result, previous = last_results(env)
    if result is None:
        raise MisuseError("there is no observation yet", hint="reset() begins an episode")
    if function is None and has_any():
        client = getattr(env, "sync", lambda: env)()
        function = renderer_of(renderer_key(client))
    try:
        block = of_result_by(function, result, previous)
        said = " · ".join(part for part in (headline(block), changes(result, previous)) if part)
        return Rendering(Stack((line(Span(said, "muted")), block)))
    except Exception as error:
        return Rendering(failure(error))


def last_results(env: Any) -> tuple[StepResult[Any] | None, StepResult[Any] | None]:
    """Find the last result of a client's episode and the one before it; None where there is none."""
    found: list[StepResult[Any]] = []
    for step in reversed(env.episode):
        if step.kind not in ("state", "tool") and step.result is not None:
            found.append(step.result)
        if len(found) == 2 or step.kind == "reset":
            break
    return (found[0] if found else env.last), (found[1] if len(found) > 1 else None)
