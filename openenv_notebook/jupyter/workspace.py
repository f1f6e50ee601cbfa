"""The clients of a notebook by name: one name is the current one."""

from __future__ import annotations

import weakref
from typing import Any

from IPython.core.error import UsageError

from openenv_notebook.attributes import nearest
from openenv_notebook.errors import UnknownClient
from openenv_notebook.servers import Server
from openenv_notebook.sync_client import SyncEnvClient

AnyClient = SyncEnvClient[Any, Any, Any]


class Workspace:
    """Names, clients and servers. Clients are held weakly: the notebook's variable keeps them.

    Args:
        shell: The shell whose namespace holds the variables.

    Attributes:
        current: The name meant where none is given.
        servers: Servers that %openenv serve started, by the name of their client.
        fields: The field that a cell's body goes to, by the name of the client.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._clients: dict[str, weakref.ref[AnyClient]] = {}
        self.current: str | None = None
        self.servers: dict[str, Server] = {}
        self.fields: dict[str, str] = {}

    @property
    def namespace(self) -> dict[str, Any]:
        """The notebook's variables."""
        namespace: dict[str, Any] = self._shell.user_ns
        return namespace

    def clients(self) -> dict[str, AnyClient]:
        """Return the clients that are alive, by name, in the order they were bound."""
        alive = {name: held() for name, held in self._clients.items()}
        self._clients = {name: held for name, held in self._clients.items() if alive[name] is not None}
        return {name: client for name, client in alive.items() if client is not None}

    def get(self, name: str | None = None) -> tuple[str, AnyClient]:
        """Find a client.

        Args:
            name: Its name; the current one if None.

        Returns:
            The name and the client.

        Raises:
            UsageError: If nothing is connected.
            UnknownClient: If there is none of that name.
        """
        clients = self.clients()
        if name is None:
            name = self.current if self.current in clients else next(reversed(clients), None)
            if name is None:
                raise UsageError("nothing is connected; %openenv connect localhost:8000, or %openenv demo grid")
        if name not in clients:
            variable = self.namespace.get(name)
            if isinstance(variable, SyncEnvClient):
                return name, variable
            raise UnknownClient(name, list(clients), hint=nearest(name, clients).lstrip("; ") or None)
        return name, clients[name]

    def check_name(self, name: str, *, force: bool) -> None:
        """Refuse a name that holds anything but a client, before anything is done.

        Args:
            name: The variable.
            force: True takes the name whatever it holds.

        Raises:
            UsageError: If the name is no name, or holds anything else.
        """
        if not name.isidentifier():
            raise UsageError(f"{name!r} is no name for a variable; --as env")
        held = self.namespace.get(name)
        if name in self.namespace and not force and not isinstance(held, SyncEnvClient):
            raise UsageError(
                f"{name} holds an object of type {type(held).__name__} already and is not overwritten; "
                "choose another name with --as NAME, or take it with --force"
            )

    def make_room(self, name: str) -> None:
        """Close the old client of a name, and stop the server that was started for it."""
        held, old = self.namespace.get(name), self.clients().get(name)
        for client in {id(item): item for item in (held, old) if isinstance(item, SyncEnvClient)}.values():
            client.close()
        server = self.servers.pop(name, None)
        if server is not None:
            server.stop()

    def bind(self, name: str, client: AnyClient) -> None:
        """Give a client a name, as a variable of the notebook, and make it the current one."""
        self._clients.pop(name, None)
        self._clients[name] = weakref.ref(client)
        self._shell.push({name: client})
        self.current = name

    def close(self, name: str) -> str:
        """Close a client and say so; its variable stays and says that it is closed."""
        _, client = self.get(name)
        client.close()
        self._clients.pop(name, None)
        if self.current == name:
            self.current = next(reversed(self.clients()), None)
        return name
