"""The names of the demos."""

from __future__ import annotations

import pytest

from openenv_notebook.demo import demo_names, find_demo
from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.values.errors import InvalidTarget
from openenv_notebook.values.messages import Action, Observation, State


def test_every_name_is_found_in_any_case() -> None:
    """A demo is found by its name, however it is capitalised."""
    assert demo_names() == ["echo", "grid", "guess"]
    for name in demo_names():
        assert find_demo(name) is find_demo(f" {name.upper()} ")
        assert issubclass(find_demo(name), DemoEnvironment)


def test_an_unknown_name_tells_the_known_and_the_nearest() -> None:
    """A misspelt demo is refused with the names there are and the one that was probably meant."""
    with pytest.raises(InvalidTarget, match=r"known: echo, grid, guess\); did you mean 'grid'"):
        find_demo("gird")


@pytest.mark.parametrize("name", demo_names())
def test_a_demo_is_playable_before_a_reset(name: str) -> None:
    """A new environment has a state at once, and its types are models of the package."""
    environment = find_demo(name)()
    assert isinstance(environment, DemoEnvironment)
    assert environment.state.step_count == 0
    assert environment.state.episode_id
    assert issubclass(environment.action_type, Action)
    assert issubclass(environment.observation_type, Observation)
    assert issubclass(environment.state_type, State)
    environment.close()


@pytest.mark.parametrize("name", demo_names())
def test_a_reset_ignores_what_it_does_not_know(name: str) -> None:
    """Unknown reset arguments change nothing, and the given episode id is kept."""
    environment = find_demo(name)()
    environment.reset(seed=1, episode_id="mine", nonsense=True)
    assert environment.state.episode_id == "mine"


@pytest.mark.parametrize("name", ["grid", "guess"])
@pytest.mark.parametrize("arguments", [{"seed": "one"}, {"seed": True}, {"seed": 1.5}, {"episode_id": 7}])
def test_a_wrong_argument_leaves_the_episode_alone(name: str, arguments: dict[str, object]) -> None:
    """A reset with a wrong argument raises and the running episode goes on."""
    environment = find_demo(name)()
    before = environment.state.model_copy()
    with pytest.raises(ValueError, match="must be a"):
        environment.reset(**arguments)
    assert environment.state == before
