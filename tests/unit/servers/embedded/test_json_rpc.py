"""What an environment without tools answers to JSON-RPC."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_notebook.servers.embedded.json_rpc import answer_json_rpc


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        ({"method": "tools/list", "id": 1}, -32603, "does not support MCP"),
        ({"method": "tools/call", "id": 1, "params": {"name": "x"}}, -32603, "does not support MCP"),
        ({"method": "tools/call", "id": 1}, -32602, "Missing 'name'"),
        ({"method": "bogus", "id": 1}, -32601, "Method not found: bogus"),
        ({"method": "openenv/session/close", "id": 1}, -32602, "'session_id' is required"),
        (
            {"method": "openenv/session/close", "id": 1, "params": {"session_id": "no"}},
            -32602,
            "Unknown session_id: no",
        ),
    ],
)
def test_tools_are_refused_as_by_a_real_server(request_: dict[str, Any], code: int, words: str) -> None:
    """An environment without tools answers JSON-RPC with the error a real server gives."""
    answer = answer_json_rpc({"jsonrpc": "2.0", **request_}, "this one")
    assert (answer["id"], answer["error"]["code"]) == (1, code)
    assert words in answer["error"]["message"]
