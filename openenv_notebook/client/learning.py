"""The server's schema as a part of a step: learnt within the step's own time, or done without."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterable
from typing import Any, NoReturn, Protocol

from openenv_notebook.client.actions import is_bare
from openenv_notebook.client.calls import seconds_left
from openenv_notebook.client.questions import Known
from openenv_notebook.values.errors import ReplyTimeout

_PATIENCE = 3.0
_AGAIN_AFTER = 10.0
_HINT = (
    "a bare value needs the server's schema, which did not come; name the field: env.step(field=value), or try again"
)


class Learner(Protocol):
    """What is needed of a client."""

    _known: Known
    _timeout: float | None

    async def _learn_schema(self, within: float | None = None) -> bool: ...


async def learn_for_step(
    client: Learner, actions: Iterable[Any], name: str, timeout: float | None, began: float
) -> None:
    """Ask for the schema that a step needs, or could use.

    Args:
        client: The client that steps.
        actions: Its actions; a bare one cannot be understood without a schema.
        name: The call, for error texts.
        timeout: Seconds the whole call may take; None for no limit.
        began: When it began (monotonic).

    Raises:
        TransportError: If an action needs the schema and it did not come, not where the
            server says that it has none.
    """
    known, left = client._known, seconds_left(timeout, began)
    if not any(is_bare(action) for action in actions):
        if not _failed_lately(known):
            await client._learn_schema(_share(known, left))
        return
    answered = await client._learn_schema(left)
    if known.schema is None and not known.schema_refused:
        _raise(known, name, timeout if not answered else None)


def _failed_lately(known: Known) -> bool:
    """Tell whether a schema that a step could do without is not to be asked for again yet: the server may be busy."""
    return known.schema_failure is not None and time.monotonic() - known.asked_at < _AGAIN_AFTER


def _share(known: Known, left: float | None) -> float:
    """Tell how long to wait for a schema that a step could use: fields travel without it.

    The larger part of the time is the step's own. What hung once is not waited for again:
    it is asked for while the steps go on.
    """
    if known.schema_failure is not None:
        return 0.0
    hung = time.monotonic() - known.asked_at if known.asking is not None else 0.0
    return max(0.0, min(_PATIENCE - hung, math.inf if left is None else left / 2))


def _raise(known: Known, name: str, timeout: float | None) -> NoReturn:
    failure = known.schema_failure
    if timeout is not None or failure is None or isinstance(failure, ReplyTimeout):
        seconds = timeout if timeout is not None else getattr(failure, "seconds", 0.0)
        raise ReplyTimeout(name, seconds, sent=False, url=failure.url if failure is not None else None, hint=_HINT)
    raised = copy.copy(failure)
    raised.hint = _HINT
    raise raised
