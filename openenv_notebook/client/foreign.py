"""Blocking calls on a client object of the official package, all on one loop.

Record, order and owed replies are promised for our own clients only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from openenv_notebook.client.actions import NOT_GIVEN
from openenv_notebook.client.blocking import Blocking
from openenv_notebook.threads.lease import Lease
from openenv_notebook.values.errors import ClientClosed, MisuseError, NotSupportedHere

_ONLY_OURS = (
    "episode", "episodes", "last", "done", "owed", "activity", "settle", "step_many", "options", "subscribe",
    "unsubscribe",
)  # fmt: skip


class ForeignClient(Blocking):
    """What ``SyncEnvClient(x)`` makes of a client object of the official package.

    Its methods run on the portal's loop, whether they are coroutines or return something awaitable.
    """

    def __init__(self, async_client: Any) -> None:
        # Nobody else holds it; what the portal tells it is no method of a client.
        self._tenant = _Tenant()
        super().__init__(async_client, Lease(self._tenant))
        self._was_called = False

    @property
    def async_client(self) -> Any:
        """The object."""
        return self._client

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

    def close(self) -> None:
        """Close the object; no thread is left."""
        if self._tenant.is_closed:
            return
        try:
            self._call("close")
        finally:
            self._tenant.is_closed = True
            self._lease.end(join=True)

    def new_session(self) -> ForeignClient:
        """Open another session, as the object does."""
        return ForeignClient(self._call("new_session"))

    @property
    def base_url(self) -> str | None:
        """The object's address."""
        return getattr(self._client, "base_url", None) or getattr(self._client, "_base_url", None)

    @property
    def status(self) -> str:
        """ "new" before the first call, "closed" after close(), else "open"."""
        return "closed" if self._tenant.is_closed else "open" if self._was_called else "new"

    def __getattr__(self, name: str) -> Any:
        if name in _ONLY_OURS:
            raise NotSupportedHere(
                f"only our own clients keep a record and an order, and have .{name}",
                hint="adopt(TheClass), or connect(...), gives one",
            )
        return super().__getattr__(name)

    def __repr__(self) -> str:
        return f"<{type(self._client).__name__} of {type(self._client).__module__} (sync), {self.status}>"

    def _blocking(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, *args, **kwargs)

        return blocking

    def _call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        value = super()._call(name, *args, **kwargs)
        self._was_called = True
        return value


class _Tenant:
    """What lives on the portal's loop for a foreign client."""

    is_closed = False

    def before_lease(self, anew: bool) -> None:
        """Refuse a portal once it is closed."""
        if self.is_closed:
            raise ClientClosed()

    def shut_down(self) -> None:
        """The process ends: the object's socket ends with it."""

    def orphan(self) -> None:
        """The lease of a forked child is taken anew: the parent's portal is dead there."""
