"""From what a person wants served to the kind of server it needs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from openenv_notebook.servers.backend import Backend
from openenv_notebook.values.errors import InvalidTarget, MisuseError
from openenv_notebook.values.targets import LocalTarget, parse_target

Served = str | LocalTarget | Callable[..., Any]


@dataclass(frozen=True)
class Wish:
    """How something is to be served: what serve() takes, environment variables for a process or a container, and what
    else a person can do, in words, where the program that runs it is missing or fails."""

    port: int = 0
    sessions: int | None = None
    allowed_hosts: Sequence[str] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False)
    action: type[BaseModel] | None = None
    observation: type[BaseModel] | None = None
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    otherwise: str = ""


def local_target(what: str) -> LocalTarget:
    """Read a text as something to serve; raises InvalidTarget for a server that runs elsewhere."""
    target = parse_target(what)
    if not isinstance(target, LocalTarget):
        if what.isidentifier():
            hint = f"serve({what}) for a class of yours; serve('demo:NAME'), serve('./folder'), serve('module:app')"
            raise InvalidTarget(what, "a class is given as itself, not by its name", hint=hint)
        raise InvalidTarget(what, "it names a server that runs already", hint=f"connect({what!r})")
    return target


def choose(what: Served, wish: Wish) -> Backend:
    """Make the server, not started yet, for a text such as "demo:grid", a target, or a class of environments.

    Raises InvalidTarget if the text names nothing to serve, MisuseError if the wish does not fit what is served, and
    NotSupportedHere if a package is missing.
    """
    if isinstance(what, str):
        what = local_target(what)
    if not isinstance(what, LocalTarget):
        return _class_server(what, wish)
    _only_for_classes(what, wish)
    if what.kind == "demo":
        return _demo_server(what.argument, wish)
    _only_here(what, wish)
    return _process_server(what, wish)


def _class_server(what: Callable[..., Any], wish: Wish) -> Backend:
    from openenv_notebook.servers.in_process.describe import describe
    from openenv_notebook.servers.in_process.server import InProcessServer

    described = describe(
        what, sessions=wish.sessions, arguments=wish.arguments, action=wish.action, observation=wish.observation
    )
    return InProcessServer(described, wish.arguments, port=wish.port, allowed_hosts=wish.allowed_hosts)


def _demo_server(name: str, wish: Wish) -> Backend:
    # websockets' server is only loaded when something is served.
    from openenv_notebook.demo import find_demo
    from openenv_notebook.servers.embedded.server import EmbeddedServer

    demo = find_demo(name)
    if wish.arguments:
        what = f"demo:{name} takes no arguments (given: {', '.join(wish.arguments)})"
        raise MisuseError(what, hint="leave them out; what a demo takes goes to reset()")
    sessions = 64 if wish.sessions is None else wish.sessions
    return EmbeddedServer(demo, name=name, port=wish.port, sessions=sessions, allowed_hosts=wish.allowed_hosts)


def _process_server(target: LocalTarget, wish: Wish) -> Backend:
    from openenv_notebook.servers.process.docker import plan_docker
    from openenv_notebook.servers.process.projects import plan_folder, plan_module, plan_uv
    from openenv_notebook.servers.process.server import Plan, ProcessServer

    if target.kind == "docker":
        plan = plan_docker(target.argument, wish.port, wish.variables, wish.otherwise)
        return ProcessServer(target.name, "docker", plan)
    plans: dict[str, Callable[..., Plan]] = {"folder": plan_folder, "module": plan_module}
    plans["uv"] = functools.partial(plan_uv, otherwise=wish.otherwise)
    plan = plans[target.kind](target.argument, wish.port, wish.allowed_hosts, wish.variables)
    return ProcessServer(target.name, target.kind, plan)


def _only_for_classes(target: LocalTarget, wish: Wish) -> None:
    if wish.action is not None or wish.observation is not None:
        raise MisuseError(f"action= and observation= are for a class; {target.name} names its own")


def _only_here(target: LocalTarget, wish: Wish) -> None:
    """Refuse what cannot be told to an app in another process."""
    if wish.arguments:
        hint = "it is configured by environment variables: set them in os.environ before"
        raise MisuseError(f"arguments are for the constructor of a class; {target.name} builds its own", hint=hint)
    if wish.sessions is not None:
        hint = "max_concurrent_envs= of its create_app() does"
        raise MisuseError(f"the number of sessions of {target.name} is not decided here", hint=hint)
    if wish.allowed_hosts and target.kind == "docker":
        raise MisuseError(f"{target.name} decides itself which hosts it answers to", hint="leave allowed_hosts out")
