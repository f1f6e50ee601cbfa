"""What a close code of a WebSocket means for the person who waits: one place for its words."""

from __future__ import annotations

from typing import Final

# What a connection ends with that was silent for too long.
NO_PONG: Final = "no answer to a ping"
_PING_HINTS = {
    NO_PONG: "the server may be gone; where it is not, a tunnel drops pings: connect with "
    "websocket_ping_interval_s=None (%openenv connect --ping none)",
    "keepalive ping": "the server pings by itself, and got no answer: on a tunnel that drops pings, have it started "
    "without (uvicorn's ws_ping_interval=None, --ws-ping-interval 0)",
}

# By code: hints for an open session that was lost.
LOST_HINTS: Final = {
    1009: (
        "a message was larger than allowed: raise max_message_size_mb for what comes in "
        "(servers take at most 16 MiB); then reset()"
    ),
    1011: "the server missed the keepalive, or failed; call reset() to start a new episode",
}

# By code: hints for a connection that was closed before its session was proven.
UNPROVEN_HINTS: Final = {
    1001: "it is going away: connect again when it is back",
    1008: "it may want a token=... or headers=..., or take no clients from here",
    1011: "it failed: its log says why",
    1012: "it is starting anew: connect again in a moment",
    1013: "it is too busy: connect again in a moment",
}


def lost_hint(code: int, reason: str) -> str | None:
    """Say what to do about an open session that was lost; None for no more than a reset."""
    return _ping_hint(reason, "; call reset() to start a new episode") or LOST_HINTS.get(code)


def unproven_hint(code: int | None, reason: str) -> str:
    """Say what to do about a connection that was closed before its session was proven."""
    return _ping_hint(reason) or UNPROVEN_HINTS.get(code or 0, "is it an OpenEnv server, and is the path right?")


def _ping_hint(reason: str, then: str = "") -> str | None:
    return next((hint + then for words, hint in _PING_HINTS.items() if reason.startswith(words)), None)
