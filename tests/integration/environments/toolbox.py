"""An environment made of tools, on whichever openenv is installed."""

from __future__ import annotations

from typing import Any

from fastmcp import FastMCP
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Observation, State


class Toolbox(MCPEnvironment):
    """Has three tools; counts the steps."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        mcp = FastMCP("toolbox")

        @mcp.tool
        def echo_message(message: str) -> str:
            """Echo back the message."""
            return message

        @mcp.tool
        def add(a: int, b: int = 1) -> dict[str, int]:
            """Add two numbers."""
            return {"sum": a + b}

        @mcp.tool
        def fail(reason: str) -> str:
            """Fail for a reason."""
            raise ValueError(reason)

        super().__init__(mcp)
        self.steps = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Observation:
        self.steps = 0
        return Observation(done=False, reward=0.0, metadata={"status": "ready"})

    def _step_impl(self, action: Any, timeout_s: float | None = None, **_: Any) -> Observation:
        return Observation(done=False, reward=0.0, metadata={"error": "tools only"})

    def step(self, action: Any, timeout_s: float | None = None, **kwargs: Any) -> Observation:
        self.steps += 1
        return super().step(action, timeout_s=timeout_s, **kwargs)

    async def step_async(self, action: Any, timeout_s: float | None = None, **kwargs: Any) -> Observation:
        self.steps += 1
        return await super().step_async(action, timeout_s=timeout_s, **kwargs)

    @property
    def state(self) -> State:
        return State(episode_id="toolbox", step_count=self.steps)


def make_app(sessions: int = 16) -> Any:
    """Make the application that serves it."""
    return create_app(Toolbox, CallToolAction, CallToolObservation, env_name="toolbox", max_concurrent_envs=sessions)
