"""The blocking client: the same session, from any cell, thread or callback.

Every call goes to the portal's loop, so it works under a running loop (a notebook's), under
none (a script's), and can be interrupted. A step takes the short way: encoded here, handed
over once, decoded here; no task and no future.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Generic, Self, cast, overload

from openenv_notebook.client import events
from openenv_notebook.client.actions import NOT_GIVEN, listed
from openenv_notebook.client.async_client import CLOSE_WITHIN, EnvClient
from openenv_notebook.client.calls import exchange, seconds_left
from openenv_notebook.client.many import exchange_together
from openenv_notebook.client.suggestions import with_suggestions
from openenv_notebook.client.sync_questions import SyncQuestions
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.client.view import SessionView
from openenv_notebook.record.episode import Step
from openenv_notebook.values.checks import check_seconds
from openenv_notebook.values.errors import InvalidAction, MisuseError, ReplyTimeout
from openenv_notebook.values.messages import ActT, GivenAction, ObsT, StateT, StepResult
from openenv_notebook.wire.protocol import STATE_FRAME, Request

# The far end is given a second; the rest is for a thread that is busy.
_GOODBYE_WITHIN = 1.2


class SyncEnvClient(SessionView[ObsT], SyncQuestions, Generic[ActT, ObsT, StateT]):
    """A blocking view of an asynchronous client.

    Any other coroutine method of the client's class becomes a blocking method by itself.
    Its results are values, never awaitables: ``await env.step(...)`` is a mistake; write
    ``await env.async_client.step(...)``.

    Args:
        async_client: One of our clients, also a blocking one. Several blocking views of one client
            share its session.

    Example:
        >>> server = serve("demo:guess")
        >>> with GenericEnvClient(server.url).sync() as env:
        ...     first = env.reset(seed=7)
        ...     env.step(50).done
        False
        >>> server.stop()
    """

    def __new__(cls, async_client: Any) -> Self:
        """Choose the way of working: our own clients have a record and an order to keep."""
        if isinstance(async_client, EnvClient) or (
            isinstance(async_client, SyncEnvClient) and isinstance(async_client.async_client, EnvClient)
        ):
            return super().__new__(cls)
        if isinstance(async_client, SyncEnvClient):
            return cast(Self, async_client)
        if isinstance(async_client, type):
            raise MisuseError(
                f"SyncEnvClient wraps a client object, not the class {async_client.__name__}",
                hint=f"make one first: SyncEnvClient({async_client.__name__}('localhost:8000'))",
            )
        if not all(callable(getattr(async_client, name, None)) for name in ("connect", "reset", "step", "close")):
            raise MisuseError(
                f"SyncEnvClient wraps a client object, not {type(async_client).__name__}",
                hint="SyncEnvClient(GenericEnvClient('localhost:8000')), or connect('localhost:8000')",
            )
        from openenv_notebook.client.foreign import SyncForeignClient

        return cast(Self, object.__new__(SyncForeignClient))

    def __init__(self, async_client: EnvClient[ActT, ObsT, StateT] | SyncEnvClient[ActT, ObsT, StateT]) -> None:
        client = async_client.async_client if isinstance(async_client, SyncEnvClient) else async_client
        self._client = client
        self._session, self._opener, self._known = client._session, client._opener, client._known
        # A subclass may have its own reset, step or state; then that is what runs.
        cls = type(client)
        self._plain_step = cls.step is EnvClient.step
        self._plain_reset = cls.reset is EnvClient.reset
        self._plain_state = cls.state is EnvClient.state

    @property
    def async_client(self) -> EnvClient[ActT, ObsT, StateT]:
        """The asynchronous twin on the same session; both may be used at once."""
        return self._client

    # The session

    def connect(self) -> Self:
        """Open the session and prove it; building the environment is waited for.

        Returns:
            The client itself.

        Raises:
            AtCapacity, FactoryFailed: If the server has no session to give.
            ConnectFailed, ConnectTimeout: If there is no such server, or it does not answer.
        """
        client = self._client
        if type(client).connect is EnvClient.connect and not client._is_timed:
            exchange(self._session, Request("connect"), None)
        else:
            self._call("connect")
        return self

    def reset(self, /, **kwargs: Any) -> StepResult[ObsT]:
        """Begin an episode. After a lost session it opens a new one first, and logs that.

        Args:
            **kwargs: Arguments for the environment, all of them: ``seed=7``. Environments
                drop those they do not know without a word.

        Returns:
            The first result.

        Raises:
            OpenEnvError: Why there is none; its reply may still come (``.sent``).
        """
        if not self._plain_reset:
            return cast(StepResult[ObsT], self._call("reset", **kwargs))
        client = self._client
        request = client._reset_request(kwargs)
        return client._result(exchange(self._session, request, client._timeout))

    @overload
    def step(self, action: ActT | GivenAction, /) -> StepResult[ObsT]: ...

    @overload
    def step(self, /, **fields: Any) -> StepResult[ObsT]: ...

    def step(self, action: Any = NOT_GIVEN, /, **fields: Any) -> StepResult[ObsT]:
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
        if not self._plain_step:
            args = () if action is NOT_GIVEN else (action,)
            return cast(StepResult[ObsT], self._call("step", *args, **fields))
        client, began = self._client, time.monotonic()
        if client._needs_schema(action, fields):
            self._learn_for([action], "step", began)
        request = client._step_request(action, fields)
        try:
            return client._result(exchange(self._session, request, client._timeout, began=began))
        except InvalidAction as error:
            if "extra_forbidden" in str(error.details):
                self._learn_schema(seconds_left(client._timeout, began))
            raise with_suggestions(error, client.known.action or client._action_schema()) from None

    def state(self) -> StateT:
        """Read the environment's state. It is no step.

        Returns:
            The state: a dict with attribute access, or the client's model.

        Raises:
            OpenEnvError: Why there is none.
        """
        if not self._plain_state:
            return cast(StateT, self._call("state"))
        client = self._client
        return client._state(exchange(self._session, Request("state", STATE_FRAME), client._timeout))

    def step_many(self, actions: Iterable[Any], *, window: int = 16) -> list[StepResult[ObsT]]:
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
        client, given, began = self._client, listed(actions, "step_many", "actions"), time.monotonic()
        if any(client._needs_schema(action, {}) for action in given):
            self._learn_for(given, "step_many", began)
        requests = client._batch(given, window)
        exchange_together([(self._session, request) for request in requests], client._timeout, began=began)
        return client._results(requests)

    def settle(self, timeout: float | None = None) -> list[Step]:
        """Wait for all owed replies: those whose call was interrupted, cancelled or timed out.

        Args:
            timeout: Seconds; None for no limit.

        Returns:
            The steps nobody waited for, in order; also those that had come already.

        Raises:
            ReplyTimeout: If they do not come in time.
        """
        check_seconds(timeout=timeout)
        if self._session.is_live:
            exchange(self._session, Request("settle"), timeout, self._session.settle)
        return self._session.take_owed_steps()

    def disconnect(self) -> None:
        """Give the session up: whoever waits gets an error, the environment is gone."""
        if self._session.is_live and not self._session.is_closed:
            exchange(self._session, Request("disconnect"), CLOSE_WITHIN, self._session.detach)

    def close(self) -> None:
        """End the session and all that belongs to it, within 2 s; a second time does nothing."""
        client = self._client
        if type(client).close is not EnvClient.close and self._session.is_live:
            self._call("close")
        until = time.monotonic() + CLOSE_WITHIN
        for child in list(client._children):
            child.sync().close()
        if self._session.is_live:
            with contextlib.suppress(ReplyTimeout):
                exchange(self._session, Request("close"), _GOODBYE_WITHIN, self._session.close)
        # One deadline for all of it, whatever is slow.
        self._session.end(join=True, within=max(0.0, until - time.monotonic()))
        events.join(max(0.0, until - time.monotonic()))
        if client._opener.provider is not None:
            client._opener.provider.stop()

    def new_session(self) -> SyncEnvClient[ActT, ObsT, StateT]:
        """Open another session on the same server, with the same class and settings.

        Returns:
            A connected client; it is closed with this one.

        Raises:
            AtCapacity: If the server has no more sessions.
            ClientClosed: If this client was closed.
        """
        return self._client._sibling().sync().connect()

    def options(self, *, timeout: Any = NOT_GIVEN, actor: str | None = None) -> Self:
        """Return a view of this client whose calls have options of their own.

        Args:
            timeout: Seconds for a reply instead of message_timeout_s; None for no limit.
            actor: Who acts, for the record: "code", "person" or "policy".

        Returns:
            A client on the same session: ``env.options(timeout=5).step(...)``.

        Raises:
            MisuseError: If the timeout or the actor cannot be meant.
        """
        return type(self)(self._client.options(timeout=timeout, actor=actor))

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def sync(self) -> Self:
        """Return this client: it is blocking already."""
        return self

    @property
    def tools(self) -> ToolNamespace:
        """The tools of an MCP environment as methods: ``env.tools.NAME(...)``."""
        return ToolNamespace(self._client._known, self.call_tool)

    def __repr__(self) -> str:
        return self._describe("sync", type(self._client).__name__)

    def __dir__(self) -> Iterable[str]:
        own = [name for name in dir(self._client) if not name.startswith("_")]
        return sorted({*super().__dir__(), *own})

    @functools.cached_property
    def Action(self) -> Any:
        """The action's model: the client's own, else made from the server's schema.

        Raises:
            MisuseError: If the server tells no schema.
        """
        self._learn_schema(self._client._timeout if self._client._is_timed else None)
        return self._client.Action

    # All other methods of the client's class

    def __getattr__(self, name: str) -> Any:
        # Probes by IPython, copy and pickle must find nothing and ask nobody.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = getattr(self._client, name)
        if not callable(value) or isinstance(value, type):
            return value
        blocking = self._blocking(name, value)
        self.__dict__[name] = blocking
        return blocking

    def _blocking(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Make the blocking form of a method, found anew on the client at each call."""
        client = self._client

        if inspect.iscoroutinefunction(method):

            @functools.wraps(method)
            def blocking(*args: Any, **kwargs: Any) -> Any:
                return self._call(name, *args, **kwargs)

        else:

            @functools.wraps(method)
            def blocking(*args: Any, **kwargs: Any) -> Any:
                value = getattr(client, name)(*args, **kwargs)
                return self._session.portal.call(lambda: value, name=name) if inspect.isawaitable(value) else value

        return blocking

    def _call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        # Arguments may have any name, also one of the portal's.
        method = functools.partial(getattr(self._client, name), *args, **kwargs)
        return self._session.portal.call(method, name=name)

    def _learn_schema(self, within: float | None = None) -> None:
        self._session.portal.call(self._client._learn_schema, within, name="schema")
        self._offer_action()

    def _learn_for(self, actions: list[Any], name: str, began: float) -> None:
        self._session.portal.call(self._client._learn_for, actions, name, began, name="schema")
        self._offer_action()

    def _offer_action(self) -> None:
        """Make ``Action`` an attribute of its own once it is known: Tab then completes its fields."""
        if self._client._action_schema() is not None:
            self.__dict__["Action"] = self._client.Action
