"""Every error this package raises, as one tree.

::

    OpenEnvError                       .url .hint
    ├── InvalidTarget (ValueError)     .text .reason
    ├── TransportError
    │   ├── ConnectFailed (ConnectionError)
    │   │   ├── HandshakeRejected      .status
    │   │   ├── NotAnOpenEnvServer
    │   │   └── SpaceAsleep            .stage
    │   ├── SessionLost (ConnectionError)   .code .reason .sent
    │   ├── ConnectTimeout (TimeoutError)   .seconds .phase
    │   └── ReplyTimeout (TimeoutError)     .request .seconds .sent
    ├── ProtocolError                  .frame
    ├── ServerError                    .code .message .details
    │   ├── InvalidAction              .errors (one line a field)
    │   ├── EnvironmentFailed
    │   ├── AtCapacity                 .active .maximum
    │   ├── FactoryFailed              .factory
    │   ├── SessionRefused
    │   ├── RequestRejected
    │   └── ToolFailed                 .tool .error_type
    ├── ServerStartFailed              .log
    └── MisuseError
        ├── ClientClosed
        ├── WrongThread
        ├── UnknownClient              .name .known
        └── NotSupportedHere

A text has three parts: what happened, where, and what to do now. It is composed from
the attributes each time it is read, so an error can be pickled, copied and completed.
Codes of ``ServerError`` are the seven that OpenEnv servers send.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypedDict, Unpack, cast

from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.text import notes_of, visible
from openenv_notebook.values.tracebacks import cell_lines, full_traceback

_LONGEST_TEXT = 4000


def _rebuild(cls: type[OpenEnvError], args: tuple[Any, ...], state: dict[str, Any]) -> OpenEnvError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class _Place(TypedDict, total=False):
    """What every error takes, see :class:`OpenEnvError`."""

    url: str | None
    hint: str | None


class _Said(_Place, total=False):
    """What every error of a server takes, see :class:`ServerError`."""

    code: str
    details: Mapping[str, Any] | None


class OpenEnvError(Exception):
    """The root of all errors of this package.

    Args:
        message: What happened, without a full stop.
        url: The address it happened at, without credentials.
        hint: What to do now.
    """

    default_hint: str | None = None

    def __init__(self, message: str = "", *, url: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.url = url
        self.hint = hint if hint is not None else self.default_hint

    def describe(self) -> str:
        """Say what happened, from the attributes."""
        return str(self.args[0])

    def __str__(self) -> str:
        # A server's words must not steer the terminal; the attributes hold them as they came.
        return self._fit(self._whole())

    def _whole(self, ends_in_lines: bool = False) -> str:
        """Give the text with place and hint behind it, or below it."""
        where = " · ".join(part for part in (self.url, self.hint) if part)
        between = "\n  " if ends_in_lines else " · "
        return between.join(part for part in (self.describe(), where) if part)

    @staticmethod
    def _fit(words: str) -> str:
        """Make words that a server may have had a part in fit to be shown."""
        try:
            length = len(words)
            words = foreign_text(words[: 2 * _LONGEST_TEXT])
            if length > _LONGEST_TEXT:
                words = f"{words[:_LONGEST_TEXT]}… ({length} characters in all)"
            return visible(words)
        except (ImportError, TypeError, AttributeError):
            # The interpreter ends: nothing can be imported, and modules are taken apart.
            return words

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, dict(self.__dict__))

    def _render_traceback_(self) -> list[str]:
        """Give IPython the lines to show for this error in a cell."""
        full = full_traceback(self)
        if full is not None:
            return full
        return [f"{type(self).__name__}: {self}", *notes_of(self), *cell_lines(self), *self._cause_lines()]

    def _cause_lines(self) -> list[str]:
        """Give what a cell shows of the cause."""
        return []


class InvalidTarget(OpenEnvError, ValueError):
    """The text names nothing that could be connected to.

    Args:
        text: The text as it was given.
        reason: Which part of it is wrong.
    """

    default_hint = "try localhost:8000, https://host/path, owner/name (a Hub Space) or demo:grid"

    def __init__(self, text: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(reason, hint=hint)
        self.text = text
        self.reason = reason

    def describe(self) -> str:
        return f"{self.text!r} is not an address: {self.reason}"


class TransportError(OpenEnvError):
    """The network or the server's process is in the way, not the environment."""

    default_hint: str | None = "call reset(), or connect again"


