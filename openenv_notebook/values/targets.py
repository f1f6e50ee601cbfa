"""Text a person types, read as a place to connect to. Nothing here asks the network or the disk.

An :class:`Address` is a server that runs somewhere::

    localhost:8000   :8000   8000   [::1]:8000   host   host.example.com/envs/a
    http:// https:// ws:// wss://  user:password@  ?query     any case, any trailing slashes
    …/web  …/ws  …/docs  …/health  …/schema  …/metadata       pasted from a browser: dropped
    owner/name   hf://owner/name   https://huggingface.co/spaces/owner/name/tree/main

A :class:`LocalTarget` is something to start a server for::

    demo:grid   docker:image   uv:project   ./folder  /abs/folder  ~/folder   module.sub:app

What is read how, where text alone cannot tell:

- **http or https.** A scheme that was typed holds. Without one: https for ``*.hf.space``, for port 443 and for public
  names (as browsers do, and so that no token travels in the clear); http for loopback, IP addresses, one-word names,
  private suffixes such as ``.local``, and every other explicit port. ``http://x.hf.space`` means https: Spaces
  have nothing else.
- **Space or path.** ``a/b`` is a Hub Space unless ``a`` has a dot, a colon or ``@``, or is ``localhost`` or a number:
  names of Hub owners consist of letters, digits and ``-``, and are never digits alone.
- **Folder or Space.** A folder starts with ``./``, ``../``, ``/`` or ``~``; ``envs/echo`` is a Space.
- **Port or app.** After the colon of ``a:b`` a number is a port, also in ``demo:8000``, and a name is an app.
- ``0.0.0.0`` and ``[::]``, which servers print, become ``127.0.0.1`` and ``[::1]``.
- A password in a Space's page stays behind: it is for the Hub, not for whoever runs the Space.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from openenv_notebook.values import host_names
from openenv_notebook.values.errors import InvalidTarget
from openenv_notebook.values.host_names import without_secrets, wrong

_SECURE = {"http": False, "https": True, "ws": False, "wss": True}
_HUB_HOSTS = frozenset({"huggingface.co", "www.huggingface.co", "hf.co"})
# What browsers and documentation put behind the base address.
_PAGES = {"web", "ws", "docs", "redoc", "openapi.json", "health", "schema", "metadata", "mcp", "reset", "step", "state"}
_QUOTES = {'"': '"', "'": "'", "`": "`", "<": ">", "“": "”", "‘": "’"}
_EDGE_BLANKS = " \t\r\n\f\v\u00a0\u200b\u2060\ufeff"

_LONGEST = 4096

_NUMBER = re.compile(r"[0-9]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_FOLDER = re.compile(r"\.{1,2}$|\.{0,2}[\\/](?!/)|\.{1,2}//|~|[A-Za-z]:(\\|/(?!/))")
_PASSWORD = re.compile(r"://[^/?#\s]*@")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*(\(\))?")
_DEMO = re.compile(r"[a-z][a-z0-9_-]*")
_OWNER = re.compile(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*")
_SPACE = re.compile(r"(?!.*(--|\.\.))(?!.*\.git$)\w([\w.-]{0,94}\w)?", re.ASCII)
_FOLDER_HINT = "a folder needs ./ in front, as in ./my_env; a host its scheme or port, as in http://my_host"


@dataclass(frozen=True, slots=True)
class Address:
    """A server that runs somewhere.

    Two texts that mean the same place give equal addresses. No address shows a password or a secret of its query
    in its ``name`` or repr, and ``ws_url`` and ``http_url`` carry no password: send ``authorization`` along.

    Args:
        kind: "url", or "space" for a Hub Space given by its id or page.
        name: What to show; for "url" it is an address itself.
        ws_url: The WebSocket address, with the query.
        http_url: The base address, without a slash at its end and without the query.
        query: What stood behind the question mark.
        authorization: The value of an Authorization header, from ``user:password@``.
        is_loopback: True for this machine: no proxy is ever used.
        space_id: ``owner/name`` for a Hub Space.
    """

    kind: Literal["url", "space"]
    name: str = field(compare=False)
    ws_url: str = field(repr=False)
    http_url: str = field(repr=False)
    query: str = field(default="", repr=False)
    authorization: str | None = field(default=None, repr=False)
    is_loopback: bool = False
    space_id: str | None = field(default=None, compare=False, repr=False)

    def route(self, path: str) -> str:
        """Give the HTTP address of a route, with the query.

        Args:
            path: The route, such as ``/health``.

        Returns:
            The whole address.
        """
        return self.http_url + path + (f"?{self.query}" if self.query else "")


@dataclass(frozen=True, slots=True)
class LocalTarget:
    """Something on this machine that a server is started for.

    Args:
        kind: What it is: a demo, a docker image, a project folder, a module's app, or a project for uv.
        name: What to show, without secrets.
        argument: What stood behind ``demo:``, ``docker:``, ``uv:``; else the text itself.
    """

    kind: Literal["demo", "docker", "folder", "module", "uv"]
    name: str = field(compare=False)
    argument: str = field(repr=False)


Target = Address | LocalTarget


def parse_target(text: str) -> Target:
    """Read what a person typed as the place to connect to.

    Args:
        text: An address, a Hub Space, a demo or something to serve, in any form the module's docstring lists.

    Returns:
        An :class:`Address`, or a :class:`LocalTarget` when a server has to be started.

    Raises:
        InvalidTarget: The text cannot be meant; the error names the part that is wrong.

    Example:
        >>> parse_target("localhost:8000/web").http_url
        'http://localhost:8000'
    """
    if not isinstance(text, str):
        raise InvalidTarget(type(text).__name__, "an address is a text, such as 'localhost:8000'")
    try:
        return _parse(_trimmed(text))
    except InvalidTarget as error:
        reason = re.sub(r"\S*@", "***@", error.reason)
        raise InvalidTarget(without_secrets(text.strip(_EDGE_BLANKS))[:200], reason, hint=error.hint) from None


def _trimmed(text: str) -> str:
    while True:
        text = text.strip(_EDGE_BLANKS)
        if len(text) < 2 or _QUOTES.get(text[0]) != text[-1]:
            return text
        text = text[1:-1]


def _parse(text: str) -> Target:
    if not text:
        raise wrong("it is empty")
    if len(text) > _LONGEST:
        raise wrong(f"it is longer than {_LONGEST} characters")
    for character in text:
        if not character.isprintable():
            raise wrong(f"there is an invisible character in it (U+{ord(character):04X})")
    local = _local(text)
    if local is not None:
        return local
    if any(character.isspace() for character in text):
        raise wrong("there is a blank inside it")
    scheme, rest = _scheme(text)
    base, _, query = rest.partition("#")[0].partition("?")
    query = _quoted(query)
    place, slash, path = base.partition("/")
    if scheme == "hf" or (not scheme and slash and _may_be_space(place)):
        return _space(base, query)
    # An @ behind the host may end a password with / ? or # in it.
    return _url(scheme, place, path, query, at_later="@" in rest[len(place) :])


def _local(text: str) -> LocalTarget | None:
    if _FOLDER.match(text):
        return LocalTarget("folder", text, text.rstrip("\\/") or text)
    word, _, rest = text.partition(":")
    if rest.startswith("//") or _NUMBER.fullmatch(rest):
        return None
    match word.lower():
        case "demo":
            return _demo(rest.lower())
        case ("docker" | "uv") as kind:
            if not rest:
                what = "image" if kind == "docker" else "project"
                raise wrong(f"the {what} after {kind}: is missing")
            return LocalTarget(kind, f"{kind}:{_PASSWORD.sub('://***@', rest)}", rest)
        case "localhost" | "hf" | "http" | "https" | "ws" | "wss":
            return None
    return LocalTarget("module", text, text) if _MODULE.fullmatch(text) else None


def _demo(name: str) -> LocalTarget:
    if not name:
        raise wrong("the demo's name is missing", "write demo:grid; a host of that name is http://demo")
    if not _DEMO.fullmatch(name):
        raise wrong(f"{without_secrets(name)!r} is not a demo's name: those have letters, digits, - and _")
    return LocalTarget("demo", f"demo:{name}", name)


def _scheme(text: str) -> tuple[str, str]:
    """Split the scheme off; "" where there is none."""
    before, mark, rest = text.partition("://")
    if mark and not re.search(r"[/?#@]", before):
        scheme = before.lower()
        if scheme not in _SECURE and scheme != "hf":
            if not before:
                raise wrong("the scheme before :// is missing")
            shown = f"{before}://" if _SCHEME.fullmatch(before) else "what stands before ://"
            raise wrong(f"{shown} is not one of http://, https://, ws://, wss://, hf://")
        return scheme, rest
    word = text.partition(":")[0].lower()
    if ":" in text and (word in _SECURE or word == "hf"):
        raise wrong(f"two slashes are missing after {word}:")
    return "", text.removeprefix("//")


def _may_be_space(place: str) -> bool:
    return not re.search(r"[.:@\[\]]", place) and place.lower() != "localhost" and not _NUMBER.fullmatch(place)


def _space(text: str, query: str) -> Address:
    """Read ``owner/name``, as an id or behind hf:// or spaces/."""
    parts = text.rstrip("/").split("/")
    if parts[0] == "spaces" and len(parts) == 3:
        parts = parts[1:]
    if parts[0] in ("datasets", "models", "spaces"):
        raise wrong(f"{parts[0]}/… does not name a Space: that is owner/name", _FOLDER_HINT)
    if len(parts) == 1:
        raise wrong(f"{parts[0]!r} alone names no Hub Space: that is owner/name", _FOLDER_HINT)
    if len(parts) > 2:
        rest = "/".join(parts[2:])
        raise wrong(f"a Hub Space is owner/name, with nothing behind it, here {rest!r}", _FOLDER_HINT)
    return _space_of(parts[0], parts[1], query)


