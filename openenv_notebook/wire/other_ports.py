"""A server on another port of this machine, for whoever asked at the wrong one.

Containers publish other ports than they listen on, and guides mix them up; all that is
seen then is a refused connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from openenv_notebook.values.errors import ConnectFailed, OpenEnvError
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire.http import Discovery

# Where OpenEnv servers listen if nobody says otherwise.
PORTS = (7860, 8000, 8001)
_WITHIN = 0.5


async def find_nearby(address: Address, ports: Sequence[int] = PORTS) -> list[str]:
    """Find OpenEnv servers on other ports of this machine, sending nothing of the user's; none for another machine."""
    asked = urlsplit(address.http_url)
    if not address.is_loopback:
        return []
    host = f"[{asked.hostname}]" if ":" in (asked.hostname or "") else asked.hostname
    there = [f"http://{host}:{port}" for port in ports if port != asked.port]
    found = await asyncio.gather(*(_is_server(url) for url in there))
    return [url for url, is_server in zip(there, found, strict=True) if is_server]


async def _is_server(url: str) -> bool:
    address = parse_target(url)
    assert isinstance(address, Address)
    try:
        health = await Discovery(address, timeout=_WITHIN).get("/health")
    except OpenEnvError:
        return False
    return isinstance(health, dict) and health.get("status") == "healthy"


async def suggest(error: ConnectFailed, address: Address) -> None:
    """Put the address of a server near where a connection was refused into the error's hint, if there is one."""
    if found := await find_nearby(address):
        error.hint = f"an OpenEnv server answers at {' and at '.join(found)}: is the port right?"
