"""The record: episodes as they came, and written as one line."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from support.entries import entry, episode
from support.waiting import in_threads
from support.wire import result_frame

from openenv_notebook.client.codec import read_result
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step
from openenv_notebook.values import errors
from openenv_notebook.values.errors import (
    AtCapacity,
    EnvironmentFailed,
    InvalidAction,
    OpenEnvError,
    ProtocolError,
    SessionLost,
    ToolFailed,
)
from openenv_notebook.values.messages import StepResult


def a_rich_episode() -> Episode:
    """An episode with everything that can stand in one."""
    return episode(
        entry("reset", {"seed": 7}, result_frame({"board": [[0]]}, None), started=1.0, seconds=0.5),
        entry("step", {"column": 3}, result_frame({"v": [math.nan, math.inf]}, 1.5, metadata={"m": 1}, extra="kept")),
        entry("step", {"column": math.nan}, result_frame({"text": "é☃"}, True), actor="person"),
        entry("step", {"column": 9}, None, InvalidAction("no", errors=["column: too big"], details={"a": [1]})),
        entry("step", {"column": 1}, None, SessionLost("gone", code=1006, sent=True, url="http://x"), owed=True),
        entry("tool", {"name": "f", "arguments": {"x": 1}}, None, ToolFailed("bad", tool="f", error_type="E")),
        entry("step", {"column": 1}, b"not a result"),
        entry("step", {"type": "call_tool", "tool_name": "f", "arguments": {}}, result_frame({}, 0.5, True)),
    )


class TestEpisode:
    """From a reset to its end."""

    def test_it_is_a_sequence_of_entries(self) -> None:
        """An episode is iterated, counted and indexed; an empty one is still true."""
        made = a_rich_episode()
        assert len(made) == len(list(made)) == len(made.steps) == 8
        assert made[0].kind == "reset"
        assert made[-1].done
        assert Episode()
        assert len(Episode()) == 0

    def test_totals_are_of_the_steps(self) -> None:
        """The return leaves out the reset; refused actions and tools beside the steps are no steps."""
        made = a_rich_episode()
        assert made.total_reward == 1.5 + 1 + 0.5
        assert made.done
        assert made.length == 5
        assert made.reset_arguments == {"seed": 7}
        assert repr(made) == "Episode(5 steps, return 3, done)"
        assert repr(Episode()) == "Episode(0 steps, return 0, open)"
        assert Episode().reset_arguments == {}

    def test_totals_follow_what_is_added(self) -> None:
        """Totals can be read at any time, each step is looked at once, and a reward at reset is not counted."""
        made = episode(entry("reset", {}, result_frame({}, 100.0)))
        assert (made.total_reward, made.done) == (0.0, False)
        reads: list[bytes] = []

        def read(reply: bytes) -> StepResult[Any]:
            reads.append(reply)
            return read_result(reply)

        for number in range(5):
            reply = result_frame({}, 1.0, number == 4)
            made.append(Step("step", request=b"{}", reply=reply, read=read, error=None))
            assert made.total_reward == number + 1
        assert made.done
        assert len(reads) == 5

    def test_a_reward_that_is_none_adds_nothing(self) -> None:
        """Steps without a reward do not hinder the return; True counts one."""
        assert episode(entry(reply=result_frame({}, None)), entry(reply=result_frame({}, True))).total_reward == 1

    def test_a_reset_that_reports_done_ends_the_episode(self) -> None:
        """An environment that is over from the beginning is over."""
        assert episode(entry("reset", {}, result_frame({}, None, True))).done


class TestJsonl:
    """One line, there and back."""

    def test_the_round_trip_is_byte_equal(self) -> None:
        """Reading a line and writing it again gives the same bytes, NaN and errors included."""
        line = a_rich_episode().to_jsonl()
        assert "\n" not in line
        again = Episode.from_jsonl(line)
        assert again.to_jsonl() == line
        assert Episode.from_jsonl(line.encode()).to_jsonl() == line

    def test_everything_is_there_again(self) -> None:
        """Entries keep kind, action, result, raw keys, error, times, actor and owed."""
        made = a_rich_episode()
        again = Episode.from_jsonl(made.to_jsonl())
        assert (again.episode_id, again.base_url, again.started) == ("e1", "http://localhost:8000", 12.5)
        assert (again.total_reward, again.done, again.length) == (made.total_reward, made.done, made.length)
        assert [step.kind for step in again] == [step.kind for step in made]
        assert [step.actor for step in again] == [step.actor for step in made]
        assert [step.owed for step in again] == [step.owed for step in made]
        assert (again[0].started, again[0].seconds) == (1.0, 0.5)
        second = again[1].result
        assert second is not None
        assert math.isnan(second.observation.v[0])
        assert second.metadata == {"m": 1}
        assert second.raw["extra"] == "kept"
        refused, lost = again[3].error, again[4].error
        assert isinstance(refused, InvalidAction)
        assert (refused.errors, refused.details) == (["column: too big"], {"a": [1]})
        assert isinstance(lost, SessionLost)
        assert (lost.code, lost.reason, lost.sent, str(lost)) == (1006, "gone", True, str(made[4].error))

    def test_the_line_has_the_ten_keys_of_upstream(self) -> None:
        """The line is a superset of what `openenv collect` writes."""
        line = json.loads(a_rich_episode().to_jsonl())
        keys = {"episode_id", "messages", "reward", "done", "tool_trace", "metrics", "verify_metrics", "artifacts"}
        assert set(line) == keys | {"task", "extra", "steps"}
        assert line["reward"] == 3.0
        assert line["done"] is True
        assert line["task"] == {"seed": 7}
        assert line["metrics"] == {"steps": 5}
        assert line["tool_trace"] == [
            {"name": "f", "arguments": {"x": 1}},
            {"type": "call_tool", "tool_name": "f", "arguments": {}},
        ]

    def test_a_folded_step_is_written_too(self) -> None:
        """A folded entry goes out and comes back with its reward and end."""
        made = episode(entry(reply=result_frame({"a": 1}, 2.0, True)))
        made[0].fold()
        again = Episode.from_jsonl(made.to_jsonl())
        assert (again.total_reward, again.done) == (2.0, True)
        assert again.to_jsonl() == made.to_jsonl()
        assert again[0].folded and '"folded":true' in made.to_jsonl()
        assert "folded" not in episode(entry(reply=result_frame({"a": 1}))).to_jsonl()

    def test_what_was_folded_says_so(self, caplog: pytest.LogCaptureFixture) -> None:
        """An observation that is no longer kept is not taken for None; that it begins is logged once a session."""
        record = Record("", max_bytes=20_000)
        for _ in range(4):
            record.append(entry(reply=result_frame({"a": "x" * 15_000}, 1.0)))
        for folded in (record.episode, Episode.from_jsonl(record.episode.to_jsonl())):
            assert repr(folded).endswith(", 3 folded)")
            assert repr(folded[0]).endswith(", folded)")
            assert "observation=None (folded" in repr(folded[0].result)
            assert "folded" not in repr(folded[-1]) + repr(folded[-1].result)
        (said,) = [line for line in caplog.messages if "folded" in line]
        assert said.startswith("openenv: the record is over 0.0190735 MiB: the observations of its oldest steps are")

    def test_python_reads_it(self) -> None:
        """The line is what Python's own json writes and reads."""
        assert math.isnan(json.loads(a_rich_episode().to_jsonl())["steps"][2]["action"]["column"])

    def test_every_error_comes_back_as_itself(self) -> None:
        """Errors of every class survive being written."""
        for error in (
            AtCapacity("full", active=1, maximum=1),
            EnvironmentFailed("x"),
            errors.ReplyTimeout("step", 1.0, sent=True),
            errors.FactoryFailed("f", factory="make"),
            ProtocolError("p", frame="f"),
        ):
            again = Episode.from_jsonl(episode(entry(error=error)).to_jsonl())[0].error
            assert type(again) is type(error)
            assert vars(again) == vars(error)

    def test_an_error_of_a_later_version_is_read(self) -> None:
        """An error this version does not know is read as a plain one, with its name; no other class is made."""
        line = json.loads(episode(entry(error=SessionLost("gone"))).to_jsonl())
        for name in ("FutureError", "traceback", "Any", "full_traceback"):
            line["steps"][0]["error"]["type"] = name
            again = Episode.from_jsonl(json.dumps(line))[0].error
            assert type(again) is OpenEnvError
            assert name in str(again)

    @pytest.mark.parametrize("line", ["", "x", "[]", "{}", '{"steps":3}', "null"])
    def test_what_is_no_episode_is_refused(self, line: str) -> None:
        """Other text is a ValueError."""
        with pytest.raises(ValueError):
            Episode.from_jsonl(line)

    def test_a_secret_free_line(self) -> None:
        """The line holds the address as it may be shown, nothing else of the client."""
        assert json.loads(Episode("http://h").to_jsonl())["extra"]["base_url"] == "http://h"


