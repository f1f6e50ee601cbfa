"""The verbs on clients and servers: connect, demo, serve, use, status, close, stop."""

from __future__ import annotations

import importlib
import os
import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any, cast

from IPython.core.error import UsageError

from openenv_notebook.attributes import nearest
from openenv_notebook.connecting import connect as connect_to
from openenv_notebook.errors import AtCapacity, InvalidTarget
from openenv_notebook.jupyter import render
from openenv_notebook.jupyter.arguments import Line, no_words, read_typed, read_words
from openenv_notebook.jupyter.asking import action_schema, environment_name
from openenv_notebook.jupyter.desk import Desk
from openenv_notebook.jupyter.progress import ProgressLine
from openenv_notebook.jupyter.verbs.verb import TARGET, Verb
from openenv_notebook.jupyter.workspace import AnyClient
from openenv_notebook.schema import action_fields
from openenv_notebook.servers import Backend, Server
from openenv_notebook.servers import serve as serve_on
from openenv_notebook.targets import parse_target

# A slot that was just given back is free when the server has noticed.
_SLOT_WITHIN = 10.0

_CONNECT = {**TARGET, "client": "text", "header": "list", "token-env": "text"}
_SERVE = {**TARGET, "port": "number", "sessions": "number", "arg": "list"}

_SERVED = "MyEnv (a class of this notebook), ./folder, module:app, docker:image, uv:./folder or demo:grid"


def connect(desk: Desk, rest: str) -> Any:
    """Connect to a server."""
    line = read_words("connect", rest, _CONNECT)
    if len(line.words) != 1:
        raise UsageError(f"connect takes one address, not {len(line.words)}: %openenv connect localhost:8000")
    return _open(desk, line.words[0], line)


def demo(desk: Desk, rest: str) -> Any:
    """Connect to a small environment of our own."""
    line = read_words("demo", rest, TARGET)
    if len(line.words) > 1:
        raise UsageError(f"demo takes one name, not {len(line.words)}: %openenv demo grid")
    return _open(desk, f"demo:{line.words[0] if line.words else 'grid'}", line)


def _open(desk: Desk, target: str, line: Line) -> AnyClient:
    options, settings = line.options, _settings(line.options)
    name = options.get("as", "env")
    desk.workspace.check_name(name, force=bool(options.get("force")))
    desk.check_out(line, name)
    client = _connected(desk, name, target, settings)
    ended = desk.workspace.bind(name, client)
    desk.twin = _code(line, f"{name} = openenv_notebook.connect({target!r}{_given(line, settings)})")
    _introduce(desk, name, client, ended)
    return cast(AnyClient, desk.out(line, client))


def _given(line: Line, settings: Mapping[str, Any]) -> str:
    """Write what a line gives to connect() as Python; headers may be secret and are left out."""
    written = {key: repr(settings[key]) for key in ("wait", "timeout") if settings.get(key)}
    if "token-env" in line.options:
        written["token"] = f"os.environ[{line.options['token-env']!r}]"
    if "client" in line.options:
        written["client"] = line.options["client"].replace(":", ".")
    return "".join(f", {key}={value}" for key, value in written.items())


def _code(line: Line, *statements: str) -> str:
    """Write statements with the imports that they need."""
    imports = ["import os"] if "token-env" in line.options else []
    if "client" in line.options:
        imports.append(f"import {line.options['client'].partition(':')[0]}")
    return "\n".join([*dict.fromkeys([*imports, "import openenv_notebook"]), "", *statements])


def _connected(desk: Desk, name: str, target: str, settings: dict[str, Any]) -> AnyClient:
    """Connect first and end the name's old client then, so that a failure loses nothing.

    Only where the old client holds the slot that is missing, it goes first.
    """
    old, progress = desk.workspace.held(name), ProgressLine(desk.shell)
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


def _introduce(desk: Desk, name: str, client: AnyClient, ended: list[str]) -> None:
    fields = render.fields_line(action_schema(client))
    said = [
        f"{name} → {environment_name(client) or 'environment'}, {client.base_url}",
        fields,
        *ended,
        render.next_line(client),
    ]
    desk.say(" · ".join(part for part in said if part))


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {"wait": options.get("wait", 0.0)}
    if "timeout" in options:
        settings["timeout"] = options["timeout"]
    if "header" in options:
        settings["headers"] = dict(_header(text) for text in options["header"])
    if "token-env" in options:
        settings["token"] = _token(options["token-env"])
    if "client" in options:
        settings["client"] = _client_class(options["client"])
    return settings


