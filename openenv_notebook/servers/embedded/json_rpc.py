"""The ``mcp`` message for environments that have no tools."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32601, -32602, -32603


class JsonRpcRequest(BaseModel):
    """One JSON-RPC 2.0 request."""

    model_config = ConfigDict(extra="forbid")

    jsonrpc: Literal["2.0"]
    method: str
    params: dict[str, Any] = Field(default_factory=dict)
    id: str | int | None = None


def answer_json_rpc(data: dict[str, Any], session_id: str) -> dict[str, Any]:
    """Answer a JSON-RPC request, as it came on the session of that id, as a server without tools does."""
    try:
        request = JsonRpcRequest.model_validate(data)
    except ValidationError as error:
        return _failure(None, INVALID_REQUEST, f"Invalid request: {error}")
    if request.method == "openenv/session/create":
        return {"jsonrpc": "2.0", "id": request.id, "result": {"session_id": session_id}}
    code, message = _refusal(request, session_id)
    return _failure(request.id, code, message)


def _refusal(request: JsonRpcRequest, session_id: str) -> tuple[int, str]:
    method, params = request.method, request.params
    if method == "openenv/session/close":
        target = params.get("session_id")
        if not target:
            return INVALID_PARAMS, "Invalid params - 'session_id' is required"
        if target == session_id:
            return INVALID_REQUEST, "Cannot close active WebSocket-managed session via MCP method"
        return INVALID_PARAMS, f"Unknown session_id: {target}"
    if method == "tools/call" and not params.get("name"):
        return INVALID_PARAMS, "Missing 'name' in params"
    if method in ("tools/list", "tools/call"):
        return INTERNAL_ERROR, "Environment does not support MCP"
    return METHOD_NOT_FOUND, f"Method not found: {method}"


def _failure(request_id: str | int | None, code: int, message: str) -> dict[str, Any]:
    error = {"code": code, "message": message, "data": None}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
