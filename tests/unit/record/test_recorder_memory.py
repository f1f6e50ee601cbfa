"""What a record holds in memory, as the interpreter counts it; the oracle is tracemalloc."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from support.pace import storm
from support.wire import error_frame, result_frame

from openenv_notebook.client.codec import read_result
from openenv_notebook.client.results import TypedReader
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step
from openenv_notebook.record.weight import DICT, MODEL
from openenv_notebook.values.errors import EnvironmentFailed
from openenv_notebook.wire.replies import reply_error

BOUND = 2**20


class Cell(BaseModel):
    """A small model."""

    x: int
    y: int


class Board(BaseModel):
    """Many of them."""

    cells: list[Cell]


Make = Callable[[int], tuple[Any, Any]]
# What is sent, and what is seen, by the number of the step.
KINDS: dict[str, Make] = {
    "large actions": lambda n: ({"code": "x" * 100_000 + str(n)}, {"n": n}),
    "actions of small dicts": lambda n: ({"a": [{"x": 1000 * n + i} for i in range(300)]}, {"n": n}),
    "small dicts": lambda n: ({"n": n}, {"cells": [{"x": 1000 * n + i, "y": 7 * i + 1000} for i in range(500)]}),
    "empty dicts and lists": lambda n: ({"n": n}, {"cells": [[{}, []] for _ in range(2000)]}),
    "floats": lambda n: ({"n": n}, {"pixels": [i * 0.123456789 + n for i in range(2000)]}),
    "shared numbers": lambda n: ({"n": n}, {"pixels": [i % 200 for i in range(10_000)]}),
    "texts": lambda n: ({"n": n}, {"words": [f"w{i}-{n}" for i in range(2000)]}),
    "a wide text": lambda n: ({"n": n}, {"text": "x" * 50_000 + "\U0001f600" + str(n)}),
    "a text": lambda n: ({"n": n}, {"text": "x" * 100_000 + str(n)}),
    "many names": lambda n: ({"n": n}, {f"field {n} {i}": i for i in range(500)}),
    "nested": lambda n: ({"n": n}, {"a": [{"b": {"c": {"d": 1000 * n + i}}} for i in range(300)]}),
}


def frame(kind: str, data: Any) -> bytes:
    """Write a request."""
    return json.dumps({"type": kind, "data": data}, separators=(",", ":")).encode()


def held(record: Record, steps: int, make: Callable[[int], Step]) -> int:
    """Append steps, each of which is read, and give the most bytes that were held."""
    gc.collect()
    tracemalloc.start()
    most = 0
    for number in range(steps):
        step = make(number)
        _ = step.result, step.action
        record.append(step)
        del step
        if number % 10 == 9:
            most = max(most, tracemalloc.get_traced_memory()[0])
    gc.collect()
    most = max(most, tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_is_what_is_held(kind: str) -> None:
    """T09: whatever steps are made of, decoded they are within 1.5 times of the bound, and not far below it."""
    record = Record("", max_bytes=BOUND)

    def make(number: int) -> Step:
        sent, seen = KINDS[kind](number)
        return Step("step", request=frame("step", sent), reply=result_frame(seen, 1.0), read=read_result)

    steps = storm(40, 80)
    found = held(record, steps, make)
    assert BOUND / 2.5 < found < 1.5 * BOUND, f"{found / BOUND:.2f} times the bound"
    assert record.episode.total_reward == record.episode.length == steps
    assert not record.episode[-1].folded


def test_objects_of_a_persons_own_class() -> None:
    """T09: observations that are models are within 1.5 times of the bound, too."""
    record, reader = Record("", max_bytes=BOUND, per_object=MODEL), TypedReader(Board)

    def make(number: int) -> Step:
        seen = {"cells": [{"x": 1000 * number + i, "y": 7 * i + 1000} for i in range(300)]}
        return Step("step", request=frame("step", {}), reply=result_frame(seen, 1.0), read=reader.read)

    assert DICT < MODEL
    assert BOUND / 2.5 < held(record, storm(50, 100), make) < 1.5 * BOUND


def test_large_errors() -> None:
    """T09: so are errors; one that is folded keeps its class and how it begins, and whoever raised it has it whole."""
    record, raised = Record("", max_bytes=BOUND), list[EnvironmentFailed]()

    def make(number: int) -> Step:
        text = f"step {number} failed: " + "x" * 100_000
        reply = error_frame("EXECUTION_ERROR", text)
        error = reply_error(reply, "step")
        if not number and isinstance(error, EnvironmentFailed):
            raised.append(error)
        return Step("step", request=frame("step", {}), reply=reply, read=read_result, error=error)

    assert held(record, 100, make) < 1.5 * BOUND
    first = record.episode[0]
    assert first.folded and isinstance(first.error, EnvironmentFailed)
    assert "step 0 failed: xxx" in str(first.error) and len(str(first.error.args[0])) < 2000
    assert len(str(raised[0].args[0])) > 100_000


def test_an_endless_episode(caplog: pytest.LogCaptureFixture) -> None:
    """T09: of an episode without end the first entry and the last are kept; all count, and that is said once."""
    record = Record("", max_bytes=BOUND)
    record.append(Step("reset", request=frame("reset", {"seed": 7}), reply=result_frame({}, None), read=read_result))

    def make(number: int) -> Step:
        sent, reply = frame("step", {"n": number}), result_frame({"n": number}, 0.5)
        return Step("step", request=sent, reply=reply, read=read_result)

    assert held(record, 3000, make) < 1.5 * BOUND
    episode = record.episode
    assert (episode.length, episode.total_reward, episode.done) == (3000, 1500.0, False)
    assert episode.reset_arguments == {"seed": 7}
    assert len(episode) + episode.forgotten == 3001 and 0 < len(episode) < 2000
    assert episode[-1].action == {"n": 2999} and not episode[-1].folded
    assert [step.action["n"] for step in episode[1:]] == list(range(episode.forgotten, 3000))
    assert f"{episode.forgotten} forgotten" in repr(episode)
    assert len([line for line in caplog.messages if "dropped from here on" in line]) == 2
    again = Episode.from_jsonl(episode.to_jsonl())
    assert again == episode and (again.length, again.total_reward) == (3000, 1500.0)


def test_many_short_episodes() -> None:
    """T09: of many episodes the oldest go; those that somebody holds are folded."""
    record = Record("", max_episodes=10**6, max_bytes=BOUND)
    kept = record.episode

    def make(number: int) -> Step:
        kind: Any = "step" if number % 10 else "reset"
        return Step(kind, request=frame(kind, {}), reply=result_frame({"n": number}, 0.5), read=read_result)

    assert held(record, 3000, make) < 1.5 * BOUND
    assert 10 < len(record.episodes) < 250 and record.episodes[-1].length == 9
    assert kept.total_reward == 4.5 and kept[0].folded


def test_what_came_after_a_look_counts_once() -> None:
    """T09: it makes no difference when somebody looks at an endless episode."""
    record = Record("", max_bytes=BOUND)
    for number in range(3000):
        reply = result_frame({"n": number}, 1.0, number == 5)
        record.append(Step("step", request=frame("step", {}), reply=reply, read=read_result))
        if number % 497 == 0:
            assert (record.episode.length, record.episode.total_reward) == (number + 1, number + 1.0)
    assert (record.episode.length, record.episode.total_reward, record.episode.done) == (3000, 3000.0, True)
    assert record.episode.forgotten
