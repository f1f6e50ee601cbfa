"""A verb of ``%openenv``: what it is called, what it takes, what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.jupyter.magic.context import Desk


@dataclass(frozen=True)
class Verb:
    """A verb.

    Attributes:
        name: The first word of the line.
        usage: What follows it, for the manual.
        summary: What it does, in a line.
        examples: Lines that work, without ``%openenv``.
        run: Does it: gets the desk and what follows the verb.
        takes: Its options by name: "text", "number", "flag" or "list".
        body: Does it with a cell's body; None where the verb takes no body.
        body_takes: Options it knows besides, with a cell's body.
        notes: What else there is to know, a line each.
    """

    name: str
    usage: str
    summary: str
    examples: tuple[str, ...]
    run: Callable[[Desk, str], Any]
    takes: Mapping[str, str] = field(default_factory=dict)
    body: Callable[[Desk, str, str], Any] | None = None
    body_takes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


# Options that every verb of a session knows.
SESSION = {"on": "text", "out": "text", "timeout": "number"}
# Options of the verbs that make a client.
TARGET = {"as": "text", "timeout": "number", "wait": "number", "force": "flag", "out": "text"}
