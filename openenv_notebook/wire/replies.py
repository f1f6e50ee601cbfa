"""Reading replies: their type, their data, and the errors they carry. No I/O."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from openenv_notebook.values.errors import (
    AtCapacity,
    EnvironmentFailed,
    FactoryFailed,
    InvalidAction,
    OpenEnvError,
    ProtocolError,
    RequestRejected,
    ServerError,
    SessionRefused,
)
from openenv_notebook.values.read_json import TooDeepError, quick_json, read_json
from openenv_notebook.values.secrets import masked

ENDS_SESSION: Final = frozenset({"CAPACITY_REACHED", "FACTORY_ERROR", "SESSION_ERROR"})

# By the kind of request: the type of a good reply.
EXPECTED_TYPES: Final = {"reset": b"observation", "step": b"observation", "state": b"state", "mcp": b"mcp"}
# Most frames begin with their type.
FIRST_TYPE: Final = re.compile(rb'\s*\{\s*"type"\s*:\s*"([a-z_]+)"')


def reply_type(data: bytes) -> str:
    """Read the type of a frame without decoding it; "" where it has none or is not a JSON object."""
    found = FIRST_TYPE.match(data)
    if found:
        return found[1].decode()
    try:
        message = read_json(data)
    except ValueError:
        return ""
    kind = message.get("type") if isinstance(message, dict) else None
    return kind if isinstance(kind, str) else ""


def reply_error(data: bytes, kind: str, sent: bytes = b"") -> OpenEnvError | None:
    """Give the error that a reply to a request of a kind carries or is, or None; data of a good one is not decoded.

    By ``sent``, that request's frame, a refused action is told from a failure of the environment's own.
    """
    found = reply_type(data)
    if found == "error":
        return read_error(data, kind, sent)
    if found.encode() == EXPECTED_TYPES.get(kind):
        return None
    what = f"a reply of type {found!r}" if found else "a reply that is not an OpenEnv message"
    return ProtocolError(f"{what} to {kind}()", frame=excerpt(data))


def reply_data(data: bytes, kind: str) -> dict[str, Any]:
    """Decode the object under "data" of a reply; raises ProtocolError, naming the request's kind, if there is none."""
    try:
        message = quick_json(data)
    except (ValueError, RecursionError):
        message = _read_slowly(data, kind)
    content = message.get("data") if isinstance(message, dict) else None
    if not isinstance(content, dict):
        raise ProtocolError(f'a reply to {kind}() without an object under "data"', frame=excerpt(data))
    return content


def _read_slowly(data: bytes, kind: str) -> Any:
    try:
        return read_json(data)
    except TooDeepError:
        what = f"a reply to {kind}() that is nested deeper than Python can read here"
        raise ProtocolError(what, frame=excerpt(data), hint="sys.setrecursionlimit() raises that limit") from None
    except ValueError as error:
        raise ProtocolError(f"a reply to {kind}() that is not JSON ({error})", frame=excerpt(data)) from None


def excerpt(data: bytes) -> str:
    """Cut a frame for an error's text, at most 200 characters."""
    text = data[:800].decode("utf-8", "replace")
    return text if len(text) <= 200 else text[:199] + "…"


def read_error(data: bytes, kind: str = "connect", sent: bytes = b"") -> OpenEnvError:
    """Make the error that an error frame carries: one of ServerError's by its code, ProtocolError for a malformed one.

    It answers the request of a ``kind``, whose frame was ``sent``; a full server answers the connection.
    """
    try:
        content = reply_data(data, kind)
    except ProtocolError as error:
        return error
    code, message = str(content.pop("code", "")), content.pop("message", "")
    message = message if isinstance(message, str) else str(message)
    made = _server_error(code, message, content)
    if isinstance(made, InvalidAction) and sent and not _is_of_action(content.get("errors"), kind, sent):
        made = own_failure(made, kind)
    if isinstance(made, EnvironmentFailed) and kind in _FAILED_HINTS:
        made.hint = _FAILED_HINTS[kind]
    return made


