"""Finding the models a client class names."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import pytest
from pydantic import BaseModel
from support.wire import FarEnd, scripted

from openenv_notebook.client.clients import EnvClient, GenericEnvClient
from openenv_notebook.values.errors import OpenEnvWarning
from openenv_notebook.values.messages import Action, Observation, State
from openenv_notebook.values.named_models import named_models


class Move(Action):
    """An action."""


class Board(Observation):
    """An observation."""


class Typed(EnvClient[Move, Board, State]):
    """A client that names its models."""


class Child(Typed):
    """A client that inherits them."""


ObsT = TypeVar("ObsT")


class Mixin(Generic[ObsT]):
    """Something generic that is no client."""


class Mixed(Mixin[int], EnvClient[Move, dict[str, Any], Any]):
    """A client with another generic base, which names one model."""


class HalfOpen(EnvClient[Move, ObsT, State], Generic[ObsT]):
    """A client that leaves one open."""


class Closed(HalfOpen[Board]):
    """A client that fills it in."""


def test_the_models_are_found() -> None:
    """A class that names its models, itself or by inheritance, has them."""
    assert named_models(Typed, EnvClient) == (Move, Board, State)
    assert named_models(Child, EnvClient) == (Move, Board, State)


def test_dicts_and_anything_are_no_models() -> None:
    """Where a class names a dict, or anything, there is no model."""
    assert named_models(Mixed, EnvClient) == (Move, None, None)
    assert named_models(GenericEnvClient, EnvClient) == (None, None, None)
    assert named_models(EnvClient, EnvClient) == (None, None, None)


def test_a_model_left_open_is_none() -> None:
    """A type variable is no model, and never another class's."""
    assert named_models(HalfOpen, EnvClient) == (None, None, None)
    assert named_models(Closed, EnvClient) == (None, None, None)


def test_any_class_that_pydantic_can_check_is_a_model() -> None:
    """A model need not be one of ours."""

    class Own(BaseModel):
        x: int

    class Client(EnvClient[Own, Own, Own]):
        pass

    assert named_models(Client, EnvClient) == (Own, Own, Own)


def test_a_client_that_names_its_models_is_used_as_it_is(far_end: FarEnd) -> None:
    """EnvClient[A, O, S](url) gives typed results, as a subclass of it does; it is one class each time."""

    class Seen(Observation):
        echo: Any
        step: int

    named: Any = EnvClient[Move, Seen, State]
    assert named is EnvClient[Move, Seen, State]
    assert issubclass(named, EnvClient)
    client = scripted(named("scripted.test:80"), far_end)
    assert repr(client).startswith("<EnvClient (async)")
    env = client.sync()
    assert type(env.state()) is State
    with pytest.warns(OpenEnvWarning, match="before any reset"):
        assert type(env.step(Move()).observation) is Seen
    env.close()


def test_a_named_client_looks_like_the_one_it_is_made_from() -> None:
    """What help() shows of EnvClient[A, O, S] is EnvClient's: its name, its module and its text."""
    named: Any = EnvClient[Move, Board, State]
    assert (named.__name__, named.__module__, named.__doc__) == ("EnvClient", EnvClient.__module__, EnvClient.__doc__)
    assert EnvClient[Move, Board, State] is named


def test_the_models_of_a_named_client_are_those_of_its_subclasses() -> None:
    """Deriving from EnvClient[A, O, S] and naming models by typed() find them as before."""
    assert named_models(Typed, EnvClient) == (Move, Board, State)
    assert GenericEnvClient.typed(action=Move)("localhost:1").Action is Move
    half: Any = EnvClient[Move, ObsT, State]
    assert not isinstance(half, type)