class ConnectFailed(TransportError, ConnectionError):
    """No connection could be opened.

    Attributes:
        is_temporary: True where trying again soon may help, as for a server that is starting.
    """

    default_hint = "is the server running, and is the address right?"
    is_temporary = False


class HandshakeRejected(ConnectFailed):
    """The server answered the WebSocket handshake with an HTTP status.

    Args:
        status: The HTTP status, such as 401.
        message: What that status means here.
    """

    default_hint = "is the address right? Else the log of the server, or of the proxy before it, says why"

    def __init__(self, status: int, message: str, **place: Unpack[_Place]) -> None:
        super().__init__(message, **place)
        self.status = status

    def describe(self) -> str:
        return f"the server answered HTTP {self.status}: {self.args[0]}"


class NotAnOpenEnvServer(ConnectFailed):
    """Something answers at the address, but it does not speak OpenEnv."""

    default_hint = "give the address of the environment server itself, such as http://localhost:8000"


class SpaceAsleep(ConnectFailed):
    """A Hub Space that is not running yet.

    Args:
        stage: The state of the Space as far as it is known, such as "starting".
    """

    default_hint = "wait a little and connect again"

    def __init__(self, stage: str, **place: Unpack[_Place]) -> None:
        super().__init__(stage, **place)
        self.stage = stage

    def describe(self) -> str:
        return f"the Space is not running ({self.stage})"


_LOST_HINT = "its environment is gone with it; call reset() to start a new episode on a new session"
CLOSED_HINT = "connect again for a new client"


class SessionLost(TransportError, ConnectionError):
    """The far end closed the session; its environment is gone.

    Args:
        code: The WebSocket close code (RFC 6455 §7.4), 1006 if none was sent.
        reason: The reason given with it, or what was observed.
        sent: True when the call had been sent: the environment may have made the step.
    """

    default_hint = _LOST_HINT

    def __init__(
        self, reason: str = "", *, code: int | None = None, sent: bool | None = None, **place: Unpack[_Place]
    ) -> None:
        super().__init__(reason, **place)
        self.code = code
        self.reason = reason
        self.sent = sent

    def describe(self) -> str:
        code = f" (code {self.code})" if self.code is not None else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"the session was lost{code}{reason}"


class ConnectTimeout(TransportError, TimeoutError):
    """Connecting took longer than allowed.

    Args:
        seconds: The limit; 0.0 where it was not ours.
        phase: What was being waited for.
    """

    default_hint = "is the address right? connect_timeout= and timeout= (--timeout) give it more time"

    def __init__(self, seconds: float, phase: str, **place: Unpack[_Place]) -> None:
        super().__init__(phase, **place)
        self.seconds = seconds
        self.phase = phase

    def describe(self) -> str:
        # The network itself may give up, after a time of its own.
        took = f"took longer than {self.seconds:g} s" if self.seconds else "was given up"
        return f"connecting {took}: {self.phase}"


_AGAIN = {
    "step": "a second step",
    "step_many": "the steps again",
    "step_all": "the steps again",
    "reset": "a second reset",
    "call_tool": "a second call",
}


