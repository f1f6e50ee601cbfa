"""The test of doors: secrets are planted in one client, and searched for in all that leaves the package as text.

What comes out of the package by which way is read from its code: a class that writes itself, an error, a logger that no
door here knows fails the test until somebody says how it is guarded.
"""

from __future__ import annotations

import ast
import io
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import Field
from support.import_graph import modules
from support.panel_hands import PanelHands

from openenv_notebook import SyncEnvClient, connect
from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.jupyter import Panel
from openenv_notebook.jupyter.doctor import examine
from openenv_notebook.jupyter.magic.python_twin import call_of, episode_code
from openenv_notebook.jupyter.panel import history
from openenv_notebook.jupyter.panel.form.control import Reading
from openenv_notebook.jupyter.show.any_value import repr_of, to_html, to_text
from openenv_notebook.jupyter.show.raw_json import raw_json
from openenv_notebook.servers.choose import Wish
from openenv_notebook.servers.embedded.server import EmbeddedServer
from openenv_notebook.servers.log import Log
from openenv_notebook.servers.process.server import Launch
from openenv_notebook.values.errors import EnvironmentFailed, InvalidAction, OpenEnvError
from openenv_notebook.values.logs import our_log
from openenv_notebook.values.messages import Action, Observation, State
from openenv_notebook.values.targets import parse_target
from openenv_notebook.values.tracebacks import show_full_tracebacks
from openenv_notebook.wire.endpoint import endpoint_at
from openenv_notebook.wire.http import Discovery

HEADER, VARIABLE = "SECRET-HEADER-9f31", "SECRET-VARIABLE-77a0"
SENT, MARKED, CAME = "SECRET-SENT-hunter2", "SECRET-MARKED-51aa", "SECRET-CAME-c0de"
PLANTED = (HEADER, VARIABLE, SENT, MARKED, CAME)

Env = SyncEnvClient[Any, Any, Any]


class Telling(Action):
    """A secret by its name, one by its schema, and what to do."""

    password: str = ""
    pin: str = Field("", json_schema_extra={"writeOnly": True})
    fail: bool = False


class Told(Observation):
    """A secret by its name, and the client's own, quoted in a text."""

    api_key: str = CAME
    heard: str = ""
    parts: list[str] = Field(default_factory=list)


