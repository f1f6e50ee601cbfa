"""Servers on this machine: one for the caller (:func:`serve`), or shared by its clients."""

from __future__ import annotations

from openenv_notebook.servers.backend import Backend, Progress
from openenv_notebook.servers.server import Server, serve
from openenv_notebook.servers.shared import OwnServer, SharedServer, running_servers

__all__ = ["Backend", "OwnServer", "Progress", "Server", "SharedServer", "running_servers", "serve"]
