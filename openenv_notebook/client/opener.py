"""Opening a session: connect, then prove that a session stands behind the socket.

The socket opens even on a full server; only a reply tells. So a message of a type that no
server knows is sent first: its UNKNOWN_TYPE proves the session and runs no code of the
environment. Building the environment may take long, and is waited for here.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from openenv_notebook.client import open_sessions
from openenv_notebook.client.greeting import Greeting
from openenv_notebook.servers.holding import Hold
from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import (
    ConnectFailed,
    ConnectTimeout,
    OpenEnvError,
    ServerStartFailed,
    SpaceAsleep,
    TransportError,
)
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.text import named_words
from openenv_notebook.wire import other_ports, same_process
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.fault import SEE_CAUSE
from openenv_notebook.wire.link import Link, Wire
from openenv_notebook.wire.same_process import Caller

log = our_log()

# Servers start slowly: a refused connection is tried again for this long.
REFUSED_FOR = 2.0
_RETRY_AFTER = 0.05
_SPACE_RETRY_AFTER = 2.0


@dataclass(frozen=True)
class Patience:
    """How long opening a session may take, in seconds; None for no limit.

    ``connect`` is for TCP, TLS and the handshake, ``build`` for the server to build the environment, ``asleep`` for a
    Hub Space to wake up.
    """

    connect: float | None = 10.0
    build: float | None = 60.0
    asleep: float = 0.0


class Customer(open_sessions.Busy, Protocol):
    """For whom a connection is opened: a session, of which no more is known."""

    def move(self, url: str) -> None:
        """Note the address of the server, which was just started."""

    def running_context(self) -> Context | None:
        """The context of the call that is being answered, or that waits for the connection."""


class Opened(NamedTuple):
    """A proven connection, to which nobody listens yet; ``caller`` is how a server of this process knows its client."""

    wire: Wire
    caller: Caller | None


class Opener:
    """Opens the sessions of one client; knows its server and its limits, not the client.

    Without an endpoint the provider starts the server first; ``reach`` makes the endpoint from its address.
    """

    def __init__(
        self,
        endpoint: Endpoint | None,
        patience: Patience,
        provider: Hold | None = None,
        reach: Callable[[str], Endpoint] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.patience = patience
        self.provider = provider
        self._reach = reach
        self._secrets: Secrets | None = None

    def hide_by(self, secrets: Secrets) -> None:
        """Have a client's secrets know what is sent to its server with each request, and what that is started with."""
        self._secrets = secrets
        if self.provider is not None:
            secrets.keep(self.provider.variables)
        if self.endpoint is not None:
            secrets.keep(self.endpoint.secrets)

    def again(self) -> Opener:
        """Make the opener of another client on the same server, which is nobody's to start or stop."""
        return Opener(self.endpoint, self.patience)

    async def __call__(self, customer: Customer, link: Link) -> Opened:
        """Open a connection and prove it; raises ConnectFailed, ConnectTimeout or ServerError: why there is no session.

        The link is told what is waited for, and takes what could not be proven.
        """
        if self.endpoint is None:
            assert self.provider is not None and self._reach is not None
            link.say("the server is starting")
            start = functools.partial(_started, self.provider, self.provider.stops)
            self.endpoint = self._reach(await in_thread(start))
            customer.move(self.endpoint.address.name)
            if self._secrets is not None:
                self.hide_by(self._secrets)
        return await _Opening(customer, link, self.endpoint, self.patience).open()


def _started(provider: Hold, since: int) -> str:
    """Start the server, unless it was stopped since; whatever somebody's provider or factory raises is the cause."""
    try:
        return provider.start(since)
    except OpenEnvError:
        raise
    except BaseException as error:
        what = f"the server could not be started: {named_words(error)}"
        raise ServerStartFailed(what, hint=SEE_CAUSE) from error


class _Opening:
    """One attempt to open a connection to a server that runs."""

    def __init__(self, customer: Customer, link: Link, endpoint: Endpoint, patience: Patience) -> None:
        self._link = link
        self._patience = patience
        self._url = endpoint.address.name
        self._endpoint, self._caller = same_process.introduce(endpoint, customer.running_context)
        self._server = open_sessions.join(customer, endpoint.address)
        self._was_accepted = False

    async def open(self) -> Opened:
        """Connect and prove; raises as :class:`Opener`."""
        greeting = Greeting(self._url)
        wire = await self._when_awake(greeting)
        try:
            self._link.say("the server is building the environment")
            await greeting.prove(wire, self._patience.build)
        except BaseException as error:
            self._link.drop(wire)
            if self._caller is not None and isinstance(error, OpenEnvError):
                error.__cause__ = self._caller.cause_of(error) or error.__cause__
            raise
        return Opened(wire, self._caller)

    async def _when_awake(self, greeting: Greeting) -> Wire:
        """Connect, waiting for a Space that is asleep as long as allowed."""
        loop, asleep, is_told = asyncio.get_running_loop(), self._patience.asleep, False
        self._link.say("connecting")
        began = loop.time()
        while True:
            try:
                return await self._in_time(greeting)
            except SpaceAsleep as error:
                left = began + asleep - loop.time()
                if left <= 0:
                    if asleep:
                        error.hint = f"it did not wake up within {asleep:g} s; connect again with a longer wait"
                    raise
                if not is_told:
                    self._link.say(f"the Space is waking up ({error.stage})")
                    is_told = True
                await asyncio.sleep(min(_SPACE_RETRY_AFTER, left))

    async def _in_time(self, greeting: Greeting) -> Wire:
        limit = self._patience.connect
        try:
            async with asyncio.timeout(limit):
                return await self._with_retries(greeting)
        except TimeoutError as error:
            if isinstance(error, TransportError):
                raise
            phase, hint = "no connection", "is the address right?"
            if self._was_accepted:
                phase = "the server accepted the connection and does not answer the WebSocket handshake"
                hint = "it may be busy with a step of another session, or be no OpenEnv server;"
            hint += " connect_timeout (connect_timeout_s of a client class) sets the limit"
            raise ConnectTimeout(limit or 0.0, phase, url=self._url, hint=hint) from None

    async def _with_retries(self, greeting: Greeting) -> Wire:
        """A refused connection is tried again for a while: servers start slowly."""
        # websockets is only loaded by the first connection.
        from openenv_notebook.wire.handshake import open_connection

        loop = asyncio.get_running_loop()
        until, pause = loop.time() + REFUSED_FOR, _RETRY_AFTER
        while True:
            try:
                return await open_connection(
                    self._endpoint,
                    on_frame=greeting.take,
                    on_end=greeting.end_at,
                    is_busy=lambda: open_sessions.is_busy(self._server),
                    on_accepted=self._note_accepted,
                )
            except ConnectFailed as error:
                if not error.is_temporary:
                    raise
                if loop.time() + pause > until:
                    await other_ports.suggest(error, self._endpoint.address)
                    raise
                log.info("openenv: %s refused the connection, trying again", self._url)
                self._link.say("the connection was refused, trying again")
                await asyncio.sleep(pause)
                pause = min(pause * 2, 0.5)

    def _note_accepted(self) -> None:
        self._was_accepted = True
