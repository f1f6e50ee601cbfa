"""The verbs that connect: demo, connect."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
from collections.abc import Mapping
from typing import Any, cast

from IPython.core.error import UsageError

from openenv_notebook.client.adopt import adopt
from openenv_notebook.client.connect import connect as connect_to
from openenv_notebook.client.learnt import action_schema, environment_name
from openenv_notebook.jupyter.live_line import LiveLine
from openenv_notebook.jupyter.magic.arguments import read_words
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.tokens import Line
from openenv_notebook.jupyter.magic.verbs.verb import TARGET, Verb
from openenv_notebook.jupyter.magic.workspace import AnyClient
from openenv_notebook.jupyter.show import status_lines
from openenv_notebook.schema.describe import fields_line
from openenv_notebook.values.errors import AtCapacity, InvalidTarget
from openenv_notebook.values.targets import parse_target

# A slot that was just given back is free when the server has noticed.
_SLOT_WITHIN = 10.0

_CONNECT = {**TARGET, "client": "text", "header": "list", "token-env": "text", "ping": "text"}


def connect(context: Context, rest: str) -> Any:
    """Connect to a server."""
    line = read_words("connect", rest, _CONNECT)
    if len(line.words) != 1:
        raise UsageError(f"connect takes one address, not {len(line.words)}: %openenv connect localhost:8000")
    return _open(context, line.words[0], line)


def demo(context: Context, rest: str) -> Any:
    """Connect to a small environment of our own."""
    line = read_words("demo", rest, TARGET)
    if len(line.words) > 1:
        raise UsageError(f"demo takes one name, not {len(line.words)}: %openenv demo grid")
    return _open(context, f"demo:{line.words[0] if line.words else 'grid'}", line)


def _open(context: Context, target: str, line: Line) -> AnyClient:
    options, settings = line.options, settings_of(line.options)
    name = options.get("as", "env")
    context.workspace.check_name(name, force=bool(options.get("force")))
    context.check_out(line, name)
    client = _connected(context, name, target, settings)
    ended = context.workspace.bind(name, client)
    context.twin = program(line, f"{name} = openenv_notebook.connect({target!r}{given(line, settings)})")
    introduce(context, name, client, ended)
    return cast(AnyClient, context.out(line, client))


def _connected(context: Context, name: str, target: str, settings: dict[str, Any]) -> AnyClient:
    """Connect first and end the name's old client then, so that a failure loses nothing.

    Only where the old client holds the slot that is missing, it goes first.
    """
    old, progress = context.workspace.held(name), LiveLine(context.workspace.shell).wait_for
    if old is None:
        return connect_to(target, progress=progress, **settings)
    try:
        return connect_to(target, progress=progress, **{**settings, "wait": 0.0})
    except AtCapacity as full:
        if full.url is None or _http_url(full.url) != old.base_url:
            raise
    old.close()
    return connect_to(target, progress=progress, **{**settings, "wait": max(settings["wait"], _SLOT_WITHIN)})


def _http_url(shown: str) -> str | None:
    try:
        return getattr(parse_target(shown), "http_url", None)
    except InvalidTarget:
        return None


def settings_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Read what the options of a line give to connect()."""
    settings: dict[str, Any] = {"wait": options.get("wait", 0.0)}
    if "timeout" in options:
        settings["timeout"] = options["timeout"]
    if "header" in options:
        settings["headers"] = dict(_header(text) for text in options["header"])
    if "ping" in options:
        settings["websocket_ping_interval_s"] = _ping_interval(options["ping"])
    if "token-env" in options:
        settings["token"] = _token(options["token-env"])
    if "client" in options:
        settings["client"] = _client_class(options["client"])
    return settings


def _header(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.replace("-", "").isalnum():
        name, separator, value = text.partition(":")
    if not separator or not name.strip():
        # It may be a token without its name.
        raise UsageError(f"--header takes NAME=VALUE, such as Authorization='Bearer …', not {len(text)} characters")
    return name.strip(), value.strip()


def _ping_interval(text: str) -> float | None:
    with contextlib.suppress(ValueError):
        if text.lower() == "none" or 0 < float(text) < math.inf:
            return None if text.lower() == "none" else float(text)
    raise UsageError(f"--ping takes seconds between two pings, or none, not {text!r}: --ping 10, --ping none")


def _token(variable: str) -> str:
    token = os.environ.get(variable)
    if not token:
        raise UsageError(f"the environment variable {variable} is not set; --token-env takes its name, not the token")
    return token


def _client_class(text: str) -> Any:
    module, separator, name = text.partition(":")
    if not separator:
        raise UsageError(f"--client takes module:Class, not {text!r}; a class of this notebook is __main__:{text}")
    try:
        return adopt(getattr(importlib.import_module(module), name))
    except (ImportError, AttributeError) as error:
        # A class of one's own is an upgrade, never a condition.
        without = "without --client results are dicts with attribute access"
        raise UsageError(f"--client {text}: {error} · {without}") from None


def given(line: Line, settings: Mapping[str, Any]) -> str:
    """Write what a line gives to connect() as Python; headers may be secret: their values are left out."""
    written = {key: repr(settings[key]) for key in ("wait", "timeout") if settings.get(key)}
    if "ping" in line.options:
        written["websocket_ping_interval_s"] = repr(settings["websocket_ping_interval_s"])
    if "token-env" in line.options:
        written["token"] = f"os.environ[{line.options['token-env']!r}]"
    if "headers" in settings:
        written["headers"] = "{" + ", ".join(f"{name!r}: ..." for name in settings["headers"]) + "}"
    if "client" in line.options:
        written["client"] = line.options["client"].replace(":", ".")
    return "".join(f", {key}={value}" for key, value in written.items())


def program(line: Line, *statements: str) -> str:
    """Write statements as a program, with the imports that they need."""
    imports = ["import os"] if "token-env" in line.options else []
    if "client" in line.options:
        imports.append(f"import {line.options['client'].partition(':')[0]}")
    return "\n".join([*dict.fromkeys([*imports, "import openenv_notebook"]), "", *statements])


def introduce(context: Context, name: str, client: AnyClient, ended: list[str]) -> None:
    """Say in one line who was connected, what it takes, and what ended for it."""
    fields = fields_line(action_schema(client))
    said = [
        f"{name} → {environment_name(client) or 'environment'}, {client.base_url}",
        fields,
        *ended,
        status_lines.next_line(client),
    ]
    context.say(" · ".join(part for part in said if part))


VERBS = (
    Verb("demo", "[NAME] [--as env]", "a small environment served in this notebook", ("demo grid",), demo, TARGET),
    Verb(
        "connect",
        "TARGET [--as env] [--wait S] [--timeout S] [--header K=V …] [--token-env VAR] "
        "[--client module:Class] [--ping S|none] [--force]",
        "connect to a server and bind the client to a name",
        ("connect localhost:8000", "connect owner/name --as bob", "connect https://host/path --wait 120"),
        connect,
        _CONNECT,
    ),
)
