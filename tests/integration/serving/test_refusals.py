"""Actions that a validator refuses: a line for the field, and the session lives, on every server that we start."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openenv_notebook import EnvironmentFailed, InvalidAction, connect, serve

_PROJECT = Path(__file__).parent / "projects/ruled"


def _strict() -> Any:
    spec = importlib.util.spec_from_file_location("ruled", _PROJECT / "ruled.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ruled", module)
        spec.loader.exec_module(module)
        return module.Strict


@pytest.fixture(params=["class", "folder", "module"])
def env(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A client on a served class, and on what is served in a process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "module":
            patch.chdir(_PROJECT)
        what = {"class": _strict, "folder": lambda: str(_PROJECT), "module": lambda: "ruled:app"}[request.param]()
        with serve(what) as server, connect(server.url) as made:
            made.reset()
            yield made


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"number": 3}, "number: Value error, three is taken"),
    ({"parts": [{"size": 2}, {"size": 3}]}, "parts.1.size: Assertion failed, must be even {size}"),
    ({"number": 7, "text": "x"}, "(action): Value error, 7 does not go with x"),
    ({"price": 10}, "price: Input should be less than or equal to 9.5"),
    ({"pair": [1]}, "pair: Input should be a valid tuple"),
    ({"text": "\ud800 too long"}, "text: "),
    ({"number": "x"}, "number: Input should be a valid integer"),
    ({"unknown": 1}, "unknown: no such field"),
]


def test_a_validator_s_refusal_is_a_line(env: Any) -> None:
    """R15: whatever a validator refuses is a line for its field, or the environment's own fault; the session lives."""
    for fields, line in REFUSED:
        made = env.state().step_count
        with pytest.raises(InvalidAction) as caught:
            env.step(fields)
        assert any(each.startswith(line) for each in caught.value.errors), caught.value.errors
        assert env.status == "open"
        assert env.state().step_count == made
        assert env.step(number=2).metadata["kinds"][-1] == "Ruled", "actions are of the class itself"
    with pytest.raises(EnvironmentFailed, match="a bug"):
        env.step(number=4)
    assert env.step(number=2).done is False
