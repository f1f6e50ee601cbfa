"""What ``connect`` and ``serve`` refuse before anything is opened or imported."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.client.connect import connect, target_of
from openenv_notebook.servers import serve
from openenv_notebook.values.errors import InvalidTarget, MisuseError


class Plain:
    """A class that has nothing of an environment."""


@pytest.fixture(autouse=True)
def without_openenv(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every import of the official package fail."""
    for name in [name for name in sys.modules if name.split(".")[0] == "openenv"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "openenv", None)


@pytest.mark.parametrize("target", [None, 3, "", "  ", [], b"localhost:1"])
def test_what_is_no_target_is_refused_at_once(target: Any) -> None:
    """A target that is no text and no class names connect(), and nothing is imported for it."""
    with pytest.raises(InvalidTarget, match=r"connect\(\) takes an address") as caught:
        connect(target)
    assert isinstance(target, str) or f"an address is a text, not a {type(target).__name__}" in str(caught.value)


def test_demos_take_no_arguments() -> None:
    """Arguments for a demo are refused in words before anything is started."""
    with pytest.raises(MisuseError, match="demo:guess takes no arguments \\(given: secret\\)"):
        serve("demo:guess", arguments={"secret": 1})


def test_a_port_is_a_text() -> None:
    """connect(8000) says what to write."""
    with pytest.raises(InvalidTarget, match=r"connect\('localhost:8000'\)"):
        connect(8000)  # type: ignore[call-overload]


def test_a_client_knows_how_to_connect_again() -> None:
    """target_of() gives what was served for the client, also on its address and after close(); else the address."""
    with connect("demo:grid") as env, connect(env.base_url or "") as other:
        assert target_of(env) == target_of(other) == "demo:grid"
    assert target_of(env) == "demo:grid"
    with serve("demo:grid") as server, connect(server.url) as env:
        assert target_of(env) == server.url


def test_a_stopped_server_is_no_target() -> None:
    """connect() of a server that was stopped says so at once."""
    with serve("demo:echo") as server:
        pass
    with pytest.raises(MisuseError, match="the server of echo is stopped"):
        connect(server)


def test_a_server_of_one_s_own_is_a_target() -> None:
    """connect() takes what serve() gave; the server stays when the client is closed."""
    with serve("demo:echo") as server:
        env = connect(server)
        assert env.base_url == server.url
        env.close()
        assert server.running


class Own(GenericEnvClient):
    """A client class with a setting of its own."""

    def __init__(self, base_url: str | None = None, *, flavour: str = "plain", **settings: Any) -> None:
        super().__init__(base_url, **settings)


@pytest.mark.parametrize(
    ("name", "near"),
    [("timeot", "'timeout'"), ("conect_timeout", "'connect_timeout'"), ("header", "'headers'"), ("mod", "'mode'")],
)
def test_a_misspelt_setting_names_connect(name: str, near: str) -> None:
    """It is told by the call that was written, with the nearest name, before anything is opened or started."""
    for target in ("localhost:1", "demo:grid"):
        with pytest.raises(TypeError, match=rf"^connect\(\) takes no argument '{name}'; did you mean {near}\?"):
            connect(target, **{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("client", [GenericEnvClient, Own])
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("message_timeout_s", "give timeout="),
        ("connect_timeout_s", "give connect_timeout="),
        ("wait_s", "give wait="),
        ("base_url", "the first argument says what to connect to"),
        ("provider", "the first argument says what to connect to"),
    ],
)
def test_what_connect_sets_itself_is_refused(name: str, instead: str, client: type[Any]) -> None:
    """A class's setting that connect() has by another name is refused with that name, never silently replaced."""
    with pytest.raises(TypeError, match=rf"^connect\(\) takes no argument '{name}'; {instead}"):
        connect("localhost:1", client=client, **{name: 5})


def test_a_setting_of_one_s_own_class_is_taken() -> None:
    """What the client class takes is not refused."""
    with connect("demo:echo", client=Own, flavour="sweet") as env:
        assert env.status == "open"


def test_a_server_is_told_by_its_address() -> None:
    """An object that has an address is hinted at by it."""
    with pytest.raises(InvalidTarget, match=r"connect\('http://localhost:1'\)"):
        connect(types.SimpleNamespace(url="http://localhost:1"))  # type: ignore[arg-type]


@pytest.mark.parametrize("what", [int, Plain])
def test_a_class_that_is_no_environment_needs_no_import(what: Any) -> None:
    """serve() and connect() of a class without reset and step say so without the official package."""
    for call in (serve, connect):
        with pytest.raises(MisuseError, match=f"{what.__name__} is no Environment class"):
            call(what)


def test_an_object_needs_no_import() -> None:
    """serve() of an object says that it takes a class."""
    with pytest.raises(MisuseError, match=r"takes a class or a function .* not a Plain object"):
        serve(Plain())  # type: ignore[arg-type]


@pytest.mark.parametrize(("client", "text"), [(int, "int is no client class"), (Plain(), "takes a client class")])
def test_what_is_no_client_class_is_refused(client: Any, text: str) -> None:
    """client= takes a client class, and says so before anything is opened."""
    with pytest.raises(MisuseError, match=text):
        connect("localhost:1", client=client)


@pytest.mark.parametrize("name", ["timeout", "connect_timeout", "wait"])
def test_limits_are_named_as_they_were_given(name: str) -> None:
    """A limit that cannot be meant is refused by the name it has here."""
    with pytest.raises(MisuseError, match=f"^{name} is a number of seconds"):
        connect("localhost:1", **{name: -1})  # type: ignore[arg-type]
