"""Opening a WebSocket: which redirects are followed. No network."""

from __future__ import annotations

from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.handshake import Handshake
from openenv_notebook.wire.handshake_errors import translate


def test_a_redirect_never_gives_tls_up() -> None:
    """A redirect from https:// to http:// is not followed, and says where it leads, without its secrets."""
    address = parse_target("https://example.test")
    assert isinstance(address, Address)
    endpoint = Endpoint(address)
    handshake = Handshake("wss://example.test/ws", additional_headers={"X-Key": "abc"})
    location = "http://user:hidden@example.test/ws?key=hidden"
    refused = handshake.process_redirect(InvalidStatus(Response(301, "", Headers(Location=location))))
    told = str(translate(refused, endpoint)) if isinstance(refused, Exception) else ""
    assert "redirect" in told and "http://example.test/ws" in told and "TLS" in told
    assert "hidden" not in told
