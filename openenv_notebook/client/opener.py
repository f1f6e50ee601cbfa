"""Opening a session: connect, then prove that a session stands behind the socket.

The socket opens even on a full server; only a reply tells. So a message of a type that no
server knows is sent first: its UNKNOWN_TYPE proves the session and runs no code of the
environment. Building the environment may take long, and is waited for here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from openenv_notebook.client import open_sessions
from openenv_notebook.client.provider import Provider
from openenv_notebook.client.session import Session
from openenv_notebook.values.errors import (
    ConnectFailed,
    ConnectTimeout,
    NotAnOpenEnvServer,
    ProtocolError,
    SessionLost,
    SpaceAsleep,
    TransportError,
)
from openenv_notebook.wire import other_ports, same_process
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.protocol import HELLO_FRAME, Request, excerpt, reply_type

log = logging.getLogger("openenv_notebook")

# Servers start slowly: a refused connection is tried again for this long.
REFUSED_FOR = 2.0
_RETRY_AFTER = 0.05
_SPACE_RETRY_AFTER = 2.0
_REPLIES = ("error", "observation", "state", "mcp")


@dataclass(frozen=True)
class Patience:
    """How long opening a session may take, in seconds; None for no limit.

    Attributes:
        connect: For TCP, TLS and the handshake.
        build: For the server to build the environment.
        asleep: For a Hub Space to wake up.
    """

    connect: float | None = 10.0
    build: float | None = 60.0
    asleep: float = 0.0


class Opener:
    """Opens the sessions of one client; knows its server and its limits, not the client.

    Args:
        endpoint: The server; None where a provider starts it first.
        patience: The limits.
        provider: What starts the server, or None.
        reach: Makes the endpoint of a started server from its address.
    """

    def __init__(
        self,
        endpoint: Endpoint | None,
        patience: Patience,
        provider: Provider | None = None,
        reach: Callable[[str], Endpoint] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.patience = patience
        self.provider = provider
        self._reach = reach

    async def __call__(self, session: Session) -> None:
        """Open a connection for a session, attach it to the session's link, and prove it.

        Args:
            session: The session.

        Raises:
            ConnectFailed, ConnectTimeout, ServerError: Why there is no session.
        """
        if self.endpoint is None:
            assert self.provider is not None and self._reach is not None
            session.link.say("the server is starting")
            self.endpoint = self._reach(await self.provider.start())
            session.url = self.endpoint.address.name
            session.record.move(session.url)
        await open_session(session, self.endpoint, self.patience)


async def open_session(session: Session, endpoint: Endpoint, patience: Patience) -> None:
    """Open a connection to a server that runs, attach it and prove it; raises as Opener."""
    await _connect_awake(session, endpoint, patience)
    wire = session.link.wire
    if isinstance(session.farewell, ProtocolError):
        raise _not_openenv(session, session.farewell.frame)
    if session.farewell is not None or wire is None or getattr(wire, "ended", False):
        code, reason = getattr(wire, "end", None) or (None, "")
        raise session.farewell or _closed(session, "connection at once", code, reason)
    await prove(session, patience.build)


async def _connect_awake(session: Session, endpoint: Endpoint, patience: Patience) -> None:
    """Connect, waiting for a Space that is asleep as long as allowed."""
    loop = asyncio.get_running_loop()
    session.link.say("connecting")
    began = loop.time()
    while True:
        try:
            await _connect_in_time(session, endpoint, patience)
            return
        except SpaceAsleep as error:
            left = began + patience.asleep - loop.time()
            if left <= 0:
                if patience.asleep:
                    error.hint = f"it did not wake up within {patience.asleep:g} s; connect again with a longer wait"
                raise
            if session.link.doing is None or not session.link.doing[0].startswith("the Space"):
                session.link.say(f"the Space is waking up ({error.stage})")
            await asyncio.sleep(min(_SPACE_RETRY_AFTER, left))


async def _connect_in_time(session: Session, endpoint: Endpoint, patience: Patience) -> None:
    accepted: list[bool] = []
    try:
        async with asyncio.timeout(patience.connect):
            await _connect_with_retries(session, endpoint, lambda: accepted.append(True))
    except TimeoutError as error:
        if isinstance(error, TransportError):
            raise
        phase, hint = "no connection", "is the address right?"
        if accepted:
            phase = "the server accepted the connection and does not answer the WebSocket handshake"
            hint = "it may be busy with a step of another session, or be no OpenEnv server;"
        hint += " connect_timeout (connect_timeout_s of a client class) sets the limit"
        raise ConnectTimeout(patience.connect or 0.0, phase, url=session.url, hint=hint) from None


async def _connect_with_retries(session: Session, endpoint: Endpoint, on_accepted: Callable[[], object]) -> None:
    """A refused connection is tried again for a while: servers start slowly."""
    # websockets is only loaded by the first connection.
    from openenv_notebook.wire.connection import open_connection

    loop = asyncio.get_running_loop()
    until, pause = loop.time() + REFUSED_FOR, _RETRY_AFTER
    endpoint, server = same_process.introduce(session, endpoint), open_sessions.join(session, endpoint.address)
    while True:
        try:
            wire = await open_connection(
                endpoint,
                on_frame=session.received,
                on_end=session.ended,
                is_busy=lambda: open_sessions.is_busy(server),
                on_accepted=on_accepted,
            )
            session.link.attach(wire)
            return
        except ConnectFailed as error:
            if not error.is_temporary:
                raise
            if loop.time() + pause > until:
                await other_ports.suggest(error, endpoint.address)
                raise
            log.info("openenv: %s refused the connection, trying again", session.url)
            session.link.say("the connection was refused, trying again")
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.5)


async def prove(session: Session, limit: float | None) -> None:
    """Send the message that no server knows, and wait for whatever answers it.

    Args:
        session: A session with an attached connection.
        limit: Seconds to wait; None for no limit.

    Raises:
        ServerError: The server's refusal: it is full, or could not build the environment.
        NotAnOpenEnvServer: If the answer is no OpenEnv message.
        ConnectTimeout: If nothing answered in time.
        ConnectFailed: If the connection ended.
    """
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[None] = loop.create_future()
    hello = Request("hello", HELLO_FRAME)
    hello.wake = lambda: None if answered.done() else answered.set_result(None)
    session.link.say("the server is building the environment")
    session.send_now(hello)
    try:
        async with asyncio.timeout(limit):
            await answered
    except TimeoutError:
        phase = "the server opened a session and does not answer"
        hint = (
            "it may still be building its environment, or be busy with a step of another session; "
            "timeout (message_timeout_s of a client class) sets the limit"
        )
        raise ConnectTimeout(limit or 0.0, phase, url=session.url, hint=hint) from None
    if session.farewell is not None:
        raise session.farewell
    if hello.reply is None:
        lost = hello.error if isinstance(hello.error, SessionLost) else SessionLost("it closed")
        raise _closed(session, "session", lost.code, lost.reason)
    if reply_type(hello.reply) not in _REPLIES:
        raise _not_openenv(session, excerpt(hello.reply))


_CLOSED_HINTS = {
    1001: "it is going away: connect again when it is back",
    1008: "it may want a token=... or headers=..., or take no clients from here",
    1011: "it failed: its log says why",
    1012: "it is starting anew: connect again in a moment",
    1013: "it is too busy: connect again in a moment",
}


def _closed(session: Session, what: str, code: int | None, reason: str) -> ConnectFailed:
    if code == 1007:
        return NotAnOpenEnvServer(f"what answers there is a WebSocket, but not OpenEnv ({reason})", url=session.url)
    told = ": ".join(part for part in (f"code {code}" if code is not None else "", reason) if part)
    hint = _CLOSED_HINTS.get(code or 0, "is it an OpenEnv server, and is the path right?")
    said = f"the server closed the new {what}" + (f" ({told})" if told else "")
    return ConnectFailed(said, url=session.url, hint=hint)


def _not_openenv(session: Session, said: str) -> NotAnOpenEnvServer:
    what = f"what answers there is a WebSocket, but not OpenEnv (it said {said!r})"
    return NotAnOpenEnvServer(what, url=session.url)
