"""The HTTP side of the embedded server: /health, /metadata, /schema, and who gets to /ws."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from pydantic_core import to_json
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.servers.web_guard import WebGuard

DemoClass = type[DemoEnvironment[Any, Any, Any]]


def describe_metadata(name: str, environment_type: DemoClass) -> dict[str, Any]:
    """Compose /metadata for a public name, as OpenEnv servers do: the class's docstring is description and readme."""
    # Not inspect.getdoc: it would give the docstring of the parent.
    readme = inspect.cleandoc(environment_type.__doc__ or f"{name} environment")
    return {
        "name": name,
        "description": readme.partition("\n\n")[0],
        "readme_content": readme,
        "version": environment_type.version,
        "author": None,
        "documentation_url": None,
    }


def describe_schema(environment_type: DemoClass) -> dict[str, Any]:
    """Compose what /schema answers: JSON Schemas of action, observation, state and the observation of a reset."""
    observation = environment_type.observation_type.model_json_schema()
    return {
        "action": environment_type.action_type.model_json_schema(),
        "observation": observation,
        "state": environment_type.state_type.model_json_schema(),
        "reset_observation": observation,
    }


class HttpRoutes:
    """Answers each request that is not a WebSocket with the JSON value of its path, and lets the others through."""

    def __init__(self, guard: WebGuard, pages: Mapping[str, Any]) -> None:
        self._guard = guard
        self._pages = {path: to_json(value) for path, value in pages.items()}

    def process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer one request; None lets it go on with the WebSocket handshake."""
        headers = request.headers
        refusal = self._guard.refusal(headers.get_all("Host"), headers.get_all("Origin"))
        if refusal is not None:
            return _json_response(HTTPStatus.FORBIDDEN, to_json({"detail": refusal}))
        path = request.path.partition("?")[0]
        if any(value.strip().lower() == "websocket" for value in headers.get_all("Upgrade")):
            return None if path == "/ws" else _json_response(HTTPStatus.FORBIDDEN, b"")
        return self._page(path, getattr(request, "method", "GET"))

    def _page(self, path: str, method: str) -> Response:
        body = self._pages.get(path)
        if body is None:
            return _json_response(HTTPStatus.NOT_FOUND, to_json({"detail": "Not Found"}))
        # Only newer versions of websockets let other methods come this far.
        if method != "GET":
            return _json_response(HTTPStatus.METHOD_NOT_ALLOWED, to_json({"detail": "Method Not Allowed"}))
        return _json_response(HTTPStatus.OK, body)


def _json_response(status: HTTPStatus, body: bytes) -> Response:
    headers = Headers(
        {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
        }
    )
    return Response(status.value, status.phrase, headers, body)
