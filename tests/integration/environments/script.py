"""An environment that takes texts and gives them back, on whichever openenv is installed."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class ScriptAction(Action):
    """Two texts, neither of them required."""

    code: str = ""
    note: str = ""


class ScriptObservation(Observation):
    """What came."""

    code: str = ""
    note: str = ""


class Script(Environment):
    """Runs nothing."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> ScriptObservation:
        return ScriptObservation()

    def step(self, action: ScriptAction, timeout_s: float | None = None) -> ScriptObservation:
        return ScriptObservation(code=action.code, note=action.note, reward=1.0)

    @property
    def state(self) -> State:
        return State()


def make_app(sessions: int = 16) -> Any:
    """Make the application that serves it."""
    return create_app(Script, ScriptAction, ScriptObservation, env_name="script", max_concurrent_envs=sessions)
