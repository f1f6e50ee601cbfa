"""What is secret is known to the client it came from: its things hide it, those of another client do not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.secret_pins import PIN, USER, Env, env_of

from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.secrets import HIDDEN


@pytest.fixture
def hiding() -> Iterator[Env]:
    """A client whose server marks the PIN as a password."""
    env = env_of(is_secret=True)
    yield env
    env.close()


@pytest.fixture
def showing() -> Iterator[Env]:
    """A client of another server, to which it is a field like any other."""
    env = env_of(is_secret=False)
    yield env
    env.close()


def refusal(env: Env) -> InvalidAction:
    """The error of an action that was refused."""
    with pytest.raises(InvalidAction) as caught:
        env.step(pin=PIN, user="nobody")
    return caught.value


def of_the_action_model(env: Env) -> Any:
    """An action made by the model of the server's schema."""
    return env.Action(pin=PIN, user=USER)


DOORS: dict[str, Callable[[Env], Any]] = {
    "result": lambda env: env.last,
    "observation": lambda env: env.last.observation,  # type: ignore[union-attr]
    "part of an observation": lambda env: env.last.observation.echo,  # type: ignore[union-attr]
    "state": lambda env: env.state(),
    "step": lambda env: env.episode[-1],
    "action of a step": lambda env: env.episode[-1].action,
    "reset": lambda env: env.episode[0],
    "value of a tool": lambda env: env.call_tool("open", pin=PIN),
    "a view's result": lambda env: env.options(timeout=5).step(pin=PIN, user=USER),
    "action model": of_the_action_model,
    "text of a refusal": lambda env: str(refusal(env)),
    "line of a refusal": lambda env: refusal(env).errors,
}


@pytest.mark.parametrize("door", DOORS)
def test_each_client_hides_what_its_own_server_marks(door: str, hiding: Env, showing: Env) -> None:
    """One server marks the PIN as a password, another does not: the first client hides it, the second shows it."""
    assert PIN in repr(DOORS[door](showing))
    hidden = repr(DOORS[door](hiding))
    assert PIN not in hidden and HIDDEN in hidden


def actions(line: str) -> list[Any]:
    """All values under "action" that a saved line has."""
    found: list[Any] = []

    def look(each: dict[str, Any]) -> dict[str, Any]:
        found.extend([each["action"]] if "action" in each else [])
        return each

    json.loads(line, object_hook=look)
    return found


def test_a_saved_record_hides_what_its_own_server_marks(hiding: Env, showing: Env) -> None:
    """What was sent is saved without the PIN by the first client, and as it was by the second."""
    for env in (hiding, showing):
        refusal(env)
    saved, other = hiding.episode.to_jsonl(), showing.episode.to_jsonl()
    assert {"pin": HIDDEN, "user": USER} in actions(saved) and '"hidden":["pin"]' in saved
    assert {"pin": PIN, "user": USER} in actions(other) and "hidden" not in other
    assert PIN in hiding.episode.to_jsonl(secrets=True)


def test_a_refusal_nobody_waited_for_hides_it_too(hiding: Env) -> None:
    """The error in the record is hidden when it comes, not when somebody raises it; its details are as they came."""
    refusal(hiding)
    error = hiding.episode[-1].error
    assert isinstance(error, InvalidAction)
    assert error.errors == [f"pin: too long (got '{HIDDEN}')"] and error.details["errors"][0]["input"] == PIN


def test_tools_are_learnt_like_the_schema(showing: Env) -> None:
    """What the schema of a tool's arguments marks is hidden in that client from then on, also in what came before."""
    before = showing.episode[-1]
    assert PIN in repr(before)
    (tool,) = showing.list_tools()
    marked = {"properties": {"pin": {"type": "string", "writeOnly": True}}}
    showing.known.take_tools([tool.model_copy(update={"input_schema": marked})])
    assert PIN not in repr(before) and PIN not in repr(showing.last)
