"""The verbs on clients: use, status, close."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.client.learnt import action_schema
from openenv_notebook.jupyter.magic.arguments import no_words, read_words
from openenv_notebook.jupyter.magic.context import Context
from openenv_notebook.jupyter.magic.verbs.servers import stop_all
from openenv_notebook.jupyter.magic.verbs.verb import Verb
from openenv_notebook.jupyter.magic.workspace import AnyClient
from openenv_notebook.jupyter.show import status_lines
from openenv_notebook.schema.action import action_fields
from openenv_notebook.servers import Backend, Server
from openenv_notebook.threads.worker import own_threads
from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.text import named_words, nearest


def use(context: Context, rest: str) -> Any:
    """Make a client the current one, and remember the field for cell bodies."""
    line = read_words("use", rest, {"field": "text"})
    if len(line.words) != 1:
        raise UsageError("use takes a client's name: %openenv use env")
    name = line.words[0]
    context.workspace.check_notebooks(name)
    known = list(context.workspace.clients())
    if name not in known:
        raise UsageError(
            f"there is no client named {name!r}{nearest(name, known)} (connected: {', '.join(known) or 'none'}); "
            f"%openenv connect ADDRESS --as {name}"
        )
    if "field" in line.options:
        _check_field(context.workspace.clients()[name], line.options["field"])
    context.workspace.current = name
    if "field" in line.options:
        context.workspace.fields[name] = line.options["field"]
    field = context.workspace.fields.get(name)
    context.say(f"{name} is current" + (f" · %%openenv sends the cell's body as {field}" if field else ""))


def _check_field(client: AnyClient, field: str) -> None:
    """Refuse a field that actions do not have, where the server tells them."""
    known = [each.name for each in action_fields(action_schema(client))]
    if known and field not in known:
        raise UsageError(f"actions have no field {field!r}{nearest(field, known)} (fields: {', '.join(known)})")


def status(context: Context, rest: str) -> Any:
    """Say who is connected, which servers run, and what is held."""
    no_words(read_words("status", rest, {}))
    overview(context)
    for name, server in context.workspace.all_servers():
        print(status_lines.server_line(name, server))
    print(f"threads: {', '.join(own_threads()) or 'none'}")


def overview(context: Context) -> None:
    """Say which clients there are and what can be done next."""
    clients = context.workspace.clients()
    if not clients:
        print(status_lines.START)
        return
    current, client = context.workspace.get()
    for name, first in context.workspace.first_names().items():
        twice = f"{'*' if name == current else ' '} {name}: the same as {first}"
        print(status_lines.client_line(name, clients[name], current=name == current) if name == first else twice)
    print(status_lines.next_line(client))


def close(context: Context, rest: str) -> Any:
    """Close a client, or all of them with the servers of %openenv serve, even if one fails."""
    line = read_words("close", rest, {"on": "text"})
    names = line.words or ([line.options["on"]] if "on" in line.options else [])
    servers: list[tuple[str, Server | Backend]] = []
    if names == ["all"]:
        names = list(dict.fromkeys(context.workspace.first_names().values()))
        servers = list(context.workspace.servers.items())
        if not names:
            context.say("nothing is connected")
    elif not names:
        names = [context.workspace.get()[0]]
    failures: list[tuple[str, Exception]] = []
    for name in names:
        try:
            # Its variable stays and says that it is closed.
            context.workspace.get(name)[1].close()
        except Exception as error:
            if len(names) == 1 and not servers:
                raise
            failures.append((f"the client {name}", error))
        else:
            context.say(f"{name} is closed")
    context.twin = "\n".join(f"{name}.close()" for name in names)
    failures += stop_all(context, servers)
    if failures:
        told = foreign_text(", ".join(f"{name} ({named_words(error)})" for name, error in failures))
        raise UsageError(
            f"{len(failures)} of {len(names) + len(servers)} could not be closed: {told}; "
            "%openenv close all tries again"
        )


VERBS = (
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
)
