"""All episodes of a session, bounded in memory."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Container
from typing import Any

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.record.weight import DICT
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import StepResult

log = our_log()

_FOLDED = (
    "openenv: the record is over %g MiB: the observations of its oldest steps are dropped from here on (folded; "
    "rewards and times stay, and actions that are short)"
)
_FORGOTTEN = (
    "openenv: the record is over %g MiB with what is left of old steps: the oldest of those, or whole episodes, are "
    "dropped from here on (their rewards still count)"
)


class Record:
    """All episodes of a session, bounded: old observations go first, then old episodes, then old steps of the last.

    At most ``max_episodes`` are kept, and ``max_bytes`` over all of them, values as they are decoded included;
    ``per_object`` is what one object of an observation takes. The server's address is written into each. Steps hide
    ``secrets``: names of fields that the server marked as secret.
    """

    def __init__(
        self,
        base_url: str,
        max_episodes: int = 1000,
        max_bytes: int = 128 * 2**20,
        *,
        secrets: Container[str] | None = None,
        per_object: int = DICT,
    ) -> None:
        self.secrets = secrets
        self._base_url = base_url
        self._max_bytes = max_bytes
        # Until so much has come nothing is weighed: whatever it is, decoded it is within the bound.
        self._light = max_bytes / 32
        self._per_object = per_object
        self._size = self._weighed = self._remaining = 0
        self._whole: deque[tuple[Episode, Step]] = deque()
        self._episodes: deque[Episode] = deque([Episode(base_url)], maxlen=max_episodes)
        self.last: Step | None = None
        self._remains: dict[Episode, int] = {self.episode: 0}
        self._told: set[str] = set()

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
            for step in reversed(episode):
                if step.kind != "tool" and step.result is not None:
                    return step.result
        return None

    def append(self, step: Step, *, may_fold: bool = True) -> None:
        """Add a step; a reset that was answered begins an episode.

        What is over the bound is folded, but not while somebody waits for steps (``may_fold``): that comes later.
        """
        if step.kind == "reset" and step.error is None and len(self.episode):
            if len(self._episodes) == self._episodes.maxlen:
                self._let_go()
            self._episodes.append(Episode(self._base_url))
            self._remains[self._episodes[-1]] = 0
        self._episodes[-1].append(step)
        self.last = step
        self._size += step.size
        self._whole.append((self._episodes[-1], step))
        if self._size > self._light:
            self._keep_bound(may_fold)

    def _keep_bound(self, may_fold: bool) -> None:
        """Weigh what came since the last time; what is small is not worth that. Fold, and forget, what is over."""
        for _, step in itertools.islice(reversed(self._whole), len(self._whole) - self._weighed):
            self._size += -step.size + step.weigh(self._per_object)
        self._weighed = len(self._whole)
        while may_fold and self._size > self._max_bytes and len(self._whole) > 1:
            episode, oldest = self._whole.popleft()
            self._weighed -= 1
            self._size -= oldest.size
            oldest.fold()
            if episode in self._remains:
                self._size += oldest.size
                self._remains[episode] += oldest.size
                self._remaining += oldest.size
            self._tell("folded", _FOLDED)
        # Of a run without end what is folded would fill it all in the end.
        while self._remaining > self._max_bytes / 2 and self._forget():
            self._tell("forgotten", _FORGOTTEN)

    def _forget(self) -> bool:
        """Drop the oldest episode, or a part of the only one; False where there is nothing to drop."""
        oldest = self._episodes[0]
        if oldest is not self._episodes[-1]:
            self._let_go()
            self._episodes.popleft()
            return True
        folded = len(oldest) - len(self._whole)
        # The first stays; and not one by one, since what is behind moves up.
        size = sum(step.size for step in oldest.forget(max(1, folded // 8))) if folded > 1 else 0
        self._size -= size
        self._remaining -= size
        self._remains[oldest] -= size
        return size > 0

    def _let_go(self) -> None:
        """Count what is left of the oldest episode no more; its whole steps are until they are folded."""
        size = self._remains.pop(self._episodes[0])
        self._size -= size
        self._remaining -= size

    def _tell(self, what: str, text: str) -> None:
        if what not in self._told:
            self._told.add(what)
            log.warning(text, self._max_bytes / 2**20)