class Blab(DemoEnvironment[Telling, Told, State]):
    """An environment that quotes what it was told, wherever it can."""

    action_type, observation_type, state_type = Telling, Told, State

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> Told:
        """Begin."""
        return Told()

    def step(self, action: Telling) -> Told:
        """Quote the header, or fail with all that was sent."""
        if action.fail:
            raise RuntimeError(f"{HEADER}: {action.password} / {action.pin} in {action!r}, {{'api_key': '{CAME}'}}")
        return Told(heard=f"it came with Bearer {HEADER}", parts=[HEADER, "other"], metadata={"key": HEADER})

    @property
    def state(self) -> State:
        """The header again."""
        return State(heard=HEADER, api_key=CAME)  # type: ignore[call-arg]


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that is logged in the process, by whom it may be, with tracebacks."""
    written, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(written), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    ours = [logging.getLogger(name) for name in ("openenv_notebook.websockets", "openenv_notebook")]
    levels = [each.level for each in ours]
    for each in ours:
        each.setLevel(logging.DEBUG)
    yield written
    for each, before in zip(ours, levels, strict=True):
        each.setLevel(before)
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def env(logged: io.StringIO) -> Iterator[Env]:
    """A client that knows all of it, and has used it: a step, a refusal, a failure."""
    headers = {"Authorization": f"Bearer {HEADER}", "X-Session": VARIABLE}
    with EmbeddedServer(Blab, name="blab") as server, connect(server.url, headers=headers) as made:
        made.reset()
        made.step(password=SENT, pin=MARKED)
        with pytest.raises(EnvironmentFailed):
            made.step(password=SENT, pin=MARKED, fail=True)
        with pytest.raises(InvalidAction):
            made.step({"password": SENT, "pin": [MARKED], "fail": HEADER})
        yield made


def failure(env: Env, number: int) -> OpenEnvError:
    """The error of a step in the record."""
    error = env.episode[number].error
    assert error is not None
    return error


def whole(error: BaseException) -> str:
    """Every way to read an error."""
    shown = getattr(error, "_render_traceback_", lambda: [])
    show_full_tracebacks(True)
    try:
        full = shown()
    finally:
        show_full_tracebacks(False)
    return "\n".join([str(error), repr(error), *shown(), *full, *traceback.format_exception(error), str(vars(error))])


DOORS: dict[str, Callable[[Env], Any]] = {
    "client": lambda env: [repr(env), repr(env.async_client), to_text(env), to_html(env)],
    "result": lambda env: env.episode[1].result,
    "raw": lambda env: env.episode[1].result.raw,  # type: ignore[union-attr]
    "observation": lambda env: env.episode[1].result.observation,  # type: ignore[union-attr]
    "metadata": lambda env: env.episode[1].result.metadata,  # type: ignore[union-attr]
    "state": lambda env: env.state(),
    "step": lambda env: list(env.episode),
    "action": lambda env: [step.action for step in env.episode],
    "episode": lambda env: env.episode,
    "episodes": lambda env: env.episodes,
    "saved": lambda env: env.episode.to_jsonl(),
    "schema": lambda env: env.schema(),
    "failure": lambda env: whole(failure(env, 2)),
    "refusal": lambda env: whole(failure(env, 3)),
    "details": lambda env: [failure(env, 3).details, failure(env, 2).details],  # type: ignore[attr-defined]
    "rows of the log": lambda env: [history.row(each) for each in history.entries(env.episodes)],
    "raw JSON": lambda env: [
        raw_json(step.result.raw, env.known.secrets) for step in env.episode if step.result is not None
    ],
    "python": lambda env: episode_code("env", "localhost:8000", env.episode),
    "doctor": lambda env: "\n".join(str(finding) for finding in examine(None, "env", env)),
    "endpoint": lambda env: repr(endpoint_at(env.base_url, headers={"A": HEADER}, token="hf_" + HEADER)),
    "questions": lambda env: repr(Discovery(parse_target(env.base_url), {"A": HEADER})),
    "call": lambda env: [repr(call_of(step)) for step in env.episode],
    "secrets": lambda env: [repr(env.known), repr(env.known.secrets), pickle.dumps(env.known.secrets)],
    "form": lambda env: repr(Reading(SENT)),
    "action model": lambda env: [env.Action(password=SENT, pin=MARKED), Telling(password=SENT, pin=MARKED)],
}


@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_secret_out(door: str, env: Env, logged: io.StringIO) -> None:
    """R03, R04, R25: what a client knows to be secret is in no text that leaves by this door, nor in any log."""
    found = DOORS[door](env)
    texts = (
        [found] if isinstance(found, str) else [repr(found), f"{found}", to_text(found), to_html(found), repr_of(found)]
    )
    for text in (*texts, logged.getvalue()):
        assert not [secret for secret in PLANTED if secret in str(text)], text
    assert env.episode[1].action["password"] == SENT, "values are the real ones"


def test_no_door_of_the_panel_lets_a_secret_out(env: Env, logged: io.StringIO) -> None:
    """T03: what a panel draws and what of it is synced, and so saved, has none, also of what is typed into a form."""
    panel = Panel(env)
    hands = PanelHands(panel)
    try:
        panel.form.set({"password": SENT, "pin": MARKED, "fail": True})
        hands.expect(sends="os.environ")
        hands.carry_out("Step ▸")
        hands.press("Raw")
        hands.expect(seen="api_key")
        synced = [str(each.get_state()) for each in hands.drawn]
        for text in (*synced, hands.seen, hands.sends, *hands.rows, panel.python(), *hands.told, logged.getvalue()):
            assert not [secret for secret in PLANTED if secret in text], text
        assert env.episode[-1].action["password"] == SENT
    finally:
        panel.close()


def test_what_websockets_logs_is_no_door(logged: io.StringIO) -> None:
    """R03: at DEBUG neither an embedded server nor a client of it logs a header or a frame, in any logger."""
    with connect("demo:echo", headers={"Authorization": f"Bearer {HEADER}"}) as env:
        env.reset()
        env.step(f"my password is {SENT}")
        env.state()
        with pytest.raises(OpenEnvError):
            env.step({"message": [SENT]})
    assert not [secret for secret in PLANTED if secret in logged.getvalue()], logged.getvalue()


WRITING = {
    "__repr__", "__str__", "__format__", "__repr_args__", "_repr_html_", "_repr_mimebundle_", "_repr_pretty_",
    "_render_traceback_", "to_jsonl",
}  # fmt: skip


def classes_that_write_themselves() -> set[str]:
    """Find, in the package's code, the classes whose text somebody of ours wrote, or a dataclass does."""
    found = set()
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            tuples = [ast.unparse(base) for base in node.bases]
            if own & WRITING or any(mark.startswith("dataclass") for mark in marks) or "NamedTuple" in tuples:
                found.add(f"{name.removeprefix('openenv_notebook.')}.{node.name}")
    return found


