"""An observation as a picture of its environment; its JSON for people."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.markup import IN_PANEL, check_html, check_text
from support.pace import SLOW
from support.recorded import exchanges, results

from openenv_notebook.jupyter.panel.observation_html import write_observation
from openenv_notebook.jupyter.show.as_html import LONGEST, size_without_pictures, write_html
from openenv_notebook.jupyter.show.as_text import write_text
from openenv_notebook.jupyter.show.bounded import bounded_html, bounded_text
from openenv_notebook.jupyter.show.observations import changes, headline, of_observation
from openenv_notebook.jupyter.show.raw_json import LONGEST as LONGEST_RAW
from openenv_notebook.jupyter.show.raw_json import raw_json
from openenv_notebook.values.messages import StepResult

DEEP: Any = "end"
for _ in range(300):
    DEEP = {"a": [DEEP]}


@pytest.mark.parametrize("name", exchanges())
def test_each_recorded_observation_is_shown(name: str) -> None:
    """Observations of every environment, with what changed: known tags only, within 60 kB, 60 lines and 0.2 s."""
    previous = None
    for result in results(name):
        started = time.perf_counter()
        block = of_observation(result, previous)
        said = f"{headline(block)} {changes(result, previous)}"
        written, still, text = write_observation(block), write_html(block), write_text(block)
        raw = raw_json(result.raw or {"observation": result.observation})
        assert time.perf_counter() - started < 0.2
        check_html(written, IN_PANEL)
        check_html(still)
        check_text(text)
        assert max(size_without_pictures(written), size_without_pictures(still)) <= LONGEST
        assert len(raw) <= LONGEST_RAW + 2 and len(said) < 200
        previous = result


@pytest.mark.parametrize(
    ("name", "said"),
    [("atari", "picture 160×210"), ("connect4", "board 6×7"), ("chess", "board 8×8"), ("maze", "board 8×8"),
     ("reasoning_gym", "text, 3 lines"), ("grid_world", "3 fields"), ("atari_ram", "7 fields")],
)  # fmt: skip
def test_an_observation_is_called_by_what_is_large_in_it(name: str, said: str) -> None:
    """A picture, a board, a conversation or a long text gives its name, else the number of fields."""
    assert headline(of_observation(results(name)[0])) == said


def test_what_is_large_stands_above_the_other_fields() -> None:
    """Pictures and boards come first, those of the metadata too; several have their names above."""
    assert write_text(of_observation(results("maze")[0])).split("\n")[0] == "8×8, · is 0"
    both = {"score": 3, "board": [[0] * 3] * 3, "talk": [{"role": "user", "content": "x"}]}
    lines = write_text(of_observation(StepResult(both))).split("\n")
    assert [lines[0], lines[6], lines[-1]] == ["board", "talk", "score  3"]


@pytest.mark.parametrize("observation", [{}, None, "", 5, [], [1, 2], "a\nb", {"done": True, "reward": 1.0}, b"x"])
def test_any_kind_of_observation_is_shown(observation: Any) -> None:
    """What is empty or no object is shown as well."""
    block = of_observation(StepResult(observation, 1.0, True), StepResult(observation))
    assert write_text(block) and headline(block)
    check_html(write_html(block))
    check_html(write_observation(block), IN_PANEL)


def check(result: StepResult[Any], previous: StepResult[Any] | None) -> None:
    """Check all forms of an observation."""
    block = of_observation(result, previous)
    assert size_without_pictures(bounded_html(block, write_observation)) <= LONGEST
    check_html(bounded_html(block, write_observation), IN_PANEL)
    check_html(bounded_html(block, write_html))
    bounded_text(block).encode()
    assert len(raw_json({"observation": result.observation})) <= LONGEST_RAW + 2
    assert len(headline(block)) < 100


@pytest.mark.parametrize("text", hostile.TEXTS)
def test_hostile_texts_are_escaped(text: str) -> None:
    """A server's words run nothing and break out of no place, in the panel's HTML as in the saved one."""
    seen = {
        text: text, "board": [[text[:2], "x", "O"]] * 3, text[:30]: [["a", text[:4], "b"]] * 3, "messages":
        [{"role": text, "content": text}], "metadata": {text: [text]}, "lines": f"{text}\n{text}",
    }  # fmt: skip
    check(StepResult(seen), StepResult({**seen, "board": [["a", "b", "c"]] * 3}))
    check(StepResult(text), None)


def test_a_hostile_observation_is_escaped() -> None:
    """The same with all of them at once."""
    check(StepResult(hostile.observation()), StepResult({}))


values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(hostile.TEXTS), st.text(max_size=9)
    ),
    lambda inside: st.one_of(st.lists(inside, max_size=5), st.dictionaries(st.text(max_size=8), inside, max_size=5)),
)


@given(values, values)
@SLOW
def test_any_two_observations_can_be_compared(now: Any, before: Any) -> None:
    """Any JSON value after any other: marked, escaped, bounded."""
    check(StepResult(now), StepResult(before))
    assert len(changes(StepResult(now), StepResult(before))) < 300


def test_nothing_large_is_written_out() -> None:
    """Millions of values, thousands of fields, deep nests and huge numbers stay within their bounds."""
    for value in (
        {"a": list(range(1_000_000))},
        {str(place): "x" * 1000 for place in range(5_000)},
        {"text": '<&">' * 100_000, "lines": "\n" * 100_000},
        {"big": 10**10_000, "nested": [10**5000] * 30},
        {"rows": [["&&&&"] * 20] * 20},
        {"deep": DEEP},
        {"messages": [{"role": "user", "content": "&" * 10_000}] * 500},
    ):
        check(StepResult(value), StepResult({}))


def test_the_raw_json_is_for_people() -> None:
    """Indented, plain lists in a line, what is long folded and said so, secrets hidden."""
    value = {"a": {"b": [1, 2.5, None, True]}, "long": list(range(100)), "t": "é" * 500, "api_key": "sk-1", "e": []}
    lines = raw_json(value).split("\n")
    assert lines[:4] == ["{", '  "a": {', '    "b": [1, 2.5, null, true]', "  }"]
    assert lines[4].endswith("38, 39, … 100 in all]")
    assert lines[5].endswith('é" … 500 characters')
    assert lines[6:] == ['  "api_key": "••••••"', '  "e": []', "}"]
    assert "more inside" in raw_json(DEEP)
