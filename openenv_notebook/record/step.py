"""One entry of a session's record: what was sent, what came back, decoded when it is first read."""

from __future__ import annotations

import copy
from collections.abc import Callable, Container
from typing import Any, Literal

from openenv_notebook.record.saved import check_step
from openenv_notebook.record.weight import weigh
from openenv_notebook.values import errors
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import OpenEnvError, ProtocolError
from openenv_notebook.values.known_secrets import hide_in
from openenv_notebook.values.messages import StepResult, is_reward, short_repr
from openenv_notebook.values.read_json import read_json
from openenv_notebook.values.text import cut
from openenv_notebook.values.to_json import to_bytes

StepKind = Literal["reset", "step", "tool", "state"]
# Bytes: what an entry takes beside its frames, what stays when it is folded, and what the rest then takes.
_BARE, _SHORT, _FOLDED = 500, 1000, 400
ReadResult = Callable[[bytes], StepResult[Any]]


class Step:
    """One entry of the record.

    Args:
        kind: "reset", "step", or "tool" (a tool called beside the steps).
        action: What was sent: the action, the reset arguments, or the JSON-RPC request that
            calls a tool (its ``params`` have the tool's name and arguments).
        result: What came back, or None; of a tool called beside the steps, an observation with
            ``tool_name``, ``result`` and ``error`` as they came.
        error: What came instead, or None.
        started: When it was sent, in seconds since 1970.
        seconds: From sending to the reply, in seconds.
        actor: Who acted: "code", "person" or "policy".
        owed: True when nobody waited for the reply any more.
        request: The frame that was sent; values are decoded from the frames when they are first read.
        reply: The frame that answered it, None if none came.
        read: Makes the result from the reply; may raise ProtocolError.
        secrets: Names of fields that the server marked as secret.

    Attributes:
        is_end: True once it was decoded and found to have ended the episode.
        folded: True when the record was over its bound of bytes and the observation was dropped.
        size: Bytes it keeps, as far as the lengths of its frames tell; :meth:`weigh` looks into them.
    """

    __slots__ = (
        "_action", "_is_long", "_read", "_reply", "_request", "_result", "_secrets", "_sent", "actor", "error",
        "folded", "is_end", "kind", "owed", "seconds", "size", "started",
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
        *,
        request: bytes | None = None,
        reply: bytes | None = None,
        read: ReadResult | None = None,
        secrets: Container[str] | None = None,
    ) -> None:
        self.kind = kind
        self.error = error
        self.started = started
        self.seconds = seconds
        self.actor = actor
        self.owed = owed
        self.folded = False
        self.is_end = result is not None and result.done
        self.size = _BARE + (len(request) if request else 0) + (len(reply) if reply else 0)
        self._action = action
        self._result = result
        self._request, self._reply = request, reply
        self._sent = len(request) if request is not None else 0
        self._is_long = self._sent > _SHORT
        self._read = (read if kind != "tool" else self._read_tool) if error is None else None
        self._secrets = secrets

    @property
    def action(self) -> Any:
        """What was sent, decoded from the frame."""
        request = self._request
        if request is not None:
            self._action = attribute_dict(read_json(request).get("data"), self._secrets)
            self._request = None
            if self._is_long:
                self._sent = _of_action(request)
        return self._action

    @property
    def result(self) -> StepResult[Any] | None:
        """What came back; None where an error stands instead."""
        read, reply = self._read, self._reply
        if read is not None and reply is not None:
            try:
                self._result = found = read(reply)
                self.is_end = found.done
            except OpenEnvError as error:
                self.error = error.with_traceback(None)
                hide_in(error, self._secrets)
            self._read = None
        return self._result

    def _read_tool(self, reply: bytes) -> StepResult[Any]:
        try:
            data = read_json(reply)["data"]
        except (ValueError, TypeError, KeyError):
            data = None
        if not isinstance(data, dict):
            raise ProtocolError("an answer of a tool that is none", frame=repr(reply[:100]))
        params = (self.action or {}).get("params") or {}
        seen = {"tool_name": params.get("name"), "result": data.get("result"), "error": data.get("error")}
        return saved_result({"observation": seen, "reward": None, "done": False}, self._secrets)

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
        except KeyboardInterrupt:
            raise
        except BaseException:
            return _wire_result(self._reply, self._secrets)

    @property
    def happened(self) -> bool:
        """False for what the server refused to run."""
        return not isinstance(self.error, (errors.InvalidAction, errors.RequestRejected))

    def weigh(self, per_object: int) -> int:
        """Estimate the bytes it and its decoded values keep, an object of a reply ``per_object``; :attr:`size` then."""
        request, reply = self._request, self._reply
        self.size = _BARE + (_of_action(request) if request is not None else self._sent)
        self.size += weigh(reply, per_object) if reply is not None else 0
        return self.size

    def fold(self) -> None:
        """Drop the observation, and what else is large, and keep the rest: reward, done, a short action, times."""
        if not self.decoded:
            # The loop's thread folds, and a client's own hook must not run there.
            self._result = self.result if self.kind == "tool" else _wire_result(self._reply, self._secrets)
            if self._result is None:
                self.error = ProtocolError("a malformed result", frame=repr((self._reply or b"")[:100]))
        if self._result is not None:
            self._result = StepResult(None, self._result.reward, self._result.done, {}, None, True)
        if self._is_long:
            self._action = self._request = None
        if self.error is not None:
            self.error = _shortened(self.error)
        self._read = self._reply = None
        self.folded = True
        self.size = _BARE + (_of_action(self._request) if self._request is not None else _FOLDED)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values, for JSON."""
        result, error = self._kept(), self.error
        entry: dict[str, Any] = {"kind": self.kind, "action": self.action}
        if result is not None:
            entry["result"] = self._plain_result(result)
        if error is not None:
            entry["error"] = {"type": type(error).__name__, "args": list(error.args), "state": vars(error)}
        entry |= {"started": self.started, "seconds": self.seconds, "actor": self.actor, "owed": self.owed}
        return entry | {"folded": True} if self.folded else entry

    def _plain_result(self, result: StepResult[Any]) -> dict[str, Any]:
        """Take the reply's data as it came; keys nobody knows stay in."""
        raw: dict[str, Any] = dict(result.raw)
        if not raw and self._reply is not None:
            raw = dict(read_json(self._reply).get("data", {}))
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

        Raises:
            ValueError: If they are no entry's.
        """
        check_step(entry)
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
        if entry.get("folded"):
            step.fold()
        return step

    def __secrets__(self) -> Container[str] | None:
        return self._secrets

    def __eq__(self, other: object) -> bool:
        return to_bytes(self.to_dict()) == to_bytes(other.to_dict()) if isinstance(other, Step) else NotImplemented

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        what = f"error={type(self.error).__name__}" if self.error else f"reward={self.reward!r}, done={self.done}"
        marks = ("" if not self.owed else ", owed") + ("" if not self.folded else ", folded")
        return f"Step({self.kind}, {short_repr(self.action, secrets=self._secrets)}, {what}, {self.actor}{marks})"


def _wire_result(reply: bytes | None, secrets: Container[str] | None) -> StepResult[Any] | None:
    """Read a reply without the client's hook; None if it is malformed."""
    try:
        data = read_json(reply or b"")["data"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("done"), bool):
        return None
    return saved_result(data, secrets) if is_reward(data.get("reward")) else None


