"""What the panel says -> HTML. Pure; every word of a server is escaped."""

from __future__ import annotations

import html
from dataclasses import dataclass

from openenv_notebook.jupyter.show.numbers import number
from openenv_notebook.values.text import one_line, visible

_LONG = 60


@dataclass(frozen=True)
class Said:
    """The line at the bottom: what happened and what to do next, or an error."""

    text: str
    is_bad: bool = False


def title(name: str, address: str, status: str) -> str:
    """Write name, address and state of a session."""
    sign = "●" if status == "open" else "○"
    return (
        f'<span class="openenv-name">{_text(name)}</span><span class="openenv-address" title="{_text(address)}">'
        f'{_text(address)}</span><span class="openenv-chip" data-state="{_text(status)}">{sign} {_text(status)}</span>'
    )


def facts(episode: int, step: int, total: float, *, is_done: bool) -> str:
    """Write the number of the episode, 0 before the first, of steps in it, and its return."""
    over = " · done" if is_done else ""
    pairs = (("episode", str(episode)), ("step", f"{step}{over}"), ("return", number(total)))
    return "".join(f"<span>{name} <b>{value}</b></span>" for name, value in pairs)


def sends(code: str, problem: str = "") -> str:
    """Write the Python that Step will do, or what is missing for it."""
    # What may have to be scrolled can be reached by keys.
    stop = ' tabindex="0"' if len(code) > _LONG and not problem else ""
    shown = f'<code{stop} title="{_text(code)}">{html.escape(visible(code))}</code>'
    if not problem:
        return shown
    return f'{shown}<div class="openenv-hint" title="{_text(problem)}">{html.escape(visible(problem))}</div>'


def status(said: Said) -> str:
    """Write the line at the bottom, announced to those who do not see it."""
    role = "alert" if said.is_bad else "status"
    live = "assertive" if said.is_bad else "polite"
    return f'<div role="{role}" aria-live="{live}" title="{_text(said.text)}">{_text(said.text)}</div>'


def hint(text: str) -> str:
    """Write a small remark."""
    return f'<span class="openenv-hint">{_text(text)}</span>'


def _text(text: str) -> str:
    return html.escape(one_line(text))
