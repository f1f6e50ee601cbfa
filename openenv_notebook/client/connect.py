"""``connect(target)``: from the text a person types to a connected client."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast, overload

from openenv_notebook.client import open_sessions
from openenv_notebook.client.adopt import adopt
from openenv_notebook.client.clients import EnvClient, GenericEnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.servers.holding import hold_at, hold_shared
from openenv_notebook.servers.running import note_connect
from openenv_notebook.servers.server import Server
from openenv_notebook.threads import portal as portals
from openenv_notebook.threads.latch import Latch
from openenv_notebook.threads.start import start_thread
from openenv_notebook.values import front_end
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.checks import check_callback, check_seconds
from openenv_notebook.values.ending import end_after
from openenv_notebook.values.errors import AtCapacity, InvalidTarget, MisuseError
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import ActT, ObsT, StateT, short_repr
from openenv_notebook.values.targets import Address, LocalTarget, Target, parse_target
from openenv_notebook.values.text import nearest

log = our_log()

_SLOT_RETRY_AFTER = 0.2
_REPORT_AFTER = 1.0

_TARGET_SAYS = "the first argument says what to connect to"
# What client classes take and connect() sets itself.
_OTHERWISE = {
    "message_timeout_s": "give timeout=",
    "connect_timeout_s": "give connect_timeout=",
    "wait_s": "give wait=",
    "base_url": _TARGET_SAYS,
    "provider": _TARGET_SAYS,
}


@overload
def connect(
    target: str | Server | Callable[..., Any],
    *,
    client: type[EnvClient[ActT, ObsT, StateT]],
    headers: Mapping[str, str] | None = ...,
    token: str | None = ...,
    timeout: float | None = ...,
    connect_timeout: float | None = ...,
    wait: float = ...,
    progress: Callable[[str], object] | None = ...,
    **settings: Any,
) -> SyncEnvClient[ActT, ObsT, StateT]: ...


@overload
def connect(
    target: str | Server | Callable[..., Any],
    *,
    client: type[Any],
    headers: Mapping[str, str] | None = ...,
    token: str | None = ...,
    timeout: float | None = ...,
    connect_timeout: float | None = ...,
    wait: float = ...,
    progress: Callable[[str], object] | None = ...,
    **settings: Any,
) -> SyncEnvClient[Any, Any, Any]: ...


@overload
def connect(
    target: str | Server | Callable[..., Any],
    *,
    headers: Mapping[str, str] | None = ...,
    token: str | None = ...,
    timeout: float | None = ...,
    connect_timeout: float | None = ...,
    wait: float = ...,
    progress: Callable[[str], object] | None = ...,
    **settings: Any,
) -> SyncEnvClient[Any, AttributeDict, AttributeDict]: ...


def connect(
    target: str | Server | Callable[..., Any],
    *,
    client: type[Any] = GenericEnvClient,
    headers: Mapping[str, str] | None = None,
    token: str | None = None,
    timeout: float | None = 60.0,
    connect_timeout: float | None = 10.0,
    wait: float = 0.0,
    progress: Callable[[str], object] | None = None,
    **settings: Any,
) -> SyncEnvClient[Any, Any, Any]:
    """Connect to an environment and return a blocking client with an open session.

    Args:
        target: ``localhost:8000``, any http or ws address, ``owner/name`` (a Hub Space); or
            something to serve as long as a client needs it: ``demo:grid``, ``./folder``,
            ``module:app``, ``docker:image``, ``uv:project``, or a class of environments. A
            server that :func:`serve` gave is connected to, and stays its owner's.
        client: The client class; one of the official package is adopted.
        headers: Sent with the handshake and with HTTP requests.
        token: A Hub token for a private Space; the one of this machine is found by itself.
        timeout: Limit for a reply, in seconds; None for none.
        connect_timeout: Limit for TCP, TLS and the handshake, in seconds; None for none.
        wait: How long to wait for a free session, or for a Space to wake up, in seconds.
        progress: Called about every second, from another thread, with what is being waited for.
        **settings: Anything else the client class takes.

    Returns:
        The client; ``env.async_client`` is its asynchronous twin.

    Raises:
        InvalidTarget: If the text names nothing.
        MisuseError: If the client is no client class, or a setting cannot be meant.
        TypeError: If a setting has a name that the client class does not know, or is named otherwise here.
        ConnectFailed, ConnectTimeout: If there is no such server, or it does not answer.
        AtCapacity: If all its sessions are taken. In a notebook, sessions held by an earlier
            run of the same cell are closed first.

    Example:
        >>> env = connect("demo:guess")
        >>> env.reset(seed=7).observation.guesses_left
        8
        >>> env.close()
    """
    portals.refuse_here("connect", "GenericEnvClient(...).connect(), or await asyncio.to_thread(connect, ...)")
    check_seconds(timeout=timeout, connect_timeout=connect_timeout, wait=wait)
    server = target if isinstance(target, Server) else None
    if server is not None and not server.running:
        raise MisuseError(f"the server of {server.name} is stopped", hint="serve it again")
    target, kind = server.url if server is not None else target, adopt(client)
    _refuse_unknown(settings, kind)
    settings |= {"connect_timeout_s": connect_timeout, "message_timeout_s": timeout, "wait_s": wait}
    settings |= {"headers": headers, "token": token}
    parsed = _read(target)
    # A server that clients share stays while one is on it that was given its address.
    hold = hold_at(cast(str, target), parsed) if isinstance(parsed, Address) else hold_shared(parsed)
    made = kind(cast(str, target), **settings) if hold is None else kind(provider=hold, **settings)
    owner, queue = front_end.current_owner(), _Queue()
    env: SyncEnvClient[Any, Any, Any] = made.sync()
    try:
        with _reporting(lambda: queue.activity or env.activity, progress):
            _connect_when_free(env, owner, wait, connect_timeout, queue if progress is not None else None)
    except BaseException as error:
        end_after(error, env.close)
        if server is not None:
            note_connect(server, failed=True)
            # Who keeps the traceback does not keep the server.
            server = None
        raise
    if server is not None:
        note_connect(server, failed=False)
    open_sessions.remember(made, env.base_url or "", owner)
    return env


def target_of(env: SyncEnvClient[Any, Any, Any]) -> str | Callable[..., Any] | None:
    """Tell what :func:`connect` takes for another session like a client's, also of a closed one.

    That is a text such as ``demo:grid``, or the class, where it is on a server that clients share; else the address.
    None before there is one.
    """
    hold = conversation_of(env).opener.provider
    what = hold.what if hold is not None else None
    if isinstance(what, LocalTarget):
        return what.name
    return what if callable(what) and getattr(what, "__name__", "").isidentifier() else env.base_url


def _read(target: Any) -> Target | Callable[..., Any]:
    if isinstance(target, str) and target.strip():
        return parse_target(target)
    if callable(target):
        return cast(Callable[..., Any], target)
    hint = f"connect({target.url!r})" if isinstance(getattr(target, "url", None), str) else None
    if type(target) is int:
        hint = f"connect('localhost:{target}')"
    what = "connect() takes an address such as 'localhost:8000', or a class of environments"
    if not isinstance(target, str):
        what = f"an address is a text, not a {type(target).__name__}: {what}"
    raise InvalidTarget(target if isinstance(target, str) else short_repr(target), what, hint=hint)


def _refuse_unknown(settings: Mapping[str, Any], kind: type[Any]) -> None:
    """Refuse a misspelt setting, or one that is named otherwise here, by the name of the call that was written."""
    for name in settings:
        if name in _OTHERWISE:
            raise TypeError(f"connect() takes no argument {name!r}; {_OTHERWISE[name]}")
    taken = inspect.signature(kind).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return
    for name in settings:
        if name not in taken:
            known = {*inspect.signature(connect).parameters, *taken} - {*_OTHERWISE}
            raise TypeError(f"connect() takes no argument {name!r}{nearest(name, known)}; help(connect) lists them")


class _Queue:
    """Where a connect stands that waits for a free session."""

    def __init__(self) -> None:
        self._full: AtCapacity | None = None
        self._since = 0.0
        self._tried: float | None = None

    def stand(self, full: AtCapacity) -> None:
        """Go on waiting; the first time, since now."""
        self._since = self._since if self._full is not None else time.monotonic()
        self._full, self._tried = full, None

    def try_again(self) -> None:
        """Note that a try begins: one that lasts is no refusal, and the wait is for something else."""
        self._tried = time.monotonic()

    @property
    def activity(self) -> str:
        """What is being waited for, with the seconds so far; "" when nothing is."""
        full, tried = self._full, self._tried
        if full is None or (tried is not None and time.monotonic() - tried > _REPORT_AFTER):
            return ""
        return f"{full.describe()}; waiting for a free session, {time.monotonic() - self._since:.0f} s"


@contextlib.contextmanager
def _reporting(activity: Callable[[], str], progress: Callable[[str], object] | None) -> Iterator[None]:
    """Report what a connect waits for, from a thread: the caller's own is blocked."""
    if progress is None:
        yield
        return
    check_callback("progress", progress, "progress=print")
    over = Latch()

    def report() -> None:
        while not over.wait(_REPORT_AFTER):
            if text := activity():
                try:
                    progress(text)
                except BaseException:  # it keeps no connect from going on
                    log.exception("the function for progress failed")
                    return

    try:
        thread = start_thread(contextvars.copy_context().run, report, name="openenv-progress")
        yield
        over.set()
        thread.join(_REPORT_AFTER)
    finally:
        # Who is interrupted waits for nobody, also while the thread starts.
        over.set()


def _connect_when_free(
    env: SyncEnvClient[Any, Any, Any],
    owner: front_end.Owner | None,
    wait: float,
    connect_timeout: float | None,
    queue: _Queue | None,
) -> None:
    """Connect; where the server is full, close what an earlier run of the cell holds, or wait.

    Who has a queue sees the wait there; it is logged for all others.
    """
    until = time.monotonic() + wait
    said = queue is not None
    while True:
        if queue is not None:
            queue.try_again()
        try:
            env.connect()
            return
        except AtCapacity as error:
            full = error
        earlier = open_sessions.earlier_holders(env.base_url or "", owner)
        if earlier:
            log.warning("openenv: %s was full; closing what an earlier run of this cell holds", env.base_url)
            for client in earlier:
                client.sync().close()
            until = max(until, time.monotonic() + (10.0 if connect_timeout is None else connect_timeout))
        left = until - time.monotonic()
        if left <= 0:
            raise full
        if queue is not None:
            queue.stand(full)
        if not said and not earlier:
            log.warning("openenv: %s; waiting for a free session, up to %g s", full.describe(), wait)
            said = True
        time.sleep(min(_SLOT_RETRY_AFTER, left))
