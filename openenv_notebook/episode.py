"""The record of a session: steps as they came, in wire order, bounded in memory.

A step keeps the frames of its request and reply; values are decoded once, by whoever
reads them first. A saved episode is one JSON line, a superset of the ten keys that the
official ``openenv collect`` writes.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal

from pydantic_core import from_json

from openenv_notebook import errors
from openenv_notebook.attributes import attribute_dict
from openenv_notebook.errors import OpenEnvError, ProtocolError
from openenv_notebook.messages import StepResult, short_repr
from openenv_notebook.payload import to_bytes

StepKind = Literal["reset", "step", "tool", "state"]
Actor = Literal["code", "person", "policy"]
ReadResult = Callable[[bytes], StepResult[Any]]

FORMAT = "openenv-notebook/1"


class Step:
    """One entry of the record.

    Args:
        kind: "reset", "step", or "tool" (a tool called beside the steps).
        action: What was sent: the action, the reset arguments, or the tool's name and arguments.
        result: What came back, or None.
        error: What came instead, or None.
        started: When it was sent, in seconds since 1970.
        seconds: From sending to the reply, in seconds.
        actor: Who acted: "code", "person" or "policy".
        owed: True when nobody waited for the reply any more.
    """

    __slots__ = (
        "_action", "_read", "_reply", "_request", "_result", "actor", "error", "folded", "kind",
        "owed", "seconds", "size", "started",
    )  # fmt: skip

    def __init__(
        self,
        kind: StepKind,
        action: Any = None,
        result: StepResult[Any] | None = None,
        error: OpenEnvError | None = None,
        started: float = 0.0,
        seconds: float = 0.0,
        actor: str = "code",
        owed: bool = False,
    ) -> None:
        self.kind = kind
        self.error = error
        self.started = started
        self.seconds = seconds
        self.actor = actor
        self.owed = owed
        self.folded = False
        self.size = 0
        self._action = action
        self._result = result
        self._request: bytes | None = None
        self._reply: bytes | None = None
        self._read: ReadResult | None = None

    @classmethod
    def from_frames(
        cls, kind: StepKind, request: bytes, *, reply: bytes | None, read: ReadResult | None, error: OpenEnvError | None
    ) -> Step:
        """Make an entry whose values are decoded when they are first read.

        Args:
            kind: The kind of entry.
            request: The frame that was sent.
            reply: The frame that answered it, None if none came.
            read: Makes the result from the reply; may raise ProtocolError.
            error: What came instead of a result, or None.

        Returns:
            The entry.
        """
        step = cls(kind, error=error)
        step._request = request
        step._reply = reply
        step._read = read if error is None else None
        step.size = len(request) + (len(reply) if reply is not None else 0)
        return step

    @property
    def action(self) -> Any:
        """What was sent, decoded from the frame."""
        request = self._request
        if request is not None:
            self._action = attribute_dict(from_json(request).get("data"))
            self._request = None
        return self._action

    @property
    def result(self) -> StepResult[Any] | None:
        """What came back; None where an error stands instead."""
        read, reply = self._read, self._reply
        if read is not None and reply is not None:
            try:
                self._result = read(reply)
            except OpenEnvError as error:
                self.error = error.with_traceback(None)
            self._read = None
        return self._result

    @property
    def decoded(self) -> bool:
        """True when reading the result costs nothing."""
        return self._read is None

    @property
    def reward(self) -> bool | int | float | None:
        """The reward, None where there is none."""
        result = self._kept()
        return result.reward if result is not None else None

    @property
    def done(self) -> bool:
        """True when this step ended the episode."""
        result = self._kept()
        return result is not None and result.done

    def _kept(self) -> StepResult[Any] | None:
        """The result; where the client's own hook fails, as it is on the wire, so that the record can be read."""
        try:
            return self.result
        except Exception:
            return _wire_result(self._reply)

    @property
    def happened(self) -> bool:
        """False for what the server refused to run."""
        return not isinstance(self.error, (errors.InvalidAction, errors.RequestRejected))

    def fold(self) -> None:
        """Drop the observation and keep the rest: reward, done, action, times."""
        if not self.decoded:
            # The loop's thread folds, and a client's own hook must not run there.
            self._result = _wire_result(self._reply)
            if self._result is None:
                self.error = ProtocolError("a malformed result", frame=repr((self._reply or b"")[:100]))
        if self._result is not None:
            self._result = StepResult(None, self._result.reward, self._result.done, {})
        self._read = self._reply = None
        self.folded = True
        self.size = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values, for JSON."""
        result, error = self._kept(), self.error
        entry: dict[str, Any] = {"kind": self.kind, "action": self.action}
        if result is not None:
            entry["result"] = self._plain_result(result)
        if error is not None:
            entry["error"] = {"type": type(error).__name__, "args": list(error.args), "state": vars(error)}
        entry |= {"started": self.started, "seconds": self.seconds, "actor": self.actor, "owed": self.owed}
        return entry

    def _plain_result(self, result: StepResult[Any]) -> dict[str, Any]:
        """Take the reply's data as it came; keys nobody knows stay in."""
        raw = result.raw
        if not raw and self._reply is not None:
            raw = dict(from_json(self._reply).get("data", {}))
        if not raw:
            raw = {"observation": result.observation, "reward": result.reward, "done": result.done}
            raw |= {"metadata": result.metadata} if result.metadata else {}
        return raw

    @classmethod
    def from_dict(cls, entry: dict[str, Any]) -> Step:
        """Make an entry from what :meth:`to_dict` returned.

        Args:
            entry: The plain values.

        Returns:
            An equal entry, its observation a dict with attribute access.
        """
        raw = entry.get("result")
        step = cls(
            entry["kind"],
            attribute_dict(entry.get("action")),
            None if raw is None else saved_result(raw),
            _saved_error(entry["error"]) if entry.get("error") else None,
            entry.get("started", 0.0),
            entry.get("seconds", 0.0),
            entry.get("actor", "code"),
            entry.get("owed", False),
        )
        return step

    def __repr__(self) -> str:
        what = f"error={type(self.error).__name__}" if self.error else f"reward={self.reward!r}, done={self.done}"
        return f"Step({self.kind}, {short_repr(self.action)}, {what}, {self.actor}{', owed' if self.owed else ''})"


