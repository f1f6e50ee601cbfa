"""What is no OpenEnv server, or does not let us in: told apart by type and by text."""

from __future__ import annotations

import logging
import re
import socket
import ssl
import threading
import time
import traceback
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.sockets import Peer, SocketServer
from support.waiting import eventually, in_threads
from support.wire import Replier, error_frame

from openenv_notebook.client.connect import connect
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.values.errors import (
    ConnectFailed,
    ConnectTimeout,
    HandshakeRejected,
    NotAnOpenEnvServer,
    OpenEnvError,
)

PAGE = b"<!doctype html><title>A page</title>"
HTML = {"Content-Type": "text/html; charset=utf-8"}
JSON = {"Content-Type": "application/json"}


def echo(peer: Peer) -> None:
    """Be a WebSocket that says back what it hears."""
    peer.accept()
    while True:
        request = peer.receive()
        peer.say(b'{"type":"echo","of":"%s"}' % request["type"].encode())


def greeter(peer: Peer) -> None:
    """Be a chat that greets."""
    peer.accept([b"hello and welcome"])
    peer.wait_for_end()


def hang_up(peer: Peer) -> None:
    """Read the request and close."""
    peer.read_request()
    peer.sock.close()


def say(text: bytes) -> Any:
    """Make a script that answers the request by these bytes."""
    return lambda peer: (peer.read_request(), peer.raw(text))


def closes_at_once(code: int) -> Any:
    """Make a script that closes in the breath in which it opens."""
    return lambda peer: (peer.accept(close=code), peer.wait_for_end())


def closes_later(peer: Peer) -> None:
    """Close as the first message comes."""
    peer.accept()
    peer.receive()
    peer.close(1008, "no token")


def noise(after: int) -> Any:
    """Make a script that sends bytes that are no text, after so many messages."""

    def script(peer: Peer) -> None:
        peer.accept()
        for _ in range(after):
            peer.receive()
        peer.say_binary(b"\xff\xfe\x00noise")
        peer.wait_for_end()

    return script


CASES: list[tuple[str, Any, type[OpenEnvError], str]] = [
    ("echo websocket", echo, NotAnOpenEnvServer, "a WebSocket, but not OpenEnv"),
    ("greeting websocket", greeter, NotAnOpenEnvServer, "not OpenEnv (it said 'hello and welcome')"),
    ("web page", lambda peer: peer.answer_http(200, PAGE, HTML), NotAnOpenEnvServer, "a web page (HTTP 200) answers"),
    ("json api", lambda peer: peer.answer_http(200, b"{}", JSON), NotAnOpenEnvServer, "HTTP 200 answers there"),
    ("page for 404", lambda peer: peer.answer_http(404, PAGE, HTML), NotAnOpenEnvServer, "a web page (HTTP 404)"),
    ("page for 405", lambda peer: peer.answer_http(405, PAGE, HTML), NotAnOpenEnvServer, "a web page (HTTP 405)"),
    ("page for 401", lambda peer: peer.answer_http(401, PAGE, HTML), HandshakeRejected, "HTTP 401: the token or"),
    ("page for 403", lambda peer: peer.answer_http(403, PAGE, HTML), HandshakeRejected, "HTTP 403: it is forbidden"),
    ("redirect to nowhere", lambda peer: peer.answer_http(302), NotAnOpenEnvServer, "HTTP 302, a redirect without a"),
    ("401", lambda peer: peer.answer_http(401), HandshakeRejected, "HTTP 401: the token or password is missing"),
    ("403", lambda peer: peer.answer_http(403), HandshakeRejected, "HTTP 403: it is forbidden, or there"),
    ("404", lambda peer: peer.answer_http(404, b"{}", JSON), HandshakeRejected, "HTTP 404: there is nothing at this"),
    ("429", lambda peer: peer.answer_http(429), HandshakeRejected, "HTTP 429: too many requests"),
    ("500", lambda peer: peer.answer_http(500), HandshakeRejected, "HTTP 500: the server failed"),
    ("502", lambda peer: peer.answer_http(502), HandshakeRejected, "HTTP 502: a proxy could not reach the server"),
    ("503", lambda peer: peer.answer_http(503), HandshakeRejected, "HTTP 503: the server is not ready"),
    ("page for 503", lambda peer: peer.answer_http(503, PAGE, HTML), HandshakeRejected, "HTTP 503"),
    ("418", lambda peer: peer.answer_http(418), HandshakeRejected, "HTTP 418: it gave no reason"),
    ("hangs up", hang_up, NotAnOpenEnvServer, "does not speak WebSocket"),
    ("resets", lambda peer: (peer.read_request(), peer.abort()), NotAnOpenEnvServer, "does not speak WebSocket"),
    ("garbage", say(b"\x00\x01SSH-2.0\r\n\r\n"), NotAnOpenEnvServer, "does not speak WebSocket"),
    ("mail server", lambda peer: peer.raw(b"220 mail ESMTP\r\n"), NotAnOpenEnvServer, "does not speak WebSocket"),
    ("cut off", say(b"HTTP/1.1 101 Switching"), NotAnOpenEnvServer, "does not speak WebSocket"),
    *[
        (f"closes with {code}", closes_at_once(code), ConnectFailed, f"new connection at once (code {code}) · ")
        for code in (1000, 1001, 1008, 1011, 1012)
    ],
    ("closes later", closes_later, ConnectFailed, "closed the new session (code 1008: no token)"),
    ("noise at once", noise(0), NotAnOpenEnvServer, "a WebSocket, but not OpenEnv (it sent text that is not UTF-8)"),
    ("noise", noise(1), NotAnOpenEnvServer, "a WebSocket, but not OpenEnv (it sent text that is not UTF-8)"),
    ("wrong upgrade", lambda peer: peer.answer_http(101), NotAnOpenEnvServer, "handshake failed"),
]  # fmt: skip


