"""The exact Python that a line of a magic, a click or a step of the record stands for. Pure."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.secrets import hides, secrets_of
from openenv_notebook.values.to_json import is_record


@dataclass(frozen=True)
class Call:
    """One call on a client: its method is "reset", "step" or "call_tool".

    The arguments are named; those of a step are the fields of its action. The tool is for "call_tool".
    """

    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False)
    tool: str = ""

    def code(self, name: str, secrets: Container[str] | None = None) -> str:
        """Write the call on the client of a name as Python, its secrets read from the environment.

        ``secrets`` names fields that the server marked.
        """
        arguments = dict(self.arguments)
        if self.method == "step" and set(arguments) == {"action"} and is_record(arguments["action"]):
            return f"{name}.step({literal(arguments, secrets=secrets)})"
        inside = keywords(arguments, secrets)
        if self.method == "call_tool":
            inside = f"{self.tool!r}, {inside}" if inside else repr(self.tool)
        return f"{name}.{self.method}({inside})"

    def make(self, client: Any) -> Any:
        """Do it on a blocking client, and return what the call returned."""
        if self.method == "step":
            return client.step(dict(self.arguments))
        if self.method == "call_tool":
            return client.call_tool(self.tool, **self.arguments)
        return client.reset(**self.arguments)

    def action(self) -> dict[str, Any]:
        """The action that travels, for a policy that returns it."""
        if self.method == "call_tool":
            return {"type": "call_tool", "tool_name": self.tool, "arguments": dict(self.arguments)}
        return dict(self.arguments)


def call_of(step: Step) -> Call:
    """Find the call that made an entry of the record, with the values that were sent."""
    action = _named(step.action)
    if step.kind == "tool":
        params = _named(action.get("params"))
        return Call("call_tool", _named(params.get("arguments")), str(params.get("name")))
    calls_tool = step.kind == "step" and action.get("type") == "call_tool" and isinstance(action.get("tool_name"), str)
    if calls_tool and isinstance(action.get("arguments") or {}, Mapping):
        return Call("call_tool", _named(action.get("arguments")), action["tool_name"])
    return Call("reset" if step.kind == "reset" else "step", action)


def _named(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _line(name: str, step: Step) -> str:
    """Write a call, or what is missing: one that was long is not kept once the record is full."""
    if step.folded and step.action is None:
        return f"# a {step.kind} whose action was long, and is not kept any more"
    return call_of(step).code(name, secrets_of(step))


def episode_code(name: str, target: str | Callable[..., Any] | None, episode: Episode) -> str:
    """Write an episode as a program that does it again, without what the server refused.

    The target is what connect() takes: a text, or a class that the program has, too.
    """
    calls = [_line(name, step) for step in episode if step.happened]
    if episode.forgotten:
        calls.insert(1, f"# {episode.forgotten} entries that are not kept any more")
    imports = ["import openenv_notebook"]
    if any("os.environ[" in call for call in calls):
        imports.insert(0, "import os\n")
    where = getattr(target, "__name__", repr(target))
    return "\n".join([*imports, "", f"{name} = openenv_notebook.connect({where})", *calls])


def keywords(arguments: Mapping[str, Any], secrets: Container[str] | None = None) -> str:
    """Write arguments as they stand in a call's parentheses; names that Python could not write go into a ``**{…}``."""
    can_name = {name: name.isidentifier() and not keyword.iskeyword(name) for name in arguments}
    named = ", ".join(f"{name}={literal(value, name, secrets)}" for name, value in arguments.items() if can_name[name])
    rest = {name: value for name, value in arguments.items() if not can_name[name]}
    return ", ".join(part for part in (named, f"**{literal(rest, secrets=secrets)}" if rest else "") if part)


def literal(value: Any, name: str = "", secrets: Container[str] | None = None) -> str:
    """Write the value of a field as Python, its secrets read from the environment: code is kept in notebooks.

    ``secrets`` names fields that the server marked, besides those that say so themselves.
    """
    if isinstance(value, (str, bytes, int, float, list, tuple, dict)) and hides(name, value, secrets):
        variable = re.sub(r"\W", "_", name).upper()
        return f"os.environ[{variable!r}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {literal(inside, str(key), secrets)}" for key, inside in value.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(literal(inside, secrets=secrets) for inside in value) + "]"
    return repr(value)
