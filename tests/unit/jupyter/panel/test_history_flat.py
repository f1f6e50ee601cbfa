"""What showing costs, told by how many functions are called for it: the same however long the episode is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from support.entries import entry
from support.pace import storm
from support.wire import result_frame

from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.panel import history
from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.observation_of import last_results
from openenv_notebook.record.step import Step

Env = SyncEnvClient[Any, Any, Any]
REPLY = result_frame({"board": [0, 1, 2], "message": "go on"}, 1.0)
MANY = storm(6_000, 30_000)
LOOKS = {Step.reward.fget.__code__, Step.result.fget.__code__}  # type: ignore[attr-defined]


def fill(env: Env, entries: int) -> None:
    """Have an episode of so many entries; what a step costs once is paid."""
    record = conversation_of(env).session.record
    for number in range(entries - len(record.episode)):
        made = entry("step", {"column": number % 7}, REPLY)
        assert made.result and made.action
        record.append(made)
    assert record.episode.length and record.episode.total_reward


def cost(work: Callable[[], object]) -> tuple[int, int]:
    """Count the functions that are called, in Python and in C, and the looks at a step among them."""
    calls = looks = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls, looks
        calls += event in ("call", "c_call")
        looks += event == "call" and frame.f_code in LOOKS

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls, looks


WORKS: dict[str, Callable[[Env], object]] = {
    "page": lambda env: history.entries(env.episodes),
    "pages": lambda env: history.pages(env.episodes),
    "card": lambda env: to_html(env.episode),
    "text": lambda env: to_text(env.episode),
    "client": repr,
    "rewards": lambda env: (env.episode.total_reward, env.episode.length, env.episode.done),
    "last": lambda env: env.last,
    "last two": last_results,
}


@pytest.mark.parametrize("work", WORKS)
def test_showing_is_flat(playing: Env, work: str) -> None:
    """R36: what shows an episode calls no more, and looks at no more steps, with MANY of them than with 1,000."""
    costs = []
    for entries in (1000, MANY):
        fill(playing, entries)
        WORKS[work](playing)
        costs.append(cost(lambda: WORKS[work](playing)))
    (calls, looks), (later_calls, later_looks) = costs
    assert later_calls <= calls * 1.1 + 20 and later_looks <= looks + 5, costs


def test_a_chart_takes_each_step_once(playing: Env) -> None:
    """R36: the panel's curve looks at what is new, however much there was."""
    curve = history.Curve()
    fill(playing, MANY)
    curve.take(playing.episodes)
    fill(playing, MANY + 3)
    assert cost(lambda: curve.take(playing.episodes))[1] <= 6
    assert curve.place_of(playing.episode[-1]) is not None


def test_pages_are_the_same(playing: Env) -> None:
    """R36: numbers, and the step before, are right on the first page and on the last."""
    fill(playing, 1001)
    newest, oldest = history.entries(playing.episodes), history.entries(playing.episodes, page=5)
    assert [each.number for each in newest] == list(range(1000, 800, -1))
    assert [each.number for each in oldest] == [0] and oldest[0].before is None
    assert all(each.before is playing.episode[each.number - 1] for each in newest)
    assert {each.length for each in newest} == {1000}


def test_an_endless_episode_is_numbered_on(playing: Env) -> None:
    """R36: where old steps were forgotten the others keep their numbers."""
    fill(playing, 500)
    whole = history.entries(playing.episodes)
    for step in playing.episode[:-10]:
        step.fold()
    playing.episode.forget(400)
    left = history.entries(playing.episodes)
    assert [each.number for each in left] == [*range(499, 400, -1), 0]
    assert [each.number for each in whole][:99] == [each.number for each in left][:99]
    assert {each.length for each in left} == {499}
