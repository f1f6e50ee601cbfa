"""A tap between a client and a server: frames pass as they are, and their text is kept.

It ends when all its clients have gone.
"""

from __future__ import annotations

import http
import threading
import urllib.error
import urllib.request
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.client import ClientConnection, connect
from websockets.sync.connection import Connection
from websockets.sync.server import ServerConnection, serve

from support.waiting import eventually


class Tap:
    """Listens on a free port of the loopback and hands everything over to the server at ``url``.

    Attributes:
        url: Where to connect instead.
        sent: The frames of clients, in order.
        came: The frames of the server, in order.
        pages: What it answered to questions over HTTP, by path.
    """

    def __init__(self, url: str) -> None:
        self._behind = url
        self.sent: list[str] = []
        self.came: list[str] = []
        self.pages: dict[str, bytes] = {}
        self._talking: set[ServerConnection] = set()
        self._server = serve(self._talk, "127.0.0.1", 0, process_request=self._page, max_size=None, compression=None)
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="tap")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        eventually(lambda: not self._talking, what="all who talked have gone")
        self._server.shutdown()
        self._thread.join()

    def _page(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Upgrade"):
            self._talking.add(connection)
            return None
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self._behind + request.path, timeout=10) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, body = error.code, error.read()
        self.pages[request.path] = body
        headers = Headers({"Content-Type": "application/json", "Content-Length": str(len(body))})
        return Response(status, http.HTTPStatus(status).phrase, headers, body)

    def _talk(self, connection: ServerConnection) -> None:
        try:
            self._hand_over(connection)
        finally:
            self._talking.discard(connection)

    def _hand_over(self, connection: ServerConnection) -> None:
        path = connection.request.path if connection.request else "/ws"
        options: dict[str, Any] = {"proxy": None, "compression": None, "max_size": None}
        with connect(self._behind.replace("http", "ws", 1) + path, **options) as server:
            back = threading.Thread(target=self._hand_back, args=[server, connection], name="tap-back")
            back.start()
            _pass_on(connection, server, self.sent)
        back.join()

    def _hand_back(self, server: ClientConnection, connection: ServerConnection) -> None:
        _pass_on(server, connection, self.came)
        connection.close()


def _pass_on(giver: Connection, taker: Connection, kept: list[str]) -> None:
    with suppress(ConnectionClosed):
        for frame in giver:
            assert isinstance(frame, str), "a message is a text frame"
            kept.append(frame)
            taker.send(frame)
