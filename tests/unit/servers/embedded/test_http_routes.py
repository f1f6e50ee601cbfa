"""What the embedded server says about an environment over HTTP."""

from __future__ import annotations

from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.servers.embedded.http_routes import describe_metadata, describe_schema
from openenv_notebook.values.messages import Action, Observation, State


class Halved(Observation):
    """Half of a number."""

    half: int | None = None


class Halving(DemoEnvironment[Action, Halved, State]):
    """Halves even numbers.

    Ten raises.
    """

    action_type = Action
    observation_type = Halved
    state_type = State


def test_metadata_is_composed_from_the_docstring() -> None:
    """Description and readme come from the docstring; the keys are those of a real server."""
    metadata = describe_metadata("halving", Halving)
    assert metadata == {
        "name": "halving",
        "description": "Halves even numbers.",
        "readme_content": "Halves even numbers.\n\nTen raises.",
        "version": "1.0.0",
        "author": None,
        "documentation_url": None,
    }


def test_metadata_without_a_docstring_is_not_the_parents() -> None:
    """A class without a docstring is described by its name, not by what its parent says."""
    undocumented = type("Undocumented", (Halving,), {})
    assert describe_metadata("toy", undocumented)["description"] == "toy environment"


def test_the_schema_shows_reward_and_done() -> None:
    """The four schemas are there, and the observation's still has reward and done, as a real server's."""
    schema = describe_schema(Halving)
    assert list(schema) == ["action", "observation", "state", "reset_observation"]
    assert list(schema["observation"]["properties"]) == ["done", "reward", "metadata", "half"]
    assert schema["action"]["additionalProperties"] is False
