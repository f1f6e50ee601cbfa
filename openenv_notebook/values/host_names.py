"""The part of an address before its path: password, host, port; and what of an address may be shown."""

from __future__ import annotations

import base64
import ipaddress
import re
from urllib.parse import unquote

from openenv_notebook.values.errors import InvalidTarget

_PRIVATE_SUFFIXES = (".local", ".localhost", ".internal", ".lan", ".home", ".home.arpa", ".test", ".svc", ".docker")
_SECRET_KEY = re.compile(
    r"token|secret|passw|pwd|api.?key|(^|[_-])key$|auth|credential|sign|(^|_)sig$|jwt|bearer|cookie|session_?key", re.I
)
_SECRET_VALUE = re.compile(r"(hf_|eyJ|sk-|gh[pos]_)")
_MASK = "***"

_NUMBER = re.compile(r"[0-9]+")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")


def wrong(reason: str, hint: str | None = None) -> InvalidTarget:
    """Make the error for a wrong part, its hint instead of the usual one; ``parse_target`` adds the whole text."""
    return InvalidTarget("", reason, hint=hint)


def split_credentials(place: str) -> tuple[str, str | None]:
    """Take ``user:password@`` off what stands before the path; it makes an Authorization header's value, or None."""
    user, mark, place = place.rpartition("@")
    if not mark:
        return place, None
    name, _, password = user.partition(":")
    pair = f"{unquote(name)}:{unquote(password)}".encode()
    return place, "Basic " + base64.b64encode(pair).decode()


def split_port(place: str, *, may_hide_password: bool) -> tuple[str, int | None]:
    """Split a host from its port: ``host``, ``host:port``, ``[ipv6]`` or ``[ipv6]:port``.

    Gives the host in lower case, without brackets, and the port or None. ``may_hide_password`` says that an @ comes
    later in the text: what looks like a port may be part of a password, and is not shown. Raises InvalidTarget where
    one of them cannot be meant.
    """
    bracketed = re.fullmatch(r"\[([^\[\]]*)\](.*)", place)
    host, colon, port = place.partition(":")
    if bracketed:
        host, (_, colon, port) = _ipv6(bracketed[1]), bracketed[2].partition(":")
        if bracketed[2] and not bracketed[2].startswith(":"):
            raise wrong("only a :port may stand behind the ]")
    elif "[" in place or "]" in place:
        raise wrong("the brackets of an IPv6 address do not match")
    elif ":" in port and not may_hide_password:
        raise wrong("there is more than one colon", "an IPv6 address needs brackets, as in [::1]:8000")
    else:
        host = _host_name(host)
    return host, _port(port, may_hide_password) if colon else None


def _port(text: str, may_hide_password: bool) -> int:
    if not text:
        raise wrong("the port after the colon is missing")
    if may_hide_password and not _NUMBER.fullmatch(text):
        raise wrong("the port is not a number", "in a password / is written %2F, and @ is written %40")
    if not _NUMBER.fullmatch(text):
        raise wrong(f"the port {text!r} is not a number")
    digits = text.lstrip("0") or "0"
    if len(digits) > 5 or not 1 <= int(digits) <= 65535:
        raise wrong(f"the port {digits[:12]} is not between 1 and 65535")
    return int(digits)


def _ipv6(text: str) -> str:
    if "%" in text:
        raise wrong("an IPv6 address with a zone (%) is not supported")
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        raise wrong(f"[{text}] is not an IPv6 address") from None
    return "::1" if address.is_unspecified else str(address)


def _host_name(text: str) -> str:
    host = text.lower().removesuffix(".")
    if not host:
        raise wrong("the host is missing")
    if not host.isascii():
        try:
            host = host.encode("idna").decode().lower()
        except UnicodeError:
            raise wrong(f"{text!r} is not a host name") from None
    labels = host.split(".")
    if labels[-1].isdecimal():
        return _ipv4(host)
    for label in labels:
        if not _LABEL.fullmatch(label):
            problem = f"has {label!r} in it" if label else "has two dots side by side or one at its start"
            raise wrong(f"the host {host!r} {problem}")
    if host.startswith("-") or len(host) > 253:
        raise wrong(f"the host {host[:80]!r} " + ("starts with -" if host.startswith("-") else "is too long"))
    return host


def _ipv4(text: str) -> str:
    if "." not in text:
        raise wrong(f"the host {text!r} is only a number", f"a port of this machine is localhost:{text}")
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        raise wrong(f"{text!r} is not an IPv4 address") from None
    return "127.0.0.1" if address.is_unspecified else str(address)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Tell whether a host, as :func:`split_port` gives it, is this machine: localhost, 127.0.0.0/8 or ::1."""
    ip = _ip(host)
    if ip is None:
        return host == "localhost" or host.endswith(".localhost")
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback


def secure_by_habit(host: str, port: int | None) -> bool:
    """Tell whether https is meant by a host (see :func:`split_port`) and port that were typed without a scheme."""
    if host.endswith(".hf.space"):
        return True
    if port is not None:
        return port == 443
    return "." in host and _ip(host) is None and not host.endswith(_PRIVATE_SUFFIXES)


def without_secrets(text: str) -> str:
    """Mask ``user:password@`` and the secrets of a query with ``***`` in a text that may be no address.

    Everything before its last @ counts as a password, since a broken address has no parts.
    """
    text = re.sub(r"^(.*?://)?.*@", rf"\1{_MASK}@", text, flags=re.DOTALL)
    head, mark, query = text.partition("?")
    return head + mark + masked_query(query)


def masked_query(query: str) -> str:
    """Mask with ``***`` the values of a query that look like secrets, by their key or by themselves."""
    return "&".join(_masked(pair) for pair in query.split("&"))


def _masked(pair: str) -> str:
    key, mark, value = pair.partition("=")
    if _SECRET_VALUE.match(key):
        return _MASK
    secret = _SECRET_KEY.search(unquote(key)) or _SECRET_VALUE.match(value)
    return f"{key}={_MASK}" if mark and value and secret else pair
