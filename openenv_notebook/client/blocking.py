"""Any coroutine method of a client object as a blocking one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from openenv_notebook.client.not_copied import NotCopied
from openenv_notebook.client.waiting import drive
from openenv_notebook.threads.lease import Lease
from openenv_notebook.values.ending import end_after


class Blocking(NotCopied):
    """A blocking view of a client object: what is not defined here is found there, by name.

    The object's coroutines run on the loop of the portal that ``lease`` holds.
    """

    def __init__(self, client: Any, lease: Lease) -> None:
        self._client = client
        self._lease = lease

    def connect(self) -> Self:
        """Connect, as the object does."""
        self._call("connect")
        return self

    def close(self) -> None:
        """Close, as the object does."""
        self._call("close")

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        end_after(error, self.close)

    def sync(self) -> Self:
        """Return this client: it is blocking already."""
        return self

    def __dir__(self) -> Iterable[str]:
        own = [name for name in dir(self._client) if not name.startswith("_")]
        return sorted({*super().__dir__(), *own})

    def __getattr__(self, name: str) -> Any:
        # Probes by IPython, copy and pickle must find nothing and ask nobody.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = getattr(self._client, name)
        if not callable(value) or isinstance(value, type):
            return value
        blocking = self._blocking(name, value)
        self.__dict__[name] = blocking
        return blocking

    def _blocking(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Make the blocking form of a method, found anew on the object at each call."""
        is_coroutine = inspect.iscoroutinefunction(method)

        @functools.wraps(method)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            if is_coroutine:
                return self._call(name, *args, **kwargs)
            value = getattr(self._client, name)(*args, **kwargs)
            return drive(self._lease, lambda: value, name) if inspect.isawaitable(value) else value

        return blocking

    def _call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        # Arguments may have any name, also one of the portal's.
        method = functools.partial(getattr(self._client, name), *args, **kwargs)
        return drive(self._lease, method, name)
