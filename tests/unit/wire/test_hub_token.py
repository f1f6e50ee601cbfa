"""The Hub token of this machine: found, sent, and never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.client.connect import connect
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.wire.http import Discovery
from openenv_notebook.wire.hub_token import SPACE_HEADER, find_token, with_token

SECRET = "hf_" + "S" * 20


def test_the_environment_comes_first(tmp_path: Path) -> None:
    """HF_TOKEN wins over the older name, and both over the file; where it was found is told."""
    (tmp_path / "token").write_text("from-file\n")
    values = {"HF_HOME": str(tmp_path)}
    assert find_token(values) == ("from-file", str(tmp_path / "token"))
    assert find_token({**values, "HUGGING_FACE_HUB_TOKEN": "old"}) == ("old", "HUGGING_FACE_HUB_TOKEN")
    assert find_token({**values, "HUGGING_FACE_HUB_TOKEN": "old", "HF_TOKEN": " new "}) == ("new", "HF_TOKEN")


def test_the_file_is_found_where_the_hub_keeps_it(tmp_path: Path) -> None:
    """HF_TOKEN_PATH, else HF_HOME, else the cache folder says where the login is."""
    (tmp_path / "elsewhere").write_text("one")
    assert find_token({"HF_TOKEN_PATH": str(tmp_path / "elsewhere")}) == ("one", str(tmp_path / "elsewhere"))
    (tmp_path / "huggingface").mkdir()
    (tmp_path / "huggingface" / "token").write_text("two")
    assert find_token({"XDG_CACHE_HOME": str(tmp_path)}) == ("two", str(tmp_path / "huggingface" / "token"))


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_no_login_is_no_token(tmp_path: Path, content: str | None) -> None:
    """Without a file, or with an empty one, there is no token."""
    if content is not None:
        (tmp_path / "token").write_text(content)
    assert find_token({"HF_HOME": str(tmp_path), "HF_TOKEN": ""}) is None


def test_a44_both_logins_travel() -> None:
    """A44: beside an Authorization for the app, the Hub token goes into the header a Space's proxy reads."""
    assert with_token({"X": "1"}, "t") == {"X": "1", "Authorization": "Bearer t"}
    assert with_token({"authorization": "app"}, "t") == {"authorization": "app", SPACE_HEADER: "Bearer t"}
    assert with_token({"X": "1"}, None) == {"X": "1"}


def test_headers_are_not_changed_in_place() -> None:
    """The person's own dict stays as it was."""
    headers = {"X": "1"}
    with_token(headers, "t")
    assert headers == {"X": "1"}


def test_a45_the_login_is_used_for_spaces_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A45: a cached login goes to Hub Spaces by itself, to no other address, and an explicit token to any."""
    monkeypatch.setenv("HF_TOKEN", SECRET)
    space, other = GenericEnvClient("owner/name"), GenericEnvClient("localhost:8000")
    assert space.endpoint is not None and other.endpoint is not None
    assert space.endpoint.headers == {"Authorization": f"Bearer {SECRET}"}
    assert space.endpoint.token_from == "HF_TOKEN"
    assert other.endpoint.headers == {}
    given = GenericEnvClient("localhost:8000", token="mine", headers={"Authorization": "app"}).endpoint
    assert given is not None
    assert given.headers == {"Authorization": "app", SPACE_HEADER: "Bearer mine"}
    assert given.token_from == "token="


def test_a_token_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """No repr of a client, its endpoint or its discovery holds a token or another header's value."""
    monkeypatch.setenv("HF_TOKEN", SECRET)
    client = GenericEnvClient("owner/name", headers={"X-Key": "secret-key"})
    assert client.endpoint is not None
    for shown in (
        client,
        client.sync(),
        client.endpoint,
        Discovery(client.endpoint.address, client.endpoint.headers),
        client.episode,
    ):
        assert SECRET not in repr(shown)
        assert "secret-key" not in repr(shown)
    with_password = GenericEnvClient("http://user:pass-word@localhost:8000")
    assert "pass-word" not in repr(with_password)
    assert with_password.endpoint is not None
    assert with_password.endpoint.headers["Authorization"].startswith("Basic ")


@pytest.mark.parametrize("around", ["\n", "\r\n", "  ", "\t"])
def test_a_token_may_have_been_read_from_a_file(around: str) -> None:
    """White space around a token is not a part of it."""
    endpoint = GenericEnvClient("localhost:8000", token=f"{around}{SECRET}{around}").endpoint
    assert endpoint is not None
    assert endpoint.headers == {"Authorization": f"Bearer {SECRET}"}


@pytest.mark.parametrize("token", [f"{SECRET}\nX: 1", f"a {SECRET}", f"{SECRET}\x00x", f"{SECRET}é", f"{SECRET}→"])
def test_what_can_be_no_token_is_refused(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told without its value, before anything is sent, also where it is this machine's."""
    with pytest.raises(MisuseError, match=r"^token has .* no token has") as caught:
        connect("localhost:8000", token=token)
    assert SECRET not in str(caught.value)
    if "\x00" not in token:
        monkeypatch.setenv("HF_TOKEN", token)
        with pytest.raises(MisuseError, match=r"\(HF_TOKEN\) has") as caught:
            GenericEnvClient("owner/name")
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("token", [SECRET.encode(), 5, [SECRET]])
def test_a_token_is_a_text(token: object) -> None:
    """Anything else is told by its kind alone."""
    with pytest.raises(MisuseError, match="token is a text, not a") as caught:
        GenericEnvClient("localhost:8000", token=token)  # type: ignore[arg-type]
    assert SECRET not in str(caught.value)