def own_failure(error: Any, kind: str) -> Any:
    """Make the error of an environment whose own data did not fit a model of its own, which its server calls invalid.

    It may have happened: the environment's code ran. Any other error is given back.
    """
    if not isinstance(error, InvalidAction):
        return error
    lines = "".join(f"\n  {line}" for line in error_lines(error.details.get("errors")))
    what = f"data of its own does not fit a model of its own, which is not the action's fault{lines}"
    hint = _FAILED_HINTS.get(kind)
    return EnvironmentFailed(what, code=error.code, details=error.details, url=error.url, hint=hint)


def _is_of_action(wrong: Any, kind: str, sent: bytes) -> bool:
    """Tell whether one of a server's validation errors is about what was sent: its place and its value."""
    items = [item for item in wrong if isinstance(item, dict)] if isinstance(wrong, list) else []
    if not items or kind == "mcp":
        return True
    action = read_json(sent).get("data", {})
    return any(_is_within(item, action) for item in items)


def _is_within(item: dict[str, Any], action: Any) -> bool:
    inside, found = action, False
    for part in item["loc"] if isinstance(item.get("loc"), list) else ():
        # Other parts name the branch of a union, or what the server puts around the action.
        is_there = part in inside if isinstance(inside, dict) else _is_place(part, inside)
        inside, found = (inside[part], True) if is_there else (inside, found)
    if "input" not in item:
        return found or item.get("type") == "missing" or not item.get("loc")
    return _same(item["input"], inside) and (found or item.get("type") in _OF_WHOLE or not item.get("loc"))


# What is said of an object by the name of a field that it has not.
_OF_WHOLE = ("missing", "union_tag_not_found", "union_tag_invalid")


def _is_place(part: Any, inside: Any) -> bool:
    return isinstance(inside, list) and isinstance(part, int) and 0 <= part < len(inside)


def _same(told: Any, sent: Any) -> bool:
    if isinstance(sent, str):
        # Half a surrogate pair cannot be sent back as it is.
        return told in (sent, sent.encode("utf-8", "backslashreplace").decode())
    return json.dumps(told, sort_keys=True) == json.dumps(sent, sort_keys=True)


# Only a step may have happened half.
_FAILED_HINTS = {
    "reset": "the reset may have happened: state() tells; reset() tries again",
    "state": "the session goes on",
    "mcp": "the call may have happened; the session goes on",
}


# The official server sends what a validator raised as it is, and fails at that.
_CRASHED_HINT = (
    "the server's own fault: it failed while it refused the action, because it cannot send what a validator of its "
    "action model raised. The action was not made, and its environment is gone; call reset() to start a new episode, "
    "and check the values: schema() tells what it takes"
)


def _server_error(code: str, message: str, details: dict[str, Any]) -> ServerError:
    match code:
        case "VALIDATION_ERROR":
            return InvalidAction(message, errors=error_lines(details.get("errors")), details=details)
        case "EXECUTION_ERROR":
            return EnvironmentFailed(message, code=code, details=details)
        case "CAPACITY_REACHED":
            active, maximum = details.get("active_sessions"), details.get("max_sessions")
            return AtCapacity(message, active=active, maximum=maximum, details=details)
        case "FACTORY_ERROR":
            return FactoryFailed(message, factory=details.get("factory_name"), details=details)
        case "SESSION_ERROR":
            hint = _CRASHED_HINT if "serializ" in message else None
            return SessionRefused(message, code=code, details=details, hint=hint)
        case "INVALID_JSON" | "UNKNOWN_TYPE":
            return RequestRejected(message, code=code, details=details)
    return ServerError(message, code=code, details=details)


def error_lines(errors: Any) -> list[str]:
    """Write the server's list of validation errors (loc, msg, input), one line a field.

    Such as ``column: Input should be a valid integer (got 'x')``.
    """
    lines = []
    for item in errors if isinstance(errors, list) else []:
        if not isinstance(item, dict):
            lines.append(str(item))
            continue
        place = ".".join(str(part) for part in item.get("loc") or ()) or "(action)"
        # An error is shown, logged and saved.
        got = repr(masked(item).get("input"))
        got = got if len(got) <= 80 else got[:79] + "…"
        missing = item.get("type") == "missing"
        lines.append(f"{place}: {item.get('msg', '')}" + ("" if missing else f" (got {got})"))
    return lines
