"""Exceptions of odd kinds, raised by people's and libraries' code at every door where we call it."""

from __future__ import annotations

import asyncio
import io
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from support.waiting import eventually
from support.wire import FarEnd, scripted

from openenv_notebook import connect, run_episodes
from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.demo.environment import DemoEnvironment
from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.jupyter.panel.question import Question
from openenv_notebook.jupyter.show.any_value import to_text
from openenv_notebook.jupyter.show.custom import of_result_by
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.servers.embedded.server import EmbeddedServer
from openenv_notebook.threads.worker import in_thread
from openenv_notebook.values.errors import MisuseError, ServerError, ServerStartFailed
from openenv_notebook.values.messages import Action, Observation, State

SECRET = "SECRET-PLANTED-4711"
HEADERS = {"Authorization": f"Bearer {SECRET}"}


class MuteError(Exception):
    """One whose own text fails."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class LongError(Exception):
    """One whose text is huge."""

    def __str__(self) -> str:
        return "x" * 3_000_000

    __repr__ = __str__


class NumberError(Exception):
    """One whose text is a number."""

    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


def with_notes(notes: Any) -> Exception:
    """An error whose notes are what nobody expects."""
    error = RuntimeError("noted")
    error.__notes__ = notes  # type: ignore[assignment]
    return error


KINDS: dict[str, Callable[[], BaseException]] = {
    "mute": MuteError,
    "long": LongError,
    "surrogates": lambda: RuntimeError("half \ud83d of it"),
    "secret": lambda: RuntimeError(f"it came with Bearer {SECRET}"),
    "number": NumberError,
    "no text": ValueError,
    "no texts": lambda: RuntimeError(object(), 3, b"\xff", {"a": [SECRET]}),
    "notes": lambda: with_notes(3),
    "notes, mixed": lambda: with_notes([1, None, SECRET]),
    "several": lambda: ExceptionGroup("several", [ValueError(SECRET), MuteError()]),
    "cancelled": lambda: asyncio.CancelledError("no more"),
    "stop": lambda: StopIteration(3),
    "stop awaited": lambda: StopAsyncIteration(3),
    "group": lambda: BaseExceptionGroup("several", [SystemExit(3), ValueError("x")]),
    "interrupt": lambda: KeyboardInterrupt(),
    "exit": lambda: SystemExit(3),
    "generator": lambda: GeneratorExit(),
}


@pytest.fixture(params=KINDS)
def error(request: pytest.FixtureRequest) -> BaseException:
    """One of each kind."""
    return KINDS[request.param]()


@pytest.fixture(autouse=True)
def logged() -> Iterator[io.StringIO]:
    """What the package logs, which goes nowhere else: half characters are more than pytest's workers can send."""
    written, log = io.StringIO(), logging.getLogger("openenv_notebook")

    def keep(record: logging.LogRecord) -> bool:
        written.write(logging.Formatter().format(record))
        return False

    log.addFilter(keep)
    yield written
    log.removeFilter(keep)


def raising(error: BaseException) -> Callable[..., Any]:
    """A function of somebody's that fails."""

    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def caught(call: Callable[[], Any]) -> BaseException:
    """Give what a call raises."""
    try:
        call()
    except pytest.fail.Exception:
        raise  # the test's own, such as its timeout
    except BaseException as error:
        return error
    raise AssertionError("it raised nothing")


def shown(error: BaseException) -> str:
    """What Python and IPython show of an error of ours."""
    return "\n".join([str(error), *getattr(error, "_render_traceback_", list)(), *traceback.format_exception(error)])


def goes_on(env: SyncEnvClient[Any, Any, Any]) -> None:
    """See that the session and its events go on, and that the record can be read."""
    seen: list[Any] = []
    unsubscribe = env.subscribe(seen.append)
    assert env.step({"column": 1}) is not None
    eventually(lambda: seen, what="an event")
    unsubscribe()
    assert env.episode.to_jsonl() and repr(env.episode) and to_text(env.episode)


def test_a_policy(playing: SyncEnvClient[Any, Any, Any], error: BaseException) -> None:
    """What a policy raises is what the run raises, itself."""
    found = caught(lambda: run_episodes(playing, raising(error)))
    assert found is error
    goes_on(playing)


