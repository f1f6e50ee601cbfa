"""A client that first has its server started: to be awaited, or ``.sync()``.

``await EnvClient.from_docker_image(...)``, ``asyncio.run(EnvClient.from_env(...))`` and
``EnvClient.from_env(...).sync()`` all give a connected client; nothing is started before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from openenv_notebook.client.provider import hold_of
from openenv_notebook.servers.choose import Wish
from openenv_notebook.servers.holding import hold_own
from openenv_notebook.values.ending import end_after, note_failed_end
from openenv_notebook.values.errors import InvalidTarget, MisuseError
from openenv_notebook.values.targets import Address, parse_target


class Connects(Protocol):
    """A client, as far as a start needs it; what an asynchronous one returns is awaited."""

    def connect(self) -> Any:
        """Open the session."""

    def close(self) -> Any:
        """End it, and what was started for it."""


BlockingT = TypeVar("BlockingT", bound=Connects)
TwinT = TypeVar("TwinT", bound=Connects, covariant=True)


class AsyncClient(Connects, Protocol[TwinT]):
    """An asynchronous client, as far as a start needs it."""

    def sync(self) -> TwinT:
        """Give the blocking twin."""


ClientT = TypeVar("ClientT", bound=AsyncClient[Connects], covariant=True)
Make = Callable[..., ClientT]

_SPACE_REGISTRY = "registry.hf.space"
_OWN = ("port", "env_vars", "ready_within", "tag")


class Starting(Coroutine[Any, Any, ClientT], Generic[ClientT]):
    """A client on its way. It can be awaited, run, or resolved by ``.sync()``, once.

    Args:
        make: Makes the client, which starts its server when it connects.
    """

    def __init__(self, make: Callable[[], ClientT]) -> None:
        self._make: Callable[[], ClientT] | None = make
        self._coroutine: Coroutine[Any, Any, ClientT] | None = None

    def _client(self) -> ClientT:
        make, self._make = self._make, None
        if make is None:
            raise MisuseError("this start was used already", hint="call from_docker_image() or from_env() again")
        return make()

    async def _connected(self) -> ClientT:
        client = self._client()
        try:
            await client.connect()
        except BaseException as error:
            try:
                await client.close()
            except Exception as failure:
                note_failed_end(error, failure)
            raise
        return client

    def sync(self: Starting[AsyncClient[BlockingT]]) -> BlockingT:
        """Start the server and connect, blocking.

        Returns:
            The connected blocking client.

        Raises:
            OpenEnvError: Why there is none; what was started is stopped.
        """
        env = self._client().sync()
        try:
            env.connect()
        except BaseException as error:
            end_after(error, env.close)
            raise
        return env

    # What asyncio asks of a coroutine

    def _driven(self) -> Coroutine[Any, Any, ClientT]:
        if self._coroutine is None:
            self._coroutine = self._connected()
        return self._coroutine

    def __await__(self) -> Generator[Any, Any, ClientT]:
        return self._driven().__await__()

    def send(self, value: Any) -> Any:
        """Go on, as a coroutine does."""
        return self._driven().send(value)

    def throw(self, *args: Any) -> Any:
        """Raise inside, as in a coroutine."""
        return self._driven().throw(*args)

    def close(self) -> None:
        """Give it up."""
        self._make = None
        if self._coroutine is not None:
            self._coroutine.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: await it, or call .sync()>"


def from_docker_image(cls: Make[ClientT], image: str, provider: Any, options: Mapping[str, Any]) -> Starting[ClientT]:
    """Make what :meth:`EnvClient.from_docker_image` returns; without a provider the docker command starts the image."""
    if provider is not None:
        return Starting(lambda: cls(provider=hold_of(provider, image, **options)))
    return _own(cls, f"docker:{image}", options)


def from_env(
    cls: Make[ClientT], space: str, use_docker: bool, provider: Any, project: str | None, options: Mapping[str, Any]
) -> Starting[ClientT]:
    """Make what :meth:`EnvClient.from_env` returns; as :func:`from_docker_image`."""
    given, address = dict(options), parse_target(space)
    if not isinstance(address, Address) or address.kind != "space":
        raise InvalidTarget(space, "it names no Hub Space: that is owner/name")
    if use_docker:
        label = address.http_url.removeprefix("https://").removesuffix(".hf.space")
        image = f"{_SPACE_REGISTRY}/{label}:{given.pop('tag', 'latest')}"
        if provider is not None:
            return from_docker_image(cls, image, provider, given)
        return _own(cls, f"docker:{image}", given, _without("docker", space, "False) runs its code by uv"))
    if provider is not None:
        return Starting(lambda: cls(provider=hold_of(provider, **given)))
    return _own(cls, f"uv:{project or space}", given, _without("uv", space, "True) runs its image by docker"))


def _without(program: str, space: str, docker: str) -> str:
    itself = f'connect("{space}") plays on the Space itself'
    return f'without {program}: {itself}, from_env("{space}", use_docker={docker}, serve(MyEnv) runs a class here'


def _own(cls: Make[ClientT], target: str, options: Mapping[str, Any], otherwise: str = "") -> Starting[ClientT]:
    settings = {name: value for name, value in options.items() if name not in _OWN}
    known = inspect.signature(cls).parameters
    for name in settings:
        if name not in known:
            of = getattr(cls, "__name__", "the client")
            what = f"{name!r} is neither an option of the start ({', '.join(_OWN)}) nor of {of}"
            raise MisuseError(what, hint=f"leave {name} out; {of} takes {', '.join(known)}")
    wish = Wish(port=options.get("port") or 0, variables=dict(options.get("env_vars") or {}), otherwise=otherwise)
    ready_within = float(options.get("ready_within", 60.0))
    return Starting(lambda: cls(provider=hold_own(target, wish, ready_within), **settings))
