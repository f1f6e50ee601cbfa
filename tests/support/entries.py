"""Entries of a record, as a session makes them, and episodes of them."""

from __future__ import annotations

import json
from typing import Any

from openenv_notebook.client.codec import read_result
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.errors import OpenEnvError


def entry(
    kind: Any = "step", sent: Any = None, reply: bytes | None = None, error: OpenEnvError | None = None, **more: Any
) -> Step:
    """Make an entry as a session does."""
    made = Step(
        kind,
        request=json.dumps({"type": kind, "data": sent or {}}).encode(),
        reply=reply,
        read=read_result,
        error=error,
    )
    for name, value in more.items():
        setattr(made, name, value)
    return made


def episode(*steps: Step) -> Episode:
    """Make an episode of entries."""
    made = Episode("http://localhost:8000", "e1")
    made.started = 12.5
    for step in steps:
        made.append(step)
    return made
