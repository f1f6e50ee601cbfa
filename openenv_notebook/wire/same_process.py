"""Servers in the process of their own clients: what the wire does not carry.

Such a server puts its port down here. A client that connects to it introduces its session
by a secret word in the handshake; by that word the server finds the call it is answering.
So what an environment prints appears in the cell that waits, and what it raises reaches the
caller as it was raised, not only as text.
"""

from __future__ import annotations

import dataclasses
import secrets
import weakref
from collections import deque
from collections.abc import Callable
from contextvars import Context
from types import MethodType, TracebackType
from urllib.parse import urlsplit

from openenv_notebook.values.errors import EnvironmentFailed, FactoryFailed, InvalidAction, OpenEnvError, ServerError
from openenv_notebook.values.text import named_words, words_of
from openenv_notebook.wire.endpoint import Endpoint

HEADER = "X-OpenEnv-Neighbour"

_ports: set[int] = set()
_callers: weakref.WeakValueDictionary[str, Caller] = weakref.WeakValueDictionary()


class Caller:
    """What a server in this process may know of one session of a client.

    ``context`` gives the context of the call that is being answered, None where nobody can be found; a bound method is
    held weakly.
    """

    def __init__(self, context: Callable[[], Context | None]) -> None:
        is_method = isinstance(context, MethodType)
        self._context: Callable[[], Callable[[], Context | None] | None]
        self._context = weakref.WeakMethod(context) if is_method else lambda: context
        self._raised: deque[tuple[BaseException, TracebackType | None]] = deque(maxlen=64)

    @property
    def context(self) -> Context | None:
        """The context of the call that is being answered; None where nobody can be found."""
        find = self._context()
        return find() if find is not None else None

    def leave(self, error: BaseException, trace: TracebackType | None) -> None:
        """Leave what the environment raised, before the reply that tells it; the trace begins in its own code."""
        self._raised.append((error, trace))

    def cause_of(self, error: OpenEnvError) -> BaseException | None:
        """Find what the environment raised behind an error from the wire; None where it is not its own or not left."""
        if isinstance(error, FactoryFailed) and self._raised:
            # The words do not name the cause, and nothing else can have failed before.
            error.hint = "what it raised is its cause (__cause__), with the line"
            left, trace = self._raised.pop()
            return left.with_traceback(trace)
        if isinstance(error, (EnvironmentFailed, InvalidAction)):
            while self._raised:
                left, trace = self._raised.popleft()
                if told_words(left) == error.message or _is_told_by(left, error):
                    return left.with_traceback(trace)
        return None


def _is_told_by(left: BaseException, error: ServerError) -> bool:
    """Tell whether an error lists what a model of the environment's own refused."""
    told, listed = error.details.get("errors"), getattr(left, "errors", None)
    if not isinstance(told, list) or not callable(listed):
        return False
    places = [list(item["loc"]) for item in listed()]
    return places == [item.get("loc") for item in told if isinstance(item, dict)]


def told_words(error: BaseException) -> str:
    """Say what an environment raised as it goes over the wire; an exit is told by its name, too."""
    return words_of(error) if isinstance(error, Exception) else named_words(error)


def open_door(port: int) -> None:
    """Note that a server of this process listens on a port."""
    _ports.add(port)


def close_door(port: int) -> None:
    """Note that it does no more."""
    _ports.discard(port)


def introduce(endpoint: Endpoint, context: Callable[[], Context | None]) -> tuple[Endpoint, Caller | None]:
    """Introduce a session to its server, where that runs in this process; ``context`` is as for :class:`Caller`.

    Gives the endpoint to connect to, with the word in its headers, and the caller the server will find by it; the same
    endpoint and None for a server elsewhere.
    """
    if not _ports or not endpoint.address.is_loopback or urlsplit(endpoint.address.http_url).port not in _ports:
        return endpoint, None
    word = secrets.token_hex(16)
    caller = _callers[word] = Caller(context)
    return dataclasses.replace(endpoint, headers={**endpoint.headers, HEADER: word}), caller


def find(word: str) -> Caller | None:
    """Find who introduced itself by a word; None where nobody did."""
    return _callers.get(word)
