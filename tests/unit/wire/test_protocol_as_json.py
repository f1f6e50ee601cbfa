"""Requests, held against Python's own ``json``, which is what servers read them with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from support.json_texts import meaning, objects

from openenv_notebook.wire.protocol import CLOSE_FRAME, STATE_FRAME, frame


@pytest.mark.parametrize("kind", ["reset", "step", "mcp"])
@given(data=objects)
def test_a_request_is_its_type_and_its_data(kind: str, data: dict[str, Any]) -> None:
    """A request is UTF-8, and json reads it as a type and as what json itself makes of the data; no other key."""
    read = json.loads(frame(kind, data).decode())
    assert list(read) == ["type", "data"]
    assert read["type"] == kind and meaning(read["data"]) == meaning(json.loads(json.dumps(data)))


def test_requests_without_data_have_none() -> None:
    """Asking for the state and ending the session need nothing but their type."""
    assert [json.loads(each) for each in (STATE_FRAME, CLOSE_FRAME)] == [{"type": "state"}, {"type": "close"}]
