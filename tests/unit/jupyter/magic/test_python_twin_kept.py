"""The program of an episode of which not all is kept any more."""

from __future__ import annotations

from typing import Any

import pytest
from support.entries import entry, episode
from support.wire import result_frame

from openenv_notebook.jupyter.magic.python_twin import episode_code


def test_what_is_missing_is_said() -> None:
    """T09: where a long action was folded away, or entries were forgotten, no other call stands in their place."""
    made = episode(
        entry("reset", {"seed": 7}, result_frame()),
        *(entry("step", {"n": number}, result_frame({}, 1.0)) for number in range(4)),
        entry("step", {"code": "x" * 2000}, result_frame({}, 1.0)),
        entry("step", {"n": 5}, result_frame({}, 1.0)),
    )
    for step in made[:-1]:
        step.fold()
    made.forget(2)
    assert episode_code("env", "demo:echo", made).splitlines()[-6:] == [
        "env.reset(seed=7)",
        "# 2 entries that are not kept any more",
        "env.step(n=2)",
        "env.step(n=3)",
        "# a step whose action was long, and is not kept any more",
        "env.step(n=5)",
    ]


@pytest.mark.parametrize("arguments", [5, "x", [1], True])
def test_a_tool_without_named_arguments_is_the_step_it_was(arguments: Any) -> None:
    """An action that calls a tool with what goes by no name is written as it was sent."""
    action = {"type": "call_tool", "tool_name": "add", "arguments": arguments}
    code = episode_code("env", "demo:echo", episode(entry("step", action, result_frame()))).splitlines()[-1]
    assert code == f"env.step(type='call_tool', tool_name='add', arguments={arguments!r})"