def serve(desk: Desk, rest: str) -> Any:
    """Start a server on this machine and connect to it."""
    line = read_words("serve", rest, _SERVE)
    _refuse_call(desk, rest)
    if len(line.words) != 1:
        raise UsageError(f"serve takes one thing: {_SERVED}")
    name = line.options.get("as", "env")
    desk.workspace.check_name(name, force=bool(line.options.get("force")))
    desk.check_out(line, name)
    what = _served(desk, line.words[0])
    settings: dict[str, Any] = {key: int(line.options[key]) for key in ("port", "sessions") if key in line.options}
    if "arg" in line.options:
        settings["arguments"] = dict(_argument(text) for text in line.options["arg"])
    connecting = _settings(line.options)
    server = serve_on(what, progress=ProgressLine(desk.shell), **settings)
    try:
        client = connect_to(server.url, **connecting)
    except BaseException:
        server.stop()
        raise
    ended = desk.workspace.bind(name, client)
    desk.workspace.servers[name] = server
    given = "".join(f", {key}={value!r}" for key, value in settings.items())
    shown = line.words[0] if what is not line.words[0] else repr(what)
    given_to_client = _given(line, connecting)
    desk.twin = _code(
        line,
        f"server = openenv_notebook.serve({shown}{given})",
        f"{name} = openenv_notebook.connect(server.url{given_to_client})",
    )
    _introduce(desk, name, client, ended)
    return desk.out(line, client)


def _refuse_call(desk: Desk, rest: str) -> None:
    """Refuse ``E(…)``: a server builds its environments itself."""
    called = re.match(r"\s*([^\W\d]\w*)\(", rest)
    if called is None:
        return
    name = called[1]
    if name not in desk.workspace.namespace:
        raise UsageError(_unknown(desk, name))
    raise UsageError(
        f"serve takes the class, not an object of it: %openenv serve {name}; --arg name=value is for its constructor"
    )


def _served(desk: Desk, word: str) -> Any:
    """Find what a word means: a class of the notebook, else a text for what else can be served."""
    if word in desk.workspace.namespace:
        return desk.workspace.namespace[word]
    if word.isidentifier():
        raise UsageError(_unknown(desk, word))
    return word


def _unknown(desk: Desk, name: str) -> str:
    variables = [each for each, value in desk.workspace.namespace.items() if callable(value) and each[0] != "_"]
    return f"there is no class or variable {name} here{nearest(name, variables)} · serve takes {_SERVED}"


def use(desk: Desk, rest: str) -> Any:
    """Make a client the current one, and remember the field for cell bodies."""
    line = read_words("use", rest, {"field": "text"})
    if len(line.words) != 1:
        raise UsageError("use takes a client's name: %openenv use env")
    name = line.words[0]
    known = list(desk.workspace.clients())
    if name not in known:
        raise UsageError(
            f"there is no client named {name!r}{nearest(name, known)} (connected: {', '.join(known) or 'none'})"
        )
    if "field" in line.options:
        _check_field(desk.workspace.clients()[name], line.options["field"])
    desk.workspace.current = name
    if "field" in line.options:
        desk.workspace.fields[name] = line.options["field"]
    field = desk.workspace.fields.get(name)
    desk.say(f"{name} is current" + (f" · %%openenv sends the cell's body as {field}" if field else ""))


def _check_field(client: AnyClient, field: str) -> None:
    """Refuse a field that actions do not have, where the server tells them."""
    known = [each.name for each in action_fields(action_schema(client) or {})]
    if known and field not in known:
        raise UsageError(f"actions have no field {field!r}{nearest(field, known)} (fields: {', '.join(known)})")


def close(desk: Desk, rest: str) -> Any:
    """Close a client, or all of them with the servers of %openenv serve, even if one fails."""
    line = read_words("close", rest, {"on": "text"})
    names = line.words or ([line.options["on"]] if "on" in line.options else [])
    servers: list[tuple[str, Server | Backend]] = []
    if names == ["all"]:
        firsts = {id(client): name for name, client in reversed(desk.workspace.clients().items())}
        names, servers = list(reversed(firsts.values())), list(desk.workspace.servers.items())
        if not names:
            desk.say("nothing is connected")
    elif not names:
        names = [desk.workspace.get()[0]]
    failures: list[tuple[str, Exception]] = []
    for name in names:
        try:
            desk.workspace.close(name)
        except Exception as error:
            if len(names) == 1 and not servers:
                raise
            failures.append((f"the client {name}", error))
        else:
            desk.say(f"{name} is closed")
    desk.twin = "\n".join(f"{name}.close()" for name in names)
    failures += _stopped(desk, servers)
    if failures:
        told = "; ".join(f"{name}: {type(error).__name__}: {error}" for name, error in failures)
        raise UsageError(f"{len(failures)} of {len(names) + len(servers)} could not be closed: {told}")


