"""The loopback address: the only one that servers of this process listen on."""

from __future__ import annotations

import errno
import os
import socket

from openenv_notebook.values.errors import MisuseError, ServerStartFailed

LOOPBACK = "127.0.0.1"


def url_at(name: str, port: int) -> str:
    """Compose a server's address, such as ``http://127.0.0.1:40123``; port 0 raises MisuseError: it has none yet."""
    if not port:
        raise MisuseError(f"the server {name!r} has no address yet", hint="start it first")
    return f"http://{LOOPBACK}:{port}"


def listen(name: str, port: int) -> socket.socket:
    """Take a port, 0 for a free one, for what is to be served there, and listen.

    Raises ServerStartFailed if it cannot be had, without the words of the system's numbers.
    """
    listening = socket.socket()
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        what = f"the server {name!r} could not listen on port {port}: {(why := _why(error))}"
        cause = None if why in str(error) else error
        raise ServerStartFailed(what, hint="port 0 takes a free one") from cause
    return listening


def _why(error: OSError | OverflowError) -> str:
    if isinstance(error, OverflowError):
        return "a port is a number from 0 to 65535"
    if error.errno == errno.EADDRINUSE:
        return "something else listens there already"
    if isinstance(error, PermissionError):
        return "this user may not take it"
    return str(error.strerror or error)
