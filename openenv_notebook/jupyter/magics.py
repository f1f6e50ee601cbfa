"""``%openenv``: each verb parses, calls one public function and returns its value."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from openenv_notebook.attributes import nearest
from openenv_notebook.connecting import connect
from openenv_notebook.errors import OpenEnvError
from openenv_notebook.jupyter import render
from openenv_notebook.jupyter.arguments import (
    GrammarError,
    Line,
    Typed,
    Variable,
    read_payload,
    read_typed,
    read_words,
    split_verb,
    takes_text,
)
from openenv_notebook.jupyter.progress import ProgressLine
from openenv_notebook.jupyter.workspace import AnyClient, Workspace
from openenv_notebook.schema import Field, action_fields, only_required_field

try:
    from IPython.core.magic import output_can_be_silenced
except ImportError:  # IPython before 8.7 cannot silence a magic
    output_can_be_silenced = no_var_expand


_TARGET_OPTIONS = {"as": "text", "timeout": "number", "wait": "number", "force": "flag", "out": "text"}
_CONNECT_OPTIONS = {**_TARGET_OPTIONS, "client": "text", "header": "list", "token-env": "text"}
_SESSION_OPTIONS = {"on": "text", "out": "text", "timeout": "number"}


@magics_class
class OpenEnvMagics(Magics):
    """The verbs, over one workspace.

    Args:
        shell: The shell.
        workspace: Its clients by name.
    """

    def __init__(self, shell: Any, workspace: Workspace) -> None:
        super().__init__(shell)
        self._workspace = workspace
        self._verbs: dict[str, Callable[[str], Any]] = {
            "connect": self._connect,
            "demo": self._demo,
            "reset": self._reset,
            "step": self._step,
            "state": self._state,
            "status": self._status,
            "close": self._close,
        }

    @no_var_expand
    @output_can_be_silenced
    @line_cell_magic
    def openenv(self, line: str, cell: str | None = None) -> Any:
        """Drive OpenEnv environments from a notebook.

        To start::

            %openenv demo grid                    a small environment served here
            %openenv connect localhost:8000       a server; the client is bound to env
            %openenv connect owner/name --as bob  a Hub Space; the client is bound to bob

        The session::

            %openenv reset seed=7
            %openenv step right                   the only required field
            %openenv step column=3                fields by name
            %openenv step {"column": 3}           JSON, byte for byte
            %openenv step $action                 a variable of the notebook
            %%openenv                             the cell's body is the text of the only
                                                  required text field (--field NAME: of that
                                                  one), else JSON (--json: always)
            %openenv state

        Who is there::

            %openenv                              the clients, and what can be done next
            %openenv status
            %openenv close [NAME | all]

        ``--on NAME`` picks a client, else the last connected one is meant. ``--out NAME``
        binds the value. ``r = %openenv step right`` works as well.
        """
        try:
            return self._run(line, cell)
        except GrammarError as error:
            raise UsageError(str(error)) from None

    def _run(self, line: str, cell: str | None) -> Any:
        verb, rest = split_verb(line)
        if cell is not None:
            if verb.startswith("-"):
                verb, rest = "step", line
            if verb not in ("", "step"):
                raise UsageError(f"%%openenv takes the body as an action: %%openenv step, not %%openenv {verb}")
            return self._step_body(rest, cell)
        if not verb or verb.startswith("#"):
            return self._overview()
        run = self._verbs.get(verb)
        if run is None:
            raise UsageError(f"{verb!r} is no verb of %openenv{nearest(verb, self._verbs)} ({', '.join(self._verbs)})")
        return run(rest)

    # Clients

    def _connect(self, rest: str) -> Any:
        line = read_words("connect", rest, _CONNECT_OPTIONS)
        if len(line.words) != 1:
            raise UsageError(
                f"%openenv connect takes one address, not {len(line.words)}: %openenv connect localhost:8000"
            )
        return self._open(line.words[0], line)

    def _demo(self, rest: str) -> Any:
        line = read_words("demo", rest, _TARGET_OPTIONS)
        return self._open(f"demo:{line.words[0] if line.words else 'grid'}", line)

    def _open(self, target: str, line: Line) -> AnyClient:
        options = line.options
        name = options.get("as", "env")
        self._workspace.make_room(name, force=bool(options.get("force")))
        settings: dict[str, Any] = {"progress": ProgressLine(self.shell), "wait": options.get("wait", 0.0)}
        if "timeout" in options:
            settings["timeout"] = options["timeout"]
        if "header" in options:
            settings["headers"] = dict(_header(text) for text in options["header"])
        if "token-env" in options:
            settings["token"] = _token(options["token-env"])
        if "client" in options:
            settings["client"] = _client_class(options["client"])
        client = connect(target, **settings)
        self._workspace.bind(name, client)
        fields = render.fields_line(_action_schema(client))
        said = [f"{name} → {_title(client)}, {client.base_url}", fields, render.next_line(client)]
        _say(" · ".join(part for part in said if part))
        return cast(AnyClient, self._out(line, client))

    def _close(self, rest: str) -> Any:
        line = read_words("close", rest, {"on": "text"})
        names = line.words or ([line.options["on"]] if "on" in line.options else [])
        if names == ["all"]:
            names = list(self._workspace.clients())
            if not names:
                _say("nothing is connected")
        elif not names:
            names = [self._workspace.get()[0]]
        for name in names:
            _say(f"{self._workspace.close(name)} is closed")

    def _status(self, rest: str) -> Any:
        read_words("status", rest, {})
        return self._overview()

    def _overview(self) -> None:
        clients = self._workspace.clients()
        if not clients:
            print(render.START)
            return
        current, client = self._workspace.get()
        for name, each in clients.items():
            print(render.client_line(name, each, current=name == current))
        print(render.next_line(client))

    # The session

    def _reset(self, rest: str) -> Any:
        line = read_payload("reset", rest, {**_SESSION_OPTIONS, "seed": "text"})
        client = self._client(line)
        payload = self._fields(line.payload, None)
        if not isinstance(payload, Mapping):
            raise UsageError(f"reset takes named arguments: %openenv reset seed=7, not {payload!r}")
        if "seed" in line.options:
            payload = {**payload, "seed": read_typed(line.options["seed"], None)}
        return self._out(line, client.reset(**payload))

    def _step(self, rest: str) -> Any:
        line = read_payload("step", rest, _SESSION_OPTIONS)
        client = self._client(line)
        schema = _action_schema(client)
        return self._stepped(line, client, self._fields(line.payload, schema))

    def _stepped(self, line: Line, client: AnyClient, action: Any) -> Any:
        result = client.step(action)
        ended = render.result_line(client)
        if ended:
            _say(ended)
        return self._out(line, result)

    def _step_body(self, rest: str, cell: str) -> Any:
        """Step with a cell's body: the text of a field byte for byte, else JSON."""
        line = read_payload("step", rest, {**_SESSION_OPTIONS, "field": "text", "json": "flag"})
        if line.payload is not None:
            raise UsageError(
                "%%openenv step takes its payload from the cell's body; options only stand in the first line"
            )
        # IPython ends every cell with a line end that the person did not type.
        body = cell[:-1] if cell.endswith("\n") else cell
        client = self._client(line)
        field = line.options.get("field") or _text_field(_action_schema(client))
        is_text = field is not None and not line.options.get("json")
        action = {field: body} if is_text else read_payload("step", body, {}).payload
        return self._stepped(line, client, action)

    def _state(self, rest: str) -> Any:
        line = read_words("state", rest, _SESSION_OPTIONS)
        return self._out(line, self._client(line).state())

    # Inside

    def _client(self, line: Line) -> AnyClient:
        client = self._workspace.get(line.options.get("on"))[1]
        return client.options(timeout=line.options["timeout"]) if "timeout" in line.options else client

    def _out(self, line: Line, value: Any) -> Any:
        name = line.options.get("out")
        if name is not None:
            if not name.isidentifier():
                raise UsageError(f"{name!r} is no name for a variable; --out result")
            self._workspace.namespace[name] = value
        return value

    def _fields(self, payload: Any, schema: Mapping[str, Any] | None) -> Any:
        """Turn what was typed into an action: by what the fields take, where that is known."""
        if payload is None:
            return {}
        fields = {field.name: field for field in action_fields(schema)} if schema is not None else {}
        if isinstance(payload, dict):
            return {name: self._value(value, fields.get(name)) for name, value in payload.items()}
        return self._value(payload, only_required_field(schema) if schema is not None else None)

    def _value(self, value: Any, field: Field | None) -> Any:
        if isinstance(value, Variable):
            if value.name not in self._workspace.namespace:
                raise UsageError(
                    f'${value.name} is no variable of this notebook; for the text itself write "${value.name}"'
                )
            return self._workspace.namespace[value.name]
        if not isinstance(value, Typed):
            return value
        if value.text.startswith("@"):
            return _file(value.text[1:])
        return read_typed(value.text, field.schema if field is not None else None)


