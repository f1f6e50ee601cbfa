"""What a run asks for its actions: chance, a function, or an asynchronous one."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import random
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.client.waiting import block
from openenv_notebook.schema.random_action import sample_action
from openenv_notebook.schema.tool import arguments_of
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import short_repr


class Chosen(dict[str, Any]):
    """An action that a person chose. A policy may hand it on; the record then says who acted."""


class Policy:
    """A policy, asked on the thread of its run: whatever :func:`policy_function` takes."""

    def __init__(self, given: Any, env: SyncEnvClient[Any, Any, Any]) -> None:
        self._ask = policy_function(given, env)
        self._guard = threading.Lock()
        self._runner: asyncio.Runner | None = None
        self._task: asyncio.Task[Any] | None = None
        self._is_cancelled = False

    def __call__(self, observation: Any) -> Any:
        """Return the action for an observation; an awaitable is awaited on a loop of the run's own."""
        action = self._ask(observation)
        if not inspect.isawaitable(action):
            return action
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self._awaited(action))

    async def _awaited(self, action: Awaitable[Any]) -> Any:
        task = asyncio.current_task()
        with self._guard:
            self._task = task
            if self._is_cancelled and task is not None:
                task.cancel()
        try:
            return await action
        finally:
            with self._guard:
                self._task = None

    def seed(self, seed: Any) -> None:
        """Let chance begin at a seed; a function has its own."""
        if isinstance(self._ask, RandomActions):
            self._ask.rng.seed(repr(seed))

    def cancel(self) -> None:
        """Cancel what is being awaited, and what will be; from any thread."""
        with self._guard:
            self._is_cancelled = True
            if self._task is not None:
                # The loop may be closed by now.
                with contextlib.suppress(RuntimeError):
                    self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def close(self) -> None:
        """End the loop it was awaited on, and what it left there; on the thread of the run."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()


class RandomActions:
    """Random legal actions; of an environment with tools, random calls of them.

    The client is asked for schema and tools when the first action is; ``rng`` is where chance comes from.
    """

    def __init__(self, env: SyncEnvClient[Any, Any, Any]) -> None:
        self.rng = random.Random()
        self._env = env

    def __call__(self, observation: Any) -> dict[str, Any]:
        """Return an action; MisuseError if the server tells no schema, TransportError if it did not answer for one."""
        talk = conversation_of(self._env)
        if talk.action_schema is None:
            block(talk.learn(), None)
        schema, known = talk.action_schema, talk.known
        if schema is None and known.schema_failure is not None and not known.schema_refused:
            raise copy.copy(known.schema_failure)
        if schema is None:
            raise MisuseError(
                "there are no random actions here: the server tells no schema",
                hint="give policy=a function that takes an observation and returns an action",
            )
        action = sample_action(schema, observation, self.rng)
        return self._call(action) if "tool_name" in action else action

    def _call(self, action: dict[str, Any]) -> dict[str, Any]:
        tools = self._env.list_tools()
        if not tools:
            return action
        tool = self.rng.choice(tools)
        return {**action, "tool_name": tool.name, "arguments": sample_action(arguments_of(tool), None, self.rng)}


def policy_function(given: Any, env: SyncEnvClient[Any, Any, Any]) -> Callable[[Any], Any]:
    """Give the function that a policy is.

    A policy is "random", or a function of one observation that returns the action, or an awaitable for it; whatever can
    be neither raises MisuseError.
    """
    if given == "random" and isinstance(given, str):
        return RandomActions(env)
    if callable(given) and not isinstance(given, type):
        return given  # type: ignore[no-any-return]
    if inspect.iscoroutine(given):
        given.close()
    raise MisuseError(
        f'a policy is "random", or a function that takes an observation and returns an action; not {short_repr(given)}',
        hint="policy=lambda observation: 3",
    )