def stop(desk: Desk, rest: str) -> Any:
    """Stop a server that serve started, here or in Python, or all of them."""
    line = read_words("stop", rest, {})
    servers = desk.workspace.all_servers()
    known = list(dict.fromkeys(name for name, _ in servers))
    wanted = known if line.words in ([], ["all"]) else line.words
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"no server is named {name!r}{nearest(name, known)} (servers: {', '.join(known) or 'none'})"
            )
    if not wanted:
        desk.say("no server of serve runs")
    held = [name for name, value in desk.workspace.namespace.items() if isinstance(value, Server)]
    chosen = [(name, server) for name, server in servers if name in wanted]
    desk.twin = "\n".join(f"{name if name in held else 'server'}.stop()" for name, _ in chosen)
    failures = _stopped(desk, chosen)
    if failures:
        raise UsageError("; ".join(f"{name} could not be stopped: {error}" for name, error in failures))


def _stopped(desk: Desk, servers: Iterable[tuple[str, Server | Backend]]) -> list[tuple[str, Exception]]:
    """Stop servers and say so; returns those that could not be stopped, and why."""
    failures: list[tuple[str, Exception]] = []
    for name, server in servers:
        try:
            desk.workspace.stop_server(server)
        except Exception as error:
            failures.append((f"the server of {name}", error))
        else:
            desk.say(f"the server of {name} is stopped")
    return failures


def status(desk: Desk, rest: str) -> Any:
    """Say who is connected, which servers run, and what is held."""
    no_words(read_words("status", rest, {}))
    overview(desk)
    for name, server in desk.workspace.all_servers():
        print(render.server_line(name, server))
    threads = sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("openenv"))
    print(f"threads: {', '.join(threads) or 'none'}")


def overview(desk: Desk) -> None:
    """Say which clients there are and what can be done next."""
    clients = desk.workspace.clients()
    if not clients:
        print(render.START)
        return
    current, client = desk.workspace.get()
    shown: dict[int, str] = {}
    for name, each in clients.items():
        first = shown.setdefault(id(each), name)
        twice = f"  {name}: the same as {first}"
        print(render.client_line(name, each, current=name == current) if name == first else twice)
    print(render.next_line(client))


def _header(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.replace("-", "").isalnum():
        name, separator, value = text.partition(":")
    if not separator or not name.strip():
        raise UsageError(f"--header takes NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def _argument(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise UsageError(f"--arg takes name=value for the constructor, not {text!r}")
    return name, read_typed(value, None)


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
        # A class of one's own is an upgrade, never a condition.
        without = "without --client results are dicts with attribute access"
        raise UsageError(f"--client {text}: {error} · {without}") from None


VERBS = (
    Verb("demo", "[NAME] [--as env]", "a small environment served in this notebook", ("demo grid",), demo, TARGET),
    Verb(
        "connect",
        "TARGET [--as env] [--wait S] [--timeout S] [--header K=V …] [--token-env VAR] "
        "[--client module:Class] [--force]",
        "connect to a server and bind the client to a name",
        ("connect localhost:8000", "connect owner/name --as bob", "connect https://host/path --wait 120"),
        connect,
        _CONNECT,
    ),
    Verb(
        "serve",
        "WHAT [--as env] [--port N] [--sessions N] [--arg k=v …]",
        "start a server on this machine and connect to it: a class, ./folder, module:app, docker:image",
        ("serve MyEnv", "serve ./my_env --as mine", "serve demo:guess --sessions 1"),
        serve,
        _SERVE,
    ),
    Verb(
        "use",
        "NAME [--field F]",
        "make a client the current one",
        ("use env", "use env --field code"),
        use,
        {"field": "text"},
    ),
    Verb("status", "", "who is connected, which servers run, what is held", ("status",), status),
    Verb(
        "close",
        "[NAME … | all]",
        "close clients; all: with the servers of %openenv serve",
        ("close", "close env", "close all"),
        close,
        {"on": "text"},
    ),
    Verb("stop", "[NAME … | all]", "stop servers that serve started, here or in Python", ("stop", "stop env"), stop),
)
