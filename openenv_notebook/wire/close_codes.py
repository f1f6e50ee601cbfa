"""What a close code of a WebSocket means for the person who waits: one place for its words."""

from __future__ import annotations

from typing import Final

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
