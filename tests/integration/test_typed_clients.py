"""Models on both sides: named by a client class, given to typed(), or made from the server's schema."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from openenv.core import EnvClient as OfficialEnvClient
from openenv.core.client_types import StepResult as OfficialStepResult
from pydantic import BaseModel, ConfigDict, ValidationError

import openenv_notebook
from openenv_notebook import EnvClient, GenericEnvClient, InvalidAction, MisuseError
from openenv_notebook.demo.grid import GridAction, GridObservation, GridState


class Place(BaseModel):
    """The part of a grid's observation that a policy needs."""

    model_config = ConfigDict(extra="ignore")

    position: list[int]
    goal: list[int]


def test_typed_makes_a_client_that_names_its_models() -> None:
    """typed() gives observations and states of the models, and passes keywords through the action's model."""
    typed = GenericEnvClient.typed(action=GridAction, observation=GridObservation, state=GridState)
    with openenv_notebook.connect("demo:grid", client=typed) as env:
        result = env.reset(seed=1)
        assert isinstance(result.observation, GridObservation)
        assert env.step(direction="down").reward == -0.1
        assert env.step("down").observation.position == [2, 0]
        assert isinstance(env.state(), GridState)
        assert env.Action is GridAction
        with pytest.raises(InvalidAction, match="direction"):
            env.step(direction="sideways")
    with openenv_notebook.connect("demo:grid", client=GenericEnvClient.typed(observation=Place)) as env:
        assert env.reset(seed=1).observation == Place(position=[0, 0], goal=[7, 1])


def test_connect_takes_a_client_that_names_its_models() -> None:
    """client=EnvClient[A, O, S] gives typed results without a class of one's own."""
    with openenv_notebook.connect("demo:grid", client=EnvClient[GridAction, GridObservation, GridState]) as env:
        assert isinstance(env.reset(seed=1).observation, GridObservation)
        assert isinstance(env.state(), GridState)


def test_connect_adopts_a_client_of_the_official_package() -> None:
    """client=OfficialClass works as adopt(OfficialClass) does, also for a dict that its hook reads as the model."""

    class Official(OfficialEnvClient[GridAction, GridObservation, GridState]):
        def _step_payload(self, action: GridAction) -> dict[str, Any]:
            return {"direction": action.direction}

        def _parse_result(self, payload: dict[str, Any]) -> OfficialStepResult[Any]:
            return OfficialStepResult(observation=payload["observation"]["position"])

        def _parse_state(self, payload: dict[str, Any]) -> GridState:
            return GridState(**payload)

    with openenv_notebook.connect("demo:grid", client=Official) as env:
        assert env.reset(seed=1).observation == [0, 0]
        assert env.step({"direction": "down"}).observation == [1, 0]
        assert len(env.episode) == 2


def test_the_servers_schema_gives_a_model_of_the_action() -> None:
    """env.Action has the action's fields in its signature, refuses wrong ones before they are sent, and steps."""
    with openenv_notebook.connect("demo:grid") as env:
        env.reset(seed=1)
        assert list(inspect.signature(env.Action).parameters) == ["direction", "metadata"]
        for wrong in ({"direction": "sideways"}, {"way": "up"}):
            with pytest.raises(ValidationError):
                env.Action(**wrong)
        assert env.episode.length == 0
        assert env.step(env.Action(direction="down")).observation.position == [1, 0]
        assert env.episode[-1].action == {"direction": "down"}


async def test_the_asynchronous_client_says_what_to_await_first() -> None:
    """The asynchronous client's Action asks nobody: it names schema() until that was awaited."""
    with openenv_notebook.serve("demo:echo") as running:
        async with GenericEnvClient(running.url) as client:
            with pytest.raises(MisuseError, match="schema"):
                _ = client.Action
            await client.schema()
            assert client.Action(message="hi").message == "hi"
