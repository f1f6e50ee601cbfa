"""What a result says of reward and end is what every surface says, whoever made its observation."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, NamedTuple

import pytest
from support.panel_hands import PanelHands
from support.wire import FarEnd, result_frame, scripted

from openenv_notebook import EnvClient, Observation, StepResult
from openenv_notebook.jupyter import Panel
from openenv_notebook.jupyter.show.any_value import to_html, to_text


class Seen(Observation):
    """A model with fields for reward and end, which the hook leaves as they are."""

    board: list[int]


@dataclasses.dataclass
class Plain:
    """A dataclass with the same."""

    board: list[int]
    done: bool = False
    reward: float | None = 0.0


class Bare(NamedTuple):
    """What a hook may return that says nothing but the observation."""

    observation: Any


class Kept(EnvClient[Any, Any, Any]):
    """A hook as people write it."""

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        seen = Seen(**payload["observation"])
        return StepResult(seen, payload.get("reward"), payload["done"])


class WithDataclass(Kept):
    """The same with a dataclass."""

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        return StepResult(Plain(**payload["observation"]), payload.get("reward"), payload["done"])


class WithDict(Kept):
    """The same with what came."""

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        return StepResult(payload["observation"], payload.get("reward"), payload["done"])


class Forgetful(Kept):
    """One that forgets reward and end."""

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        return Bare(Seen(**payload["observation"]))


class Typed(EnvClient[Any, Seen, Any]):
    """No hook, but a model."""


@pytest.mark.parametrize("kind", [Kept, WithDataclass, WithDict, Forgetful, Typed])
def test_reward_and_end_are_said_once(kind: type[Any]) -> None:
    """R31: result, card, HTML, repr, record, saved line and panel say the same."""
    far_end = FarEnd()
    far_end.policy = lambda request: result_frame({"board": [1, 2]}, 1.0, request["type"] == "step")
    env = scripted(kind("localhost:1"), far_end).sync()
    env.reset()
    result = env.step({"column": 1})
    assert (result.reward, result.done) == (1.0, True)
    for text in (to_text(result), to_html(result), repr(result), to_text(env.episode[-1])):
        assert text is not None and "False" not in text and "[1, 2]" in text
    assert (env.episode[-1].reward, env.episode.done, env.episode.total_reward) == (1.0, True, 1.0)
    saved = json.loads(env.episode.to_jsonl())["steps"][-1]["result"]
    assert (saved["reward"], saved["done"]) == (1.0, True)
    panel = Panel(env)
    hands = PanelHands(panel)
    assert "False" not in hands.seen and "done" in hands.rows[0]
    panel.close()
    env.close()


def test_a_field_of_that_name_that_says_something_else_is_shown() -> None:
    """A reward that is more than a number, or a server's own word in an observation, is not lost."""
    told = StepResult({"reward": {"win": 1}, "done": False}, 1.0, True)
    assert "win" in str(to_text(told)) and "False" in str(to_text(told))