def _wire_result(reply: bytes | None) -> StepResult[Any] | None:
    """Read a reply without the client's hook; None if it is malformed."""
    try:
        data = from_json(reply or b"")["data"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("done"), bool):
        return None
    return saved_result(data) if isinstance(data.get("reward"), (int, float, type(None))) else None


def saved_result(data: dict[str, Any]) -> StepResult[Any]:
    """Make a result from the data of a saved reply.

    Args:
        data: The object with observation, reward, done and perhaps metadata.

    Returns:
        The result, its observation with attribute access.
    """
    observation = attribute_dict(data.get("observation"))
    nested = observation.get("metadata") if isinstance(observation, dict) else None
    metadata = data.get("metadata") or nested or {}
    frame = b'{"type":"observation","data":%s}' % to_bytes(data)
    return StepResult(observation, data.get("reward"), bool(data.get("done")), dict(metadata), frame)


def _saved_error(saved: dict[str, Any]) -> OpenEnvError:
    cls = getattr(errors, str(saved.get("type")), None)
    if not (isinstance(cls, type) and issubclass(cls, OpenEnvError)):
        return OpenEnvError(f"{saved.get('type')}: {saved.get('args')}")
    error = cls.__new__(cls)
    error.args = tuple(saved.get("args", ()))
    error.__dict__.update(saved.get("state", {}))
    return error


