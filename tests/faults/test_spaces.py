"""Hub Spaces: asleep, private, missing; a server on loopback stands for the Hub's proxy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.sockets import Peer, SocketServer
from support.spaces import HTML, PAGE, asleep_at_first, stand_in
from support.waiting import eventually, in_threads

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.values.errors import HandshakeRejected, SpaceAsleep
from openenv_notebook.wire.hub_token import SPACE_HEADER


@pytest.fixture
def make_space() -> Iterator[Any]:
    """Make blocking clients of owner/name whose host is a server of the test."""
    with ExitStack() as stack:

        def make(server: SocketServer, wait: float = 0.0, **settings: Any) -> Any:
            client = GenericEnvClient("owner/name", **settings)
            stand_in(client, server.url, wait)
            stack.callback(client.sync().close)
            return client.sync()

        yield make


def test_e19_a_sleeping_space_is_waited_for(serve: Any, make_space: Any) -> None:
    """E19: with wait= a Space that starts is waited for, says so meanwhile, and works."""
    env = make_space(serve(asleep_at_first(1)), wait=1)
    said, result = in_threads(lambda: eventually(lambda: "Space" in env.activity and env.activity), env.reset)
    assert "the Space is waking up (starting or asleep)" in said
    assert result.observation.step == 0


@pytest.mark.parametrize("status", [502, 503, 504, 200])
def test_e19_without_a_wait_it_is_said_at_once(serve: Any, make_space: Any, status: int) -> None:
    """E19: without wait= a Space that is asleep, by status or by its page, is SpaceAsleep at once."""
    env = make_space(serve(asleep_at_first(99, status)))
    with pytest.raises(SpaceAsleep, match=r"the Space is not running \(starting or asleep\) · owner/name"):
        env.connect()
    assert env.status == "new"


def test_e19_the_wait_is_bounded(serve: Any, make_space: Any) -> None:
    """E19: a Space that does not wake up in time says how long was waited."""
    env = make_space(serve(asleep_at_first(99)), wait=0.3)
    with pytest.raises(SpaceAsleep, match=r"did not wake up within 0\.3 s"):
        env.connect()


def test_e19_an_interrupt_ends_the_wait(serve: Any, make_space: Any) -> None:
    """E19: SIGINT ends the wait for a Space at once."""
    env = make_space(serve(asleep_at_first(99)), wait=1e6)
    with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: "Space" in env.activity):
        env.connect()


def private(token: str) -> Any:
    """Make a script of a private Space: 404 without its token, in either header."""

    def script(peer: Peer) -> None:
        headers = peer.read_request().headers
        if f"Bearer {token}" not in (headers.get("Authorization"), headers.get(SPACE_HEADER)):
            peer.answer_http(404, PAGE, HTML)
        elif peer.request is not None and peer.request.path == "/ws":
            peer.prove()
            peer.serve()
        else:
            peer.answer_http(200, b'{"status":"healthy"}', {"Content-Type": "application/json"})

    return script


def test_a26_a_missing_space_is_final(serve: Any, make_space: Any) -> None:
    """A26: a 404 is told at once, however long one would wait, with the Space's name and no second try."""
    server = serve(lambda peer: peer.answer_http(404, PAGE, HTML))
    env = make_space(server, wait=30)
    with pytest.raises(HandshakeRejected, match="the Space was not found, or it is private · owner/name") as caught:
        env.connect()
    assert caught.value.status == 404
    assert len(server.peers) == 1


def test_a45_a_private_space_tells_of_the_login(serve: Any, make_space: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A45: without a token the text says so and how to log in; a cached login is used by itself, and named."""
    server = serve(private("hf_right"))
    with pytest.raises(
        HandshakeRejected, match=r"not found, or it is private.*no token was sent; set HF_TOKEN or pass token="
    ):
        make_space(server).connect()
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(HandshakeRejected, match="the token from HF_TOKEN was sent") as caught:
        make_space(server).connect()
    assert "hf_wrong" not in str(caught.value)
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    assert make_space(server).reset().observation.step == 0


@pytest.mark.parametrize("status", [401, 403])
def test_a45_a_refused_token_is_told(serve: Any, make_space: Any, status: int) -> None:
    """A45: 401 and 403 are explained with the login state too."""
    env = make_space(serve(lambda peer: peer.answer_http(status)), token="hf_mine")
    with pytest.raises(HandshakeRejected, match=r"the Space refused the token.*the token from token= was sent"):
        env.connect()


def test_a44_both_logins_travel_to_both(serve: Any, make_space: Any) -> None:
    """A44: the Hub token and the app's own key both reach handshake and HTTP."""
    server = serve(private("hf_right"))
    env = make_space(server, token="hf_right", headers={"Authorization": "App key"})
    assert env.reset().observation.step == 0
    assert env.health() == {"status": "healthy"}
    for peer in server.peers:
        assert peer.request.headers["Authorization"] == "App key"
        assert peer.request.headers[SPACE_HEADER] == "Bearer hf_right"
    assert [peer.request.path for peer in server.peers] == ["/ws", "/health"]
