"""The clients of a notebook by name: one name is the current one."""

from __future__ import annotations

import builtins
import keyword
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from IPython.core.error import UsageError

from openenv_notebook.client.blocking import Blocking
from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.jupyter.magic.scope import Scope, caller_of
from openenv_notebook.schema.shapes import ABSENT
from openenv_notebook.servers import Backend, Server, running_own
from openenv_notebook.values.errors import UnknownClient
from openenv_notebook.values.text import nearest

# Views of clients of another package are among them; only what is asked of those is typed.
AnyClient = SyncEnvClient[Any, Any, Any]


class Workspace:
    """Names, clients and servers of a shell. The notebook's variables are the only list of clients there is.

    It outlives the magics, and does not keep the shell alive.

    Attributes:
        current: The name meant where none is given, while it holds an open client.
        servers: Servers that %openenv serve started, by the name of their client.
        fields: The field that a cell's body goes to, by the name of the client.
    """

    def __init__(self, shell: Any) -> None:
        self._shell_of = weakref.ref(shell)
        self.current: str | None = None
        self.servers: dict[str, Server] = {}
        self.fields: dict[str, str] = {}
        # A function may run on a thread of its own.
        self._here = threading.local()

    @property
    def shell(self) -> Any:
        """The shell."""
        return self._shell_of()

    @contextmanager
    def where_called(self) -> Iterator[None]:
        """Read names as they are meant where the magic that runs stands."""
        before = self._scope
        self._here.scope = Scope(caller_of(self.shell), self.namespace)
        try:
            yield
        finally:
            # It holds the frames, and those hold all they know.
            self._here.scope = before

    @property
    def _scope(self) -> Scope:
        scope: Scope = getattr(self._here, "scope", None) or Scope(None, self.namespace)
        return scope

    def meant(self, name: str) -> Any:
        """Find what a name means: a function's own names first, then the notebook's; ABSENT where there is none.

        Raises UsageError where a function means something that cannot be read.
        """
        found = self._scope.find(name)
        return self.namespace.get(name, ABSENT) if found is ABSENT else found

    def check_notebooks(self, name: str) -> None:
        """Refuse, by UsageError, a name that a function has for something else than the notebook."""
        found = self._scope.find(name)
        if found is not ABSENT and found is not self.namespace.get(name, ABSENT):
            raise UsageError(
                f"{name} is {self._scope.binds(name) or 'the module'}'s own name, an object of type "
                f"{type(found).__name__}, and not what the notebook calls so; choose a name: --on for a client, --as"
            )

    def check_bound(self, name: str) -> None:
        """Refuse, by UsageError, to bind a name that a function has itself: a magic binds the notebook's alone."""
        owner = self._scope.binds(name)
        if owner:
            raise UsageError(f"{name} is {owner}'s own name, which no magic binds; write {name} = %openenv …")

    @property
    def namespace(self) -> dict[str, Any]:
        """The notebook's variables."""
        namespace: dict[str, Any] = self.shell.user_ns
        return namespace

    def clients(self) -> dict[str, AnyClient]:
        """Return the clients that are not closed, by name, whoever connected them."""
        return {
            name: cast(AnyClient, value)
            for name, value in list(self.namespace.items())
            if isinstance(value, Blocking) and not name.startswith("_") and value.status != "closed"
        }

    def first_names(self) -> dict[str, str]:
        """Return for the name of each client the first name that the same client has."""
        firsts: dict[int, str] = {}
        return {name: firsts.setdefault(id(client), name) for name, client in self.clients().items()}

    def get(self, name: str | None = None) -> tuple[str, AnyClient]:
        """Find a client, the current one without a name; returns its name, too.

        Raises UsageError if nothing is connected, UnknownClient if there is none of that name.
        """
        clients = self.clients()
        if name is None:
            name = self.current if self.current in clients else next(reversed(clients), None)
            if name is None:
                raise UsageError("nothing is connected; %openenv connect localhost:8000, or %openenv demo grid")
            self.check_notebooks(name)
            return name, clients[name]
        variable = self.meant(name)
        if isinstance(variable, Blocking):
            return name, cast(AnyClient, variable)
        self.check_notebooks(name)
        if name not in clients:
            raise UnknownClient(name, list(clients), hint=nearest(name, clients).lstrip("; ") or None)
        return name, clients[name]

    def held(self, name: str) -> AnyClient | None:
        """Return the open client a name holds, or None."""
        return self.clients().get(name)

    def check_name(self, name: str, *, force: bool) -> None:
        """Refuse, before anything is done, a name that is none, is Python's own, or holds anything but a client.

        Raises UsageError. With ``force`` a name is taken whatever it holds.
        """
        if not name.isidentifier() or keyword.iskeyword(name):
            raise UsageError(f"{name!r} is no name for a variable; --as env")
        if self._scope.has_value(name):
            self.check_notebooks(name)
        held = self.namespace.get(name)
        if force or isinstance(held, Blocking):
            return
        if name in self.namespace:
            what = f"holds an object of type {type(held).__name__} already"
        elif hasattr(builtins, name):
            what = "is a name of Python's own"
        else:
            return
        raise UsageError(
            f"{name} {what} and is not overwritten; choose another name with --as NAME, or take it with --force"
        )

    def bind(self, name: str, client: AnyClient) -> list[str]:
        """Give a connected client a name, and end what the name stood for before; returns in words what was ended."""
        ended = []
        old = self.held(name)
        before = self.namespace.get(name)
        if not (isinstance(before, Blocking) and before.base_url == client.base_url):
            # It was a field of another environment.
            self.fields.pop(name, None)
        if old is not None and old is not client:
            old.close()
            ended.append(f"the earlier {name} is closed")
        server = self.servers.get(name)
        if server is not None and server.url != client.base_url:
            del self.servers[name]
            server.stop()
            ended.append("its server is stopped")
        self.shell.push({name: client})
        self.current = name
        return ended

    def all_servers(self) -> list[tuple[str, Server | Backend]]:
        """List the servers of %openenv serve, and those that serve() started.

        Each has the name of its client, else of the variable that holds it; one that no variable holds is "nobody"'s.
        """
        found: list[tuple[str, Server | Backend]] = list(self.servers.items())
        known = {id(server) for server in self.servers.values()}
        for name, value in list(self.namespace.items()):
            if isinstance(value, Server) and not name.startswith("_") and value.running and id(value) not in known:
                known.add(id(value))
                found.append((name, value))
        for own in running_own():
            server = own.server
            if server is None or id(server) not in known:
                found.append(("nobody", server or own.backend))
        return found

    def stop_server(self, server: Server | Backend) -> None:
        """Stop a server and forget it."""
        for name in [name for name, other in self.servers.items() if other is server]:
            del self.servers[name]
        server.stop()