@pytest.mark.parametrize("door", ["on_step", "on_end"])
def test_a_callback_of_a_run(playing: SyncEnvClient[Any, Any, Any], error: BaseException, door: str) -> None:
    """What a callback raises ends the run that it is part of, or is logged, and the next callback is called."""
    ended: list[Any] = []
    run = Rollout(playing, lambda _: {"column": 1}, max_steps=1, on_step=raising(error) if door == "on_step" else None)
    if door == "on_end":
        run.on_end(raising(error))
    run.on_end(ended.append)
    run.start()
    assert run.wait(10)
    eventually(lambda: ended, what="the next callback")
    assert run.error is (error if door == "on_step" else None)
    goes_on(playing)


def test_a_subscriber(playing: SyncEnvClient[Any, Any, Any], error: BaseException, logged: io.StringIO) -> None:
    """What a subscriber raises is logged, and the others are told all the same."""
    seen: list[Any] = []
    playing.subscribe(raising(error))
    playing.subscribe(seen.append)
    playing.step({"column": 1})
    playing.step({"column": 1})
    eventually(lambda: len(seen) == 2, what="both events")
    eventually(lambda: "a subscriber failed" in logged.getvalue(), what="a line in the log")
    assert type(error).__name__ in logged.getvalue()
    goes_on(playing)


def test_a_renderer(playing: SyncEnvClient[Any, Any, Any], error: BaseException) -> None:
    """What a renderer raises stands above the usual view; an interrupt is the person's."""
    result = playing.step({"column": 1})
    if isinstance(error, KeyboardInterrupt):
        assert caught(lambda: of_result_by(raising(error), result)) is error
        return
    assert type(error).__name__ in repr(of_result_by(raising(error), result))


def test_a_policy_in_a_panel(playing: SyncEnvClient[Any, Any, Any], error: BaseException) -> None:
    """What a policy raises in a panel is kept there, and the panel goes on."""
    panel = Panel(playing)
    try:
        run = panel.play(raising(error))
        assert run.wait(10)
        eventually(lambda: panel.last_error is error and not panel.is_playing, what="the panel's own end of it")
        goes_on(playing)
    finally:
        panel.close()


# Thrown by hand these two are to asyncio the end of what is awaited, and a wish to clean up.
@pytest.mark.parametrize("kind", [name for name in KINDS if name not in ("stop", "cancelled")])
def test_a_question_of_a_panel(kind: str) -> None:
    """What is thrown at whoever waits for an answer comes out as it is, and who waits beside is answered."""
    error = KINDS[kind]()

    async def ask_twice() -> BaseException:
        question = Question()
        beside, waiting = asyncio.ensure_future(question.answered(5)), question.answered(5)
        waiting.send(None)
        found = caught(lambda: waiting.throw(error))
        question.answer({"column": 1})
        assert await beside == {"column": 1}
        return found

    assert asyncio.run(ask_twice()) is error


class OddPolicies(Mapping[str, Any]):
    """A panel's policies that fail when they are read."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __getitem__(self, name: str) -> Any:
        raise self._error

    def __iter__(self) -> Iterator[str]:
        return iter(["agent"])

    def __len__(self) -> int:
        return 1


def test_policies_of_a_panel_that_cannot_be_read(playing: SyncEnvClient[Any, Any, Any], error: BaseException) -> None:
    """What a mapping of policies raises comes out as it is, and no panel is left of it."""
    found = caught(lambda: Panel(playing, policies=OddPolicies(error)))
    # Within a generator Python makes a RuntimeError of it.
    assert error in (found, found.__cause__)
    goes_on(playing)


def test_on_step_of_run_episodes(playing: SyncEnvClient[Any, Any, Any], error: BaseException) -> None:
    """What on_step raises is what run_episodes raises, itself."""
    found = caught(lambda: run_episodes(playing, lambda _: {"column": 1}, max_steps=1, on_step=raising(error)))
    assert found is error
    goes_on(playing)


def test_work_on_a_thread(error: BaseException) -> None:
    """Work in a thread that raises ends the wait for it, and not the loop."""

    async def wait() -> BaseException:
        try:
            await asyncio.wait_for(in_thread(raising(error)), 10)
        except Exception as found:
            return found
        raise AssertionError("it raised nothing")

    loop = asyncio.new_event_loop()
    found = loop.run_until_complete(wait())
    loop.close()
    assert error in (found, found.__cause__)


class Own(GenericEnvClient):
    """A client with hooks of its own."""

    payload: Any = None
    parse: Any = None

    def _step_payload(self, action: Any) -> dict[str, Any]:
        return {"column": 1} if self.payload is None else self.payload()  # type: ignore[no-any-return]

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        return super()._parse_result(payload) if self.parse is None else self.parse()


@pytest.mark.parametrize("hook", ["payload", "parse"])
def test_a_hook(error: BaseException, hook: str) -> None:
    """What a client's own hook raises is what the call raises, or its cause, and the record can be read."""
    client = scripted(Own("scripted.test:80", message_timeout_s=10), FarEnd())
    env = client.sync()
    env.reset()
    setattr(client, hook, raising(error))
    found = caught(lambda: env.step({"column": 1}))
    # Within a generator Python makes a RuntimeError of it.
    assert (found.__cause__ if isinstance(error, StopIteration) else found) is error
    if not isinstance(error, KeyboardInterrupt):
        assert env.episode.to_jsonl() and to_text(env.episode) and repr(env.episode)
    setattr(client, hook, None)
    goes_on(env)
    env.close()


