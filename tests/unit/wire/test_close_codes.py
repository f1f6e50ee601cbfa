"""What to do about an end, from its code and its reason."""

from __future__ import annotations

import pytest

from openenv_notebook.wire.close_codes import lost_hint, unproven_hint

OURS = "websocket_ping_interval_s=None (%openenv connect --ping none)"


@pytest.mark.parametrize(
    ("code", "reason", "cure"),
    [
        (1006, "no answer to a ping within 20 s", OURS),
        (1006, "no answer to a ping within 0.5 s", OURS),
        (1011, "keepalive ping timeout", "--ws-ping-interval 0"),
        (1006, "keepalive ping timeout", "--ws-ping-interval 0"),
    ],
)
def test_lost_pings_have_their_cure(code: int, reason: str, cure: str) -> None:
    """R28: whoever's pings were lost, the hint says how to do without, for an open session and for one to be."""
    assert cure in str(lost_hint(code, reason))
    assert "reset()" in str(lost_hint(code, reason))
    assert cure in unproven_hint(code, reason)


@pytest.mark.parametrize("code", [1000, 1006, 4000, None])
def test_other_ends_are_no_matter_of_pings(code: int | None) -> None:
    """An end without such a reason is not said to be one of pings."""
    assert lost_hint(code or 1006, "gone") is None
    assert "right" in unproven_hint(code, "gone")