def test_a_port_that_closes_at_once(serve: Any, make_env: Any) -> None:
    """TCP that closes before the handshake, as a proxy whose server is not up, is a failed connect after some tries."""
    server = serve(lambda peer: peer.sock.close())
    env = make_env(server)
    with pytest.raises(ConnectFailed, match=r"drops connections at once|does not speak WebSocket"):
        env.connect()
    assert env.status == "new"


@pytest.mark.parametrize(("script", "kind", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_no_server_is_told_apart(
    serve: Any, make_env: Any, script: Any, kind: type[OpenEnvError], text: str
) -> None:
    """Each has its own error, at connect, with the address; nothing counts as a lost session afterwards."""
    server = serve(script)
    env = make_env(server)
    for _ in range(2):
        with pytest.raises(kind) as caught:
            env.connect()
        assert type(caught.value) is kind
        assert text in str(caught.value)
        assert caught.value.url == server.url
        assert env.status == "new"


REDIRECTS = {f"to {to}": to for to in ("ftp://elsewhere.test/", "http://[bad/", "ws://elsewhere.test:1/ws")}
TOLD_ONCE = [
    *(case[1] for case in CASES),
    *(lambda peer, to=to: peer.answer_http(302, headers={"Location": to}) for to in REDIRECTS.values()),
]


@pytest.mark.parametrize("script", TOLD_ONCE, ids=[*(case[0] for case in CASES), *REDIRECTS])
def test_why_is_told_once(serve: Any, make_env: Any, script: Any) -> None:
    """A script's traceback has our words for it, and no error of another package's beside them."""
    with pytest.raises(OpenEnvError) as caught:
        make_env(serve(script), connect_timeout_s=2).connect()
    shown = "".join(traceback.format_exception(caught.value))
    assert "websockets.exceptions" not in shown and shown.count("\nTraceback (most") == 0
    assert shown.count(str(caught.value)) == 1


def test_a_proxy_is_told_once(monkeypatch: pytest.MonkeyPatch, make_env: Any) -> None:
    """A proxy that cannot be meant is told in our words alone, without its password."""
    monkeypatch.setenv("HTTP_PROXY", "odd://user:hunter22@127.0.0.1:1")
    with pytest.raises(OpenEnvError) as caught:
        make_env("http://server.test:8000", connect_timeout_s=2).connect()
    shown = "".join(traceback.format_exception(caught.value))
    assert "websockets.exceptions" not in shown and "hunter22" not in shown


def test_a_status_is_an_attribute(serve: Any, make_env: Any) -> None:
    """The HTTP status can be asked for."""
    with pytest.raises(HandshakeRejected) as caught:
        make_env(serve(lambda peer: peer.answer_http(401))).connect()
    assert caught.value.status == 401
    assert "token=" in str(caught.value.hint)


@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
def test_an_old_server_refuses_with_its_status(serve: Any, make_env: Any, status: int) -> None:
    """A refusal in HTTP/1.0, as of Python's own server, tells its status as one in HTTP/1.1 does."""
    script = say(b"HTTP/1.0 %d Because\r\nServer: SimpleHTTP/0.6\r\n\r\n{}" % status)
    server = serve(lambda peer: (script(peer), peer.sock.close()))
    with pytest.raises(HandshakeRejected, match=f"HTTP {status}: ") as caught:
        make_env(server).connect()
    assert caught.value.status == status


def test_a_page_of_an_old_server_is_told(serve: Any, make_env: Any) -> None:
    """A page in HTTP/1.0, as of ``python -m http.server``, is a page, with its status."""
    script = say(b"HTTP/1.0 404 File not found\r\nContent-Type: text/html;charset=utf-8\r\n\r\n" + PAGE)
    with pytest.raises(NotAnOpenEnvServer, match=r"a web page \(HTTP 404\)"):
        make_env(serve(lambda peer: (script(peer), peer.sock.close()))).connect()


def test_a_refused_handshake_can_be_tried_again(serve: Any, make_env: Any) -> None:
    """After an HTTP refusal the next call connects, and a step is not told of a loss."""

    def script(peer: Peer) -> None:
        if peer.number == 0:
            peer.answer_http(503)
        else:
            peer.prove()
            peer.serve()

    env = make_env(serve(script))
    with pytest.raises(HandshakeRejected):
        env.connect()
    # The refused connection has long ended by the time its end is noticed.
    eventually(lambda: conversation_of(env).session.lease.portal.call(lambda: True))
    assert env.status == "new"
    with pytest.warns(UserWarning, match="before any reset"):
        assert env.step({"n": 1}).observation.echo == {"n": 1}


def test_tls_on_a_plain_port(serve: Any, make_env: Any) -> None:
    """https:// to a server without TLS says which scheme to write."""
    server = serve(lambda peer: (peer.sock.recv(1000), peer.raw(b"HTTP/1.1 400 Bad Request\r\n\r\n")))
    with pytest.raises(ConnectFailed, match=r"no TLS connection.*http:// or ws://"):
        make_env(server.url.replace("http://", "https://")).connect()


def test_plain_on_a_tls_port(serve: Any, make_env: Any) -> None:
    """http:// to a server with TLS says which scheme to write."""
    alert = b"\x15\x03\x01\x00\x02\x02\x46"
    with pytest.raises(NotAnOpenEnvServer, match=r"if the server uses TLS, write https:// or wss://"):
        make_env(serve(lambda peer: (peer.read_request(), peer.raw(alert)))).connect()
    assert ssl.OPENSSL_VERSION


def test_a_silent_websocket(serve: Any, make_env: Any) -> None:
    """A WebSocket that never answers is a timeout that says what was waited for, and how to wait longer."""

    def script(peer: Peer) -> None:
        peer.accept()
        peer.wait_for_end()

    env = make_env(serve(script), message_timeout_s=0.1)
    for _ in range(2):
        with pytest.raises(ConnectTimeout, match=r"longer than 0\.1 s: the server opened a session.*message_timeout_s"):
            env.connect()
    assert env.status == "new"


def test_a_silent_port(serve: Any, make_env: Any) -> None:
    """TCP that takes the connection and says nothing is a timeout of the handshake."""
    env = make_env(serve(lambda peer: peer.wait_for_end()), connect_timeout_s=0.1)
    with pytest.raises(ConnectTimeout, match=r"longer than 0\.1 s: .*handshake.*connect_timeout_s") as caught:
        env.connect()
    assert isinstance(caught.value, TimeoutError)


def free_port() -> int:
    """A port nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def test_nothing_listens(make_env: Any) -> None:
    """A refused connection is tried again for a while, then names host and port."""
    port = free_port()
    began = time.monotonic()
    with pytest.raises(ConnectFailed, match=rf"nothing listens at 127\.0\.0\.1:{port} \(connection refused\)"):
        make_env(f"http://127.0.0.1:{port}").connect()
    assert time.monotonic() - began > 1


def test_an_unknown_host(make_env: Any) -> None:
    """A host name that does not exist is named."""
    with pytest.raises(ConnectFailed, match=r"nowhere\.invalid"):
        make_env("http://nowhere.invalid:8000", connect_timeout_s=30).connect()


def test_e22_a_server_that_starts_late_is_joined(make_env: Any, caplog: pytest.LogCaptureFixture) -> None:
    """E22: a first attempt that is refused is repeated with back-off, and said; the session then works."""
    port = free_port()
    env = make_env(f"http://127.0.0.1:{port}")
    servers: list[SocketServer] = []

    def start() -> None:
        eventually(lambda: "trying again" in env.activity)
        server = SocketServer(lambda peer: (peer.prove(), peer.serve()), port=port)
        servers.append(server.__enter__())

    with caplog.at_level(logging.INFO, "openenv_notebook"):
        outcome = in_threads(env.reset, start)
    env.close()
    servers[0].__exit__(None, None, None)
    assert outcome[0].observation.step == 0
    assert "refused the connection, trying again" in caplog.text


def test_e22_a_step_is_never_tried_again(serve: Any, make_env: Any) -> None:
    """E22: only connecting is repeated; a step whose connection breaks is made once."""

    def script(peer: Peer) -> None:
        peer.prove()
        while True:
            request = peer.receive()
            if request["type"] == "step":
                peer.abort()
                return
            peer.say(Replier()(request))

    server = serve(script)
    env = make_env(server)
    env.reset()
    with pytest.raises(OpenEnvError):
        env.step({"n": 1})
    assert sum(request["type"] == "step" for peer in server.peers for request in peer.received) == 1


def test_a_slow_build_is_waited_for(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """A server that takes long to build its environment is waited for, longer than for the connection, and said."""

    def script(peer: Peer) -> None:
        if peer.number:
            peer.wait_for_end()
        peer.accept()
        peer.receive()
        gate.wait()
        peer.say(error_frame("UNKNOWN_TYPE"))
        peer.serve()

    server = serve(script)
    env, other = (make_env(server, connect_timeout_s=0.1) for _ in range(2))

    def watch() -> None:
        eventually(lambda: "the server is building the environment" in env.activity)
        assert "the server is building the environment" in repr(env)
        with pytest.raises(ConnectTimeout):
            other.connect()
        gate.set()

    outcome = in_threads(env.reset, watch)
    assert outcome[0].observation.step == 0


def test_an_interrupt_ends_a_connect(serve: Any, make_env: Any) -> None:
    """SIGINT while the environment is built ends the wait at once; the next call connects and works."""

    def script(peer: Peer) -> None:
        if peer.number == 0:
            peer.accept()
            peer.wait_for_end()
        peer.prove()
        peer.serve()

    env = make_env(serve(script), message_timeout_s=1e6)
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: "building" in env.activity):
        env.reset()
    assert env.reset().observation.step == 0


class BuildsForEver:
    """A server that builds its environment and answers nothing meanwhile.

    Attributes:
        left: For each client that left, what it said before it went.
    """

    def __init__(self) -> None:
        self.left: list[list[Any]] = []

    def __call__(self, peer: Peer) -> None:
        """Read all there is, for ever."""
        peer.accept()
        peer.pongs = False
        try:
            while True:
                peer.receive()
        finally:
            self.left.append([message["type"] for message in peer.received] + [peer.protocol.close_rcvd])


# There is no goodbye in it, whose answer would have to be waited for.
DROPPED = ["openenv_notebook_hello", None]


@pytest.mark.parametrize("leave", ["close", "disconnect"])
def test_a_session_that_is_being_built_is_left_at_once(serve: Any, make_env: Any, leave: str) -> None:
    """close() and disconnect() say no goodbye to a server that still builds: nothing was asked of it yet."""
    server = BuildsForEver()
    env = make_env(serve(server))

    def leaving() -> None:
        eventually(lambda: "building" in env.activity)
        getattr(env, leave)()

    def connecting() -> None:
        with pytest.raises(OpenEnvError):
            env.connect()

    assert in_threads(leaving, connecting) == [None, None]
    eventually(lambda: server.left == [DROPPED])


def test_a_connect_that_is_given_up_leaves_at_once(serve: Any) -> None:
    """connect() to a server that builds for ever ends with its timeout, and with an interrupt, without a goodbye."""
    builder = BuildsForEver()
    server = serve(builder)
    with pytest.raises(ConnectTimeout):
        connect(server.url, timeout=0.1)
    with (
        pytest.raises(KeyboardInterrupt),
        interrupted_when(lambda: len(server.peers) == 2 and server.peers[1].received),
    ):
        connect(server.url, timeout=1e6)
    eventually(lambda: builder.left == [DROPPED, DROPPED])


def test_an_interrupt_in_the_handshake_leaves_a_working_client(serve: Any, make_env: Any) -> None:
    """SIGINT while the handshake is unanswered leaves nothing lost."""

    def script(peer: Peer) -> None:
        if peer.number == 0:
            peer.read_request()
            peer.wait_for_end()
        peer.prove()
        peer.serve()

    server = serve(script)
    env = make_env(server)
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: server.peers and server.peers[0].request):
        env.reset()
    assert env.reset().observation.step == 0
    assert env.status == "open"


def test_headers_and_query_travel(serve: Any, make_env: Any) -> None:
    """The person's headers, the token and the query of the address stand in the handshake."""
    server = serve(lambda peer: (peer.prove(), peer.serve()))
    env = make_env(f"{server.url}/envs/a?key=1", headers={"X-Key": "abc"}, token="secret")
    env.connect()
    request = server.peers[0].request
    assert request.path == "/envs/a/ws?key=1"
    assert (request.headers["X-Key"], request.headers["Authorization"]) == ("abc", "Bearer secret")
    assert request.headers["User-Agent"] == "openenv-notebook"
    assert "Sec-WebSocket-Extensions" not in request.headers


def test_a_redirect_elsewhere_gets_none_of_the_headers(serve: Any, make_env: Any) -> None:
    """A redirect to another origin is followed without the person's headers and token."""
    other = serve(lambda peer: (peer.prove(), peer.serve()))
    target = other.url.replace("http", "ws") + "/ws"
    server = serve(lambda peer: peer.answer_http(307, headers={"Location": target}))
    env = make_env(server, headers={"X-Key": "abc", "Cookie": "c"}, token="secret")
    assert env.reset().observation.step == 0
    assert server.peers[0].request.headers["X-Key"] == "abc"
    headers = other.peers[0].request.headers
    assert not {"x-key", "cookie", "authorization"} & {name.lower() for name in headers}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_in_the_words_of_http_is_followed(serve: Any, make_env: Any, status: int) -> None:
    """A redirect to http:// is one to ws://, without the person's headers at another origin; so proxies write it."""
    other = serve(lambda peer: (peer.prove(), peer.serve()))
    server = serve(lambda peer: peer.answer_http(status, headers={"Location": f"{other.url}/ws#part"}))
    env = make_env(server, headers={"X-Key": "abc"}, token="secret")
    assert env.reset().observation.step == 0
    assert not {"x-key", "authorization"} & {name.lower() for name in other.peers[0].request.headers}


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("ftp://elsewhere.test/ws?key=hidden", "a redirect was not followed: it leads to ftp://elsewhere.test/ws"),
        ("mailto:somebody", "a redirect was not followed: it leads to mailto:somebody"),
        ("http://u:hidden@127.0.0.1:1/ws", "nothing listens at 127.0.0.1:1 .* redirected to ws://127.0.0.1:1/ws"),
        ("/ws", "more than 10 redirects"),
    ],
)
def test_a_redirect_that_cannot_be_followed_says_where_it_leads(
    serve: Any, make_env: Any, target: str, text: str
) -> None:
    """A redirect to what is no server is a failed connect that names the place, and no secret."""
    server = serve(lambda peer: peer.answer_http(302, headers={"Location": target}))
    with pytest.raises(ConnectFailed) as caught:
        make_env(server).connect()
    assert re.search(text, str(caught.value)) and "hidden" not in str(caught.value)


