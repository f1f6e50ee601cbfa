"""A verb of ``%openenv``: what it is called, what it takes, what it does."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openenv_notebook.masking import hides

if TYPE_CHECKING:
    from openenv_notebook.jupyter.desk import Desk


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
    """

    name: str
    usage: str
    summary: str
    examples: tuple[str, ...]
    run: Callable[[Desk, str], Any]
    takes: Mapping[str, str] = field(default_factory=dict)
    body: Callable[[Desk, str, str], Any] | None = None
    body_takes: Mapping[str, str] = field(default_factory=dict)


# Options that every verb of a session knows.
SESSION = {"on": "text", "out": "text", "timeout": "number"}
# Options of the verbs that make a client.
TARGET = {"as": "text", "timeout": "number", "wait": "number", "force": "flag", "out": "text"}


def keywords(arguments: Mapping[str, Any]) -> str:
    """Write arguments as Python would take them, for the twin of a line.

    Args:
        arguments: Values by name; names that Python could not write go into a ``**{…}``.

    Returns:
        The text between the parentheses.
    """
    can_name = {name: name.isidentifier() and not keyword.iskeyword(name) for name in arguments}
    named = ", ".join(f"{name}={literal(value, name)}" for name, value in arguments.items() if can_name[name])
    rest = {name: value for name, value in arguments.items() if not can_name[name]}
    return ", ".join(part for part in (named, f"**{literal(rest)}" if rest else "") if part)


def literal(value: Any, name: str = "") -> str:
    """Write a value as Python, its secrets read from the environment: code is kept in notebooks.

    Args:
        value: The value.
        name: The name of its field.

    Returns:
        The expression.
    """
    if isinstance(value, (str, bytes, int, float, list, tuple, dict)) and hides(name, value):
        variable = re.sub(r"\W", "_", name).upper()
        return f"os.environ[{variable!r}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {literal(inside, str(key))}" for key, inside in value.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(literal(inside) for inside in value) + "]"
    return repr(value)