class Episode:
    """From a reset to its end: the steps in wire order. Only the session appends to it.

    Args:
        base_url: The server's address.
        episode_id: A name for it; made up if not given.
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
        """How many steps were made; resets, and actions that were refused, are not counted."""
        return sum(step.happened and step.kind != "reset" for step in self._steps)

    @property
    def reset_arguments(self) -> dict[str, Any]:
        """What was given to reset; empty where the episode began without one."""
        first = self._steps[0] if self._steps else None
        return dict(first.action or {}) if first is not None and first.kind == "reset" else {}

    @property
    def total_reward(self) -> float:
        """The return: the sum of the steps' rewards, undiscounted, the reset not counted."""
        self._scan()
        return self._total

    @property
    def done(self) -> bool:
        """True when a step ended it."""
        self._scan()
        return self._done

    def _scan(self) -> None:
        """Take in what came since the last look; each step is looked at once."""
        steps = self._steps
        while self._scanned < len(steps):
            step = steps[self._scanned]
            self._scanned += 1
            self._done = self._done or step.done
            if step.kind != "reset" and step.reward is not None:
                self._total += step.reward

    def to_jsonl(self) -> str:
        """Write the episode as one line of JSON, without a line end.

        Returns:
            The line. NaN and infinities stand in it as Python's ``json`` writes them.
        """
        calls = [step for step in self._steps if step.kind == "tool" or _calls_tool(step)]
        line: dict[str, Any] = {
            "episode_id": self.episode_id,
            "messages": [],
            "reward": self.total_reward,
            "done": self.done,
            "tool_trace": [dict(step.action) for step in calls],
            "metrics": {"steps": self.length},
            "verify_metrics": {},
            "artifacts": {},
            "task": self.reset_arguments,
            "extra": {"format": FORMAT, "base_url": self.base_url, "started": self.started},
            "steps": [step.to_dict() for step in self._steps],
        }
        return to_bytes(line).decode()

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
        saved = from_json(line)
        if not isinstance(saved, dict) or not isinstance(saved.get("steps"), list):
            raise ValueError('not an episode: an object with a list under "steps" is needed')
        extra = saved.get("extra") or {}
        episode = cls(extra.get("base_url", ""), saved.get("episode_id"))
        episode.started = extra.get("started", 0.0)
        for entry in saved["steps"]:
            episode.append(Step.from_dict(entry))
        return episode

    def __repr__(self) -> str:
        end = "done" if self.done else "open"
        return f"Episode({self.length} steps, return {self.total_reward:g}, {end})"


def _calls_tool(step: Step) -> bool:
    action = step.action
    return step.kind == "step" and isinstance(action, dict) and action.get("type") == "call_tool"


class Record:
    """All episodes of a session, bounded: old observations go first, then old episodes.

    Args:
        base_url: The server's address, written into each episode.
        max_episodes: How many episodes are kept.
        max_bytes: How many bytes of frames are kept, over all episodes.
    """

    def __init__(self, base_url: str, max_episodes: int = 1000, max_bytes: int = 128 * 2**20) -> None:
        self._base_url = base_url
        self._max_bytes = max_bytes
        self._size = 0
        self._unfolded: deque[Step] = deque()
        self._episodes: deque[Episode] = deque([Episode(base_url)], maxlen=max_episodes)
        self.last: Step | None = None

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
        """The result of the last step that has one."""
        if self.last is not None and self.last.result is not None:
            return self.last.result
        for episode in reversed(list(self._episodes)):
            for step in reversed(episode.steps):
                if step.result is not None:
                    return step.result
        return None

    def append(self, step: Step) -> None:
        """Add a step; a reset that was answered begins an episode."""
        if step.kind == "reset" and step.error is None and len(self.episode):
            self._episodes.append(Episode(self._base_url))
        self.episode.append(step)
        self.last = step
        self._size += step.size
        self._unfolded.append(step)
        while self._size > self._max_bytes and len(self._unfolded) > 1:
            oldest = self._unfolded.popleft()
            self._size -= oldest.size
            oldest.fold()
