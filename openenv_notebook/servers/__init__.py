"""Servers on this machine: one for the caller (:func:`serve`), or shared by its clients."""

from __future__ import annotations

from openenv_notebook.servers.backend import Backend, Progress
from openenv_notebook.servers.server import Running, Server, running_own, serve
from openenv_notebook.servers.shared import Hold, OwnServer, SharedServer, hold_at, running_servers

__all__ = [
    "Backend",
    "Hold",
    "OwnServer",
    "Progress",
    "Running",
    "Server",
    "SharedServer",
    "hold_at",
    "running_own",
    "running_servers",
    "serve",
]
