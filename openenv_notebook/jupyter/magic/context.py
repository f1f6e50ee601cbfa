"""What a verb works with: the clients by name, the notebook's variables, and the reader's eye."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.jupyter.magic.arguments import read_typed
from openenv_notebook.jupyter.magic.python_twin import literal
from openenv_notebook.jupyter.magic.tokens import Expression, GrammarError, Line, Typed, Variable, read_json
from openenv_notebook.jupyter.magic.workspace import AnyClient, Workspace
from openenv_notebook.schema.action import action_fields, only_required_field, takes_text
from openenv_notebook.schema.shapes import ABSENT, Shape
from openenv_notebook.values.text import one_line


class Context:
    """The place where a verb is carried out.

    Attributes:
        twin: The Python that does what the last verb did.
        told: What was said once and is not said again.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.twin = ""
        self.told: set[tuple[object, ...]] = set()

    def say(self, text: str) -> None:
        """Print one line on what changed."""
        print(f"openenv: {one_line(text)}")

    def client(self, line: Line) -> tuple[str, AnyClient]:
        """Find the client that a line means, with its --timeout, and its name.

        Raises UsageError if nothing is connected, or if --out names an open client.
        """
        self.check_out(line)
        name, client = self.workspace.get(line.options.get("on"))
        timeout = line.options.get("timeout")
        return name, client if timeout is None else client.options(timeout=timeout)

    def out(self, line: Line, value: Any) -> Any:
        """Bind a value to the name --out gives, and return it."""
        name = line.options.get("out")
        if name is not None:
            if self.workspace.held(name) is not value:
                self.check_out(line)
            self.workspace.namespace[name] = value
        return value

    def check_out(self, line: Line, bound: str | None = None) -> None:
        """Refuse, by UsageError, to bind a value to the name of an open client: nothing else may hold it.

        Only ``bound``, the name that the value, a client, gets anyway, may be given as --out as well.
        """
        name = line.options.get("out")
        if name is not None:
            self.workspace.check_bound(name)
        if name not in (None, bound) and self.workspace.held(name) is not None:
            raise UsageError(f"{name} holds an open client and is not overwritten; choose another name: --out result")

    def values(self, payload: Any, schema: Shape | None, call: str, secrets: Container[str] | None = None) -> Any:
        """Turn a payload into values by :func:`typed_values`, with the notebook's variables.

        Raises GrammarError for JSON that is none, and for ``$a.b[0]``, with the Python for it. The call is that Python
        up to the values: ``env.step(``; ``secrets`` names fields that the server marked.
        """
        values = payload.values() if isinstance(payload, dict) else (payload,)
        found = next((value for value in values if isinstance(value, Expression)), None)
        if found is not None:
            python = f"{call}{_written(payload, schema, secrets)})"
            raise GrammarError(f"'${found.text}' is more than a name; write it in Python: {python}")
        return typed_values(payload, schema, self.variable)

    def variable(self, name: str) -> Any:
        """Find the object that a name means: of the function that the magic stands in, else of the notebook."""
        found = self.workspace.meant(name)
        if found is ABSENT:
            raise UsageError(f'${name} is no variable of this notebook; for the text itself write "${name}"')
        return found


def typed_values(payload: Any, schema: Shape | None, variable: Callable[[str], Any]) -> Any:
    """Turn what was typed into values: by what the fields take, where that is known.

    Gives a dict of values, or one value; an empty dict for no payload. ``variable`` finds the object of a ``$name``.
    """
    if payload is None:
        return {}
    fields = {field.name: field for field in action_fields(schema)}
    if isinstance(payload, dict):
        return {name: _value(value, fields.get(name), variable) for name, value in payload.items()}
    return _value(payload, only_required_field(schema), variable)


def _value(value: Any, field: Shape | None, variable: Callable[[str], Any]) -> Any:
    """Turn one typed value into what its field takes; a variable into its object."""
    if isinstance(value, Variable):
        return variable(value.name)
    if isinstance(value, Expression):
        raise GrammarError(f"'${value.text}' is more than a name; only the variable $name itself can be given here")
    if not isinstance(value, Typed):
        return value
    if value.text.startswith("@"):
        return _file(value.text[1:])
    return _read(value.text, field)


def _read(text: str, field: Shape | None) -> Any:
    """Read characters as their field takes them; what begins as JSON and is none is refused."""
    if text[:1] in ("{", "[") and not (field is not None and takes_text(field)):
        return read_json(text)
    return read_typed(text, field)


def _written(payload: Any, schema: Shape | None, secrets: Container[str] | None) -> str:
    """Write what was typed as the arguments of a call in Python."""
    fields = {field.name: field for field in action_fields(schema)}
    if not isinstance(payload, dict):
        only = only_required_field(schema)
        if only is None:
            return f"**{payload.text}"
        payload = {only.name: payload}
    parts = []
    for name, value in payload.items():
        if isinstance(value, Typed):
            value = _read(value.text, fields.get(name))
        code = value.text if isinstance(value, Expression) else _code(name, value, secrets)
        named = name.isidentifier() and not keyword.iskeyword(name)
        parts.append(f"{name}={code}" if named else f"**{{{name!r}: {code}}}")
    return ", ".join(parts)


def _code(name: str, value: Any, secrets: Container[str] | None) -> str:
    return value.name if isinstance(value, Variable) else literal(value, name, secrets)


def _file(path: str) -> str:
    try:
        return Path(path).expanduser().read_bytes().decode()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"@{path} cannot be read: {error}; a path is read from the current folder") from None
