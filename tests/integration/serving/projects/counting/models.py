"""What the counting environment takes and gives."""

from __future__ import annotations

from openenv.core.env_server.types import Action, Observation


class Count(Action):
    """Count so far."""

    to: int


class Counted(Observation):
    """How far it counted."""

    number: int = 0
    pid: int = 0