def _say(text: str) -> None:
    print(f"openenv: {text}")


def _action_schema(client: AnyClient) -> Mapping[str, Any] | None:
    """The schema of actions; some servers tell none, and the session works without it."""
    try:
        found = client.schema().get("action")
    except OpenEnvError:
        return None
    return found if isinstance(found, Mapping) else None


def _text_field(schema: Mapping[str, Any] | None) -> str | None:
    """The only required field, where it takes text."""
    field = only_required_field(schema) if schema is not None else None
    return field.name if field is not None and takes_text(field.schema) else None


def _title(client: AnyClient) -> str:
    try:
        return str(client.metadata().get("name") or "environment")
    except OpenEnvError:
        return "environment"


def _header(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        name, separator, value = text.partition(":")
    if not separator or not name.strip():
        raise UsageError(f"--header takes NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def _token(variable: str) -> str:
    token = os.environ.get(variable)
    if not token:
        raise UsageError(f"the environment variable {variable} is not set; --token-env takes its name, not the token")
    return token


def _client_class(text: str) -> Any:
    module, separator, name = text.partition(":")
    if not separator:
        raise UsageError(f"--client takes module:Class, not {text!r}")
    from openenv_notebook.adopt import adopt

    try:
        return adopt(getattr(importlib.import_module(module), name))
    except (ImportError, AttributeError) as error:
        raise UsageError(f"--client {text}: {error}") from None


def _file(path: str) -> str:
    try:
        return Path(path).expanduser().read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"@{path} cannot be read: {error}") from None
