"""What fails in this process while it connects is told by its cause: neither network nor server is to blame."""

from __future__ import annotations

import asyncio

from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.text import named_words

# A cell shows the person's own lines only.
SEE_CAUSE = "its cause (__cause__) has the line that failed; %openenv debug on shows it"
_PATCHED = (
    "asyncio is patched in this process and knows no task within a task (nest_asyncio does that, which is not needed)"
)


def fault(error: BaseException, url: str | None = None) -> OpenEnvError:
    """Make the error of a fault here, with its cause; called in the task that met it."""
    words = named_words(error)
    hint = SEE_CAUSE
    if None in (asyncio.current_task(), asyncio.tasks.current_task()):
        hint = _PATCHED
    made = OpenEnvError(f"connecting failed in this process, not on the network: {words}", url=url, hint=hint)
    made.__cause__ = error
    return made
