"""Rewards beyond what a float can be: one rule at every door, live and saved."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from support.wire import FarEnd, result_frame, scripted

from openenv_notebook.client.clients import EnvClient, GenericEnvClient
from openenv_notebook.client.results import read_parsed
from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.jupyter.show.any_value import to_text
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.errors import ProtocolError
from openenv_notebook.values.messages import Action, Observation, State, StepResult

LARGE = 10**400
BORDER = 10**308  # twice this is no float


class Typed(EnvClient[Action, Observation, State]):
    """A client with models."""


def playing(kind: type[EnvClient[Any, Any, Any]], rewards: list[Any]) -> Any:
    """Make a client whose steps give these rewards."""
    far, left = FarEnd(), iter(rewards)
    far.policy = lambda request: result_frame({}, next(left) if request["type"] == "step" else None)
    env = scripted(kind("scripted.test:80", message_timeout_s=10), far).sync()
    env.reset()
    return env


@pytest.mark.parametrize("kind", [GenericEnvClient, Typed])
@pytest.mark.parametrize("reward", [LARGE, -LARGE, 2 * BORDER])
def test_what_no_float_can_be_is_refused_by_name(kind: type[EnvClient[Any, Any, Any]], reward: int) -> None:
    """A reward that is too large is a ProtocolError naming it; record, panel and file go on."""
    env = playing(kind, [1.0, reward, 2.0])
    panel = Panel(env)
    assert isinstance(env.step({}).observation, Observation) is (kind is Typed)
    with pytest.raises(ProtocolError, match='"reward" is larger than a float can be'):
        env.step({})
    env.step({})
    assert env.episode.total_reward == 3.0
    assert to_text(env.episode) and repr(env.episode)
    again = Episode.from_jsonl(env.episode.to_jsonl())
    assert again.total_reward == 3.0 and len(again) == len(env.episode)
    panel.close()
    env.close()


@pytest.mark.parametrize("kind", [GenericEnvClient, Typed])
@pytest.mark.parametrize(
    ("rewards", "total"),
    [
        ([BORDER, BORDER], math.inf),
        ([math.inf, 1], math.inf),
        ([math.nan, 1], math.nan),
        ([math.inf, -math.inf], math.nan),
        ([True, 10**300], 1e300),
    ],
)
def test_what_a_float_can_be_adds_up_as_floats_do(
    kind: type[EnvClient[Any, Any, Any]], rewards: list[Any], total: float
) -> None:
    """Infinity, NaN, and sums beyond the range are what floats make of them, everywhere."""
    env = playing(kind, rewards)
    panel = Panel(env)
    for _ in rewards:
        env.step({})
    assert env.episode.total_reward == pytest.approx(total, nan_ok=True)
    assert to_text(env.episode) and repr(env.episode)
    line = env.episode.to_jsonl()
    assert json.loads(line)["reward"] == pytest.approx(total, nan_ok=True)
    assert Episode.from_jsonl(line).total_reward == pytest.approx(total, nan_ok=True)
    panel.close()
    env.close()


def test_a_hook_s_own_reward_keeps_the_rule() -> None:
    """A reward that a client's own hook made up is refused as one that came."""
    with pytest.raises(ProtocolError, match='"reward" is larger'):
        read_parsed(result_frame({}, 1), lambda _: StepResult({}, LARGE, False))
