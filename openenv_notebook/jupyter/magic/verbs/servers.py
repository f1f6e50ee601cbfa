"""The verbs on servers of this machine: serve, stop."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.client.connect import connect as connect_to
from openenv_notebook.jupyter.live_line import LiveLine
from openenv_notebook.jupyter.magic.arguments import read_typed, read_words
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.verbs.connecting import given, introduce, program, settings_of
from openenv_notebook.jupyter.magic.verbs.verb import TARGET, Verb
from openenv_notebook.schema.shapes import ABSENT
from openenv_notebook.servers import Backend, Server
from openenv_notebook.servers import serve as serve_on
from openenv_notebook.values.text import nearest, words_of

_SERVE = {**TARGET, "port": "number", "sessions": "number", "arg": "list"}

_SERVED = "MyEnv (a class of this notebook), ./folder, module:app, docker:image, uv:./folder or demo:grid"


def serve(context: Context, rest: str) -> Any:
    """Start a server on this machine and connect to it."""
    line = read_words("serve", rest, _SERVE)
    _refuse_call(context, rest)
    if len(line.words) != 1:
        raise UsageError(f"serve takes one thing: %openenv serve {_SERVED}")
    name = line.options.get("as", "env")
    context.workspace.check_name(name, force=bool(line.options.get("force")))
    context.check_out(line, name)
    what = _served(context, line.words[0])
    settings: dict[str, Any] = {key: int(line.options[key]) for key in ("port", "sessions") if key in line.options}
    if "arg" in line.options:
        settings["arguments"] = dict(_argument(text) for text in line.options["arg"])
    connecting = settings_of(line.options)
    server = serve_on(what, progress=LiveLine(context.workspace.shell).wait_for, **settings)
    try:
        client = connect_to(server.url, **connecting)
    except BaseException:
        server.stop()
        raise
    ended = context.workspace.bind(name, client)
    context.workspace.servers[name] = server
    arguments = "".join(f", {key}={value!r}" for key, value in settings.items())
    shown = line.words[0] if what is not line.words[0] else repr(what)
    to_client = given(line, connecting)
    context.twin = program(
        line,
        f"server = openenv_notebook.serve({shown}{arguments})",
        f"{name} = openenv_notebook.connect(server.url{to_client})",
    )
    introduce(context, name, client, ended)
    return context.out(line, client)


def _refuse_call(context: Context, rest: str) -> None:
    """Refuse ``E(…)``: a server builds its environments itself."""
    called = re.match(r"\s*([^\W\d]\w*)\(", rest)
    if called is None:
        return
    name = called[1]
    if context.workspace.meant(name) is ABSENT:
        raise UsageError(_unknown(context, name))
    raise UsageError(
        f"serve takes the class, not an object of it: %openenv serve {name}; --arg name=value is for its constructor"
    )


def _served(context: Context, word: str) -> Any:
    """Find what a word means: a class of the notebook, else a text for what else can be served."""
    if not word.isidentifier():
        return word
    found = context.workspace.meant(word)
    if found is ABSENT:
        raise UsageError(_unknown(context, word))
    return found


def _unknown(context: Context, name: str) -> str:
    classes = [each for each, value in context.workspace.namespace.items() if isinstance(value, type)]
    return f"there is no class or variable {name} here{nearest(name, classes)} · serve takes {_SERVED}"


def _argument(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise UsageError(f"--arg takes name=value for the constructor, not {text!r}")
    return name, read_typed(value, None)


def stop(context: Context, rest: str) -> Any:
    """Stop a server that serve started, here or in Python, or all of them."""
    line = read_words("stop", rest, {})
    servers = context.workspace.all_servers()
    known = list(dict.fromkeys(name for name, _ in servers))
    wanted = known if line.words in ([], ["all"]) else line.words
    for name in wanted:
        context.workspace.check_notebooks(name)
        if name not in known:
            raise UsageError(
                f"no server is named {name!r}{nearest(name, known)} (servers: {', '.join(known) or 'none'})"
            )
    if not wanted:
        context.say("no server runs that serve started")
    held = [name for name, value in context.workspace.namespace.items() if isinstance(value, Server)]
    chosen = [(name, server) for name, server in servers if name in wanted]
    context.twin = "\n".join(f"{name if name in held else 'server'}.stop()" for name, _ in chosen)
    failures = stop_all(context, chosen)
    if failures:
        told = ", ".join(f"{name} could not be stopped ({words_of(error)})" for name, error in failures)
        raise UsageError(f"{told}; %openenv stop tries again")


def stop_all(context: Context, servers: Iterable[tuple[str, Server | Backend]]) -> list[tuple[str, Exception]]:
    """Stop servers and say so; returns those that could not be stopped, and why."""
    failures: list[tuple[str, Exception]] = []
    for name, server in servers:
        try:
            context.workspace.stop_server(server)
        except Exception as error:
            failures.append((f"the server of {name}", error))
        else:
            context.say(f"the server of {name} is stopped")
    return failures


VERBS = (
    Verb(
        "serve",
        "WHAT [--as env] [--port N] [--sessions N] [--arg k=v …]",
        "start a server on this machine and connect to it: a class, ./folder, module:app, docker:image",
        ("serve MyEnv", "serve ./my_env --as mine", "serve demo:guess --sessions 1"),
        serve,
        _SERVE,
    ),
    Verb("stop", "[NAME … | all]", "stop servers that serve started, here or in Python", ("stop", "stop env"), stop),
)