class ReplyTimeout(TransportError, TimeoutError):
    """No reply came within the call's timeout. The session is kept.

    Args:
        request: The kind of call, such as "step".
        seconds: The limit.
        sent: True if the request was sent (its reply is now owed and the environment
            may still make the step); False if it was withdrawn and never happens.
    """

    default_hint = None

    def __init__(self, request: str, seconds: float, *, sent: bool, **place: Unpack[_Place]) -> None:
        super().__init__(request, **place)
        self.request = request
        self.seconds = seconds
        self.sent = sent
        if self.hint is None and sent:
            again = f", and calling again makes {_AGAIN[request]}" if request in _AGAIN else ""
            self.hint = f"the reply is owed{again}: settle() waits for it, disconnect() gives the session up"
        elif self.hint is None:
            again = "call it again" if request != "reset" else "call it again, or disconnect() first"
            self.hint = f"it was withdrawn before it was sent and will not happen; {again}"

    def describe(self) -> str:
        call = f"{self.request}()" if self.request.isidentifier() else self.request
        return f"no reply to {call} within {self.seconds:g} s"


class ProtocolError(OpenEnvError):
    """A message that no OpenEnv server should send.

    Args:
        message: What is wrong with it.
        frame: The message, cut to 200 characters.
    """

    default_hint = "the server sent it, or a proxy changed it: it has to be mended there"

    def __init__(self, message: str, *, frame: str = "", **place: Unpack[_Place]) -> None:
        super().__init__(message, **place)
        self.frame = frame

    def describe(self) -> str:
        return f"{self.args[0]}, received {self.frame!r}" if self.frame else str(self.args[0])


class ServerError(OpenEnvError):
    """The server answered with an error.

    Args:
        message: The server's own words.
        code: The server's error code.
        details: Everything else the server said, by key.
    """

    default_code = ""
    default_hint: str | None = "the server's log may say more"

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        **place: Unpack[_Place],
    ) -> None:
        super().__init__(message, **place)
        self.code = self.default_code if code is None else code
        self.message = message
        self.details = dict(details or {})

    def __copy__(self) -> Self:
        """Keep the cause: what an environment in this process raised."""
        made = _rebuild(type(self), self.args, dict(self.__dict__))
        if self.__cause__ is not None:
            made.__cause__ = self.__cause__
        return cast(Self, made)

    def _cause_lines(self) -> list[str]:
        if self.__cause__ is None:
            return []
        whole = "".join(traceback.format_exception(self.__cause__)).rstrip()
        return ["raised by the environment:", *foreign_text(whole).split("\n")]

    def describe(self) -> str:
        return f"the server answered {self.code or 'an error'}: {self.message or '(no message)'}"


class InvalidAction(ServerError):
    """The action or message does not fit what the environment takes.

    Args:
        message: The server's own words, or ours when it was refused before it was sent.
        errors: One line a wrong field.
    """

    default_code = "VALIDATION_ERROR"
    default_hint = "schema() tells what it takes"

    def __init__(self, message: str = "", *, errors: Sequence[str] = (), **said: Unpack[_Said]) -> None:
        super().__init__(message, **said)
        self.errors = list(errors)

    def describe(self) -> str:
        lines = "".join(f"\n  {line}" for line in self.errors)
        return f"the action was refused: {self.message or 'it does not fit'}{lines}"

    def __str__(self) -> str:
        return self._fit(self._whole(ends_in_lines=bool(self.errors)))


class EnvironmentFailed(ServerError):
    """The environment raised, or its result could not be sent. The session goes on."""

    default_hint = "the step may have happened: state() tells"

    def describe(self) -> str:
        return f"the environment failed: {self.message or '(it gave no message)'}"


class AtCapacity(ServerError):
    """All sessions of the server are taken.

    Args:
        active: Sessions in use.
        maximum: Sessions the server allows.
    """

    default_code = "CAPACITY_REACHED"
    default_hint = (
        "close another client of it, start it with more sessions, or wait for one (wait=60, --wait 60); "
        "a slot held by a dead client is free when its running step ends"
    )

    def __init__(
        self, message: str = "", *, active: int | None = None, maximum: int | None = None, **said: Unpack[_Said]
    ) -> None:
        super().__init__(message, **said)
        self.active = active
        self.maximum = maximum

    def describe(self) -> str:
        if self.active is None or self.maximum is None:
            return f"the server is full: {self.message}"
        return f"the server is full: {self.active} of {self.maximum} sessions in use"


