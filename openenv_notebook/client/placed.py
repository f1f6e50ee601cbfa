"""Which of many actions an error belongs to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace

from openenv_notebook.values.errors import OpenEnvError

NOTHING_SENT = "nothing was sent"
_OTHERS_RECORDED = "what came for the others stands in env.episode"


@contextlib.contextmanager
def placed(rest: str = _OTHERS_RECORDED) -> Iterator[SimpleNamespace]:
    """Say in an error which of many actions it belongs to, and with ``rest`` what became of the others.

    Their place is noted in the ``.index`` of what this gives, before each of them is looked at.
    """
    place = SimpleNamespace(index=0)
    try:
        yield place
    except OpenEnvError as error:
        where = f"it is actions[{place.index}]; {rest}"
        error.hint = f"{error.hint}; {where}" if error.hint else where
        raise
