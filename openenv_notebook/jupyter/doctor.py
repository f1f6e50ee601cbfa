"""``%openenv doctor`` and ``python -m openenv_notebook doctor``: what stands between a person and an environment.

Each check gives findings: what it saw, whether that is well, and what to do if not.
"""

from __future__ import annotations

import asyncio
import os
import platform
import socket
import ssl
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.client.connect import connect
from openenv_notebook.jupyter.versions import openenv_version, untested, version
from openenv_notebook.threads.portal import new_loop
from openenv_notebook.threads.worker import own_threads
from openenv_notebook.values.errors import AtCapacity, OpenEnvError
from openenv_notebook.values.known_secrets import foreign_text
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.values.text import named_words
from openenv_notebook.wire import hub_token
from openenv_notebook.wire.endpoint import Endpoint

AnyClient = SyncEnvClient[Any, Any, Any]
Level = Literal["ok", "look", "wrong"]

_MARKS = {"ok": "ok       ", "look": "look here", "wrong": "wrong    "}
_TIMEOUT = 5.0
_ANSWER_WITHIN = 30.0


@dataclass(frozen=True)
class Finding:
    """One line of the report: "look" means that it may matter; advice is "" where nothing is needed."""

    level: Level
    what: str
    advice: str = ""

    def __str__(self) -> str:
        advice = f"\n           → {self.advice}" if self.advice else ""
        return foreign_text(f"{_MARKS[self.level]}  {self.what}{advice}")


def examine(shell: Any, name: str, client: AnyClient | None) -> Iterable[Finding]:
    """Run all checks, each finding given as soon as it is made; the client is the current one, None for none."""
    yield from _found(
        lambda: kernel(shell), loop, patches, widgets, packages, network, threads, lambda: current(name, client)
    )


def examine_outside(target: str | None = None) -> Iterable[Finding]:
    """Run the checks that need no notebook, each finding given as soon as it is made.

    The target is what to reach, as a person types it; None for nothing.
    """
    yield from _found(system, private_loop, patches, widgets, packages, network)
    if target is not None:
        yield from _found(lambda: reach_target(target))


def _found(*checks: Callable[[], Iterable[Finding]]) -> Iterable[Finding]:
    for check in checks:
        try:
            yield from check()
        except Exception as error:
            yield Finding("wrong", f"a check failed: {named_words(error)}", "please report it")


def kernel(shell: Any) -> Iterable[Finding]:
    """Say where this code runs."""
    versions = f"Python {sys.version.split()[0]}, IPython {version('ipython')}"
    if hasattr(shell, "kernel"):
        yield Finding("ok", f"kernel: ipykernel {version('ipykernel')}, {versions}")
    else:
        yield Finding("ok", f"no kernel: a terminal, {versions}")
    if sys.platform == "emscripten":
        yield Finding("wrong", "this Python has no threads and no sockets", "use a kernel that runs on a machine")


def system() -> Iterable[Finding]:
    """Say which Python this is, and where."""
    name = platform.python_implementation()
    yield Finding("ok", f"{name} {platform.python_version()} on {platform.system()} {platform.machine()}".rstrip())
    yield Finding("ok", f"openenv-notebook {version('openenv-notebook') or '(not installed: run from its folder)'}")


def private_loop() -> Iterable[Finding]:
    """Say which loop the clients will use."""
    made = new_loop()
    made.close()
    if type(made).__module__.startswith("uvloop"):
        yield Finding("ok", f"clients run on a loop of their own: uvloop {version('uvloop')}")
    else:
        yield Finding("ok", "clients run on a loop of their own: asyncio's (uvloop is faster: the extra fast)")


def packages() -> Iterable[Finding]:
    """Say which versions there are of what matters beside the notebook."""
    names = ("ipython", "ipykernel", "websockets", "pydantic")
    yield Finding("ok", ", ".join(f"{name} {version(name) or 'is not installed'}" for name in names))
    found = openenv_version()
    if found is None:
        yield Finding("ok", "openenv is not installed; only serving environments made for it needs it")
    elif outside := untested(found):
        yield Finding("look", outside, "what fails with it is worth a report")
    else:
        yield Finding("ok", f"openenv {found}")


def loop() -> Iterable[Finding]:
    """Say which loop runs here."""
    try:
        running = type(asyncio.get_running_loop())
    except RuntimeError:
        yield Finding("ok", "no event loop runs in this thread; blocking calls and await both work")
    else:
        yield Finding("ok", f"an event loop runs here ({running.__module__}); blocking calls work all the same")


def patches() -> Iterable[Finding]:
    """Look for libraries that patch asyncio."""
    if not getattr(asyncio, "_nest_patched", False) and not getattr(asyncio.run, "__module__", "").startswith("nest_"):
        yield Finding("ok", "asyncio is not patched")
        return
    name = getattr(asyncio.run, "__module__", "nest_asyncio").partition(".")[0]
    if sys.version_info >= (3, 14) and name == "nest_asyncio":
        advice = "restart the kernel and use nest_asyncio2 instead, if anything"
        yield Finding("wrong", "nest_asyncio 1.6 is applied: it breaks every event loop on Python 3.14", advice)
    else:
        advice = "this package does not need it; without it loops are faster"
        yield Finding("look", f"{name} is applied to asyncio", advice)