class FactoryFailed(ServerError):
    """The server could not build the environment. The official server neither sends nor logs the cause.

    Args:
        factory: The name of what should have built it.
    """

    default_code = "FACTORY_ERROR"
    default_hint = (
        "the cause is not sent, and the official server does not log it either: open /metadata of the server, which "
        "builds an environment too and has the log show why; or build it where the server runs (packages, files and "
        "environment variables are there, not here); or serve(MyEnv) its class here, which shows the cause"
    )

    def __init__(self, message: str = "", *, factory: str | None = None, **said: Unpack[_Said]) -> None:
        super().__init__(message, **said)
        self.factory = factory

    def describe(self) -> str:
        name = f" {self.factory}" if self.factory else ""
        return f"the server could not build its environment{name}: {self.message}"


class SessionRefused(ServerError):
    """The server ended the session because of a message. The episode is lost."""

    default_hint = _LOST_HINT

    def describe(self) -> str:
        return f"the server ended the session: {self.message or '(no message)'}"


class RequestRejected(ServerError):
    """The server does not know this kind of message."""

    default_hint = "the server may be older than this call"


class ToolFailed(ServerError):
    """A tool of an MCP environment reported an error.

    Args:
        tool: The tool's name.
        error_type: The kind of failure, in the server's words.
    """

    default_code = "TOOL_ERROR"
    default_hint = "list_tools() tells what it takes"

    def __init__(self, message: str = "", *, tool: str = "", error_type: str = "", **said: Unpack[_Said]) -> None:
        super().__init__(message, **said)
        self.tool = tool
        self.error_type = error_type

    def describe(self) -> str:
        kind = f" ({self.error_type})" if self.error_type else ""
        return f"the tool {self.tool!r} failed{kind}: {self.message or '(no message)'}"


class ServerStartFailed(OpenEnvError):
    """A local server would not start.

    Args:
        message: What was tried and how it ended.
        log: The last lines the server printed.
    """

    default_hint = "its last lines say why, where it printed any; ready_within= gives it more time"

    def __init__(self, message: str, *, log: Sequence[str] = (), **place: Unpack[_Place]) -> None:
        super().__init__(message, **place)
        self.log = list(log)

    def describe(self) -> str:
        return str(self.args[0]) + "".join(f"\n  | {line}" for line in self.log)

    def __str__(self) -> str:
        return foreign_text(self._whole(ends_in_lines=bool(self.log)))


class MisuseError(OpenEnvError):
    """The call itself cannot be meant this way."""


class ClientClosed(MisuseError):
    """The client was closed; it makes no more calls."""

    default_hint = CLOSED_HINT

    def __init__(self, message: str = "the client is closed", **place: Unpack[_Place]) -> None:
        super().__init__(message, **place)
        self.sent = False


class WrongThread(MisuseError):
    """A blocking call on the portal's own thread would wait for itself."""


class UnknownClient(MisuseError):
    """No client of that name.

    Args:
        name: The name asked for.
        known: The names there are.
    """

    default_hint = "choose one of these, or connect it first"

    def __init__(self, name: str, known: Sequence[str] = (), *, hint: str | None = None) -> None:
        super().__init__(name, hint=hint)
        self.name = name
        self.known = list(known)

    def describe(self) -> str:
        known = ", ".join(self.known) if self.known else "none"
        return f"there is no client named {self.name!r} (connected: {known})"


class NotSupportedHere(MisuseError):
    """This server, kernel or interpreter cannot do it."""


class OpenEnvWarning(UserWarning):
    """Something that is allowed and probably not meant."""
