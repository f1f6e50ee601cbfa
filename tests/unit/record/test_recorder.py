"""All episodes of a session, bounded in memory."""

from __future__ import annotations

from support.entries import entry
from support.wire import result_frame

from openenv_notebook.record.recorder import Record
from openenv_notebook.values.errors import SessionLost


class TestRecord:
    """All episodes of a session, bounded."""

    def test_an_answered_reset_begins_an_episode(self) -> None:
        """Each reset that was answered begins one; one that failed stands in the episode it was tried in."""
        record = Record("http://h")
        assert record.episodes == []
        record.append(entry("step", {}, result_frame()))
        record.append(entry("reset", {}, result_frame()))
        record.append(entry("step", {}, result_frame()))
        record.append(entry("reset", {}, None, SessionLost()))
        record.append(entry("reset", {}, result_frame()))
        assert [len(episode) for episode in record.episodes] == [1, 3, 1]
        assert record.episode is record.episodes[-1]
        assert {episode.base_url for episode in record.episodes} == {"http://h"}

    def test_it_is_bounded_by_count(self) -> None:
        """The oldest episodes go."""
        record = Record("", max_episodes=3)
        for number in range(10):
            record.append(entry("reset", {"n": number}, result_frame()))
        assert [episode.reset_arguments["n"] for episode in record.episodes] == [7, 8, 9]

    def test_it_is_bounded_by_size(self) -> None:
        """The oldest observations go, their rewards stay, and the newest is always whole."""
        record = Record("", max_bytes=150_000)
        for number in range(50):
            record.append(entry("step", {"n": number}, result_frame({"text": "x" * 10_000}, 1.0)))
        folded = [step.folded for step in record.episode]
        assert folded == sorted(folded, reverse=True)
        assert 2 < folded.count(False) < 8
        assert record.episode.total_reward == 50.0
        assert record.episode[0].action == {"n": 0}
        record.append(entry("step", {}, result_frame({"text": "x" * 1_000_000})))
        assert not record.episode[-1].folded
        assert all(step.folded for step in record.episode.steps[:-1])

    def test_the_last_result_is_found(self) -> None:
        """The last result is of the last entry that has one, also when later ones failed."""
        record = Record("")
        assert record.last_result is None
        record.append(entry("reset", {}, result_frame({"n": 1})))
        record.append(entry("step", {}, None, SessionLost()))
        assert record.last_result is not None
        assert record.last_result.observation == {"n": 1}

    def test_it_moves_with_its_server(self) -> None:
        """A server that is started later gives its address to the episodes from then on."""
        record = Record("")
        record.move("http://one")
        record.append(entry("reset", {}, result_frame()))
        record.move("http://two")
        record.append(entry("reset", {}, result_frame()))
        assert [episode.base_url for episode in record.episodes] == ["http://one", "http://two"]
