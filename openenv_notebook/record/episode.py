"""The record of a session: steps as they came, in wire order, bounded in memory.

A step keeps the frames of its request and reply; values are decoded once, by whoever
reads them first. A saved episode is one JSON line, a superset of the ten keys that the
official ``openenv collect`` writes.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any, cast

from openenv_notebook.record.step import Step
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.read_json import read_json
from openenv_notebook.values.secrets import HIDDEN, masked, secrets_of
from openenv_notebook.values.to_json import to_bytes

FORMAT = "openenv-notebook/1"

_PLACES = 12
# But for the dots in place of a secret, which people read.
_NOT_ASCII = re.compile(rf"[^\x00-\x7f{HIDDEN[0]}]+")

# A cell and a panel may ask for the return at once. One for all: an episode can be pickled.
_scanning = threading.Lock()


class Episode:
    """From a reset to its end: the steps in wire order. Only the session appends to it.

    Args:
        base_url: The server's address.
        episode_id: A name for it; made up if not given.

    Example:
        >>> with connect("demo:echo") as env:
        ...     first, second = env.reset(), env.step("hello")
        >>> env.episode
        Episode(1 step, return 0.5, open)
        >>> Episode.from_jsonl(env.episode.to_jsonl()) == env.episode
        True
    """

    def __init__(self, base_url: str = "", episode_id: str | None = None) -> None:
        self.episode_id = episode_id or uuid.uuid4().hex
        self.base_url = base_url
        self.started = time.time()
        self._steps: list[Step] = []
        self._scanned = 0
        self._total = 0.0
        self._done = False

    def append(self, step: Step) -> None:
        """Add a step at the end."""
        self._steps.append(step)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All entries, the reset first."""
        return tuple(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self._steps)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: int) -> Step:
        return self._steps[index]

    @property
    def length(self) -> int:
        """How many steps were made; resets, tools beside the steps, and refused actions are not counted."""
        return sum(step.happened and step.kind == "step" for step in self._steps)

    @property
    def reset_arguments(self) -> dict[str, Any]:
        """What was given to reset; empty where the episode began without one."""
        first = self._steps[0] if self._steps else None
        return dict(first.action or {}) if first is not None and first.kind == "reset" else {}

    @property
    def total_reward(self) -> float:
        """The return: the sum of the steps' rewards, undiscounted, the reset not counted.

        Ten times -0.1 and once 1.0 are 0.0: what adding binary fractions leaves behind the
        twelfth place is rounded off.
        """
        self._scan()
        return round(self._total, _PLACES) + 0.0  # and no -0.0

    @property
    def done(self) -> bool:
        """True when a step ended it."""
        self._scan()
        return self._done

    def _scan(self) -> None:
        """Take in what came since the last look; each step is looked at once."""
        steps = self._steps
        while (place := self._scanned) < len(steps):
            # Decoding may run a client's own hook, which may take its time.
            done, reward = steps[place].done, steps[place].reward
            with _scanning:
                if self._scanned != place:
                    continue
                self._scanned += 1
                self._done = self._done or done
                if steps[place].kind != "reset" and reward is not None:
                    self._total += reward

    def to_jsonl(self, *, secrets: bool = False) -> str:
        """Write the episode as one line of JSON, without a line end.

        Args:
            secrets: True writes passwords, keys and tokens that were sent or came as they are;
                else they are hidden, by the names of their fields and wherever else the same
                values stand, and ``extra.hidden`` lists those names.

        Returns:
            The line, in ASCII but for the dots in place of secrets: whatever reads it finds one
            line. NaN and infinities stand in it as Python's ``json`` writes them.
        """
        line = to_bytes(self._plain(shows_secrets=secrets)).decode()
        return line if line.isascii() else _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], line)

    def _plain(self, *, shows_secrets: bool) -> dict[str, Any]:
        entries, hidden, known = [step.to_dict() for step in self._steps], set[str](), Secrets()
        if not shows_secrets:
            by = [secrets_of(step) for step in self._steps]
            for entry, secrets in zip(entries, by, strict=True):
                known.take(entry, secrets)
            entries = [masked(entry, secrets, hidden) for entry, secrets in zip(entries, by, strict=True)]
        calls = [entry for entry in entries if entry["kind"] == "tool" or _calls_tool(entry)]
        whole: dict[str, Any] = {
            "episode_id": self.episode_id,
            "messages": [],
            "reward": self.total_reward,
            "done": self.done,
            "tool_trace": [entry["action"] for entry in calls],
            "metrics": {"steps": self.length},
            "verify_metrics": {},
            "artifacts": {},
            "task": (entries[0]["action"] or {}) if entries and entries[0]["kind"] == "reset" else {},
            "extra": {"format": FORMAT, "base_url": self.base_url, "started": self.started}
            | ({"hidden": sorted(hidden)} if hidden else {}),
            "steps": entries,
        }
        # Also where the same values stand under other names.
        return whole if shows_secrets else cast(dict[str, Any], masked(whole, known))

    @classmethod
    def from_jsonl(cls, line: str | bytes) -> Episode:
        """Read an episode from its line.

        Args:
            line: What :meth:`to_jsonl` wrote.

        Returns:
            The episode; writing it again gives the same line.

        Raises:
            ValueError: If the line is not an episode.
        """
        try:
            saved = read_json(line)
        except ValueError as error:
            raise ValueError(
                f"not an episode: one line of JSON is needed, an episode a line ({error}); to_jsonl() writes one"
            ) from error
        if not isinstance(saved, dict) or not isinstance(saved.get("steps"), list):
            raise ValueError('not an episode: an object with a list under "steps" is needed; to_jsonl() writes one')
        extra = saved.get("extra") or {}
        episode = cls(extra.get("base_url", ""), saved.get("episode_id"))
        episode.started = extra.get("started", 0.0)
        for entry in saved["steps"]:
            episode.append(Step.from_dict(entry))
        return episode

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Episode):
            return NotImplemented
        return self.to_jsonl(secrets=True) == other.to_jsonl(secrets=True)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        end = "done" if self.done else "open"
        folded = sum(step.folded for step in self._steps)
        mark = f", {folded} folded" if folded else ""
        steps = f"{self.length} step{'' if self.length == 1 else 's'}"
        return f"Episode({steps}, return {self.total_reward:g}, {end}{mark})"


def _calls_tool(entry: dict[str, Any]) -> bool:
    action = entry["action"]
    return entry["kind"] == "step" and isinstance(action, dict) and action.get("type") == "call_tool"
