"""What the official introduction and its sequels do with their clients, done with our classes on real servers.

Written anew after the notebooks "Introduction & Quick Start" and "Using Environments" of the
official documentation, and after its echo example. Each way of using them stands here twice:
with the official class adopted, and with nothing but the import changed. The servers are
official, of the newest and the oldest version. Starting them from an image is tested with
the providers; here they run.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from typing import Any

import openenv.core
import openenv.core.client_types
import openenv.core.mcp_client
import pytest
from support.real_servers import Farm, RealServer

import openenv_notebook

pytestmark = pytest.mark.server

SWAPPED = openenv_notebook
COLUMNS = 5


@pytest.fixture(scope="module")
def any_catch(any_farm: Farm) -> Iterator[RealServer]:
    """The introduction's game, served by each version in turn."""
    with any_farm.server("catch") as server:
        yield server


def openspiel(core: Any, result: type) -> Any:
    """Write the models and the client that the environment's package has, on a core of one's choice."""

    class OpenSpielAction(core.Action):  # type: ignore[misc]
        """A move."""

        action_id: int
        game_name: str = "catch"
        game_params: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)

    class OpenSpielObservation(core.Observation):  # type: ignore[misc]
        """What the agent sees."""

        info_state: list[float]
        legal_actions: list[int]
        game_phase: str = "playing"
        current_player_id: int = 0
        opponent_last_action: int | None = None

    class OpenSpielState(core.State):  # type: ignore[misc]
        """The game."""

        game_name: str = "unknown"
        agent_player: int = 0
        num_players: int = 1

    class OpenSpielEnv(core.EnvClient[OpenSpielAction, OpenSpielObservation, OpenSpielState]):  # type: ignore[misc]
        """The environment's client, with its three hooks."""

        def _step_payload(self, action: OpenSpielAction) -> dict[str, Any]:
            return {"action_id": action.action_id, "game_name": action.game_name, "game_params": action.game_params}

        def _parse_result(self, payload: dict[str, Any]) -> Any:
            seen = payload.get("observation", {})
            observation = OpenSpielObservation(
                info_state=seen.get("info_state", []),
                legal_actions=seen.get("legal_actions", []),
                game_phase=seen.get("game_phase", "playing"),
                done=payload.get("done", False),
                reward=payload.get("reward"),
            )
            return result(observation=observation, reward=payload.get("reward"), done=payload.get("done", False))

        def _parse_state(self, payload: dict[str, Any]) -> OpenSpielState:
            return OpenSpielState(**payload)

    return OpenSpielEnv, OpenSpielAction


@pytest.fixture(params=["adopted", "import swapped"])
def game(request: pytest.FixtureRequest) -> Any:
    """The client class and its action, as somebody has them who came from the official client."""
    if request.param == "adopted":
        official, action = openspiel(openenv.core, openenv.core.client_types.StepResult)
        return openenv_notebook.adopt(official), action
    return openspiel(SWAPPED, openenv_notebook.StepResult)


async def test_the_introduction(any_catch: RealServer, game: Any) -> None:
    """Look at the ways to connect, try the server, then play at random to the end: in a cell, under its loop."""
    OpenSpielEnv, OpenSpielAction = game
    for name in ("from_docker_image", "from_env"):
        assert inspect.signature(getattr(OpenSpielEnv, name)).parameters
    assert "base_url" in inspect.signature(OpenSpielEnv.__init__).parameters

    with OpenSpielEnv(base_url=any_catch.url).sync() as client:
        pass  # the quick test whether there is a server

    env = OpenSpielEnv(base_url=any_catch.url)
    with env.sync() as client:
        result = client.reset()
        assert type(result.observation).__name__ == "OpenSpielObservation"
        assert (result.observation.legal_actions, result.done) == ([0, 1, 2], False)
        steps = 0
        while not result.done:
            action_id = random.choice(result.observation.legal_actions)
            result = client.step(OpenSpielAction(action_id=action_id, game_name="catch"))
            steps += 1
        state = client.state()
        assert (type(state).__name__, state.step_count, state.game_name) == ("OpenSpielState", steps, "catch")
        assert result.reward in (0.0, 1.0) and result.observation.game_phase == "terminal"
        assert client.episode.length == steps == 9


async def test_its_policies(any_catch: RealServer, game: Any) -> None:
    """The sequel's loop over episodes: a policy that follows the ball always catches it."""
    OpenSpielEnv, OpenSpielAction = game

    def follow(observation: Any) -> int:
        cells = observation.info_state
        ball = next(place % COLUMNS for place, cell in enumerate(cells[:-COLUMNS]) if abs(cell - 1.0) < 0.01)
        paddle = next(place for place, cell in enumerate(cells[-COLUMNS:]) if abs(cell - 1.0) < 0.01)
        return 1 + (ball > paddle) - (ball < paddle)

    wins = 0
    with OpenSpielEnv(base_url=any_catch.url).sync() as env:
        for _ in range(10):
            result = env.reset()
            while not result.done:
                result = env.step(OpenSpielAction(action_id=follow(result.observation)))
            wins += result.reward > 0
        assert len(env.episodes) == 10
    assert wins == 10


async def test_the_quick_start_awaited(any_catch: RealServer, game: Any) -> None:
    """The same client awaited: async with, await reset, step and state."""
    OpenSpielEnv, OpenSpielAction = game
    async with OpenSpielEnv(base_url=any_catch.url) as client:
        result = await client.reset()
        while not result.done:
            result = await client.step(OpenSpielAction(action_id=1))
        assert (await client.state()).step_count == 9


@pytest.mark.parametrize("way", ["adopted", "import swapped"])
async def test_the_echo_example(any_toolbox: RealServer, way: str) -> None:
    """The echo environment: list its tools, call them by name and as actions of a step."""
    core = openenv.core.mcp_client if way == "adopted" else SWAPPED

    class EchoEnv(core.MCPToolClient):  # type: ignore[name-defined, misc]
        """The environment's client has nothing of its own."""

    Echo: Any = openenv_notebook.adopt(EchoEnv)
    with Echo(base_url=any_toolbox.url).sync() as env:
        env.reset()
        assert "echo_message" in [tool.name for tool in env.list_tools()]
        assert env.call_tool("echo_message", message="Hello, World!") == "Hello, World!"
        actions: Any = openenv_notebook if way == "import swapped" else openenv.core
        result = env.step(actions.CallToolAction(tool_name="echo_message", arguments={"message": "again"}))
        assert "again" in str(result.observation)
        assert env.step(actions.ListToolsAction()).observation["tools"]
    async with Echo(base_url=any_toolbox.url) as client:
        await client.reset()
        assert await client.call_tool("echo_message", message="awaited") == "awaited"


async def test_the_generic_client(any_catch: RealServer) -> None:
    """Without the environment's package: the generic client with dicts."""
    for GenericEnvClient in (openenv_notebook.GenericEnvClient, openenv_notebook.adopt(openenv.core.GenericEnvClient)):
        with GenericEnvClient(base_url=any_catch.url).sync() as env:
            result = env.reset()
            result = env.step({"action_id": 1})
            assert result.observation.get("legal_actions") == result.observation["legal_actions"] == [0, 1, 2]
            assert env.state()["step_count"] == 1
