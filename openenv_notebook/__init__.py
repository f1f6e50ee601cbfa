"""Drive any OpenEnv environment from a notebook cell, without thinking about event loops.

>>> import openenv_notebook
>>> with openenv_notebook.connect("demo:grid") as env:  # or "localhost:8000", "owner/name", a class, …
...     first = env.reset(seed=7)
...     env.step(direction="right").reward
-0.1

In a notebook, ``%load_ext openenv_notebook`` brings ``%openenv``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from openenv_notebook.client.adopt import adopt
from openenv_notebook.client.clients import EnvClient, GenericEnvClient, MCPToolClient, SyncEnvClient
from openenv_notebook.client.connect import connect
from openenv_notebook.client.events import Event
from openenv_notebook.client.step_all import step_all
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.servers import Server, serve
from openenv_notebook.threads.portal import Portal
from openenv_notebook.values.errors import (
    AtCapacity,
    ClientClosed,
    ConnectFailed,
    ConnectTimeout,
    EnvironmentFailed,
    FactoryFailed,
    HandshakeRejected,
    InvalidAction,
    InvalidTarget,
    MisuseError,
    NotAnOpenEnvServer,
    NotSupportedHere,
    OpenEnvError,
    OpenEnvWarning,
    ProtocolError,
    ReplyTimeout,
    RequestRejected,
    ServerError,
    ServerStartFailed,
    SessionLost,
    SessionRefused,
    SpaceAsleep,
    ToolFailed,
    TransportError,
    UnknownClient,
    WrongThread,
)
from openenv_notebook.values.messages import (
    Action,
    CallToolAction,
    GenericAction,
    ListToolsAction,
    Observation,
    State,
    StepResult,
)
from openenv_notebook.values.targets import Address, LocalTarget, parse_target

if TYPE_CHECKING:
    from openenv_notebook.play.rollout import Rollout
    from openenv_notebook.play.run_episodes import run_episodes

__version__ = "0.1.0"

# Loaded when they are asked for: not everybody has policies.
_LATER = {"Rollout": "openenv_notebook.play.rollout", "run_episodes": "openenv_notebook.play.run_episodes"}


def __getattr__(name: str) -> Any:
    """Load a public name that was not needed before."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    """Offer what is meant for people, not the modules it stands in."""
    return __all__


def load_ipython_extension(shell: Any) -> None:
    """Give an IPython shell the ``%openenv`` magics; called by ``%load_ext openenv_notebook``.

    Args:
        shell: The shell.
    """
    from openenv_notebook.jupyter.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Take the magics away again; called by ``%unload_ext openenv_notebook``.

    Args:
        shell: The shell.
    """
    from openenv_notebook.jupyter.extension import unload

    unload(shell)


__all__ = [
    "Action",
    "Address",
    "AtCapacity",
    "CallToolAction",
    "ClientClosed",
    "ConnectFailed",
    "ConnectTimeout",
    "EnvClient",
    "EnvironmentFailed",
    "Episode",
    "Event",
    "FactoryFailed",
    "GenericAction",
    "GenericEnvClient",
    "HandshakeRejected",
    "InvalidAction",
    "InvalidTarget",
    "ListToolsAction",
    "LocalTarget",
    "MCPToolClient",
    "MisuseError",
    "NotAnOpenEnvServer",
    "NotSupportedHere",
    "Observation",
    "OpenEnvError",
    "OpenEnvWarning",
    "Portal",
    "ProtocolError",
    "ReplyTimeout",
    "RequestRejected",
    "Rollout",
    "Server",
    "ServerError",
    "ServerStartFailed",
    "SessionLost",
    "SessionRefused",
    "SpaceAsleep",
    "State",
    "Step",
    "StepResult",
    "SyncEnvClient",
    "Tool",
    "ToolFailed",
    "TransportError",
    "UnknownClient",
    "WrongThread",
    "__version__",
    "adopt",
    "connect",
    "parse_target",
    "run_episodes",
    "serve",
    "step_all",
]
