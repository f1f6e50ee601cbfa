"""What stands before an application in this process: it knows clients of the same process."""

from __future__ import annotations

import traceback

from openenv_notebook.servers.in_process.loop import Visit, begin_visit
from openenv_notebook.servers.log import Log
from openenv_notebook.servers.web_guard import Application, Message, Receive, Send, header_values
from openenv_notebook.wire import same_process

_HEADER = same_process.HEADER.lower().encode()


class Entrance:
    """An ASGI application around another: notes which client of this process is talking, and logs what escapes it."""

    def __init__(self, app: Application, log: Log) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection or request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        words = header_values(scope, _HEADER)
        visit = Visit(same_process.find(words[0]) if words else None)
        begin_visit(visit)
        try:
            await self._app(scope, receive, send)
        except Exception:
            self._log.write(traceback.format_exc())
            if scope["type"] == "http":
                raise
        finally:
            # A session made by a request outlives it; one of a WebSocket ends with it.
            if scope["type"] == "websocket":
                visit.end()
