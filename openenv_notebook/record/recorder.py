"""All episodes of a session, bounded in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from typing import Any

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import StepResult

log = our_log()


class Record:
    """All episodes of a session, bounded: old observations go first, then old episodes.

    At most ``max_episodes`` are kept, and ``max_bytes`` of frames over all of them. The server's address is written
    into each. Steps hide ``secrets``: names of fields that the server marked as secret.
    """

    def __init__(
        self,
        base_url: str,
        max_episodes: int = 1000,
        max_bytes: int = 128 * 2**20,
        *,
        secrets: Container[str] | None = None,
    ) -> None:
        self.secrets = secrets
        self._base_url = base_url
        self._max_bytes = max_bytes
        self._size = 0
        self._unfolded: deque[Step] = deque()
        self._episodes: deque[Episode] = deque([Episode(base_url)], maxlen=max_episodes)
        self.last: Step | None = None
        self._told_folded = False

    @property
    def episode(self) -> Episode:
        """The episode in progress, or the last one; empty before the first step."""
        return self._episodes[-1]

    @property
    def episodes(self) -> list[Episode]:
        """All episodes that have a step, the oldest first."""
        return [episode for episode in list(self._episodes) if len(episode)]

    def move(self, base_url: str) -> None:
        """Write another address into episodes from here on: that of a server just started."""
        self._base_url = base_url
        if not len(self.episode):
            self.episode.base_url = base_url

    @property
    def last_result(self) -> StepResult[Any] | None:
        """The result of the last step that has one; tools called beside the steps are none."""
        if self.last is not None and self.last.kind != "tool" and self.last.result is not None:
            return self.last.result
        for episode in reversed(list(self._episodes)):
            for step in reversed(episode.steps):
                if step.kind != "tool" and step.result is not None:
                    return step.result
        return None

    def append(self, step: Step) -> None:
        """Add a step; a reset that was answered begins an episode."""
        if step.kind == "reset" and step.error is None and len(self.episode):
            self._episodes.append(Episode(self._base_url))
        self._episodes[-1].append(step)
        self.last = step
        self._size += step.size
        self._unfolded.append(step)
        while self._size > self._max_bytes and len(self._unfolded) > 1:
            oldest = self._unfolded.popleft()
            self._size -= oldest.size
            oldest.fold()
            self._tell_folded()

    def _tell_folded(self) -> None:
        if not self._told_folded:
            self._told_folded = True
            log.warning(
                "openenv: the record is over %g MiB: the observations of its oldest steps are dropped from here on "
                "(folded; actions and rewards stay)",
                self._max_bytes / 2**20,
            )
