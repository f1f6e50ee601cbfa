"""The tree of errors: its shape, its texts, and that an error survives travelling."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from openenv_notebook.values import errors, tracebacks
from openenv_notebook.values.errors import (
    AtCapacity,
    ClientClosed,
    ConnectFailed,
    ConnectTimeout,
    EnvironmentFailed,
    FactoryFailed,
    HandshakeRejected,
    InvalidAction,
    InvalidTarget,
    MisuseError,
    NotAnOpenEnvServer,
    NotSupportedHere,
    OpenEnvError,
    OpenEnvWarning,
    ProtocolError,
    ReplyTimeout,
    RequestRejected,
    ServerError,
    ServerStartFailed,
    SessionLost,
    SessionRefused,
    SpaceAsleep,
    ToolFailed,
    TransportError,
    UnknownClient,
    WrongThread,
)

URL = "http://localhost:8000"
ELSEWHERE = "the server sent it, or a proxy changed it: it has to be mended there"

# Every class of the tree, with the text it makes of its attributes.
TEXTS: list[tuple[OpenEnvError, str]] = [
    (OpenEnvError(), ""),
    (OpenEnvError("it broke"), "it broke"),
    (OpenEnvError("it broke", url=URL, hint="try again"), "it broke · http://localhost:8000 · try again"),
    (
        InvalidTarget("a b", "there is a blank inside it"),
        "'a b' is not an address: there is a blank inside it · "
        "try localhost:8000, https://host/path, owner/name (a Hub Space) or demo:grid",
    ),
    (InvalidTarget("x", "no", hint="write y"), "'x' is not an address: no · write y"),
    (
        TransportError("the network is down", url=URL),
        "the network is down · http://localhost:8000 · call reset(), or connect again",
    ),
    (
        ConnectFailed("nothing listens there", url=URL),
        "nothing listens there · http://localhost:8000 · is the server running, and is the address right?",
    ),
    (
        HandshakeRejected(401, "the token is wrong", url=URL, hint="pass token=..."),
        "the server answered HTTP 401: the token is wrong · http://localhost:8000 · pass token=...",
    ),
    (
        HandshakeRejected(500, "it failed"),
        "the server answered HTTP 500: it failed · "
        "is the address right? Else the log of the server, or of the proxy before it, says why",
    ),
    (
        NotAnOpenEnvServer("a web page answers there", url=URL),
        "a web page answers there · http://localhost:8000 · "
        "give the address of the environment server itself, such as http://localhost:8000",
    ),
    (
        SpaceAsleep("starting", url="owner/name"),
        "the Space is not running (starting) · owner/name · wait a little and connect again",
    ),
    (
        SessionLost("going away", code=1001, url=URL),
        "the session was lost (code 1001): going away · http://localhost:8000 · "
        "its environment is gone with it; call reset() to start a new episode on a new session",
    ),
    (SessionLost(hint="x"), "the session was lost · x"),
    (
        ConnectTimeout(2.5, "no answer to the handshake", url=URL),
        "connecting took longer than 2.5 s: no answer to the handshake · http://localhost:8000 · "
        "is the address right? connect_timeout= and timeout= (--timeout) give it more time",
    ),
    (
        ConnectTimeout(0.0, "the network gave no answer", hint="wait"),
        "connecting was given up: the network gave no answer · wait",
    ),
    (
        ReplyTimeout("step", 5.0, sent=True, url=URL),
        "no reply to step() within 5 s · http://localhost:8000 · "
        "the reply is owed, and calling again makes a second step: "
        "settle() waits for it, disconnect() gives the session up",
    ),
    (
        ReplyTimeout("state", 5.0, sent=True),
        "no reply to state() within 5 s · the reply is owed: settle() waits for it, disconnect() gives the session up",
    ),
    (
        ReplyTimeout("step", 0.5, sent=False),
        "no reply to step() within 0.5 s · it was withdrawn before it was sent and will not happen; call it again",
    ),
    (
        ReplyTimeout("reset", 0.5, sent=False),
        "no reply to reset() within 0.5 s · "
        "it was withdrawn before it was sent and will not happen; call it again, or disconnect() first",
    ),
    (ProtocolError("a reply that is not JSON"), f"a reply that is not JSON · {ELSEWHERE}"),
    (
        ProtocolError("a reply that is not JSON", frame="<html>"),
        f"a reply that is not JSON, received '<html>' · {ELSEWHERE}",
    ),
    (ServerError("what?", code="STRANGE"), "the server answered STRANGE: what? · the server's log may say more"),
    (ServerError(), "the server answered an error: (no message) · the server's log may say more"),
    (
        InvalidAction(
            "it does not fit", errors=["column: too big (got 9)", "row: missing"], url=URL, hint="fields: column"
        ),
        "the action was refused: it does not fit\n  column: too big (got 9)\n  row: missing\n"
        "  http://localhost:8000 · fields: column",
    ),
    (
        InvalidAction(url=URL),
        "the action was refused: it does not fit · http://localhost:8000 · schema() tells what it takes",
    ),
    (InvalidAction("no"), "the action was refused: no · schema() tells what it takes"),
    (
        EnvironmentFailed("KeyError: 'x'", code="EXECUTION_ERROR"),
        "the environment failed: KeyError: 'x' · the step may have happened: state() tells",
    ),
    (EnvironmentFailed(""), "the environment failed: (it gave no message) · the step may have happened: state() tells"),
    (
        AtCapacity("full", active=1, maximum=1, url=URL),
        "the server is full: 1 of 1 sessions in use · http://localhost:8000 · "
        "close another client of it, start it with more sessions, or wait for one (wait=60, --wait 60); "
        "a slot held by a dead client is free when its running step ends",
    ),
    (AtCapacity("no room", hint="wait"), "the server is full: no room · wait"),
    (
        FactoryFailed("it raised", factory="make_env"),
        f"the server could not build its environment make_env: it raised · {FactoryFailed.default_hint}",
    ),
    (
        FactoryFailed("it raised"),
        f"the server could not build its environment: it raised · {FactoryFailed.default_hint}",
    ),
    (
        SessionRefused("odd message"),
        "the server ended the session: odd message · "
        "its environment is gone with it; call reset() to start a new episode on a new session",
    ),
    (
        RequestRejected("Unknown message type: mcp", code="UNKNOWN_TYPE"),
        "the server answered UNKNOWN_TYPE: Unknown message type: mcp · the server may be older than this call",
    ),
    (
        ToolFailed("no such file", tool="read", error_type="IOError"),
        "the tool 'read' failed (IOError): no such file · list_tools() tells what it takes",
    ),
    (ToolFailed(tool="read"), "the tool 'read' failed: (no message) · list_tools() tells what it takes"),
    (
        ServerStartFailed("docker run ended with 1", log=["a", "b"], hint="is docker there?"),
        "docker run ended with 1\n  | a\n  | b\n  is docker there?",
    ),
    (MisuseError("not both", hint="one of them"), "not both · one of them"),
    (ClientClosed(url=URL), "the client is closed · http://localhost:8000 · connect again for a new client"),
    (WrongThread("step() blocks", hint="await it"), "step() blocks · await it"),
    (
        UnknownClient("nev", ["env", "other"]),
        "there is no client named 'nev' (connected: env, other) · choose one of these, or connect it first",
    ),
    (
        UnknownClient("nev"),
        "there is no client named 'nev' (connected: none) · choose one of these, or connect it first",
    ),
    (UnknownClient("nev", hint="connect it"), "there is no client named 'nev' (connected: none) · connect it"),
    (NotSupportedHere("no threads here"), "no threads here"),
]

PARENTS: dict[type, type] = {
    InvalidTarget: OpenEnvError,
    TransportError: OpenEnvError,
    ConnectFailed: TransportError,
    HandshakeRejected: ConnectFailed,
    NotAnOpenEnvServer: ConnectFailed,
    SpaceAsleep: ConnectFailed,
    SessionLost: TransportError,
    ConnectTimeout: TransportError,
    ReplyTimeout: TransportError,
    ProtocolError: OpenEnvError,
    ServerError: OpenEnvError,
    InvalidAction: ServerError,
    EnvironmentFailed: ServerError,
    AtCapacity: ServerError,
    FactoryFailed: ServerError,
    SessionRefused: ServerError,
    RequestRejected: ServerError,
    ToolFailed: ServerError,
    ServerStartFailed: OpenEnvError,
    MisuseError: OpenEnvError,
    ClientClosed: MisuseError,
    WrongThread: MisuseError,
    UnknownClient: MisuseError,
    NotSupportedHere: MisuseError,
}

BUILTIN: dict[type, type] = {
    InvalidTarget: ValueError,
    ConnectFailed: ConnectionError,
    HandshakeRejected: ConnectionError,
    NotAnOpenEnvServer: ConnectionError,
    SpaceAsleep: ConnectionError,
    SessionLost: ConnectionError,
    ConnectTimeout: TimeoutError,
    ReplyTimeout: TimeoutError,
}


def _name(value: Any) -> str:
    return type(value).__name__ if isinstance(value, OpenEnvError) else ""


@pytest.fixture
def short_errors() -> Iterator[None]:
    """Leave the way tracebacks are shown as it was."""
    yield
    tracebacks.show_full_tracebacks(False)


@pytest.mark.parametrize(("error", "text"), TEXTS, ids=_name)
def test_a_text_says_what_where_and_what_now(error: OpenEnvError, text: str) -> None:
    """The text of every error is pinned."""
    assert str(error) == text


def test_every_class_has_a_text_in_the_table() -> None:
    """No class of the tree is left out of the table, and the tree is the one of the module's docstring."""
    classes = {item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, OpenEnvError)}
    assert classes == {type(error) for error, _ in TEXTS} == {*PARENTS, OpenEnvError}
    assert all(item.__name__ in (errors.__doc__ or "") for item in classes)