def test_a_redirect_at_home_keeps_the_headers(serve: Any, make_env: Any) -> None:
    """A redirect within the same origin is followed with them."""

    def script(peer: Peer) -> None:
        if peer.read_request().path == "/ws":
            peer.answer_http(307, headers={"Location": "/other/ws"})
        else:
            peer.prove()
            peer.serve()

    server = serve(script)
    env = make_env(server, headers={"X-Key": "abc"})
    env.connect()
    assert [peer.request.headers["X-Key"] for peer in server.peers] == ["abc", "abc"]


def test_a_secret_is_in_no_text(serve: Any, make_env: Any, caplog: pytest.LogCaptureFixture) -> None:
    """No error, log or repr of a failed connect holds the token, a header or a password."""
    server = serve(lambda peer: peer.answer_http(401, b"no"))
    url = server.url.replace("http://", "http://user:pass-word@") + "?token=query-secret"
    env = make_env(url, headers={"X-Key": "key-secret"}, token="hf_token-secret")
    with caplog.at_level(logging.DEBUG), pytest.raises(HandshakeRejected) as caught:
        env.connect()
    shown = f"{caught.value} {caught.value!r} {vars(caught.value)} {env!r} {env.async_client!r} {caplog.text}"
    for secret in ("pass-word", "key-secret", "token-secret", "query-secret"):
        assert secret not in shown
