"""An environment whose every word is hostile: names, schemas, observations, state, tools' errors."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import ConfigDict


def texts() -> list[str]:
    """The hostile texts that can be sent at all."""
    folder = str(Path(__file__).parents[2])
    if folder not in sys.path:
        sys.path.append(folder)
    from support import hostile

    return [text for text in hostile.TEXTS if text.isprintable() or text.encode("utf-8", "ignore").decode() == text]


class HostileAction(Action):
    """Takes anything; its schema is made of hostile words."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "title": texts()[2],
            "description": texts()[0],
            "properties": {
                "move": {"type": "string", "title": texts()[3], "description": "\n".join(texts())},
                **{text: {"type": "string", "title": text, "description": text, "default": text} for text in texts()},
                "choice": {"enum": texts(), "description": texts()[4], "default": texts()[0]},
            },
            "required": ["move"],
        }


class HostileObservation(Observation):
    """Shows anything."""

    model_config = ConfigDict(extra="allow")


class Hostile(Environment):
    """Answers with hostile words, and raises them when asked to raise."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(name=texts()[2], description=texts()[0])

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> HostileObservation:
        return self._seen()

    def step(self, action: HostileAction, timeout_s: float | None = None, **_: Any) -> HostileObservation:
        if getattr(action, "move", "") == "raise":
            raise ValueError(" ".join(texts()[:20]))
        return self._seen()

    @staticmethod
    def _seen() -> HostileObservation:
        words = texts()
        return HostileObservation(
            **{f"field {text}": text for text in words},
            legal_moves=words[:10],
            messages=[{"role": text, "content": text} for text in words],
            board=[[text[:4] for text in words[:5]]] * 5,
            reward=0.0,
            metadata={text: text for text in words[:4]},
        )

    @property
    def state(self) -> State:
        return State(episode_id=texts()[0], step_count=1, **{f"state {text}": text for text in texts()})


def make_app(kind: str = "words", sessions: int = 16) -> Any:
    """Make the application that serves it: the words, or tools made of them."""
    if kind == "tools":
        return _tools(sessions)
    return create_app(Hostile, HostileAction, HostileObservation, env_name="hostile", max_concurrent_envs=sessions)


def _tools(sessions: int) -> Any:
    from fastmcp import FastMCP
    from openenv.core.env_server.mcp_environment import MCPEnvironment
    from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

    words = texts()
    logging.disable(logging.WARNING)  # it says of each name that it is a bad one

    class Tools(MCPEnvironment):
        """Tools whose names, descriptions, results and errors are hostile."""

        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self) -> None:
            mcp = FastMCP("hostile")
            for place, text in enumerate(words[:8]):
                mcp.tool(self._fails if place % 2 else self._says, name=f"{place} {text}"[:120], description=text)
            super().__init__(mcp)

        def get_metadata(self) -> EnvironmentMetadata:
            return EnvironmentMetadata(name=words[3], description=words[0])

        @staticmethod
        def _says(message: str = words[0]) -> str:
            return "\n".join(words)

        @staticmethod
        def _fails(message: str = words[3]) -> str:
            raise ValueError("\n".join(words))

        def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Observation:
            return Observation(done=False, reward=0.0, metadata={"said": words[2]})

        def _step_impl(self, action: Any, timeout_s: float | None = None, **_: Any) -> Observation:
            return Observation(done=False, reward=0.0)

        @property
        def state(self) -> State:
            return State(episode_id=words[1], step_count=0)

    return create_app(Tools, CallToolAction, CallToolObservation, env_name="hostile", max_concurrent_envs=sessions)
