"""How to reach one server: its address, headers and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from openenv_notebook.targets import Address


@dataclass(frozen=True)
class Endpoint:
    """A server and how to talk to it.

    Attributes:
        address: Where it is.
        headers: Sent with the handshake and with HTTP requests.
        max_size: Longest message accepted, in bytes; None for no limit.
        ping_interval: Seconds between pings; None for none.
        ping_timeout: Seconds an idle server may take to answer a ping; None for any.
        compression: "deflate" for slow links, or None.
        token_from: Where the Hub token was found, for error texts; None if none is sent.
    """

    address: Address
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_size: int | None = 100 * 2**20
    ping_interval: float | None = 20.0
    ping_timeout: float | None = 20.0
    compression: str | None = None
    token_from: str | None = None
