"""Servers on this machine: one for the caller (:func:`serve`), or held by its clients. They know no client."""

from __future__ import annotations

from openenv_notebook.servers.backend import Backend
from openenv_notebook.servers.holding import running_servers
from openenv_notebook.servers.running import running_own
from openenv_notebook.servers.server import Server, serve

__all__ = ["Backend", "Server", "running_own", "running_servers", "serve"]
