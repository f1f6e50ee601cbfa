"""Client classes of the official package on our sessions, without that package installed."""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest
from support.wire import FarEnd, scripted

from openenv_notebook.client.adopt import adopt
from openenv_notebook.client.clients import EnvClient, GenericEnvClient, MCPToolClient
from openenv_notebook.values.errors import InvalidAction, MisuseError
from openenv_notebook.values.messages import Action, GenericAction, Observation, State

ActT = TypeVar("ActT")
ObsT = TypeVar("ObsT")
StateT = TypeVar("StateT")


@dataclass
class UpstreamResult(Generic[ObsT]):
    """A result as upstream defines it."""

    observation: ObsT
    reward: float | None = None
    done: bool = False


class Move(Action):
    """An action."""

    action_id: int = 0


class Board(Observation):
    """An observation."""

    step: int = 0


@pytest.fixture(params=["openenv.core.env_client", "openenv_core.env_client", "core.env_client"])
def upstream(request: pytest.FixtureRequest) -> types.ModuleType:
    """A module like the official package's, with its classes."""
    module = types.ModuleType(request.param)

    class EnvClient(ABC, Generic[ActT, ObsT, StateT]):
        """The official client."""

        def __init__(self, base_url: str) -> None:
            raise AssertionError("the official client must not run")

        @abstractmethod
        def _step_payload(self, action: ActT) -> dict[str, Any]:
            """Make the payload."""

        @abstractmethod
        def _parse_result(self, payload: dict[str, Any]) -> Any:
            """Parse a result."""

        @abstractmethod
        def _parse_state(self, payload: dict[str, Any]) -> StateT:
            """Parse a state."""

    class GenericEnvClient(EnvClient[dict[str, Any], dict[str, Any], dict[str, Any]]):
        """The official generic client."""

    class MCPClientBase(EnvClient[Any, Observation, State]):
        """The official base of tool clients."""

    class MCPToolClient(MCPClientBase):
        """The official tool client."""

    for cls in (EnvClient, GenericEnvClient, MCPClientBase, MCPToolClient):
        cls.__module__ = module.__name__
        setattr(module, cls.__name__, cls)
    return module


@pytest.fixture
def game(upstream: types.ModuleType) -> type:
    """A person's or an environment's client class, written for the official package."""

    class GameEnv(upstream.EnvClient[Move, Board, State]):  # type: ignore[name-defined,misc]
        """Plays a game."""

        rules = "simple"

        def __init__(self, base_url: str, *, name: str = "x", **kwargs: Any) -> None:
            super().__init__(base_url=base_url, **kwargs)
            self.player = name

        def _step_payload(self, action: Move) -> dict[str, Any]:
            return {"action_id": action.action_id}

        def _parse_result(self, payload: dict[str, Any]) -> UpstreamResult[Board]:
            return UpstreamResult(Board(step=payload["observation"]["step"]), payload.get("reward"), False)

        def _parse_state(self, payload: dict[str, Any]) -> State:
            return State(**payload)

        async def play(self, actions: list[int]) -> float:
            """Play them all."""
            await self.reset()
            return sum([(await self.step(Move(action_id=number))).reward for number in actions])

        @property
        def shown(self) -> str:
            """Who plays."""
            return f"{self.player} by {self.rules}"

        @classmethod
        def make(cls, url: str) -> Any:
            """Make one."""
            return cls(url, name="made")

        @staticmethod
        def double(value: int) -> int:
            """Compute."""
            return 2 * value

        def describe(self) -> str:
            """Build on object's."""
            return super().__str__()[:1]

    return GameEnv


@pytest.fixture
def env(game: type) -> Iterator[Any]:
    """A blocking client of the adopted class."""
    client = scripted(adopt(game)("localhost:1", name="me"), FarEnd())
    yield client.sync()
    client.sync().close()


def test_an_adopted_class_is_ours_by_its_own_name(game: type) -> None:
    """The class keeps name, module and docstring, is a subclass of our client, and the old one is untouched."""
    adopted = adopt(game)
    assert issubclass(adopted, EnvClient)
    assert (adopted.__name__, adopted.__doc__, adopted.__module__) == ("GameEnv", "Plays a game.", __name__)
    assert adopted is not game
    assert not issubclass(game, EnvClient)


