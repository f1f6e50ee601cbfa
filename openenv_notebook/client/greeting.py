"""What a server says over a new connection until its session is proven."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final, NoReturn

from openenv_notebook.values.errors import ConnectFailed, ConnectTimeout, NotAnOpenEnvServer, ProtocolError, ServerError
from openenv_notebook.wire.close_codes import unproven_hint
from openenv_notebook.wire.link import Wire
from openenv_notebook.wire.replies import ENDS_SESSION, excerpt, read_error, reply_type

# A message of a type no server knows: its UNKNOWN_TYPE proves the session and runs no code of
# the environment.
HELLO_FRAME: Final = b'{"type":"openenv_notebook_hello"}'

_SECOND_WITHIN = 0.2
_REPLIES = ("error", "observation", "state", "mcp")


class Greeting:
    """Listens to one connection, and asks for the proof; ``url`` is the address as it may be shown."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._frames: list[bytes] = []
        self._end: tuple[int, str] | None = None
        self._heard = asyncio.Event()

    def take(self, data: bytes) -> None:
        """Take a frame from the connection."""
        self._frames.append(data)
        self._heard.set()

    def end_at(self, code: int, reason: str) -> None:
        """Take the end of the connection."""
        self._end = code, reason
        self._heard.set()

    async def prove(self, wire: Wire, limit: float | None) -> None:
        """Send the message that no server knows over the wire that is heard here, and wait for whatever answers it.

        Waits ``limit`` seconds; None for no limit. Raises ServerError, the server's refusal, if it is full or could not
        build the environment, NotAnOpenEnvServer if the answer is no OpenEnv message, ConnectTimeout if nothing
        answered in time, and ConnectFailed if the connection ended.
        """
        self._refuse_unasked(wire)
        try:
            wire.send(HELLO_FRAME)
        except OSError as error:
            raise self._closed("session", 1006, str(error) or type(error).__name__) from None
        try:
            async with asyncio.timeout(limit):
                await self._heard.wait()
        except TimeoutError:
            phase = "the server opened a session and does not answer"
            hint = (
                "it may still be building its environment, or be busy with a step of another session; "
                "timeout (message_timeout_s of a client class) sets the limit"
            )
            raise ConnectTimeout(limit or 0.0, phase, url=self._url, hint=hint) from None
        if self._frames and reply_type(self._frames[0]) != "error":
            # Servers answer by an error: this may be a greeting that nobody asked for, and the answer behind it.
            self._heard.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), _SECOND_WITHIN)
        self._read_answer()

    def _refuse_unasked(self, wire: Wire) -> None:
        """Raise what was said before anything was asked: a full server's refusal, or no OpenEnv."""
        end = self._end or wire.end
        if self._frames:
            self._refuse(self._frames[0])
        if end is not None:
            raise self._closed("connection at once", *end)

    def _read_answer(self) -> None:
        for answer in self._frames[:1]:
            found = reply_type(answer)
            error = read_error(answer) if found == "error" else None
            if isinstance(error, ServerError) and error.code in ENDS_SESSION:
                self._refuse(answer)
            if found not in _REPLIES:
                raise self._not_openenv(answer)
        if len(self._frames) > 1:
            # One of the two nobody asked for: the one that is no error.
            first_is_error = reply_type(self._frames[0]) == "error"
            self._refuse(self._frames[1 if first_is_error else 0])
        if self._end is not None:
            raise self._closed("session", *self._end)

    def _refuse(self, said: bytes) -> NoReturn:
        error = read_error(said) if reply_type(said) == "error" else None
        if error is None or isinstance(error, ProtocolError):
            raise self._not_openenv(said)
        error.url = error.url or self._url
        raise error

    def _closed(self, what: str, code: int | None, reason: str) -> ConnectFailed:
        if code == 1007:
            return NotAnOpenEnvServer(f"what answers there is a WebSocket, but not OpenEnv ({reason})", url=self._url)
        told = ": ".join(part for part in (f"code {code}" if code is not None else "", reason) if part)
        hint = unproven_hint(code, reason)
        said = f"the server closed the new {what}" + (f" ({told})" if told else "")
        return ConnectFailed(said, url=self._url, hint=hint)

    def _not_openenv(self, said: bytes) -> NotAnOpenEnvServer:
        what = f"what answers there is a WebSocket, but not OpenEnv (it said {excerpt(said)!r})"
        return NotAnOpenEnvServer(what, url=self._url)