def test_an_episode_read_again_equals_the_one_that_was_written() -> None:
    """An episode and its steps are equal to what is read from their line, and to nothing else."""
    episode = Episode("http://localhost:8000")
    episode.append(Step("reset", {"seed": 1}, StepResult({"board": [float("nan")]}, None, False)))
    episode.append(Step("step", {"column": 3}, StepResult({"board": [1.0]}, 1.0, True)))
    again = Episode.from_jsonl(episode.to_jsonl())
    assert again == episode
    assert again[1] == episode[1]
    assert again[0] != episode[1]
    assert again != "an episode"
    assert len({episode, again}) == 2


@pytest.mark.parametrize("text", ["", "not json", "{}\n{}", "[]", "{}"])
def test_what_is_no_episode_is_told_so(text: str) -> None:
    """Text that is not one line of an episode is a ValueError that says what is needed."""
    with pytest.raises(ValueError, match="not an episode"):
        Episode.from_jsonl(text)


def test_the_return_is_right_whoever_asks_at_once() -> None:
    """Eight threads that ask for the return while it is not summed up yet all get the same, right one."""
    for _ in range(20):
        episode = Episode("http://scripted.test")
        for _ in range(300):
            episode.append(Step("step", {}, StepResult({}, 1.0, False, {})))
        assert in_threads(*[lambda episode=episode: episode.total_reward] * 8) == [300.0] * 8


def test_binary_fractions_leave_nothing_behind() -> None:
    """Rewards that add up to nothing give a return of 0, as a person adds them; what is not finite stays."""
    tenths = [entry(reply=result_frame({}, -0.1)) for _ in range(10)]
    made = episode(*tenths, entry(reply=result_frame({}, 1.0)))
    assert (made.total_reward, math.copysign(1, made.total_reward)) == (0.0, 1.0)
    assert repr(made) == "Episode(11 steps, return 0, open)"
    assert episode(*tenths[:3]).total_reward == -0.3
    assert episode(entry(reply=result_frame({}, math.inf))).total_reward == math.inf