class Provider:
    """Somebody's provider."""

    def __init__(self, start: BaseException | None, stop: BaseException | None = None) -> None:
        self._start, self._stop = start, stop

    def start_container(self, *_: Any, **__: Any) -> str:
        """Start."""
        raise self._start or RuntimeError("no start")

    def stop_container(self) -> None:
        """Stop."""
        if self._stop is not None:
            raise self._stop


def test_a_provider_that_does_not_start(error: BaseException) -> None:
    """What a provider raises is the cause of ours, which names it, and has no secret in it."""
    env_vars = {"API_KEY": SECRET}
    found = caught(lambda: GenericEnvClient.from_docker_image("x", provider=Provider(error), env_vars=env_vars).sync())
    assert isinstance(found, ServerStartFailed)
    assert found.__cause__ is error or SECRET in str(error)
    assert type(error).__name__ in str(found) and len(str(found)) < 10_000
    assert SECRET not in shown(found)


def test_a_provider_that_does_not_stop(error: BaseException) -> None:
    """What it raises while it ends what did not start takes the place of nothing, but for what ends a program."""
    first = ValueError("no image")
    found = caught(lambda: GenericEnvClient.from_docker_image("x", provider=Provider(first, error)).sync())
    assert isinstance(found, ServerStartFailed)
    assert found.__cause__ is first or not isinstance(error, Exception)


class Fails(DemoEnvironment[Action, Observation, State]):
    """An environment that fails by an exception of somebody's."""

    action_type, observation_type, state_type = Action, Observation, State
    error: BaseException | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> Observation:
        """Begin."""
        return Observation()

    def step(self, action: Action) -> Observation:
        """Fail, once."""
        error, Fails.error = Fails.error, None
        if error is not None:
            raise error
        return Observation()

    @property
    def state(self) -> State:
        """Nothing."""
        return State()


@pytest.mark.parametrize("kind", [name for name, make in KINDS.items() if isinstance(make(), Exception)])
def test_an_environment(kind: str) -> None:
    """What an environment served here raises is told by the server, without a secret of the client's."""
    error = KINDS[kind]()
    with EmbeddedServer(Fails, name="fails") as server, connect(server.url, headers=HEADERS) as env:
        env.reset()
        Fails.error = error
        found = caught(lambda: env.step({}))
        assert isinstance(found, ServerError)
        assert SECRET not in shown(found) and len(str(found)) < 10_000
        assert env.step({}) is not None
        assert SECRET not in env.episode.to_jsonl()


class Odd:
    """An object that cannot say what it is."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __repr__(self) -> str:
        raise self._error


def test_an_object_that_cannot_be_written(playing: SyncEnvClient[Any, Any, Any], error: BaseException) -> None:
    """An action that holds what can be neither sent nor shown is refused by its place, whatever its own code does."""
    found = caught(lambda: playing.step({"column": [Odd(error)]}))
    assert isinstance(found, MisuseError) and "in place of column[0]" in str(found)
    goes_on(playing)
