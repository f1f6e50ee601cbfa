"""The two public clients of one session, which know each other: asynchronous and blocking.

The socket lives on the portal's loop, so the asynchronous one may be awaited from any loop, and a
cell that computes for minutes does not starve it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar, cast, overload

from openenv_notebook.client import starting
from openenv_notebook.client.actions import NOT_GIVEN
from openenv_notebook.client.async_calls import AsyncCalls
from openenv_notebook.client.blocking_calls import BlockingCalls
from openenv_notebook.client.conversation import Conversation, Options, hold_conversation
from openenv_notebook.client.documented import documented_as
from openenv_notebook.client.foreign import ForeignClient
from openenv_notebook.client.opener import Opener, Patience
from openenv_notebook.client.provider import hold_of
from openenv_notebook.threads import portal as portals
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.checks import check_headers, check_seconds, clean_token
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.messages import ActT, ObsT, StateT
from openenv_notebook.values.named_models import naming
from openenv_notebook.wire.endpoint import endpoint_at

_ACTORS = ("code", "person", "policy")
_MODES = ("simulation", "production")

# The models of a class that typed() makes; those of its own class are others.
_A = TypeVar("_A")
_O = TypeVar("_O")
_S = TypeVar("_S")


class EnvClient(AsyncCalls[ActT, ObsT, StateT], Generic[ActT, ObsT, StateT]):
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
        chosen = _mode(mode)
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
            raise MisuseError(
                f"{type(self).__name__}() needs base_url= or provider=", hint="EnvClient('localhost:8000')"
            )
        patience = Patience(connect_timeout_s, message_timeout_s, wait_s)
        started = hold_of(provider) if provider is not None else None
        endpoint = reach(base_url) if base_url is not None else None
        opener = Opener(endpoint, patience, started, reach)
        hold_conversation(self, Conversation(self, self._codec, opener, Options(message_timeout_s), chosen))

    @classmethod
    def from_docker_image(cls, image: str, provider: Any = None, **kwargs: Any) -> starting.Starting[Self]:
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
        return starting.from_docker_image(cls, image, provider, kwargs)

    @classmethod
    def from_env(
        cls,
        repo_id: str,
        *,
        use_docker: bool = True,
        provider: Any = None,
        project_path: str | None = None,
        **kwargs: Any,
    ) -> starting.Starting[Self]:
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
        return starting.from_env(cls, repo_id, use_docker, provider, project_path, kwargs)

    @overload
    @classmethod
    def typed(cls, *, action: type[_A], observation: type[_O], state: type[_S]) -> type[EnvClient[_A, _O, _S]]: ...

    @overload
    @classmethod
    def typed(
        cls, *, action: type[_A], observation: type[_O], state: None = None
    ) -> type[EnvClient[_A, _O, AttributeDict]]: ...

    @overload
    @classmethod
    def typed(
        cls, *, action: None = None, observation: type[_O], state: None = None
    ) -> type[EnvClient[object, _O, AttributeDict]]: ...

    @overload
    @classmethod
    def typed(
        cls, *, action: type | None = None, observation: type | None = None, state: type | None = None
    ) -> Any: ...

    @classmethod
    def typed(cls, *, action: type | None = None, observation: type | None = None, state: type | None = None) -> Any:
        """Make a subclass that names its models, without writing one.

        Args:
            action: The model of actions; keywords and bare values of ``step`` go through it.
            observation: The model of observations.
            state: The model of states. None leaves a dict.

        Returns:
            The class: ``Env = GenericEnvClient.typed(observation=Board)``.
        """
        generic: Any = EnvClient
        named = naming(generic[action or dict, observation or dict, state or dict])
        return type(f"Typed{cls.__name__}", (cls,), {"__orig_bases__": (named,), "__module__": cls.__module__})

    async def new_session(self) -> Self:
        """Open another session on the same server, with the same class and settings.

        Returns:
            A connected client; it is closed with this one.

        Raises:
            AtCapacity: If the server has no more sessions.
            ClientClosed: If this client was closed.
        """
        child = self._sibling()
        await child._view(self._openenv_options).connect()
        return child

    def _sibling(self) -> Self:
        """Make another client of the server, with this one's own settings, whatever view was asked."""
        child = object.__new__(type(self))
        child.__dict__.update(self.__dict__)
        hold_conversation(child, self._openenv_talk.again(child))
        return child

    def _view(self, options: Options) -> Self:
        view = object.__new__(type(self))
        view.__dict__ = self.__dict__
        self._openenv_talk.add_view(view, options, self)
        return view

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
        options = self._openenv_options._replace(actor=actor or self._openenv_options.actor)
        if timeout is not NOT_GIVEN:
            options = options._replace(timeout=timeout, is_timed=True)
        return self._view(options)

    def sync(self) -> SyncEnvClient[ActT, ObsT, StateT]:
        """Return the blocking twin on the same session; both may be used at once."""
        twins = self._openenv_talk.twins
        twin: SyncEnvClient[ActT, ObsT, StateT] | None = twins.get(id(self))
        if twin is None:
            twin = twins[id(self)] = SyncEnvClient(self)
        return twin

    def __repr__(self) -> str:
        return self._describe("async", type(self).__name__)


class GenericEnvClient(EnvClient[Any, AttributeDict, AttributeDict]):
    """A client for any environment: actions are dicts, results dicts with attribute access."""


class MCPToolClient(GenericEnvClient):
    """A client for MCP environments: list tools and call them.

    Every client can do that; this name is the one code for the official package uses.
    In "simulation" mode a call is a step and stands in the record with its reward; in
    "production" mode it goes beside the steps.
    """


class SyncEnvClient(BlockingCalls[ActT, ObsT, StateT], Generic[ActT, ObsT, StateT]):
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
        if isinstance(async_client, (EnvClient, SyncEnvClient)):
            return super().__new__(cls)
        if isinstance(async_client, ForeignClient):
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
        return cast(Self, ForeignClient(async_client))

    def __init__(self, async_client: EnvClient[ActT, ObsT, StateT] | SyncEnvClient[ActT, ObsT, StateT]) -> None:
        self._async = async_client.async_client if isinstance(async_client, SyncEnvClient) else async_client
        super().__init__(self._async)

    @property
    def async_client(self) -> EnvClient[ActT, ObsT, StateT]:
        """The asynchronous twin on the same session; both may be used at once."""
        return self._async

    @documented_as(EnvClient.new_session)
    def new_session(self) -> SyncEnvClient[ActT, ObsT, StateT]:
        portals.refuse_here("new_session", "env.async_client.new_session()")
        child = self._async._sibling()
        SyncEnvClient(child._view(self._openenv_options)).connect()
        return child.sync()

    @documented_as(EnvClient.options)
    def options(self, *, timeout: Any = NOT_GIVEN, actor: str | None = None) -> Self:
        return type(self)(self._async.options(timeout=timeout, actor=actor))

    def __repr__(self) -> str:
        return self._describe("sync", type(self._async).__name__)


def _mode(mode: str | None) -> str:
    chosen = (mode or os.environ.get("OPENENV_CLIENT_MODE") or "simulation").lower()
    if chosen not in _MODES:
        raise MisuseError(f"mode is {' or '.join(_MODES)}, not {chosen!r}")
    return chosen