ABOVE = "a door above"
HELD = "holds, of what may be secret, only what hides it itself"
NOTHING = "holds no value of a header, an action, an observation or a variable"
TYPED = "what a person typed into a cell, where it stands anyway; it is never written"
# How the texts of classes are guarded, by class or by module.
GUARDED: dict[str, str] = {
    "client.actions": NOTHING,
    "client.clients": ABOVE,
    "client.conversation": NOTHING,
    "client.events": HELD,
    "client.foreign": NOTHING,
    "client.known": HELD,
    "client.opener": NOTHING,
    "client.players": NOTHING,
    "client.starting": NOTHING,
    "client.tools": NOTHING,
    "client.waiting": NOTHING,
    "demo.maze": NOTHING,
    "jupyter.doctor.Finding": ABOVE,
    "jupyter.magic.python_twin.Call": ABOVE,
    "jupyter.magic.tokens": TYPED,
    "jupyter.magic.verbs.verb": NOTHING,
    "jupyter.panel.action_view": NOTHING,
    "jupyter.panel.chart": NOTHING,
    "jupyter.panel.form.control.Reading": ABOVE,
    "jupyter.panel.history": HELD,
    "jupyter.panel.panel.Panel": ABOVE,
    "jupyter.panel.state": ABOVE,
    "jupyter.panel.status_html": ABOVE,
    "jupyter.panel.widgets": NOTHING,
    "jupyter.show.blocks": ABOVE,
    "jupyter.show.numbers": NOTHING,
    "jupyter.show.observation_of": ABOVE,
    "play.loop": NOTHING,
    "play.progress": NOTHING,
    "play.rollout": NOTHING,
    "record": ABOVE,
    "schema.check": NOTHING,
    "schema.moves": NOTHING,
    "schema.shapes": NOTHING,
    "servers.choose.Wish": ABOVE,
    "servers.embedded.server": NOTHING,
    "servers.in_process.describe": NOTHING,
    "servers.process.server.Launch": ABOVE,
    "servers.server": NOTHING,
    "values.attribute_dict": ABOVE,
    "values.errors": ABOVE,
    "values.front_end": NOTHING,
    "values.known_secrets.Secrets": ABOVE,
    "values.messages": ABOVE,
    "values.secrets": ABOVE,
    "values.targets": "an address hides its own password and query: tests/unit/values/test_targets.py",
    "wire.endpoint.Endpoint": ABOVE,
    "wire.http.Discovery": ABOVE,
}


