"""One entry of a record: decoded when it is read, folded, and written."""

from __future__ import annotations

from typing import Any

import pytest
from support.entries import entry, episode
from support.wire import result_frame

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step
from openenv_notebook.values.errors import (
    EnvironmentFailed,
    InvalidAction,
    OpenEnvError,
    ProtocolError,
    RequestRejected,
    SessionLost,
)
from openenv_notebook.values.messages import StepResult
from openenv_notebook.wire.protocol import frame


class TestStep:
    """One entry."""

    def test_values_are_decoded_when_they_are_read(self) -> None:
        """An entry keeps frames; reading gives the action and the result, the same object each time."""
        step = entry("step", {"column": 3}, result_frame({"a": 1}, 2.0, True))
        assert not step.decoded
        assert step.action == {"column": 3}
        assert step.action.column == 3
        assert step.result is step.result
        assert step.decoded
        assert (step.reward, step.done) == (2.0, True)

    def test_a_malformed_reply_is_its_error(self) -> None:
        """What cannot be read has no result; why stands in its place."""
        step = entry("step", {}, b'{"type":"observation","data":{}}')
        assert step.result is None
        assert isinstance(step.error, ProtocolError)
        assert (step.reward, step.done) == (None, False)

    def test_an_entry_can_be_made_by_hand(self) -> None:
        """Other code may make entries of values."""
        step = Step("step", {"a": 1}, StepResult({}, 1.0, True), None, 2.0, 0.5, "policy", True)
        assert (step.action, step.reward, step.done, step.seconds) == ({"a": 1}, 1.0, True, 0.5)
        assert repr(step) == "Step(step, {'a': 1}, reward=1.0, done=True, policy, owed)"

    def test_its_repr_says_what_went_wrong(self) -> None:
        """An entry without a result names its error."""
        assert repr(entry("step", {"a": 1}, None, SessionLost())) == "Step(step, {'a': 1}, error=SessionLost, code)"

    @pytest.mark.parametrize(
        ("error", "happened"),
        [
            (None, True),
            (InvalidAction(), False),
            (RequestRejected(), False),
            (EnvironmentFailed(), True),
            (SessionLost(), True),
        ],
    )
    def test_what_was_refused_did_not_happen(self, error: OpenEnvError | None, happened: bool) -> None:
        """A refused action is no step of the environment; one that failed may have been."""
        assert entry("step", {}, None, error).happened is happened

    def test_folding_keeps_all_but_the_observation(self) -> None:
        """A folded entry has its reward, end, action and times, and no observation."""
        step = entry("step", {"a": 1}, result_frame({"big": "x" * 10_000}, 2.0, True), started=1.0, seconds=0.5)
        before = step.size
        step.fold()
        assert step.folded
        assert step.size < before - 1000
        assert (step.reward, step.done, step.action, step.started, step.seconds) == (2.0, True, {"a": 1}, 1.0, 0.5)
        assert step.result is not None
        assert step.result.observation is None

    @pytest.mark.parametrize("reply", [b"x", b"{}", b'{"data":3}', result_frame({}, "1"), result_frame({}, 1, "no")])
    def test_folding_makes_no_success_of_a_malformed_reply(self, reply: bytes) -> None:
        """A reply nobody read is checked when it is folded."""
        step = entry("step", {}, reply)
        step.fold()
        assert step.result is None
        assert isinstance(step.error, ProtocolError)

    def test_folding_keeps_an_error(self) -> None:
        """A folded entry without a result keeps what came instead."""
        step = entry("step", {}, None, SessionLost("gone"))
        step.fold()
        assert isinstance(step.error, SessionLost)
        assert step.result is None


class TestFailingHook:
    """A client's own _parse_result that raises."""

    def broken(self, reply: bytes) -> StepResult[Any]:
        """Fail as a person's code does."""
        raise KeyError("board")

    def step(self) -> Step:
        """An entry that such a hook is asked to read."""
        return Step(
            "step", request=frame("step", {}), reply=result_frame({"a": 1}, 2.0, True), read=self.broken, error=None
        )

    def test_its_error_reaches_who_reads_the_result(self) -> None:
        """The person's own mistake is shown to the person, each time."""
        step = self.step()
        for _ in range(2):
            with pytest.raises(KeyError, match="board"):
                step.result

    def test_the_record_can_be_read_all_the_same(self) -> None:
        """Reward and end are those on the wire, so totals and reprs work."""
        made = episode(self.step())
        assert (made.total_reward, made.done) == (2.0, True)
        assert repr(made) == "Episode(1 step, return 2, done)"
        assert repr(made[0]) == "Step(step, {}, reward=2.0, done=True, code)"
        assert Episode.from_jsonl(made.to_jsonl()).total_reward == 2.0

    def test_folding_asks_no_hook(self) -> None:
        """The record folds on the loop's thread, where a person's code must not run."""
        asked: list[bytes] = []

        def hook(reply: bytes) -> StepResult[Any]:
            asked.append(reply)
            raise KeyError("board")

        record = Record("", max_bytes=4000)
        for _ in range(3):
            reply = result_frame({"a": "x" * 3000}, 2.0, True)
            record.append(Step("step", request=b"{}", reply=reply, read=hook, error=None))
        assert asked == []
        assert [step.folded for step in record.episode] == [True, True, False]
        assert record.episode.total_reward == 6.0
        assert record.episode[0].result == StepResult(None, 2.0, True)
