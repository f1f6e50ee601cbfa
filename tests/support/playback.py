"""A server that plays a recording back, and says where a client departed from it."""

from __future__ import annotations

import http
import json
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

RECORDINGS = Path(__file__).parents[1] / "recordings"
HELLO = {"type": "openenv_notebook_hello"}
UNKNOWN = {"type": "error", "data": {"message": "Unknown message type: x", "code": "UNKNOWN_TYPE"}}

Pair = tuple[str, str]


def recordings(name: str = "episode.jsonl") -> list[str]:
    """Name the folders that have a recording of that name."""
    return sorted(str(path.parent.relative_to(RECORDINGS)) for path in RECORDINGS.rglob(name))


def lines(folder: str, name: str = "episode.jsonl") -> list[dict[str, Any]]:
    """Read the lines of a recording."""
    return [json.loads(line) for line in (RECORDINGS / folder / name).read_text().splitlines()]


def pairs(folder: str, name: str = "episode.jsonl") -> list[Pair]:
    """Read a recording as requests with their replies."""
    found: list[Pair] = []
    request = ""
    for line in lines(folder, name):
        if line["dir"] == "send":
            request = line["frame"]
        elif line["dir"] == "recv":
            found.append((request, line["frame"]))
    return found


class Playback:
    """Serves one recording on a free port of the loopback, to one client after the other.

    Args:
        script: Requests and the replies to give.
        folder: The recording whose schema, metadata and health are served; "" for none.
        greeting: Sent at once, unasked; the connection is closed after it.
    """

    def __init__(self, script: list[Pair], folder: str = "", greeting: str = "") -> None:
        self.departures: list[str] = []
        self.paths: list[str] = []
        self.left = list(script)
        self._folder = RECORDINGS / folder
        self._greeting = greeting
        self._server = serve(self._talk, "127.0.0.1", 0, process_request=self._page, max_size=None)
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="playback")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        # Where they are pipes, and not yet sockets, websockets leaves them open.
        for end in (self._server.shutdown_watcher, self._server.shutdown_notifier):
            if isinstance(end, int):
                os.close(end)

    def _page(self, connection: ServerConnection, request: Request) -> Response | None:
        self.paths.append(request.path)
        name = request.path.strip("/")
        if request.headers.get("Upgrade"):
            return None
        page = self._folder / f"{name}.json"
        if not page.exists():
            return connection.respond(http.HTTPStatus.NOT_FOUND, "no such page\n")
        headers = Headers({"Content-Type": "application/json", "Content-Length": str(page.stat().st_size)})
        return Response(200, "OK", headers, page.read_bytes())

    def _talk(self, connection: ServerConnection) -> None:
        try:
            if self._greeting:
                connection.send(self._greeting)
                return
            while True:
                frame = connection.recv()
                assert isinstance(frame, str), "text frames only"
                if not self._answer(connection, json.loads(frame)):
                    return
        except ConnectionClosed:
            return

    def _answer(self, connection: ServerConnection, message: Any) -> bool:
        if message == HELLO:
            connection.send(json.dumps(UNKNOWN))
            return True
        if message == {"type": "close"}:
            return False
        request, reply = self.left.pop(0) if self.left else ("null", json.dumps(UNKNOWN))
        expected = json.loads(request)
        if _without_id(message) != _without_id(expected):
            self.departures.append(f"recorded: {request}\nsent: {json.dumps(message)}")
        connection.send(reply)
        return True


def _without_id(message: Any) -> Any:
    """Ids of JSON-RPC calls are the client's own choice."""
    if isinstance(message, dict) and message.get("type") == "mcp":
        return {**message, "data": {**message["data"], "id": None}}
    return message
