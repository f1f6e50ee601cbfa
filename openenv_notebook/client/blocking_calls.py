"""The calls of a blocking client: from any cell, thread or callback.

Every call goes to the portal's loop, so it works under a running loop (a notebook's), under
none (a script's), and can be interrupted. A step takes the short way: encoded here, handed
over once, decoded here; no task and no future.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable
from typing import Any, Generic, Self, overload

from openenv_notebook.client.actions import NOT_GIVEN
from openenv_notebook.client.async_calls import AsyncCalls
from openenv_notebook.client.blocking import Blocking
from openenv_notebook.client.conversation import CLOSE_WITHIN
from openenv_notebook.client.documented import documented_as
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.client.view import SessionView
from openenv_notebook.client.waiting import block
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.threads import events_thread
from openenv_notebook.threads import portal as portals
from openenv_notebook.values.ending import end_after
from openenv_notebook.values.messages import ActT, GivenAction, ObsT, StateT, StepResult

_VERBS = ("connect", "reset", "step", "state", "close")
# The far end is given a second; the rest is for a thread that is busy.
_GOODBYE_WITHIN = 1.2
# Stopping a server may have taken all the time; a thread that has nothing to do ends at once.
_JOIN_AT_LEAST = 0.5


class BlockingCalls(SessionView[ObsT], Blocking, Generic[ActT, ObsT, StateT]):
    """What an asynchronous client does while the caller waits; where its class has a verb of its own, that runs."""

    def __init__(self, client: AsyncCalls[ActT, ObsT, StateT]) -> None:
        self._openenv_talk, self._openenv_options = client._openenv_talk, client._openenv_options
        cls = type(client)
        self._own_verbs = frozenset(verb for verb in _VERBS if getattr(cls, verb) is not getattr(AsyncCalls, verb))
        super().__init__(client, self._openenv_talk.session.lease)

    @documented_as(AsyncCalls.connect)
    def connect(self) -> Self:
        if "connect" in self._own_verbs:
            self._call("connect")
        else:
            block(self._openenv_talk.connect(self._openenv_options), None)
        return self

    @documented_as(AsyncCalls.reset)
    def reset(self, /, **kwargs: Any) -> StepResult[ObsT]:
        if "reset" in self._own_verbs:
            return self._call("reset", **kwargs)
        return block(self._openenv_talk.reset(self._openenv_options, kwargs), self._openenv_options.timeout)

    @overload
    def step(self, action: ActT | GivenAction, /) -> StepResult[ObsT]: ...

    @overload
    def step(self, /, **fields: Any) -> StepResult[ObsT]: ...

    @documented_as(AsyncCalls.step)
    def step(self, action: Any = NOT_GIVEN, /, **fields: Any) -> StepResult[ObsT]:
        if "step" in self._own_verbs:
            args = () if action is NOT_GIVEN else (action,)
            return self._call("step", *args, **fields)
        return block(self._openenv_talk.step(self._openenv_options, action, fields), self._openenv_options.timeout)

    @documented_as(AsyncCalls.state)
    def state(self) -> StateT:
        if "state" in self._own_verbs:
            return self._call("state")
        return block(self._openenv_talk.state(), self._openenv_options.timeout)

    @documented_as(AsyncCalls.step_many)
    def step_many(self, actions: Iterable[Any], *, window: int = 16) -> list[StepResult[ObsT]]:
        return block(
            self._openenv_talk.step_many(self._openenv_options, actions, window), self._openenv_options.timeout
        )

    @documented_as(AsyncCalls.settle)
    def settle(self, timeout: float | None = None) -> list[Step]:
        return block(self._openenv_talk.settle(timeout), None)

    @documented_as(AsyncCalls.disconnect)
    def disconnect(self) -> None:
        block(self._openenv_talk.disconnect(), None)

    @documented_as(AsyncCalls.close)
    def close(self) -> None:
        portals.refuse_here("close", "env.async_client.close()")
        talk = self._openenv_talk
        own = [lambda: self._call("close")] if "close" in self._own_verbs and talk.session.lease.is_live else []
        # One deadline for all of it, whatever is slow.
        until = time.monotonic() + CLOSE_WITHIN
        children = [child.sync().close for child in list(talk.children)]
        stop = [talk.opener.provider.stop] if talk.opener.provider is not None else []
        end_after(
            None,
            *(*own, *children, lambda: block(talk.close(_GOODBYE_WITHIN), None)),
            # While the session has its loop, a server that an interrupt leaves is looked after.
            *stop,
            lambda: talk.session.end(join=True, within=max(_JOIN_AT_LEAST, until - time.monotonic())),
            lambda: events_thread.join(max(0.0, until - time.monotonic())),
        )

    # Questions over HTTP

    @documented_as(AsyncCalls.health)
    def health(self) -> dict[str, Any]:
        return self._call("health")

    @documented_as(AsyncCalls.metadata)
    def metadata(self) -> dict[str, Any]:
        return self._call("metadata")

    @documented_as(AsyncCalls.list_environments)
    def list_environments(self) -> list[str]:
        return self._call("list_environments")

    @documented_as(AsyncCalls.list_splits)
    def list_splits(self, env_name: str | None = None) -> list[dict[str, Any]]:
        return self._call("list_splits", env_name)

    @documented_as(AsyncCalls.list_tasks)
    def list_tasks(self, split: str, env_name: str | None = None) -> list[Any]:
        return self._call("list_tasks", split, env_name)

    @documented_as(AsyncCalls.num_tasks)
    def num_tasks(self, split: str, env_name: str | None = None) -> int:
        return self._call("num_tasks", split, env_name)

    @documented_as(AsyncCalls.get_task)
    def get_task(self, split: str, index: int, env_name: str | None = None) -> Any:
        return self._call("get_task", split, index, env_name)

    @documented_as(AsyncCalls.get_task_range)
    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None, env_name: str | None = None
    ) -> list[Any]:
        return self._call("get_task_range", split, start, stop, env_name)

    @documented_as(AsyncCalls.schema)
    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = self._call("schema")
        if self._openenv_talk.action_schema is not None:
            # An attribute of its own once it is known: Tab then completes its fields.
            self.__dict__["Action"] = self._client.Action
        return found

    # Tools

    @documented_as(AsyncCalls.list_tools)
    def list_tools(self, use_cache: bool = True) -> list[Tool]:
        return self._call("list_tools", use_cache)

    @documented_as(AsyncCalls.get_tool)
    def get_tool(self, name: str) -> Tool | None:
        return self._call("get_tool", name)

    @documented_as(AsyncCalls.has_tool)
    def has_tool(self, name: str) -> bool:
        return self._call("has_tool", name)

    @documented_as(AsyncCalls.call_tool)
    def call_tool(self, name: str, /, **arguments: Any) -> Any:
        return self._call("call_tool", name, **arguments)

    @property
    def tools(self) -> ToolNamespace:
        """The tools of an MCP environment as methods: ``env.tools.NAME(...)``."""
        return ToolNamespace(self._openenv_talk.known, self.call_tool)

    # The model of actions

    @functools.cached_property
    def Action(self) -> Any:
        """The action's model: the client's own, else made from the server's schema.

        Raises:
            MisuseError: If the server tells no schema.
        """
        options = self._openenv_options
        own_time = options.timeout if options.is_timed else None
        block(self._openenv_talk.learn(own_time, is_shared=not options.is_timed), None)
        return self._client.Action
