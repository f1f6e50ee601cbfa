"""Every address people type gives the right place; what cannot be meant names the part that is wrong."""

from __future__ import annotations

import base64
import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openenv_notebook.values.errors import InvalidTarget
from openenv_notebook.values.targets import Address, LocalTarget, parse_target

ADDRESSES = [
    # typed text, WebSocket address, base address
    ("localhost:8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("localhost", "ws://localhost/ws", "http://localhost"),
    ("localhost/", "ws://localhost/ws", "http://localhost"),
    ("localhost/envs/a", "ws://localhost/envs/a/ws", "http://localhost/envs/a"),
    ("LocalHost:8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    (":8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("localhost:8000/a@b", "ws://localhost:8000/a@b/ws", "http://localhost:8000/a@b"),
    ("8000/web", "ws://localhost:8000/ws", "http://localhost:8000"),
    (":8000/envs/a/", "ws://localhost:8000/envs/a/ws", "http://localhost:8000/envs/a"),
    ("08000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000///", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("HTTP://LOCALHOST:8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("ws://localhost:8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("WS://localhost:8000/ws", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("//localhost:8000", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("https://env.example.com", "wss://env.example.com/ws", "https://env.example.com"),
    ("wss://Env.Example.COM/ws/", "wss://env.example.com/ws", "https://env.example.com"),
    ("https://host.example.com/envs/A/", "wss://host.example.com/envs/A/ws", "https://host.example.com/envs/A"),
    ("http://host.example.com", "ws://host.example.com/ws", "http://host.example.com"),
    ("http://localhost:80", "ws://localhost/ws", "http://localhost"),
    ("https://localhost:443", "wss://localhost/ws", "https://localhost"),
    ("https://localhost:80", "wss://localhost:80/ws", "https://localhost:80"),
    # pasted from a browser
    ("http://localhost:8000/web", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/web/", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/ws", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/docs#/default/health", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/health", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/schema", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/metadata", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("http://localhost:8000/openapi.json", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("https://h.example.com/envs/a/web/", "wss://h.example.com/envs/a/ws", "https://h.example.com/envs/a"),
    ("http://localhost:8000/website", "ws://localhost:8000/website/ws", "http://localhost:8000/website"),
    # the query stays on the WebSocket address
    ("localhost:8000?session_id=ab-1", "ws://localhost:8000/ws?session_id=ab-1", "http://localhost:8000"),
    ("ws://localhost:8000/ws?session_id=ab&x=1", "ws://localhost:8000/ws?session_id=ab&x=1", "http://localhost:8000"),
    ("localhost:8000/?", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("localhost:8000?to=http://x/y", "ws://localhost:8000/ws?to=http://x/y", "http://localhost:8000"),
    # trimmed
    ("  localhost:8000\n", "ws://localhost:8000/ws", "http://localhost:8000"),
    ("'localhost:8000'", "ws://localhost:8000/ws", "http://localhost:8000"),
    ('" <http://localhost:8000/> "', "ws://localhost:8000/ws", "http://localhost:8000"),
    ("\u200blocalhost:8000\ufeff", "ws://localhost:8000/ws", "http://localhost:8000"),
    # IP addresses
    ("[::1]:8000", "ws://[::1]:8000/ws", "http://[::1]:8000"),
    ("http://[::1]", "ws://[::1]/ws", "http://[::1]"),
    ("http://[0:0:0:0:0:0:0:1]:8000/web", "ws://[::1]:8000/ws", "http://[::1]:8000"),
    ("http://[2001:DB8::1]:8000", "ws://[2001:db8::1]:8000/ws", "http://[2001:db8::1]:8000"),
    ("http://0.0.0.0:8000", "ws://127.0.0.1:8000/ws", "http://127.0.0.1:8000"),
    ("http://[::]:8000", "ws://[::1]:8000/ws", "http://[::1]:8000"),
    ("192.168.0.7", "ws://192.168.0.7/ws", "http://192.168.0.7"),
    # http or https without a scheme
    ("env.example.com", "wss://env.example.com/ws", "https://env.example.com"),
    ("env.example.com/envs/a", "wss://env.example.com/envs/a/ws", "https://env.example.com/envs/a"),
    ("env.example.com:8000", "ws://env.example.com:8000/ws", "http://env.example.com:8000"),
    ("env.example.com:443", "wss://env.example.com/ws", "https://env.example.com"),
    ("env.example.com.", "wss://env.example.com/ws", "https://env.example.com"),
    ("my_host", "ws://my_host/ws", "http://my_host"),
    ("gpu.local", "ws://gpu.local/ws", "http://gpu.local"),
    ("demo:8000", "ws://demo:8000/ws", "http://demo:8000"),
    ("http://demo", "ws://demo/ws", "http://demo"),
    ("me-echo.hf.space", "wss://me-echo.hf.space/ws", "https://me-echo.hf.space"),
    ("http://me-echo.hf.space/web", "wss://me-echo.hf.space/ws", "https://me-echo.hf.space"),
    # other letters
    ("http://bücher.example:8000", "ws://xn--bcher-kva.example:8000/ws", "http://xn--bcher-kva.example:8000"),
    ("http://localhost:8000/ö?q=ü", "ws://localhost:8000/%C3%B6/ws?q=%C3%BC", "http://localhost:8000/%C3%B6"),
    ("http://localhost:8000/a%20b", "ws://localhost:8000/a%20b/ws", "http://localhost:8000/a%20b"),
]

SPACES = [
    # typed text, id, host
    ("openenv/echo_env", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("openenv/echo_env/", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("OpenEnv/Echo.Env-2", "OpenEnv/Echo.Env-2", "openenv-echo-env-2.hf.space"),
    ("hf://openenv/echo_env", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("HF://openenv/echo_env/", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("hf://spaces/openenv/echo_env", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("spaces/openenv/echo_env", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("https://huggingface.co/spaces/openenv/echo_env", "openenv/echo_env", "openenv-echo-env.hf.space"),
    (
        "https://huggingface.co/spaces/openenv/echo_env/tree/main/server",
        "openenv/echo_env",
        "openenv-echo-env.hf.space",
    ),
    ("huggingface.co/spaces/openenv/echo_env?logs=build", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("https://www.huggingface.co/spaces/openenv/echo_env/", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("https://hf.co/spaces/openenv/echo_env", "openenv/echo_env", "openenv-echo-env.hf.space"),
    ("envs/echo", "envs/echo", "envs-echo.hf.space"),
    ("owner/X/", "owner/X", "owner-x.hf.space"),
]

LOCAL = [
    ("demo:grid", "demo", "grid"),
    ("DEMO:Grid", "demo", "grid"),
    ("docker:registry.example.com:5000/echo@sha256:ab", "docker", "registry.example.com:5000/echo@sha256:ab"),
    ("uv:./envs/echo", "uv", "./envs/echo"),
    ("./envs/my env", "folder", "./envs/my env"),
    ("./envs/echo/", "folder", "./envs/echo"),
    ("../echo", "folder", "../echo"),
    (".", "folder", "."),
    ("./", "folder", "."),
    ("/srv/echo", "folder", "/srv/echo"),
    ("~/echo", "folder", "~/echo"),
    ("C:\\envs\\echo", "folder", "C:\\envs\\echo"),
    ("C:/envs/echo", "folder", "C:/envs/echo"),
    ("echo_env.server.app:app", "module", "echo_env.server.app:app"),
    ("app:make_app()", "module", "app:make_app()"),
]

WRONG = [
    # typed text, words of the reason
    ("", "empty"),
    ("  ", "empty"),
    ("''", "empty"),
    ("local host:8000", "blank inside"),
    ("http://localhost:8000/a b", "blank inside"),
    ("local\u200bhost:8000", "U+200B"),
    ("localhost:80\x000", "U+0000"),
    ("x" * 5000, "longer than 4096"),
    ("localhost:", "port after the colon is missing"),
    ("localhost:http", "port 'http' is not a number"),
    ("localhost:80a", "port '80a' is not a number"),
    ("my-host:app", "port 'app' is not a number"),
    ("localhost:0", "port 0 is not between 1 and 65535"),
    ("localhost:65536", "port 65536 is not between"),
    ("99999", "port 99999 is not between"),
    ("localhost:" + "9" * 5000, "longer than"),
    ("localhost:-1", "port '-1' is not a number"),
    ("localhost:٣", "is not a number"),
    ("ftp://localhost:8000", "ftp:// is not one of"),
    ("file:///srv/echo", "file:// is not one of"),
    ("://localhost", "scheme before :// is missing"),
    ("http:/localhost:8000", "two slashes are missing after http:"),
    ("http:localhost", "two slashes are missing after http:"),
    ("https:localhost", "two slashes are missing after https:"),
    ("ws:localhost", "two slashes are missing after ws:"),
    ("wss:localhost", "two slashes are missing after wss:"),
    ("hf:localhost", "two slashes are missing after hf:"),
    ("http://", "host is missing"),
    ("http://:8000", "host is missing"),
    ("https:///envs/a", "host is missing"),
    ("?session_id=1", "host is missing"),
    ("http://8000", "host '8000' is only a number"),
    ("a..b:8000", "two dots"),
    ("http://ho^st:8000", "'ho^st' in it"),
    ("http://-x", "starts with -"),
    ("--timeout", "starts with -"),
    ("http://" + "a." * 150 + "b", "too long"),
    ("192.168.0.300:8000", "not an IPv4 address"),
    ("::1", "more than one colon"),
    ("[::1:8000", "brackets"),
    ("[::g]:8000", "[::g] is not an IPv6 address"),
    ("[::1]8000", "behind the ]"),
    ("[fe80::1%eth0]:8000", "zone"),
    ("owner/name/extra", "here 'extra'"),
    ("owner/na!me", "'na!me' is not the name of a Space"),
    ("owner/-name", "'-name' is not the name of a Space"),
    ("owner/na--me", "not the name of a Space"),
    ("owner/name.git", "not the name of a Space"),
    ("ow!ner/name", "'ow!ner' is not the name of a Hub owner"),
    ("owner/" + "n" * 80, "too long for a host name"),
    ("hf://owner", "'owner' alone names no Hub Space"),
    ("hf://", "alone names no Hub Space"),
    ("hf:owner/name", "two slashes"),
    ("hf://datasets/owner/name", "datasets/"),
    ("https://huggingface.co/owner/name", "page of the Hub is not a Space's"),
    ("folder/", "'folder' alone names no Hub Space"),
    ("demo", "demo's name is missing"),
    ("demo:", "demo's name is missing"),
    ("demo:gr id", "'gr id' is not a demo's name"),
    ("docker:", "image after docker: is missing"),
    ("uv:", "project after uv: is missing"),
]


@pytest.mark.parametrize(("text", "ws_url", "http_url"), ADDRESSES)
def test_addresses(text: str, ws_url: str, http_url: str) -> None:
    """Each form of address gives the right WebSocket and HTTP addresses."""
    target = parse_target(text)
    assert isinstance(target, Address)
    assert (target.kind, target.ws_url, target.http_url) == ("url", ws_url, http_url)


@pytest.mark.parametrize(("text", "space_id", "host"), SPACES)
def test_spaces(text: str, space_id: str, host: str) -> None:
    """Each form of a Hub Space gives its host over TLS, and its id."""
    target = parse_target(text)
    assert isinstance(target, Address)
    assert (target.kind, target.space_id, target.name) == ("space", space_id, space_id)
    assert (target.ws_url, target.http_url) == (f"wss://{host}/ws", f"https://{host}")


@pytest.mark.parametrize(("text", "kind", "argument"), LOCAL)
def test_local_targets(text: str, kind: str, argument: str) -> None:
    """What a server has to be started for is recognised, with its argument as it was typed."""
    target = parse_target(text)
    assert isinstance(target, LocalTarget)
    assert (target.kind, target.argument) == (kind, argument)


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_wrong(text: str, words: str) -> None:
    """What cannot be meant is refused with the part that is wrong, and a way out."""
    with pytest.raises(InvalidTarget) as caught:
        parse_target(text)
    assert words in caught.value.reason
    assert caught.value.hint


def test_a_folder_needs_dot_slash() -> None:
    """A relative folder without ./ is told that it needs one."""
    for text in ("folder/", "a/b/c"):
        with pytest.raises(InvalidTarget, match=r"a folder needs \./ in front"):
            parse_target(text)


def test_what_is_no_text() -> None:
    """A value that is no text is refused as every other wrong target."""
    for value in (None, 8000, b"localhost"):
        with pytest.raises(InvalidTarget, match="an address is a text"):
            parse_target(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        ("localhost", True),
        ("app.localhost:80", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("0.0.0.0:1", True),
        ("[::ffff:127.0.0.1]:1", True),
        ("192.168.0.1:1", False),
        ("localhost.example.com", False),
        ("a/b", False),
    ],
)
def test_loopback(text: str, loopback: bool) -> None:
    """This machine is known as such in every spelling, so that no proxy is used for it."""
    target = parse_target(text)
    assert isinstance(target, Address)
    assert target.is_loopback is loopback


def test_credentials_are_kept_for_the_connection_only() -> None:
    """A password becomes an Authorization header and stands nowhere else."""
    target = parse_target("https://me:p%40ss@env.example.com/a")
    assert isinstance(target, Address)
    assert target.authorization == "Basic " + base64.b64encode(b"me:p@ss").decode()
    assert target.ws_url == "wss://env.example.com/a/ws"
    assert target.name == target.http_url == "https://env.example.com/a"
    assert "ss" not in repr(target).replace("wss", "").replace("Address", "")


def test_credentials_tell_places_apart() -> None:
    """Two people at one server are two targets."""
    assert parse_target("a:b@localhost:1") != parse_target("a:c@localhost:1") != parse_target("localhost:1")


def test_passwords_of_a_hub_page_stay_behind() -> None:
    """A token for the Hub is never sent to the Space."""
    target = parse_target("https://me:hf_secret@huggingface.co/spaces/openenv/echo_env")
    assert target == parse_target("openenv/echo_env")
    assert isinstance(target, Address)
    assert target.authorization is None


@pytest.mark.parametrize(
    "query",
    [
        "token=SECRET",
        "a=1&api_key=SECRET",
        "__sign=SECRET",
        "Access-Token=SECRET",
        "x=hf_SECRET",
        "hf_SECRET",
        "key=SECRET",
    ],
)
def test_secrets_of_a_query(query: str) -> None:
    """A secret in the query goes to the server and is masked wherever the target is shown."""
    target = parse_target(f"localhost:8000?{query}")
    assert isinstance(target, Address)
    assert "SECRET" in target.ws_url
    assert "SECRET" in target.route("/health")
    assert "SECRET" not in target.name + repr(target)
    with pytest.raises(InvalidTarget) as caught:
        parse_target(f"localhost:port?{query}")
    assert "SECRET" not in str(caught.value)


def test_plain_queries_are_shown() -> None:
    """A harmless query is part of the name."""
    target = parse_target("localhost:8000?session_id=ab")
    assert target.name == "http://localhost:8000?session_id=ab"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("::1:8000", "[::1]:8000"), ("owner/" + "n" * 80, "Embed dialog"), ("http://me:pass/word@host", "%2F")],
)
def test_what_is_wrong_is_known_by_its_remedy(text: str, remedy: str) -> None:
    """Where a mistake is a usual one, the error says how it is written."""
    with pytest.raises(InvalidTarget) as caught:
        parse_target(text)
    assert remedy in (caught.value.hint or "")


def test_a_path_keeps_its_letters() -> None:
    """What an address may have in its path stays as it is; other characters are encoded."""
    target = parse_target("https://example.com/X~a@b:c%20d/(é)|")
    assert isinstance(target, Address)
    assert target.http_url == "https://example.com/X~a@b:c%20d/(%C3%A9)%7C"


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("localhost:8000", "http://localhost:8000/schema"),
        ("https://example.com/envs/a/?key=b", "https://example.com/envs/a/schema?key=b"),
    ],
)
def test_a_route_stands_below_the_base(text: str, route: str) -> None:
    """A question over HTTP goes to the address of the server, its query behind it."""
    target = parse_target(text)
    assert isinstance(target, Address)
    assert target.route("/schema") == route


def test_a_token_in_a_project_address_is_masked() -> None:
    """What is handed to uv keeps its password and does not show it."""
    target = parse_target("uv:git+https://me:SECRET@example.com/a.git@v1")
    assert isinstance(target, LocalTarget)
    assert target.argument == "git+https://me:SECRET@example.com/a.git@v1"
    assert target.name == "uv:git+https://***@example.com/a.git@v1"
    assert "SECRET" not in repr(target)


@pytest.mark.parametrize(
    "texts",
    [
        ("localhost:8000", "http://LOCALHOST:8000/", "ws://localhost:8000/ws", "8000", ":8000/web/"),
        ("http://a.example.com", "ws://a.example.com:80/docs"),
        ("Owner/My_Env", "hf://owner/my_env", "https://hf.co/spaces/OWNER/my_env"),
        ("./a", "./a/"),
        ("demo:grid", "Demo:GRID"),
    ],
)
def test_the_same_place_is_equal(texts: tuple[str, ...]) -> None:
    """Two texts for one place give equal targets with equal hashes."""
    assert len({parse_target(text) for text in texts}) == 1


def test_targets_travel() -> None:
    """Targets survive pickle and copy."""
    for text in ("a:b@localhost:8000?token=x", "owner/name", "demo:grid"):
        target = parse_target(text)
        assert pickle.loads(pickle.dumps(target)) == copy.deepcopy(target) == target


# Texts made of the pieces that matter reach deeper than texts of arbitrary characters.
_PIECES = [*"/:@?#[].-_~%&=\\ '\"<>", "//", "://", "http", "https", "ws", "hf", "demo", "docker", "uv", "localhost"]
_PIECES += [
    "8000",
    "0",
    "99999",
    "::1",
    "127.0.0.1",
    "web",
    "ws",
    "spaces",
    "huggingface.co",
    "hf.space",
    "a",
    "B",
    "é",
]
_PIECES += ["\u200b", "\ud800", "％", "．", "８", "xn--", "%2F", "%zz", "token", "name", "owner"]
_texts = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
_labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?", fullmatch=True)
_hosts = st.lists(_labels, min_size=1, max_size=3).map(".".join).filter(lambda host: not host.split(".")[-1].isdigit())
_paths = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), max_size=6), max_size=3)


@given(_texts)
def test_nothing_but_invalid_target(text: str) -> None:
    """Whatever is typed gives a target, or InvalidTarget with a text that can be shown."""
    try:
        target = parse_target(text)
    except InvalidTarget as error:
        assert error.reason and str(error)
        return
    assert target.name and repr(target)
    if isinstance(target, Address) and "@" not in text and "***" not in target.name:
        again = parse_target(target.name)
        assert isinstance(again, Address)
        assert again.ws_url == target.ws_url


@given(st.sampled_from(["http", "https", "ws", "wss", "HTTPS"]), _hosts, st.integers(1, 65535), _paths)
def test_names_are_addresses(scheme: str, host: str, port: int, path: list[str]) -> None:
    """The shown name of an address leads to the same place."""
    text = f"{scheme}://{host}:{port}/" + "/".join(part.replace("?", "").replace("#", "") for part in path)
    target = parse_target(text)
    assert isinstance(target, Address)
    assert parse_target(target.name) == target or target.kind == "space"
    assert target.ws_url.isascii()


@given(st.lists(st.sampled_from([*_PIECES, "S3CRET", "S3CRET@", ":S3CRET@"]), min_size=1, max_size=10).map("".join))
def test_passwords_are_never_shown(text: str) -> None:
    """What stands before an @ is in no name, no repr and no error, however broken the address is."""
    user, at, _ = text.rpartition("@")
    if "S3CRET" not in user or "S3CRET" in text[len(user) :] or not at:
        return
    try:
        target = parse_target(f"http://me:{text}host.example.com")
    except InvalidTarget as error:
        assert "S3CRET" not in f"{error} {error!r} {error.args}"
        return
    # A / ? or # ends the place, as in every URL: an @ behind it belongs to the path.
    if not any(mark in user for mark in "/?#"):
        assert "S3CRET" not in target.name + repr(target)
