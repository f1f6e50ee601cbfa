"""What type checkers know of connect() and of the clients it gives.

Checked by mypy and pyright (``make check``), never run. A line that must be refused says so
with ``type: ignore``: both report an ignore that is not needed.
"""

from __future__ import annotations

from typing import Any, assert_type

from openenv_notebook import (
    EnvClient,
    Episode,
    GenericEnvClient,
    MCPToolClient,
    StepResult,
    SyncEnvClient,
    Tool,
    adopt,
    connect,
    run_episodes,
    serve,
    step_all,
)
from openenv_notebook.demo.echo import EchoAction
from openenv_notebook.demo.grid import Direction, GridAction, GridObservation, GridState
from openenv_notebook.values.attribute_dict import AttributeDict


class Grid(EnvClient[GridAction, GridObservation, GridState]):
    """A client with types and a method of its own."""

    async def walk(self, *ways: str) -> list[StepResult[GridObservation]]:
        """Take steps."""
        return [await self.step(direction=way) for way in ways]


# A client of any environment

env = connect("localhost:8000")
assert_type(env, SyncEnvClient[Any, AttributeDict, AttributeDict])
assert_type(env.reset(seed=7), StepResult[AttributeDict])
assert_type(env.reset().observation.board, Any)
assert_type(env.step("down").reward, bool | int | float | None)
assert_type(env.step(column=3).done, bool)
assert_type(env.episode, Episode)
assert_type(env.episodes, list[Episode])
assert_type(env.list_tools(), list[Tool])
assert_type(connect("demo:grid", client=GenericEnvClient, timeout=None, headers={"X": "y"}).state(), AttributeDict)
with serve("demo:grid") as server, connect(server) as env_of_server:
    assert_type(env_of_server.state().step_count, Any)

# Clients that name their models: a class, or none of one's own

typed = connect("localhost:8000", client=Grid)
assert_type(typed, SyncEnvClient[GridAction, GridObservation, GridState])
assert_type(typed.reset().observation, GridObservation)
assert_type(typed.state(), GridState)
assert_type(typed.step_many([{"direction": "up"}]), list[StepResult[GridObservation]])
assert_type(typed.new_session(), SyncEnvClient[GridAction, GridObservation, GridState])
assert_type(typed.options(timeout=5), SyncEnvClient[GridAction, GridObservation, GridState])
assert_type(typed.async_client, EnvClient[GridAction, GridObservation, GridState])
named = connect("demo:grid", client=EnvClient[GridAction, GridObservation, GridState])
assert_type(named.reset().observation.position, list[int])
made = connect(
    "demo:grid", client=GenericEnvClient.typed(action=GridAction, observation=GridObservation, state=GridState)
)
assert_type(made, SyncEnvClient[GridAction, GridObservation, GridState])
seen = connect("demo:grid", client=GenericEnvClient.typed(observation=GridObservation))
assert_type(seen.step("up").observation, GridObservation)
assert_type(seen.state(), AttributeDict)
assert_type(Grid("localhost:8000").sync(), SyncEnvClient[GridAction, GridObservation, GridState])
assert_type(connect("localhost:8000", client=MCPToolClient).call_tool("add", a=1), Any)

# Whatever a step takes

typed.step(GridAction(direction=Direction.UP))
typed.step({"direction": "up"})
typed.step("up")
typed.step(Direction.UP)
typed.step(direction="up")
typed.step()
env.step(GridAction(direction=Direction.UP))
env.step([1, 2])
env.step(3)
env.step(None)

# A class of the official package has no types that could be known here

assert_type(connect("localhost:8000", client=adopt(Grid)), SyncEnvClient[Any, Any, Any])

# Many at once

assert_type(step_all([env, env], ["up", "down"]), list[StepResult[Any]])
assert_type(run_episodes(env, "random", 3), list[Episode])

# What must be refused

connect(3)  # type: ignore[call-overload]
connect("localhost:8000", timeout="5")  # type: ignore[call-overload]
connect("localhost:8000", "localhost:8001")  # type: ignore[call-overload]
env.reset(7)  # type: ignore[call-arg]
typed.step("up", "down")  # type: ignore[call-overload]
typed.step_many({"direction": "up"}, window="many")  # type: ignore[arg-type]
typed.step(GridAction(direction=Direction.UP), direction="up")  # type: ignore[call-overload]
typed.step(EchoAction(message="hi"))  # type: ignore[call-overload]
typed.reset().observation.bord  # type: ignore[attr-defined]
typed.state().step_count.upper()  # type: ignore[attr-defined]
typed.options(actor=3)  # type: ignore[arg-type]
observation, reward, done, info = env.step("up")  # runs into a TypeError that says what to write
env.settle(timeout="soon")  # type: ignore[arg-type]
EnvClient[GridAction, GridObservation]  # type: ignore[misc]


async def awaited() -> None:
    """The asynchronous twin."""
    client = GenericEnvClient("localhost:8000")
    assert_type(await client.reset(seed=7), StepResult[AttributeDict])
    async with Grid("localhost:8000", message_timeout_s=5) as grid:
        assert_type(grid, Grid)
        assert_type((await grid.step("up")).observation, GridObservation)
        assert_type(await grid.state(), GridState)
        assert_type(await grid.new_session(), Grid)
        assert_type(await grid.walk("up", "down"), list[StepResult[GridObservation]])
        assert_type(await Grid.from_docker_image("grid:latest"), Grid)
        blocking = Grid.from_docker_image("grid:latest").sync()
        assert_type(blocking, SyncEnvClient[GridAction, GridObservation, GridState])
        await grid.step(EchoAction(message="hi"))  # type: ignore[call-overload]
    # The two mistakes people make with the twins.
    await env.step("up")  # type: ignore[misc]
    client.reset().observation  # type: ignore[attr-defined]
    Grid("localhost:8000", conect_timeout_s=5)  # type: ignore[call-arg]