def saved_result(data: dict[str, Any], secrets: Container[str] | None = None) -> StepResult[Any]:
    """Make a result, its observation with attribute access, from the data of a saved reply.

    Metadata may be missing there; ``secrets`` are names of fields that the server marked as secret.
    """
    observation = attribute_dict(data.get("observation"), secrets)
    nested = observation.get("metadata") if isinstance(observation, dict) else None
    metadata = data.get("metadata") or (nested if isinstance(nested, dict) else {})
    frame = b'{"type":"observation","data":%s}' % to_bytes(data)
    return StepResult(observation, data.get("reward"), bool(data.get("done")), dict(metadata), frame, False, secrets)


def _of_action(request: bytes) -> int:
    """Estimate what an action takes, whose frame goes when it is decoded."""
    return weigh(request) - len(request)


def _shortened(error: OpenEnvError) -> OpenEnvError:
    """Copy an error without what is long in it; others may hold it as it is."""
    made = copy.copy(error).with_traceback(None)
    made.args = tuple(cut(each, _SHORT) if isinstance(each, str) else each for each in made.args)
    for name, value in vars(made).items():
        if isinstance(value, str):
            vars(made)[name] = cut(value, _SHORT)
        elif isinstance(value, (dict, list)) and len(str(value)) > _SHORT:
            vars(made)[name] = type(value)()
    return made


def _saved_error(saved: dict[str, Any]) -> OpenEnvError:
    cls = getattr(errors, str(saved.get("type")), None)
    if not (isinstance(cls, type) and issubclass(cls, OpenEnvError)):
        return OpenEnvError(f"{saved.get('type')}: {saved.get('args')}")
    error = cls.__new__(cls)
    error.args = tuple(saved.get("args", ()))
    error.__dict__.update(saved.get("state", {}))
    try:
        str(error)
    except Exception:  # it was saved without what it tells
        return OpenEnvError(f"{saved['type']}: {saved.get('args')}")
    return error
