"""What a notebook shows of two clients: each by what its own server marks as secret."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.secret_pins import PIN, USER, Env, env_of

from openenv_notebook.jupyter.magic.python_twin import episode_code
from openenv_notebook.jupyter.show.any_value import repr_of, to_html, to_text
from openenv_notebook.jupyter.show.observation_of import render_observation
from openenv_notebook.jupyter.show.raw_json import raw_json
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.secrets import secrets_of


@pytest.fixture
def envs() -> Iterator[tuple[Env, Env]]:
    """A client whose server marks the PIN as a password, and one to whose server it is a field like any other."""
    hiding, showing = env_of(is_secret=True), env_of(is_secret=False)
    yield hiding, showing
    hiding.close()
    showing.close()


def refused(env: Env) -> Any:
    """The step of an action that was refused."""
    with pytest.raises(InvalidAction):
        env.step(pin=PIN, user="nobody")
    return env.episode[-1]


VALUES: dict[str, Callable[[Env], Any]] = {
    "result": lambda env: env.last,
    "results": lambda env: [env.last],
    "observation": lambda env: env.last.observation,  # type: ignore[union-attr]
    "part of an observation": lambda env: env.last.observation.echo,  # type: ignore[union-attr]
    "state": lambda env: env.state(),
    "step": lambda env: env.episode[-1],
    "steps": lambda env: list(env.episode),
    "episode": lambda env: env.episode,
    "value of a tool": lambda env: env.call_tool("open", pin=PIN),
    "refused step": refused,
}


@pytest.mark.parametrize("name", VALUES)
def test_each_value_is_shown_as_its_server_wishes(name: str, envs: tuple[Env, Env]) -> None:
    """Text and HTML hide the PIN of the one server, and show that of the other."""
    hidden, shown = (VALUES[name](env) for env in envs)
    for write in (to_text, to_html):
        assert PIN in (write(shown) or "")
        assert PIN not in (write(hidden) or PIN)
    if isinstance(hidden, dict):
        assert PIN not in (repr_of(hidden) or PIN) and PIN in (repr_of(shown) or "")


@pytest.mark.parametrize("function", [None, lambda seen: seen, lambda seen: dict(seen["echo"])])
def test_a_drawn_observation_hides_it_too(function: Any, envs: tuple[Env, Env]) -> None:
    """Whether by the default rules or by a renderer, which may give plain parts of the observation."""
    hidden, shown = (render_observation(env, function) for env in envs)
    assert PIN not in hidden.text + hidden.html
    assert PIN in shown.text and PIN in shown.html


def test_the_raw_json_hides_it_too(envs: tuple[Env, Env]) -> None:
    """As it came, but for what is secret."""
    hidden, shown = (raw_json(env.last.raw, secrets_of(env.last)) for env in envs)  # type: ignore[union-attr]
    assert PIN not in hidden and USER in hidden and PIN in shown


def test_code_reads_it_from_the_environment(envs: tuple[Env, Env]) -> None:
    """The Python of an episode holds the PIN of the second client alone."""
    hidden, shown = (episode_code("env", "localhost:1", env.episode) for env in envs)
    assert PIN not in hidden and f"env.step(pin=os.environ['PIN'], user={USER!r})" in hidden
    assert f"env.step(pin={PIN!r}, user={USER!r})" in shown and "environ" not in shown
