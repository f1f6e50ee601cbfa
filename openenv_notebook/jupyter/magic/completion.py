"""Tab in a line of ``%openenv``: verbs, options, names, tools, fields and their values.

Nothing here asks a server: what is completed is what is known already.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Iterable
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.client.clients import EnvClient, SyncEnvClient
from openenv_notebook.demo import demo_names
from openenv_notebook.jupyter.magic.arguments import read_payload, without_end
from openenv_notebook.jupyter.magic.context import typed_values
from openenv_notebook.jupyter.magic.tokens import KEY, GrammarError
from openenv_notebook.jupyter.magic.verbs import VERBS
from openenv_notebook.jupyter.magic.workspace import AnyClient, Workspace
from openenv_notebook.schema.action import SELDOM, action_fields, only_required_field
from openenv_notebook.schema.check import same
from openenv_notebook.schema.moves import choices
from openenv_notebook.schema.shapes import Const, Object, Shape, Union
from openenv_notebook.schema.tool import arguments_of

_TOOLS = re.compile(r"(?:^|[^\w.])([A-Za-z_]\w*)\.tools\.(\w*)$")
_LINE = re.compile(r"^\s*(?:[\w.,\s]+=\s*)?%{1,2}openenv(?:\s+(?P<rest>.*))?$", re.S)


def complete(workspace: Workspace, text: str) -> tuple[str, list[str]] | None:
    """Complete a line up to the cursor: the fragment that is completed and its completions; None for another line."""
    found = _LINE.match(text)
    if found is None or (found["rest"] is None and not text.endswith((" ", "\t"))):
        return None
    words = re.split(r"\s+", (found["rest"] or "").lstrip())
    fragment, before = words[-1], words[:-1]
    if not before:
        return fragment, _starting(fragment, [*VERBS, "help"])
    return _in_verb(workspace, before, fragment)


def complete_tools(workspace: Workspace, text: str) -> tuple[str, list[str]] | None:
    """Complete ``env.tools.NAME`` in Python as :func:`complete`; jedi sees the annotation and none of the names."""
    found = _TOOLS.search(text)
    client = workspace.namespace.get(found[1]) if found is not None else None
    if found is None or not isinstance(client, (SyncEnvClient, EnvClient)):
        return None
    return found[2], _starting(found[2], dir(client.tools))


def _in_verb(workspace: Workspace, before: list[str], fragment: str) -> tuple[str, list[str]]:
    verb, last = before[0], before[-1]
    takes = VERBS[verb].takes if verb in VERBS else {}
    if fragment.startswith("--"):
        return fragment, _starting(fragment, [f"--{name}" for name in takes])
    if verb == "render" and last == "--with":
        return fragment, _starting(fragment, [*_functions(workspace), "none"])
    if last == "--on" or (last.startswith("--") and takes.get(last[2:]) in ("text", "number", "list")):
        return fragment, _starting(fragment, workspace.clients() if last == "--on" else ())
    if verb in ("step", "call"):
        return _payload(workspace, before, fragment)
    return fragment, _starting(fragment, _words(workspace, verb))


def _functions(workspace: Workspace) -> list[str]:
    """The notebook's own functions: what the magics and the shell put there is not meant."""
    variables = list(workspace.namespace.items())
    return [name for name, value in variables if inspect.isfunction(value) and not name.startswith("_")]


def _words(workspace: Workspace, verb: str) -> Iterable[str]:
    demos = demo_names()
    words: dict[str, Iterable[str]] = {
        "demo": demos,
        "connect": [f"demo:{name}" for name in demos],
        "serve": [f"demo:{name}" for name in demos],
        "use": workspace.clients(),
        "close": [*workspace.clients(), "all"],
        "stop": [*workspace.servers, "all"],
        "debug": ("on", "off"),
        "help": VERBS,
    }
    return words.get(verb, ())