def widgets() -> Iterable[Finding]:
    """Say which widgets there are, as far as Python can know."""
    back, front = version("ipywidgets"), version("jupyterlab_widgets")
    if back is None:
        yield Finding("wrong", "ipywidgets is not installed", "pip install ipywidgets")
    elif front is None:
        advice = "if widgets show as text, install jupyterlab_widgets where the notebook server runs"
        yield Finding("look", f"ipywidgets {back}; the front end's side is not installed beside it", advice)
    else:
        yield Finding("ok", f"ipywidgets {back}, jupyterlab_widgets {front} (as installed beside the kernel)")


def network() -> Iterable[Finding]:
    """Say which proxies and tokens apply; tokens are never shown."""
    proxies = [
        name
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "WSS_PROXY", "WS_PROXY", "SOCKS_PROXY")
        if os.environ.get(name) or os.environ.get(name.lower())
    ]
    if proxies:
        yield Finding(
            "look", f"a proxy applies beyond this machine ({', '.join(proxies)})", "NO_PROXY takes hosts out of it"
        )
    else:
        yield Finding("ok", "no proxy")
    found = hub_token.find_token()
    yield Finding("ok", f"a Hub token is there ({found[1]})" if found else "no Hub token; only private Spaces need one")


def threads() -> Iterable[Finding]:
    """Say which threads this package runs."""
    yield Finding("ok", f"threads of this package: {', '.join(own_threads()) or 'none'}")


def current(name: str, client: AnyClient | None) -> Iterable[Finding]:
    """Examine the current client's server, step by step."""
    if client is None:
        yield Finding("ok", "nothing is connected")
        return
    said = f"client {name}: {client.status} {client.activity}".rstrip()
    if client.status == "open":
        yield Finding("ok", said)
    else:
        yield Finding("look", said, "reset() opens a session; of a closed one, connect() makes a new client")
    yield from far_end(client)


def reach_target(text: str) -> Iterable[Finding]:
    """Go to a target, as a person types it, step by step: its address, name, port, TLS, health, session.

    Something to serve is served meanwhile.
    """
    try:
        parsed = parse_target(text)
        if isinstance(parsed, Address):
            yield Finding("ok", f"address: {parsed.name}")
            client = GenericEnvClient(text, connect_timeout_s=_TIMEOUT, message_timeout_s=_ANSWER_WITHIN).sync()
        else:
            client = connect(text, connect_timeout=_TIMEOUT, timeout=_ANSWER_WITHIN)
            yield Finding("ok", f"server: {parsed.name} is served at {client.base_url}")
    except OpenEnvError as error:
        yield Finding("wrong", error.describe(), error.hint or "is the address right?")
        return
    try:
        yield from far_end(client)
    finally:
        client.close()


def far_end(client: AnyClient) -> Iterable[Finding]:
    """Examine the server of a client, connected or not, from the name to the session."""
    if client.base_url is None:
        return
    parts = urlsplit(client.base_url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    reached = True
    for finding in reach(host, port, parts.scheme == "https"):
        yield finding
        reached = reached and finding.level != "wrong"
    if reached:
        yield from server(client)
    if client.endpoint is not None:
        yield from limits(client.endpoint)


def reach(host: str, port: int, tls: bool) -> Iterable[Finding]:
    """Look up a name, open its port, and speak TLS where the address says so."""
    try:
        addresses = sorted({str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)})
    except OSError as error:
        yield Finding("wrong", f"name: {host} is not known ({error})", "check the host's name, and the network")
        return
    yield Finding("ok", f"name: {host} is {', '.join(addresses[:3])}")
    try:
        with socket.create_connection((host, port), _TIMEOUT) as plain:
            yield Finding("ok", f"port: {port} is open")
            if tls:
                with ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secure:
                    yield Finding("ok", f"TLS: {secure.version()}")
    except ssl.SSLError as error:
        yield Finding("wrong", f"TLS: {error.reason or error}", "a server without TLS needs http://")
    except OSError as error:
        yield Finding("wrong", f"port: {port} is not open ({error})", "is the server running?")


def server(client: AnyClient) -> Iterable[Finding]:
    """Ask a server for its health, and open a session of our own on it."""
    try:
        yield Finding("ok", f"health: {client.health().get('status', 'answers')}")
    except OpenEnvError as error:
        yield Finding("wrong", f"health: {error.describe()}", error.hint or "is this an OpenEnv server?")
    if client.status == "open":
        yield Finding("ok", "session: open")
        return
    back = "; reset() brings the client back" if client.status == "lost" else ""
    try:
        with client.new_session():
            yield Finding("ok", f"session: a new one could be opened{back}")
    except AtCapacity as error:
        yield Finding("look", f"session: {error.describe()}", error.hint or "close another client of it")
    except OpenEnvError as error:
        yield Finding("wrong", f"session: {error.describe()}", error.hint or "the server's log may say more")


def limits(endpoint: Endpoint) -> Iterable[Finding]:
    """Say how long messages may be and how the connection is kept alive."""
    if endpoint.max_size is None:
        yield Finding("look", "messages: of any length", "max_message_size_mb=… sets a limit")
    else:
        yield Finding("ok", f"messages: up to {endpoint.max_size / 2**20:g} MiB come in; servers take up to 16 MiB")
    if endpoint.ping_interval is None:
        yield Finding("look", "keepalive: none; a dead server is noticed late", "websocket_ping_interval_s=20 pings")
    else:
        answer = "" if endpoint.ping_timeout is None else f", an idle server has {endpoint.ping_timeout:g} s to answer"
        yield Finding("ok", f"keepalive: a ping every {endpoint.ping_interval:g} s{answer}")