@pytest.mark.parametrize("cls", PARENTS, ids=lambda cls: cls.__name__)
def test_the_tree_is_as_drawn(cls: type) -> None:
    """Each class stands below its parent, and below the built-in error people catch."""
    assert PARENTS[cls] in cls.__bases__
    for builtin in (ValueError, ConnectionError, TimeoutError):
        assert issubclass(cls, builtin) == (BUILTIN.get(cls) is builtin)


@pytest.mark.parametrize(("error", "text"), TEXTS, ids=_name)
@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_travelling(error: OpenEnvError, text: str, travel: Any) -> None:
    """Pickle and copy keep the class, the text, the arguments and every attribute."""
    error.add_note("noted")
    other = travel(error)
    assert type(other) is type(error)
    assert str(other) == text
    assert other.args == error.args
    assert vars(other) == vars(error)
    del error.__notes__


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InvalidTarget("a b", "a blank"), "a blank"),
        (SpaceAsleep("starting"), "starting"),
        (SessionLost("gone", code=1001), "gone"),
        (ConnectTimeout(2.5, "no answer"), "no answer"),
        (ReplyTimeout("step", 5.0, sent=True), "step"),
        (ServerError("no", code="STRANGE"), "no"),
        (ToolFailed("no", tool="read"), "no"),
        (UnknownClient("nev"), "nev"),
    ],
    ids=_name,
)
def test_an_error_has_one_argument(error: OpenEnvError, told: str) -> None:
    """As of any exception, ``args`` hold what it was made with first: what is told, without what we add."""
    assert error.args == (told,)


