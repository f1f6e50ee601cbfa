"""The asynchronous client: an environment's ``reset``, ``step`` and ``state``, awaited.

Its socket lives on the portal's loop, so it may be awaited from any loop, and a cell that
computes for minutes does not starve it. Blocking twins of all this: ``sync_client``.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
import weakref
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, cast, overload

from openenv_notebook.client.actions import NOT_GIVEN, listed
from openenv_notebook.client.calls import exchange_async, seconds_left
from openenv_notebook.client.many import exchange_many
from openenv_notebook.client.opener import Opener, Patience
from openenv_notebook.client.provider import Provider
from openenv_notebook.client.questions import Known
from openenv_notebook.client.requesting import Requesting
from openenv_notebook.client.session import Session
from openenv_notebook.client.suggestions import with_suggestions
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.client.view import SessionView
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step
from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.checks import check_headers, check_seconds, clean_token
from openenv_notebook.values.errors import (
    ConnectTimeout,
    InvalidAction,
    MisuseError,
    ReplyTimeout,
)
from openenv_notebook.values.messages import ActT, GivenAction, ObsT, StateT, StepResult
from openenv_notebook.wire.endpoint import endpoint_at
from openenv_notebook.wire.protocol import STATE_FRAME, Request

if TYPE_CHECKING:
    from openenv_notebook.client.starting import Starting
    from openenv_notebook.client.sync_client import SyncEnvClient

CLOSE_WITHIN = 2.0
_ACTORS = ("code", "person", "policy")
_MODES = ("simulation", "production")


class EnvClient(SessionView[ObsT], Requesting[ActT, ObsT, StateT], Generic[ActT, ObsT, StateT]):
    """An asynchronous client: one client, one session, one environment on the server.

    Subclasses that name their models get typed results
    (``class Grid(EnvClient[Move, Board, State]): ...``), and so does
    ``EnvClient[Move, Board, State](url)``; subclasses written for the
    official package, with ``_step_payload``, ``_parse_result`` and ``_parse_state``, work
    as they are.

    Args:
        base_url: The server's address, in any form a person types. None with a provider.
        connect_timeout_s: Limit for TCP, TLS and the handshake, in seconds.
        message_timeout_s: Limit for a reply, waiting in line included, in seconds; also for
            building the environment when connecting.
        max_message_size_mb: Longest message accepted, in MiB.
        websocket_ping_interval_s: Seconds between keepalive pings.
        websocket_ping_timeout_s: Seconds an idle server may take to answer one.
        provider: An object that starts and stops the server (``start_container`` or
            ``start``), as in the official package.
        mode: "simulation" (a tool call is a step) or "production" (it is none); the
            environment variable OPENENV_CLIENT_MODE if None.
        headers: Sent with the handshake and with HTTP requests.
        token: A Hub token for a private Space; the one of this machine is found by itself.
        compression: "deflate" for slow links; it costs time on fast ones.
        wait_s: How long to wait for a sleeping Space to wake up, in seconds.

    None as a limit means none.

    Raises:
        InvalidTarget: If the address cannot be meant.
        MisuseError: If neither an address nor a provider is given, the mode is unknown, or a
            limit, a header or the token cannot be meant.

    Example:
        >>> server = serve("demo:echo")
        >>> async with GenericEnvClient(server.url) as client:
        ...     first = await client.reset()
        ...     result = await client.step("hello")
        >>> result.observation.message
        'hello'
        >>> server.stop()
    """

    def __init__(
        self,
        base_url: str | None = None,
        connect_timeout_s: float | None = 10.0,
        message_timeout_s: float | None = 60.0,
        max_message_size_mb: float | None = 100.0,
        websocket_ping_interval_s: float | None = 20.0,
        websocket_ping_timeout_s: float | None = 20.0,
        provider: Any = None,
        mode: str | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        token: str | None = None,
        compression: str | None = None,
        wait_s: float = 0.0,
    ) -> None:
        self._mode = _mode(mode)
        check_headers(headers or {})
        check_seconds(
            connect_timeout_s=connect_timeout_s,
            message_timeout_s=message_timeout_s,
            websocket_ping_interval_s=websocket_ping_interval_s,
            websocket_ping_timeout_s=websocket_ping_timeout_s,
            wait_s=wait_s,
        )
        reach = functools.partial(
            endpoint_at,
            headers=headers or {},
            token=clean_token(token),
            max_size=None if max_message_size_mb is None else int(max_message_size_mb * 2**20),
            ping_interval=websocket_ping_interval_s,
            ping_timeout=websocket_ping_timeout_s,
            compression=compression,
        )
        if base_url is None and provider is None:
            raise MisuseError("a client needs base_url or a provider", hint="EnvClient('localhost:8000')")
        patience = Patience(connect_timeout_s, message_timeout_s, wait_s)
        started = Provider(provider) if provider is not None else None
        endpoint = reach(base_url) if base_url is not None else None
        self._timeout, self._is_timed = message_timeout_s, False
        self._actor = "code"
        self._known = Known()
        self._begin(Opener(endpoint, patience, started, reach))

    def _begin(self, opener: Opener) -> None:
        """Take a session of one's own; it does not keep the client alive."""
        self._opener = opener
        url = opener.endpoint.address.name if opener.endpoint is not None else ""
        self._session = Session(url, opener, self._codec.reader(self), Record(url))
        self._children: weakref.WeakSet[EnvClient[Any, Any, Any]] = weakref.WeakSet()
        self._warned: set[Any] = set()
        self._twin: weakref.ref[Any] | None = None
        self._original: EnvClient[Any, Any, Any] | None = None
        finalizer = weakref.finalize(self, _dropped, self._session, opener.provider)
        finalizer.atexit = False

    @classmethod
    def from_docker_image(cls, image: str, provider: Any = None, **kwargs: Any) -> Starting[Self]:
        """Start a container and connect to it; the container ends with the client.

        Args:
            image: The image, such as ``"echo-env:latest"``.
            provider: Starts it (``start_container``) instead of the docker command.
            **kwargs: For a provider: arguments of its ``start_container``. Else ``port``,
                ``env_vars``, ``ready_within`` (seconds), and arguments of the client class.

        Returns:
            An awaitable that gives the connected client; its ``.sync()`` gives the connected
            blocking one. Nothing is started before.
        """
        from openenv_notebook.client.starting import from_docker_image

        return from_docker_image(cls, image, provider, kwargs)

    @classmethod
    def from_env(
        cls,
        repo_id: str,
        *,
        use_docker: bool = True,
        provider: Any = None,
        project_path: str | None = None,
        **kwargs: Any,
    ) -> Starting[Self]:
        """Start a Hub Space on this machine and connect to it; it ends with the client.

        Args:
            repo_id: The Space, ``owner/name``.
            use_docker: True runs the Space's image, False its project by uv.
            provider: Starts it instead, as in the official package.
            project_path: For uv: a folder or git address instead of the Space's own.
            **kwargs: As for :meth:`from_docker_image`; and ``tag`` of the image.

        Returns:
            An awaitable that also has ``.sync()``, as :meth:`from_docker_image`.
        """
        from openenv_notebook.client.starting import from_env

        return from_env(cls, repo_id, use_docker, provider, project_path, kwargs)

    # The session

    async def connect(self) -> Self:
        """Open the session and prove it; building the environment is waited for.

        Returns:
            The client itself.

        Raises:
            AtCapacity, FactoryFailed: If the server has no session to give.
            ConnectFailed, ConnectTimeout: If there is no such server, or it does not answer.
        """
        try:
            await exchange_async(self._session, Request("connect"), self._timeout if self._is_timed else None)
        except ReplyTimeout as error:
            phase = self._session.activity or "no session yet"
            raise ConnectTimeout(error.seconds, phase, url=error.url) from None
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
        return self._result(await self._ask(self._reset_request(kwargs)))

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
        began = time.monotonic()
        if self._needs_schema(action, fields):
            await self._learn_for([action], "step", began)
        try:
            return self._result(await self._ask(self._step_request(action, fields), began))
        except InvalidAction as error:
            if "extra_forbidden" in str(error.details):
                await self._learn_schema(seconds_left(self._timeout, began))
            raise with_suggestions(error, self.known.action or self._action_schema()) from None

    async def state(self) -> StateT:
        """Read the environment's state. It is no step.

        Returns:
            The state: a dict with attribute access, or the client's model.

        Raises:
            OpenEnvError: Why there is none.
        """
        return self._state(await self._ask(Request("state", STATE_FRAME)))

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
        given, began = listed(actions, "step_many", "actions"), time.monotonic()
        if any(self._needs_schema(action, {}) for action in given):
            await self._learn_for(given, "step_many", began)
        requests = self._batch(given, window)
        await exchange_many([(self._session, request) for request in requests], self._timeout, began=began)
        return self._results(requests)

    async def settle(self, timeout: float | None = None) -> list[Step]:
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
            await exchange_async(self._session, Request("settle"), timeout, self._session.settle)
        return self._session.take_owed_steps()

    async def disconnect(self) -> None:
        """Give the session up: whoever waits gets an error, the environment is gone."""
        if self._session.is_live and not self._session.is_closed:
            await exchange_async(self._session, Request("disconnect"), CLOSE_WITHIN, self._session.detach)

    async def close(self) -> None:
        """End the session and all that belongs to it; a second time does nothing."""
        for child in list(self._children):
            await child.close()
        await self._end_session()
        provider = self._opener.provider
        if provider is not None:
            await in_thread(provider.stop)

    async def _end_session(self) -> None:
        if self._session.is_live:
            with contextlib.suppress(ReplyTimeout):
                await exchange_async(self._session, Request("close"), CLOSE_WITHIN, self._session.close)
        self._session.end(join=False)

    async def new_session(self) -> Self:
        """Open another session on the same server, with the same class and settings.

        Returns:
            A connected client; it is closed with this one.

        Raises:
            AtCapacity: If the server has no more sessions.
            ClientClosed: If this client was closed.
        """
        return await self._sibling().connect()

    def _sibling(self) -> Self:
        self._refuse_closed()
        child = object.__new__(type(self))
        child.__dict__.update(self.__dict__)
        child._begin(Opener(self._opener.endpoint, self._opener.patience, None, None))
        self._children.add(child)
        return child

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __enter__(self) -> NoReturn:
        raise MisuseError(
            "this client is asynchronous", hint="async with client: ..., or with client.sync() as env: ..."
        )

    def __exit__(self, *_: object) -> None:
        """Never reached: entering raises."""

    def sync(self) -> SyncEnvClient[ActT, ObsT, StateT]:
        """Return the blocking twin on the same session; both may be used at once."""
        from openenv_notebook.client.sync_client import SyncEnvClient

        twin = self._twin() if self._twin is not None else None
        if twin is None:
            twin = SyncEnvClient(self)
            self._twin = weakref.ref(twin)
        return cast("SyncEnvClient[ActT, ObsT, StateT]", twin)

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
        check_seconds(timeout=None if timeout is NOT_GIVEN else timeout)
        if actor is not None and actor not in _ACTORS:
            raise MisuseError(f"actor is one of {', '.join(_ACTORS)}, not {actor!r}")
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        view._original, view._twin = self._original or self, None
        if timeout is not NOT_GIVEN:
            view._timeout, view._is_timed = timeout, True
        view._actor = actor or self._actor
        return view

    @property
    def tools(self) -> ToolNamespace:
        """The tools of an MCP environment as methods: ``await env.tools.NAME(...)``."""
        return ToolNamespace(self._known, self.call_tool)

    def __repr__(self) -> str:
        return self._describe("async", type(self).__name__)


class GenericEnvClient(EnvClient[Any, AttributeDict, AttributeDict]):
    """A client for any environment: actions are dicts, results dicts with attribute access."""


def _mode(mode: str | None) -> str:
    chosen = (mode or os.environ.get("OPENENV_CLIENT_MODE") or "simulation").lower()
    if chosen not in _MODES:
        raise MisuseError(f"mode is {' or '.join(_MODES)}, not {chosen!r}")
    return chosen


def _dropped(session: Session, provider: Provider | None) -> None:
    """A client was collected without close(): only hand over to the loop."""
    session.drop()
    if provider is not None:
        provider.stop_soon()
