"""A Space of the Hub whose host is a server on loopback."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.client.opener import Opener, Patience
from support.sockets import Peer, Script
from support.wire import put_on

PAGE = b"<!doctype html><title>Space is building</title>"
HTML = {"Content-Type": "text/html"}


def asleep_at_first(times: int, status: int = 503) -> Script:
    """Make a script of a Space that is asleep for some attempts."""

    def script(peer: Peer) -> None:
        if peer.number < times:
            peer.answer_http(status, PAGE, HTML)
        else:
            peer.prove()
            peer.serve()

    return script


def stand_in(client: GenericEnvClient, url: str, wait: float) -> None:
    """Have a client of ``owner/name`` reach a server on loopback instead of the Hub.

    Args:
        client: The client, not connected.
        url: The server, ``http://127.0.0.1:PORT``.
        wait: How long it waits for the Space to wake up, in seconds.
    """
    endpoint = client.endpoint
    assert endpoint is not None
    ws_url = f"ws{url.removeprefix('http')}/ws"
    address = replace(endpoint.address, ws_url=ws_url, http_url=url, is_loopback=True)
    put_on(client, Opener(replace(endpoint, address=address), Patience(10, 10, wait)))


class SpaceClient(GenericEnvClient):
    """A client for kernels: the server that stands for the Hub is named by SPACE_STAND_IN."""

    def __init__(self, base_url: str, *, wait_s: float = 0.0, **settings: Any) -> None:
        super().__init__(base_url, wait_s=wait_s, **settings)
        stand_in(self, os.environ["SPACE_STAND_IN"], wait_s)