def test_a_text_is_made_when_it_is_read() -> None:
    """What is learned later, such as the address, stands in the text."""
    error = SessionLost("gone")
    error.url, error.code = URL, 1006
    assert str(error).startswith(f"the session was lost (code 1006): gone · {URL}")


@pytest.mark.parametrize("error", [EnvironmentFailed("x" * 10**7), InvalidAction("x" * 10**7, errors=["y" * 10**7])])
def test_a_text_is_bounded(error: ServerError) -> None:
    """However much a server says, the text of its error fits a cell; the message is whole."""
    assert len(str(error)) < 5000
    assert "characters in all" in str(error)
    assert len(error.message) == 10**7


def test_a_copy_does_not_share_what_is_raised() -> None:
    """A raised copy keeps its traceback to itself."""
    error = SessionLost("gone")
    with pytest.raises(SessionLost) as caught:
        raise copy.copy(error)
    assert caught.value is not error
    assert error.__traceback__ is None


def test_a_cell_shows_a_few_lines(short_errors: None) -> None:
    """In a cell an error is its name, its text and its notes, without frames."""
    error = MisuseError("not both")
    error.add_note("said twice")
    assert error._render_traceback_() == ["MisuseError: not both", "said twice"]


def test_a_cell_shows_what_the_environment_raised(short_errors: None) -> None:
    """Behind the error stands the environment's own, as Python writes it, where it is known."""
    error = EnvironmentFailed("'x'", hint="look")
    error.__cause__ = KeyError("x")
    assert error._render_traceback_() == [
        "EnvironmentFailed: the environment failed: 'x' · look", "raised by the environment:", "KeyError: 'x'",
    ]  # fmt: skip


def test_a_cell_shows_everything_on_request(short_errors: None) -> None:
    """With full tracebacks on, a cell shows every frame; off again, it does not."""
    tracebacks.show_full_tracebacks(True)
    with pytest.raises(MisuseError) as caught:
        raise MisuseError("not both")
    lines = caught.value._render_traceback_()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1].endswith("MisuseError: not both")
    tracebacks.show_full_tracebacks(False)
    assert caught.value._render_traceback_() == ["MisuseError: not both"]


def test_details_are_a_copy() -> None:
    """What the server said besides is kept as a dict of the error's own."""
    said = {"errors": []}
    error = ServerError("no", details=said)
    said["more"] = []
    assert error.details == {"errors": []}
    assert ServerError("no").details == {}


def test_a_refused_connection_is_no_server_error() -> None:
    """Trying again is only worth it where an error says so."""
    assert ConnectFailed("x").is_temporary is False


def test_the_warning_can_be_filtered() -> None:
    """Warnings of the package have a category of their own."""
    assert issubclass(OpenEnvWarning, UserWarning)


def test_an_error_can_be_shown_while_the_interpreter_ends() -> None:
    """What is raised in a finalizer of the last moment has its text, though modules are taken apart by then."""
    code = """
from openenv_notebook import GenericEnvClient
env = GenericEnvClient("localhost:1").sync()
class Late:
    def __init__(self): self.env = env
    def __del__(self): self.env.step({"x": 1})
late = Late()
env.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "ClientClosed: the client is closed" in done.stderr
    assert "str() failed" not in done.stderr