def _payload(workspace: Workspace, before: list[str], fragment: str) -> tuple[str, list[str]]:
    client = _client(workspace, before)
    if client is None:
        return fragment, []
    words = [word for word in before[1:] if not word.startswith("--")]
    if before[0] == "call":
        tools = client.known.tools or []
        if not words:
            return fragment, _starting(fragment, [tool.name for tool in tools])
        schema = next((arguments_of(tool) for tool in tools if tool.name == words[0]), None)
    else:
        schema = client.known.action
    return _fields(schema, words, fragment)


def _client(workspace: Workspace, before: list[str]) -> AnyClient | None:
    clients = workspace.clients()
    name = before[before.index("--on") + 1] if "--on" in before[:-1] else workspace.current
    return clients.get(name or "")


def _fields(schema: Shape | None, words: list[str], fragment: str) -> tuple[str, list[str]]:
    fields = {field.name: field for field in action_fields(schema) if not isinstance(field, Const)}
    name, given, value = fragment.partition("=")
    if given:
        return value, _starting(value, _values(fields.get(name), f"{name}="))
    taken = {word.partition("=")[0] for word in words}
    names = [field for field in fields if field != SELDOM and field not in taken]
    bare = [] if any("=" in word for word in words) else _values(only_required_field(schema))
    return fragment, _starting(fragment, [*bare, *(f"{name}=" for name in names if KEY.fullmatch(f"{name}="))])


def _values(field: Shape | None, before: str = "") -> list[str]:
    """List what a field takes, as it is typed behind ``name=`` or alone: of a union, what can be listed."""
    parts = field.branches if isinstance(field, Union) else (field,)
    values = [value for part in parts if part is not None for value in choices(part) or ()]
    found = [_written(value, field, before) for value in values] if field is not None else []
    return [text for text in found if text is not None]


def _written(value: Any, field: Shape, before: str) -> str | None:
    """Write a value so that a line means it: a text as it is, or in quotes; None where neither does."""
    quoted = json.dumps(value, ensure_ascii=False)
    # What begins with @ is read from a file, and Tab reads none.
    plain = value if isinstance(value, str) and not value.startswith("@") else quoted
    return next((text for text in (plain, quoted) if _means(f"{before}{text}", value, field)), None)


def _means(text: str, value: Any, field: Shape) -> bool:
    """Tell whether the text of a payload, alone or as a pair, is read as that value of the field."""
    shape = Object(fields=(dataclasses.replace(field, required=True),))
    try:
        payload = read_payload("", without_end(text), {}).payload
        read = typed_values(payload, shape, lambda name: None) if payload is not None else None
    except (GrammarError, UsageError):
        return False
    return same(read, {field.name: value} if isinstance(payload, dict) else value)


def _starting(fragment: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(fragment)]


def install(shell: Any, workspace: Workspace) -> Any:
    """Have a shell complete our lines; returns what :func:`remove` takes away again.

    IPython before 8.6 completes tools only: its matchers see no lines.
    """
    try:
        from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher
    except ImportError:
        return _install_tools(shell, workspace)

    def match(context: CompletionContext) -> dict[str, Any]:
        line = context.line_with_cursor[: context.cursor_position]
        found = complete(workspace, line) or complete_tools(workspace, line)
        if found is None:
            return {"completions": []}
        fragment, names = found
        completions = [SimpleCompletion(name, type="magic") for name in names]
        return {"completions": completions, "matched_fragment": fragment, "suppress": True, "ordered": True}

    matcher: Any = context_matcher(identifier="openenv_notebook.magic")(match)
    shell.Completer.custom_matchers.append(matcher)
    return matcher


def _install_tools(shell: Any, workspace: Workspace) -> Any:
    def match(text: str) -> list[str]:
        fragment, names = complete_tools(workspace, text) or ("", [])
        return [text[: len(text) - len(fragment)] + name for name in names]

    shell.Completer.custom_matchers.append(match)
    return match


def remove(shell: Any, match: Any) -> None:
    """Stop completing our lines."""
    if match is not None and match in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.remove(match)
