"""Blocking calls on a client object of the official package, all on one loop.

Record, order and owed replies are promised for our own clients only.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, NoReturn, Self

from openenv_notebook.client.actions import NOT_GIVEN
from openenv_notebook.client.sync_client import SyncEnvClient
from openenv_notebook.threads import portal as portals
from openenv_notebook.threads.portal import Portal
from openenv_notebook.values.errors import ClientClosed, MisuseError, NotSupportedHere


class SyncForeignClient(SyncEnvClient[Any, Any, Any]):
    """What ``SyncEnvClient(x)`` makes of a client object of the official package.

    Args:
        async_client: The object; its methods run on the portal's loop, whether they are coroutines
            or return something awaitable.
    """

    def __init__(self, async_client: Any) -> None:
        if async_client is self:
            return  # SyncEnvClient(x) of such an x is that x
        self._client: Any = async_client
        self._guard = threading.Lock()
        self._portal: Portal | None = None
        self._was_called = self._is_closed = False

    def connect(self) -> Self:
        """Connect, as the object does."""
        self._call("connect")
        return self

    def reset(self, /, **kwargs: Any) -> Any:
        """Begin an episode, as the object does."""
        return self._call("reset", **kwargs)

    def step(self, action: Any = NOT_GIVEN, /, **fields: Any) -> Any:
        """Act in the environment, as the object does; its classes take the action they know.

        Raises:
            MisuseError: If fields were given as keywords: only the object knows their class.
        """
        if action is NOT_GIVEN and set(fields) == {"action"}:
            action, fields = fields["action"], {}
        if action is NOT_GIVEN or fields:
            kind = type(self._client).__name__
            raise MisuseError(
                f"step() of {kind} takes one action object, not keywords",
                hint=f"pass the action object: env.step(TheAction({', '.join(f'{name}=...' for name in fields)})); "
                f"adopt({kind}) takes keywords",
            )
        return self._call("step", action)

    def state(self) -> Any:
        """Read the environment's state, as the object does."""
        return self._call("state")

    def disconnect(self) -> None:
        """Give the session up, as the object does."""
        self._call("disconnect")

    def close(self) -> None:
        """Close the object; no thread is left."""
        if self._is_closed:
            return
        try:
            self._call("close")
        finally:
            self._is_closed = True
            with self._guard:
                self._portal = None
            portals.give_back(self, join=True)

    def new_session(self) -> SyncEnvClient[Any, Any, Any]:
        """Open another session, as the object does."""
        return SyncForeignClient(self._call("new_session"))

    def shut_down(self) -> None:
        """The process ends: the object's socket ends with it."""

    def orphan(self) -> None:
        """Leave the parent's portal alone, in a forked child."""
        self._guard = threading.Lock()
        self._portal = None

    @property
    def base_url(self) -> str | None:
        """The object's address."""
        return getattr(self._client, "base_url", None) or getattr(self._client, "_base_url", None)

    @property
    def status(self) -> Any:
        """ "new" before the first call, "closed" after close(), else "open"."""
        return "closed" if self._is_closed else "open" if self._was_called else "new"

    def _unsupported(self, *_: Any, **__: Any) -> NoReturn:
        raise NotSupportedHere(
            "only our own clients keep a record and an order",
            hint="adopt(TheClass), or connect(...), gives one",
        )

    episode = episodes = last = done = owed = activity = property(_unsupported)
    settle = step_many = options = subscribe = unsubscribe = _unsupported

    def __repr__(self) -> str:
        return f"<{type(self._client).__name__} of {type(self._client).__module__} (sync), {self.status}>"

    def _blocking(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, *args, **kwargs)

        return blocking

    def _call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        if self._is_closed:
            raise ClientClosed()
        with self._guard:
            if self._portal is None or not self._portal.alive:
                self._portal = portals.lease(self)
            portal = self._portal
        value = portal.call(functools.partial(getattr(self._client, name), *args, **kwargs), name=name)
        self._was_called = True
        return value