def _space_of(owner: str, name: str, query: str) -> Address:
    if not _OWNER.fullmatch(owner):
        raise wrong(f"{owner!r} is not the name of a Hub owner: those have letters, digits and single -")
    if not _SPACE.fullmatch(name):
        raise wrong(f"{name!r} is not the name of a Space: those have letters, digits, and - _ . inside")
    label = re.sub(r"[^a-z0-9]", "-", f"{owner}-{name}".lower())
    if len(label) > 63:
        raise wrong("the Space's name is too long for a host name", "paste the address from the Space's Embed dialog")
    return _address(True, f"{label}.hf.space", "", query, space_id=f"{owner}/{name}")


def _url(scheme: str, place: str, path: str, query: str, *, at_later: bool) -> Address:
    place, authorization = host_names.split_credentials(place)
    if not scheme and _NUMBER.fullmatch(place):
        place = f":{place}"
    if not scheme and place.startswith(":") and place.count(":") == 1:
        place = f"localhost{place}"
    host, port = host_names.split_port(place, may_hide_password=at_later)
    if host in _HUB_HOSTS:
        parts = [part for part in path.split("/") if part]
        if len(parts) < 3 or parts[0] != "spaces":
            raise wrong("this page of the Hub is not a Space's", "a Space's page is huggingface.co/spaces/owner/name")
        return _space_of(parts[1], parts[2], "")
    secure = _SECURE[scheme] if scheme else host_names.secure_by_habit(host, port)
    if host.endswith(".hf.space") and port is None:
        secure = True
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != (443 if secure else 80):
        shown = f"{shown}:{port}"
    address = _address(secure, shown, _base_path(path), query)
    return dataclasses.replace(address, authorization=authorization, is_loopback=host_names.is_loopback(host))


def _base_path(path: str) -> str:
    """Drop what a browser's address has behind the base, again and again so that a base is its own base."""
    path = path.rstrip("/")
    while path and path.rpartition("/")[2] in _PAGES:
        path = path.rpartition("/")[0].rstrip("/")
    return f"/{_quoted(path)}" if path else ""


def _quoted(text: str) -> str:
    # What is encoded already stays as it is.
    return quote(text, safe="/%:@!$&'()*+,;=~?")


def _address(secure: bool, place: str, path: str, query: str, space_id: str | None = None) -> Address:
    http_url = f"{'https' if secure else 'http'}://{place}{path}"
    asked = f"?{query}" if query else ""
    return Address(
        kind="space" if space_id else "url",
        name=(space_id or http_url) + (f"?{host_names.masked_query(query)}" if query else ""),
        ws_url=f"{'wss' if secure else 'ws'}://{place}{path}/ws{asked}",
        http_url=http_url,
        query=query,
        space_id=space_id,
    )
