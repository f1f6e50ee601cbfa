"""Who may talk to a server on this machine: no web page from elsewhere.

A page in a browser can send requests to the loopback address. Its ``Origin`` gives it
away, and where a name was rebound to the loopback address (DNS rebinding), the ``Host``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})

_AUTHORITY = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")
_ORIGIN = re.compile(r"https?://(?P<authority>.+)")


def host_of(authority: str) -> str | None:
    """Take the host from ``host:port``.

    Args:
        authority: A ``Host`` header, or the part of an origin after ``//``.

    Returns:
        The host in lower case without its port, or None where it is malformed.
    """
    match = _AUTHORITY.fullmatch(authority.strip().lower())
    return match["host"] if match else None


class Gate:
    """The check every request has to pass.

    Args:
        allowed_hosts: Host names besides the loopback ones, such as that of a proxy;
            any port of theirs is allowed.

    Raises:
        ValueError: An entry is no host name, or has a port.
    """

    def __init__(self, allowed_hosts: Sequence[str] = ()) -> None:
        if isinstance(allowed_hosts, str):
            raise ValueError(f"allowed_hosts is a list of host names, not the text {allowed_hosts!r}")
        for entry in allowed_hosts:
            if host_of(entry) != entry.strip().lower():
                raise ValueError(f"{entry!r} is not a host name (leave out scheme and port)")
        self._allowed = LOOPBACK_HOSTS | {entry.strip().lower() for entry in allowed_hosts}

    def refusal(self, hosts: Sequence[str], origins: Sequence[str]) -> str | None:
        """Say why a request is refused.

        Args:
            hosts: All its ``Host`` headers.
            origins: All its ``Origin`` headers.

        Returns:
            The reason, or None for a request that may pass.
        """
        if len(hosts) != 1 or host_of(hosts[0]) not in self._allowed:
            return "this server answers to its own host names only"
        for origin in origins:
            match = _ORIGIN.fullmatch(origin.strip().lower())
            if match is None or host_of(match["authority"]) not in self._allowed:
                return "this server takes no requests from pages of other sites"
        return None
