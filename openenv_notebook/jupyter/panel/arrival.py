"""Whether what a person clicks arrives now: found out by sending the kernel what a front end would send."""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from asyncio import sleep
from collections.abc import Callable, Sequence
from typing import Any

# JupyterLab may still be making the shell that its clicks come by.
_WITHIN = 1.0
_TICK = 0.02


class Arrival:
    """Messages from ourselves to a widget, by the kernel's own door; it changes nothing there.

    Args:
        shell: The shell, None where there is none.
        widget: A widget that the front end knows.
    """

    def __init__(self, shell: Any, widget: Any) -> None:
        self._kernel = getattr(shell, "kernel", None)
        self._widget = widget
        self._numbers = itertools.count(1)
        self._sent: dict[int, Callable[[], object]] = {}
        widget.on_msg(self._heard)

    def _heard(self, _: Any, content: Any, buffers: Any) -> None:
        number = content.get("openenv_notebook") if isinstance(content, dict) else None
        self._sent.pop(number if isinstance(number, int) else 0, lambda: None)()

    def after_what_was_sent(self, call: Callable[[], object]) -> None:
        """Call when all that has been sent to the kernel's main thread is carried out; at once where none can tell."""
        if not self._send([(None, call)]):
            call()

    async def is_open(self) -> bool:
        """Find out whether a click arrives while this waits, by any shell; True where it cannot be tried."""
        tried: set[str | None] = set()
        arrived: list[bool] = []
        end = time.monotonic() + _WITHIN
        while not arrived and time.monotonic() < end:
            shells = [each for each in (None, *self._shells()) if each not in tried]
            tried.update(shells)
            if shells and not self._send([(each, lambda: arrived.append(True)) for each in shells]):
                return True
            await sleep(_TICK)
        return bool(arrived)

    def _shells(self) -> Sequence[str]:
        """List the shells beside the main one, which a front end has made for what goes to widgets."""
        manager = getattr(getattr(self._kernel, "shell_channel_thread", None), "manager", None)
        return manager.list_subshell() if manager is not None else ()

    def _send(self, calls: Sequence[tuple[str | None, Callable[[], object]]]) -> bool:
        """Send a message to each shell, which calls when it is carried out; False where none can be sent."""
        app, session = getattr(self._kernel, "parent", None), getattr(self._kernel, "session", None)
        zmq, comm = sys.modules.get("zmq"), getattr(self._widget, "comm", None)
        if zmq is None or app is None or session is None or comm is None or not getattr(app, "shell_port", 0):
            return False
        ip = "127.0.0.1" if app.ip in ("0.0.0.0", "*") else app.ip
        session, socket = session.clone(), zmq.Context.instance().socket(zmq.DEALER)
        with contextlib.closing(socket):
            socket.linger = 1000
            if getattr(app, "curve_secretkey", None) is not None:
                socket.curve_serverkey = socket.curve_publickey = app.curve_publickey
                socket.curve_secretkey = app.curve_secretkey
            socket.connect(f"{app.transport}://{ip}{'-' if app.transport == 'ipc' else ':'}{app.shell_port}")
            for shell, call in calls:
                number = next(self._numbers)
                self._sent[number] = call
                data = {"method": "custom", "content": {"openenv_notebook": number}}
                message = session.msg("comm_msg", {"comm_id": comm.comm_id, "data": data})
                if shell is not None:
                    message["header"]["subshell_id"] = shell
                session.send(socket, message)
        return True
