"""How to reach one server: its address, headers and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from openenv_notebook.values.checks import clean_token
from openenv_notebook.values.errors import InvalidTarget
from openenv_notebook.values.secrets import is_secret_name
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire import hub_token


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

    @property
    def secrets(self) -> dict[str, str]:
        """What is sent with each request and may be secret, by name: the headers, and secrets of the query."""
        queried = {name: value for name, value in parse_qsl(self.address.query) if is_secret_name(name)}
        return {**queried, **self.headers}


def endpoint_at(url: str, *, headers: Mapping[str, str], token: str | None, **limits: Any) -> Endpoint:
    """Find the endpoint that an address means, in any form a person types; its headers are complete.

    ``token`` is a Hub token; for a Space, that of this machine if None. ``limits`` are the other fields of
    :class:`Endpoint`. Raises InvalidTarget if the text names no server that runs, and MisuseError if this machine's
    token can be none.
    """
    address = parse_target(url)
    if not isinstance(address, Address):
        raise InvalidTarget(url, "it names something to start, not a running server", hint=f"connect({url!r})")
    sent, found = dict(headers), (token, "token=") if token else None
    if address.authorization and not any(name.lower() == "authorization" for name in sent):
        sent["Authorization"] = address.authorization
    if found is None and address.kind == "space":
        found = hub_token.find_token()
        if found is not None:
            clean_token(found[0], f"the Hub token of this machine ({found[1]})")
    if found is None:
        return Endpoint(address, sent, **limits)
    return Endpoint(address, hub_token.with_token(sent, found[0]), token_from=found[1], **limits)