def is_guarded(name: str) -> bool:
    """Tell whether it is said of a class, or of its module, how its text is guarded."""
    parts = name.split(".")
    return any(".".join(parts[:end]) in GUARDED for end in range(1, len(parts) + 1))


def test_every_class_that_writes_itself_is_guarded() -> None:
    """A class with a text of its own, new or old, is behind a door that is tested, or holds nothing secret."""
    found = classes_that_write_themselves()
    assert len(found) > 50
    assert not [name for name in sorted(found) if not is_guarded(name)], "say here how their text is guarded"


def error_classes(root: type[OpenEnvError] = OpenEnvError) -> Iterator[type[OpenEnvError]]:
    """All errors of the package."""
    yield root
    for kind in root.__subclasses__():
        yield from error_classes(kind)


@pytest.mark.parametrize("kind", sorted(set(error_classes()), key=lambda each: each.__name__))
def test_no_error_lets_a_secret_out(kind: type[OpenEnvError], env: Env) -> None:
    """Whatever others said in it, a text of an error has no secret: not what a client knows, nor what its name says."""
    said = f"Bearer {HEADER} {{'password': '{SENT}'}} API_KEY={VARIABLE} \"pin\": \"x\""
    error = kind.__new__(kind)
    OpenEnvError.__init__(error, said)
    for name in ("message", "reason", "stage", "phase", "text", "frame", "name", "tool", "error_type", "request"):
        setattr(error, name, said)
    for name in ("status", "code", "seconds", "sent", "factory", "active", "maximum"):
        setattr(error, name, None if name != "seconds" else 1.0)
    error.log, error.errors, error.known, error.details = [said], [said], [said], {}  # type: ignore[attr-defined]
    texts = [str(error), "\n".join(error._render_traceback_()), to_text(error)]
    assert not [secret for secret in PLANTED for text in texts if secret in str(text)], texts
    env.known.secrets.hide_in(error)
    assert not [secret for secret in PLANTED if secret in str(vars(pickle.loads(pickle.dumps(error))))]


def test_every_logger_of_the_package_is_guarded() -> None:
    """Loggers are made by our_log(), or are those of others that a server only listens to."""
    made = {
        name.removeprefix("openenv_notebook.")
        for name, path in modules().items()
        if "getLogger(" in path.read_text(encoding="utf-8")
    }
    assert made == {"values.logs", "servers.in_process.server"}


def test_no_logger_of_the_package_lets_a_secret_out(env: Env, logged: io.StringIO) -> None:
    """A record of any logger of ours, its arguments and the traceback with it, has nothing that a client knows."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "openenv_notebook"]
    assert len(names) >= 4
    for name in (*names, "openenv_notebook.new"):
        try:
            raise ValueError(f"bad header {HEADER}")
        except ValueError:
            our_log(name).error("it said %s", {"x": HEADER}, exc_info=True)
    assert HEADER not in logged.getvalue() and "bad header" in logged.getvalue()


def test_a_log_of_a_server_hides_what_it_is_given() -> None:
    """R25: variables that a server is started with are in no line of its log, in whatever form it prints them."""
    log = Log()
    key = 'line one-SECRET\n"quoted"-SECRET'
    log.hide({"API_KEY": VARIABLE, "PEM": key, "DSN": f"postgres://bob:{CAME}@db/x", "DEBUG": "true", "PORT": "8000"})
    log.write(f"Bearer {VARIABLE}\n{key}\n{key!r}\nusing {CAME}\nDEBUG is true, on port 8000\nHF_TOKEN=hf_SECRETabc\n")
    assert "SECRET" not in "\n".join(log.lines) and "DEBUG is true, on port 8000" in log.lines
    assert VARIABLE not in repr(Launch("keep", {}, variables={"A": VARIABLE}))
    assert VARIABLE not in repr(Wish(variables={"A": VARIABLE}, arguments={"a": VARIABLE}))
