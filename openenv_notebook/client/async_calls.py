"""The calls of an asynchronous client: awaited on any loop."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Generic, NoReturn, Self, cast, overload

from openenv_notebook.client.actions import NOT_GIVEN
from openenv_notebook.client.codec import Codec
from openenv_notebook.client.conversation import CLOSE_WITHIN, Conversation, Options
from openenv_notebook.client.documented import documented_as
from openenv_notebook.client.questions import Questions
from openenv_notebook.client.tool_calls import ToolCalls
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.client.typed_client import TypedClient
from openenv_notebook.client.view import SessionView
from openenv_notebook.client.waiting import run
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.ending import note_failed_end
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import ActT, GivenAction, ObsT, StateT, StepResult


class AsyncCalls(SessionView[ObsT], TypedClient[ActT, ObsT, StateT], Generic[ActT, ObsT, StateT]):
    """What can be awaited of a client."""

    _openenv_talk: Conversation

    @property
    def _openenv_options(self) -> Options:
        return self._openenv_talk.options_of(self)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._codec = Codec(cls, AsyncCalls)

    async def connect(self) -> Self:
        """Open the session and prove it; building the environment is waited for.

        Returns:
            The client itself.

        Raises:
            AtCapacity, FactoryFailed: If the server has no session to give.
            ConnectFailed, ConnectTimeout: If there is no such server, or it does not answer.
        """
        await run(self._openenv_talk.connect(self._openenv_options), None)
        return self

    async def reset(self, /, **kwargs: Any) -> StepResult[ObsT]:
        """Begin an episode. After a lost session it opens a new one first, and logs that.

        Args:
            **kwargs: Arguments for the environment, all of them: ``seed=7``. Environments
                drop those they do not know without a word.

        Returns:
            The first result.

        Raises:
            OpenEnvError: Why there is none; its reply may still come (``.sent``).
        """
        return await run(self._openenv_talk.reset(self._openenv_options, kwargs), self._openenv_options.timeout)

    @overload
    async def step(self, action: ActT | GivenAction, /) -> StepResult[ObsT]: ...

    @overload
    async def step(self, /, **fields: Any) -> StepResult[ObsT]: ...

    async def step(self, action: Any = NOT_GIVEN, /, **fields: Any) -> StepResult[ObsT]:
        """Act in the environment.

        Args:
            action: A dict, a pydantic model or a dataclass; or a bare value for the one
                required field.
            **fields: The action's fields instead: ``step(column=3)``. NaN and infinity go out
                as they are; servers of openenv write null for them in what they send.

        Returns:
            The result.

        Raises:
            InvalidAction: If it does not fit the environment, with a line for each wrong field.
            EnvironmentFailed: If the environment raised.
            SessionLost: If the environment is gone; reset() starts anew.
            ReplyTimeout: If no reply came in time; ``.sent`` tells whether it may still happen.
        """
        return await run(self._openenv_talk.step(self._openenv_options, action, fields), self._openenv_options.timeout)

    async def state(self) -> StateT:
        """Read the environment's state. It is no step.

        Returns:
            The state: a dict with attribute access, or the client's model.

        Raises:
            OpenEnvError: Why there is none.
        """
        return cast(StateT, await run(self._openenv_talk.state(), self._openenv_options.timeout))

    async def step_many(self, actions: Iterable[Any], *, window: int = 16) -> list[StepResult[ObsT]]:
        """Make several steps without waiting for each reply; for actions known beforehand.

        Args:
            actions: The actions, as :meth:`step` takes them.
            window: How many requests may be on their way at once.

        Returns:
            The results, in order.

        Raises:
            MisuseError: If it is no list of actions.
            OpenEnvError: The first failure, and which action it was. An action that was refused
                before is sent with none of the others; else the later ones were made as well,
                and the results of all stand in ``env.episode``.
        """
        return await run(
            self._openenv_talk.step_many(self._openenv_options, actions, window), self._openenv_options.timeout
        )

    async def settle(self, timeout: float | None = None) -> list[Step]:
        """Wait for all owed replies: those whose call was interrupted, cancelled or timed out.

        Args:
            timeout: Seconds; None for no limit.

        Returns:
            The steps nobody waited for, in order; also those that had come already.

        Raises:
            ReplyTimeout: If they do not come in time.
        """
        return await run(self._openenv_talk.settle(timeout), None)

    async def disconnect(self) -> None:
        """Give the session up: whoever waits gets an error, the environment is gone."""
        await run(self._openenv_talk.disconnect(), None)

    async def close(self) -> None:
        """End the session and all that belongs to it, within 2 s; a second time does nothing."""
        for child in list(self._openenv_talk.children):
            await child.close()
        await run(self._openenv_talk.close(CLOSE_WITHIN), None)
        self._openenv_talk.session.end(join=False)
        provider = self._openenv_talk.opener.provider
        if provider is not None:
            await in_thread(provider.stop)

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.close()
        except Exception as failure:
            if error is None:
                raise
            note_failed_end(error, failure)

    def __enter__(self) -> NoReturn:
        what = f"with needs a blocking client, and this {type(self).__name__} is asynchronous"
        raise MisuseError(what, hint="async with client: ..., or with client.sync() as env: ...")

    def __exit__(self, *_: object) -> None:
        """Never reached: entering raises."""

    # Questions over HTTP

    @documented_as(Questions.health)
    async def health(self) -> dict[str, Any]:
        return await self._questions.health()

    @documented_as(Questions.metadata)
    async def metadata(self) -> dict[str, Any]:
        return await self._questions.metadata()

    @documented_as(Questions.schema)
    async def schema(self) -> dict[str, Any]:
        return await self._questions.schema()

    @documented_as(Questions.list_environments)
    async def list_environments(self) -> list[str]:
        return await self._questions.list_environments()

    @documented_as(Questions.list_splits)
    async def list_splits(self, env_name: str | None = None) -> list[dict[str, Any]]:
        return await self._questions.list_splits(env_name)

    @documented_as(Questions.list_tasks)
    async def list_tasks(self, split: str, env_name: str | None = None) -> list[Any]:
        return await self._questions.list_tasks(split, env_name)

    @documented_as(Questions.num_tasks)
    async def num_tasks(self, split: str, env_name: str | None = None) -> int:
        return await self._questions.num_tasks(split, env_name)

    @documented_as(Questions.get_task)
    async def get_task(self, split: str, index: int, env_name: str | None = None) -> Any:
        return await self._questions.get_task(split, index, env_name)

    @documented_as(Questions.get_task_range)
    async def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None, env_name: str | None = None
    ) -> list[Any]:
        return await self._questions.get_task_range(split, start, stop, env_name)

    @property
    def _questions(self) -> Questions:
        return self._openenv_talk.questions(self._openenv_options)

    # Tools

    @documented_as(ToolCalls.list_tools)
    async def list_tools(self, use_cache: bool = True) -> list[Tool]:
        return await ToolCalls(self._openenv_talk, self._openenv_options).list_tools(use_cache)

    @documented_as(ToolCalls.get_tool)
    async def get_tool(self, name: str) -> Tool | None:
        return await ToolCalls(self._openenv_talk, self._openenv_options).get_tool(name)

    @documented_as(ToolCalls.has_tool)
    async def has_tool(self, name: str) -> bool:
        return await ToolCalls(self._openenv_talk, self._openenv_options).has_tool(name)

    @documented_as(ToolCalls.call_tool)
    async def call_tool(self, name: str, /, **arguments: Any) -> Any:
        return await ToolCalls(self._openenv_talk, self._openenv_options).call_tool(name, **arguments)

    @property
    def tools(self) -> ToolNamespace:
        """The tools of an MCP environment as methods: ``await env.tools.NAME(...)``."""
        return ToolNamespace(self._openenv_talk.known, self.call_tool)
