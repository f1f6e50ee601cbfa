"""The record of a session: steps as they came, in wire order, bounded in memory.

A step keeps the frames of its request and reply; values are decoded once, by whoever
reads them first. A saved episode is one JSON line, a superset of the ten keys that the
official ``openenv collect`` writes.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple, cast, overload

from openenv_notebook.record.saved import read_episode
from openenv_notebook.record.step import Step
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.secrets import HIDDEN, masked, secrets_of
from openenv_notebook.values.to_json import to_bytes

FORMAT = "openenv-notebook/1"

_PLACES = 12
# But for the dots in place of a secret, which people read.
_NOT_ASCII = re.compile(rf"[^\x00-\x7f{HIDDEN[0]}]+")


class _Forgotten(NamedTuple):
    """What is left of an endless episode's oldest entries, but for the first: how many, and their sums with it."""

    entries: int = 0
    steps: int = 0
    reward: float = 0.0
    done: bool = False


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
        # Replaced in one go, as are the sums: any thread may look at any moment, and may be interrupted, so nothing
        # is locked. The sums are those of the first entries, whose number comes first; each entry is looked at once.
        self._kept: tuple[_Forgotten, list[Step]] = (_Forgotten(), [])
        self._counted, self._summed = (0, 0), (0, 0.0, False)
        self._folded = 0

    def append(self, step: Step) -> None:
        """Add a step at the end."""
        self._kept[1].append(step)

    def forget(self, entries: int) -> list[Step]:
        """Drop so many of the oldest entries, but for the first, and return them; they count as before.

        They must be folded: nobody's code is asked for their rewards.
        """
        gone, steps = self._kept
        out = steps[1 : entries + 1]
        new = out if gone.entries else steps[: entries + 1]
        gained = sum((step.reward or 0 for step in new if step.kind != "reset"), 0.0)
        made = sum(step.happened and step.kind == "step" for step in new)
        done = gone.done or any(step.done for step in new)
        gone = _Forgotten(gone.entries + len(out), gone.steps + made, gone.reward + gained, done)
        self._kept = gone, [*steps[:1], *steps[entries + 1 :]]
        self._folded = 0
        return out

    @property
    def forgotten(self) -> int:
        """How many entries behind the first were dropped: an endless episode keeps the first and the last."""
        return self._kept[0].entries

    @property
    def steps(self) -> tuple[Step, ...]:
        """All entries that are kept, the reset first."""
        return tuple(self._kept[1])

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self._kept[1])

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        return self._kept[1][index]

    @property
    def length(self) -> int:
        """How many steps were made; resets, tools beside the steps, and refused actions are not counted."""
        gone, steps = self._kept
        place, count = self._counted
        if place <= gone.entries and gone.entries:
            place, count = gone.entries + 1, gone.steps
        new = steps[place - gone.entries :] if place else steps[:]
        count += sum(step.happened and step.kind == "step" for step in new)
        # The last may still be found to be malformed.
        self._counted = place + len(new), count
        return count

    @property
    def reset_arguments(self) -> dict[str, Any]:
        """What was given to reset; empty where the episode began without one."""
        first = next(iter(self._kept[1]), None)
        return dict(first.action or {}) if first is not None and first.kind == "reset" else {}

    @property
    def total_reward(self) -> float:
        """The return: the sum of the steps' rewards, undiscounted, the reset not counted.

        Ten times -0.1 and once 1.0 are 0.0: what adding binary fractions leaves behind the
        twelfth place is rounded off.
        """
        return round(self._scan()[1], _PLACES) + 0.0  # and no -0.0

    @property
    def done(self) -> bool:
        """True when a step ended it."""
        return self._scan()[2]

    def _scan(self) -> tuple[int, float, bool]:
        """Take in what came since the last look; each step is looked at once."""
        gone, steps = self._kept
        place, total, done = self._summed
        if place <= gone.entries and gone.entries:
            place, total, done = gone.entries + 1, gone.reward, gone.done
        for step in steps[place - gone.entries :] if place else steps[:]:
            # Decoding may run a client's own hook, which may take its time.
            done, reward = step.done or done, step.reward
            if step.kind != "reset" and reward is not None:
                total += reward
            place += 1
        self._summed = place, total, done
        return self._summed

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
        gone, steps = self._kept
        entries, hidden, known = [step.to_dict() for step in steps], set[str](), Secrets()
        if not shows_secrets:
            by = [secrets_of(step) for step in steps]
            # The names of an entry's own parts are ours, whatever a server marks.
            for entry, secrets in zip(entries, by, strict=True):
                for part in entry.values():
                    known.take(part, secrets)
                entry |= {name: masked(part, secrets, hidden) for name, part in entry.items()}
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
            | ({"hidden": sorted(hidden)} if hidden else {})
            | ({"forgotten": gone._asdict()} if gone.entries else {}),
            "steps": entries,
        }
        if shows_secrets:
            return whole
        # Also where the same values stand under other names; our own words stay, whatever is secret.
        whole = cast(dict[str, Any], masked(whole, known))
        for entry, step in zip(whole["steps"], steps, strict=True):
            entry |= {"kind": step.kind, "actor": step.actor}
            if step.error is not None:
                entry["error"]["type"] = type(step.error).__name__
        return whole

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
        saved = read_episode(line)
        extra = saved.get("extra") or {}
        episode = cls(extra.get("base_url", ""), saved.get("episode_id"))
        episode.started = extra.get("started", 0.0)
        gone = _Forgotten(**(extra.get("forgotten") or {}))
        episode._kept = gone, [Step.from_dict(entry) for entry in saved["steps"]]
        return episode

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Episode):
            return NotImplemented
        return self.to_jsonl(secrets=True) == other.to_jsonl(secrets=True)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        end = "done" if self.done else "open"
        gone, kept = self._kept
        # The oldest go first.
        while self._folded < len(kept) and kept[self._folded].folded:
            self._folded += 1
        mark = f", {self._folded} folded" if self._folded else ""
        mark += f", {gone.entries} forgotten" if gone.entries else ""
        steps = f"{self.length} step{'' if self.length == 1 else 's'}"
        return f"Episode({steps}, return {self.total_reward:g}, {end}{mark})"


def _calls_tool(entry: dict[str, Any]) -> bool:
    action = entry["action"]
    return entry["kind"] == "step" and isinstance(action, dict) and action.get("type") == "call_tool"
