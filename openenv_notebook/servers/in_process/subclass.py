"""A light subclass of an environment: what its own server calls elsewhere than on its thread."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any

from openenv_notebook.servers.in_process.describe import Description
from openenv_notebook.servers.in_process.loop import ServingLoop, enter_cell, visiting_caller
from openenv_notebook.servers.in_process.threads import Worker
from openenv_notebook.wire.same_process import told_words

_WORKER = "_openenv_notebook_worker"
_FLAGS = ("SUPPORTS_CONCURRENT_SESSIONS", "REQUIRES_SINGLE_THREAD_EXECUTOR")


def served_factory(described: Description, loop: ServingLoop) -> type:
    """Make the factory that the server is given.

    The official server reads ``state`` on its own thread, and awaits methods that are asynchronous there. So an
    environment gets a subclass of its class: its ``state`` is read on the session's thread, and what its asynchronous
    methods raise and print finds the caller.

    The factory is a class, because the official server asks a class what it allows, and builds an environment to ask
    any other factory.
    """
    made: dict[type, type] = {}

    def build(_: type) -> Any:
        environment = described.factory()
        cls = type(environment)
        if cls not in made:
            made[cls] = _served(cls, loop)
        try:
            environment.__class__ = made[cls]
            setattr(environment, _WORKER, Worker.here())
        except (TypeError, AttributeError):
            return environment  # a class with slots stays as it is
        return environment

    flags = {name: getattr(described.cls, name, False) for name in _FLAGS}
    return type(described.name, (), {**flags, "__new__": build})


def _served(cls: type, loop: ServingLoop) -> type:
    methods: dict[str, Any] = {}
    is_async = False
    for name in ("reset_async", "step_async"):
        method = getattr(cls, name, None)
        if method is not None and not _is_inherited(cls, name):
            methods[name] = _reported(method, loop)
            is_async = True
    state = inspect.getattr_static(cls, "state", None)
    if isinstance(state, property) and state.fget is not None and not is_async:
        methods["state"] = property(_on_own_thread(state.fget, loop), state.fset, state.fdel, state.__doc__)
    return type(cls)(cls.__name__, (cls,), {**methods, "__module__": cls.__module__, "__qualname__": cls.__qualname__})


def _is_inherited(cls: type, name: str) -> bool:
    """Tell whether a method is the official base class's own, which only calls the plain one."""
    from openenv.core.env_server.interfaces import Environment

    return getattr(cls, name) is getattr(Environment, name, None)


def _reported(method: Callable[..., Any], loop: ServingLoop) -> Callable[..., Any]:
    @functools.wraps(method)
    async def reported(self: Any, *args: Any, **kwargs: Any) -> Any:
        caller = visiting_caller()
        enter_cell(caller)
        try:
            return await method(self, *args, **kwargs)
        except Exception as error:
            loop.note(caller, error)
            raise
        except (SystemExit, KeyboardInterrupt) as error:
            loop.note(caller, error)
            raise RuntimeError(told_words(error)) from None

    return reported


def _on_own_thread(read: Callable[[Any], Any], loop: ServingLoop) -> Callable[[Any], Any]:
    @functools.wraps(read)
    def state(self: Any) -> Any:
        worker: Worker | None = self.__dict__.get(_WORKER)
        if worker is None or asyncio._get_running_loop() is not loop:
            return read(self)
        caller = visiting_caller()
        return worker.call(lambda: loop.run_for(caller, lambda: read(self)))

    return state