def test_its_hooks_and_helpers_work(env: Any) -> None:
    """Hooks, helper methods, properties, class and static methods and super() are as they were."""
    assert env.reset().observation.step == 0
    result = env.step(Move(action_id=3))
    assert (result.observation, result.reward) == (Board(step=1), 1.0)
    assert env.state().step_count == 1
    assert env.play([1, 2]) == 2.0
    assert (env.shown, env.player, env.rules) == ("me by simple", "me", "simple")
    assert env.double(4) == 8
    assert env.describe() == "<"


def test_it_has_what_ours_have(env: Any) -> None:
    """Keywords as actions, the record and the rest come with adopting."""
    env.reset()
    assert env.step(action_id=5).observation.step == 1
    assert env.episode[-1].action == {"action_id": 5}


def test_a_dict_becomes_the_model_that_hooks_read(env: Any) -> None:
    """A dict, also as action=, fits hooks as keywords do; one that does not fit is refused with its fields."""
    env.reset()
    assert env.step({"action_id": 5}).observation.step == 1
    assert env.step(action={"action_id": 6}).observation.step == 2
    assert env.step(GenericAction(action_id=7)).observation.step == 3
    assert [step.action for step in env.episode[1:]] == [{"action_id": number} for number in (5, 6, 7)]
    with pytest.raises(InvalidAction, match="action_id: "):
        env.step({"action_id": "x"})
    with pytest.raises(InvalidAction, match="action_ip: no such field"):
        env.step({"action_ip": 1})


def test_a_dict_becomes_a_dataclass_too(upstream: types.ModuleType) -> None:
    """Actions of the first releases are dataclasses; a dict becomes one, or is refused."""

    @dataclass
    class Say:
        message: str

    class Talk(upstream.EnvClient[Say, Any, Any]):  # type: ignore[name-defined,misc]
        def _step_payload(self, action: Say) -> dict[str, Any]:
            return {"message": action.message}

    far_end = FarEnd()
    with scripted(adopt(Talk)("localhost:1"), far_end).sync() as env:
        env.reset()
        env.step({"message": "x"})
        assert far_end.steps == [{"message": "x"}]
        with pytest.raises(InvalidAction, match="does not fit Say"):
            env.step({"text": "x"})


def test_class_methods_make_the_adopted_class(game: type) -> None:
    """A constructor of the class gives an object of the new one."""
    made = adopt(game).make("localhost:1")
    assert isinstance(made, EnvClient)
    assert made.player == "made"


def test_the_models_it_names_are_found(game: type) -> None:
    """The generic arguments of the official class are those of ours."""
    assert adopt(game)("localhost:1").Action is Move


def test_a_class_below_another_is_adopted_whole(game: type) -> None:
    """Classes between the official one and the adopted one come along, super() included."""

    class Mixin:
        def extra(self) -> str:
            return "extra"

    class Child(Mixin, game):  # type: ignore[misc,valid-type]
        def _step_payload(self, action: Any) -> dict[str, Any]:
            return {**super()._step_payload(action), "more": 1}

    client = adopt(Child)("localhost:1")
    assert client._step_payload(Move(action_id=1)) == {"action_id": 1, "more": 1}
    assert client.extra() == "extra"
    assert isinstance(client, Mixin)


def test_the_official_classes_themselves_become_ours(upstream: types.ModuleType) -> None:
    """Their generic and tool clients are ours of the same name."""
    assert adopt(upstream.GenericEnvClient) is GenericEnvClient
    assert adopt(upstream.EnvClient) is EnvClient
    assert adopt(upstream.MCPToolClient) is MCPToolClient

    class Tools(upstream.MCPToolClient):
        pass

    assert issubclass(adopt(Tools), MCPToolClient)


def test_ours_stays_as_it_is() -> None:
    """A class of ours needs no adopting."""
    assert adopt(GenericEnvClient) is GenericEnvClient


@pytest.mark.parametrize("wrong", [int, dict, type("EnvClient", (), {})])
def test_other_classes_are_refused(wrong: type) -> None:
    """A class that has nothing of the official client is named."""
    with pytest.raises(MisuseError, match=f"{wrong.__name__} is no client class"):
        adopt(wrong)


def test_an_object_is_refused() -> None:
    """adopt takes a class."""
    with pytest.raises(MisuseError, match="takes a client class, not a int object"):
        adopt(3)  # type: ignore[arg-type]
