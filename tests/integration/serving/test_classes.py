"""Classes of the notebook, served in this process by the official server."""

from __future__ import annotations

import asyncio
import contextlib
import io
import threading
import traceback
import urllib.error
from typing import Any

import pytest
from pydantic import ValidationError
from support import served
from support.local_servers import ask, listens
from support.served import Alone, Annotated, Awaited, Board, Broken, Divider, Gated, Move, Scorer, Untyped, make_divider
from support.waiting import eventually, in_threads

from openenv_notebook import (
    AtCapacity,
    EnvironmentFailed,
    FactoryFailed,
    GenericEnvClient,
    InvalidAction,
    MisuseError,
    ServerStartFailed,
    SessionLost,
    connect,
    serve,
    step_all,
)
from openenv_notebook.client.connect import target_of
from openenv_notebook.servers import running_servers


def test_a_class_is_served_and_stopped() -> None:
    """A class is served at a free port, its sessions are counted, and stop() ends it, again and again."""
    server = serve(Divider)
    with connect(server.url) as env:
        assert env.reset().observation.number == 100
        assert env.step(by=4).observation.number == 25
        assert env.state().step_count == 1
        assert (server.sessions_active, server.sessions_maximum) == (1, 64)
        assert repr(server) == f"<Server Divider, {server.url}, 1 of 64 sessions>"
    eventually(lambda: server.sessions_active == 0)
    server.stop()
    server.stop()
    assert (server.kind, server.running, repr(server)) == ("class", False, "<Server Divider, stopped>")
    assert not listens(server.url)


def test_every_call_is_on_one_thread_of_its_own() -> None:
    """E02: build, reset, step, state and close of a session run on one thread, and each session has another."""
    served.CLOSED.clear()
    with serve(Divider) as server:
        envs = [connect(server.url) for _ in range(3)]
        threads = [env.reset().observation.thread for env in envs]
        for env in envs:
            in_threads(lambda env=env: env.step(by=2), lambda env=env: env.state())
        step_all(envs, [{"by": 2}] * 3)
        asyncio.run(envs[0].async_client.step(by=5))
        assert len({*threads, threading.get_ident()}) == 4
        for env in envs:
            env.close()
        eventually(lambda: sorted(served.CLOSED) == sorted(threads), what="each is closed on its own thread")


def test_the_environment_s_exception_is_the_cause() -> None:
    """What the class raises is the cause of the error, its traceback begins there, and debuggers stop there."""
    with serve(Divider) as server, connect(server.url) as env:
        env.reset()
        with pytest.raises(EnvironmentFailed, match="division") as caught:
            env.step(by=0)
        cause = caught.value.__cause__
        assert isinstance(cause, ZeroDivisionError)
        assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["step"]
        innermost = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)][-1]
        assert (innermost.f_code.co_name, innermost.f_locals["self"].start) == ("step", 100)
        shown = "\n".join(caught.value._render_traceback_())
        assert "quotient = self.start // action.by" in shown and "openenv/core" not in shown
        assert "ZeroDivisionError" in server.log[-1]
        assert env.step(by=1).observation.number == 100
        assert env.episode.steps[-2].error.__cause__ is None, "the record keeps no frames"


@pytest.mark.parametrize("by", [13, 14])
def test_its_own_validation_error_is_not_the_action_s(by: int) -> None:
    """R14: data of the class's own that fits no model fails the step, which happened; a bad action is refused."""
    with serve(Scorer) as server, connect(server.url) as env:
        env.reset()
        with pytest.raises(EnvironmentFailed, match="not the action's fault") as caught:
            env.step(by=by)
        assert isinstance(caught.value.__cause__, ValidationError)
        assert env.episode[-1].happened and env.episode.length == 1 and env.state().step_count == 1
        with pytest.raises(InvalidAction, match=r"by: .*integer"):
            env.step(by="x")
        assert not env.episode[-1].happened and env.state().step_count == 1


async def test_an_awaited_call_gets_the_cause_too() -> None:
    """The cause also reaches who awaits, and who pipelines: each its own."""
    with serve(Divider) as server:
        async with GenericEnvClient(server.url) as env:
            await env.reset()
            with pytest.raises(EnvironmentFailed) as caught:
                await env.step(by=0)
            assert isinstance(caught.value.__cause__, ZeroDivisionError)
            with pytest.raises(EnvironmentFailed) as caught:
                await env.step_many([{"by": 1}, {"by": 0}, {"by": 0}])
            assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_constructor_s_exception_is_the_cause() -> None:
    """A class that cannot be built fails at connect, with what it raised as the cause."""
    with serve(Broken) as server:
        with pytest.raises(FactoryFailed) as caught:
            connect(server.url)
        assert isinstance(caught.value.__cause__, LookupError)
        assert "the level is missing" in "\n".join(caught.value._render_traceback_())
        assert "read the server's log" not in str(caught.value)
        eventually(lambda: server.sessions_active == 0)


@pytest.mark.parametrize("raised", [SystemExit(3), SystemExit(), KeyboardInterrupt()])
def test_an_exit_or_an_interrupt_is_an_error_like_any_other(raised: BaseException) -> None:
    """sys.exit() and KeyboardInterrupt inside a class fail the call with their cause; the session goes on."""

    class Leaving(Divider):
        def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
            if action.by == 0:
                raise raised
            return super().step(action)

    class Absent(Divider):
        def __init__(self) -> None:
            raise raised

    with serve(Leaving) as server, connect(server.url) as env:
        env.reset()
        with pytest.raises(EnvironmentFailed, match=type(raised).__name__) as caught:
            env.step(by=0)
        assert caught.value.__cause__ is raised
        assert env.step(by=4).observation.number == 25
    with serve(Absent) as server:
        with pytest.raises(FactoryFailed) as failed:
            connect(server.url)
        assert failed.value.__cause__ is raised


def test_an_asynchronous_environment_leaves_in_the_same_way() -> None:
    """sys.exit() in an asynchronous method fails the call with its cause; the session goes on."""

    class Leaving(Awaited):
        async def step_async(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
            if action.by == 0:
                raise SystemExit("enough")
            return await super().step_async(action)

    with serve(Leaving) as server, connect(server.url) as env:
        env.reset()
        with pytest.raises(EnvironmentFailed, match="SystemExit: enough") as caught:
            env.step(by=0)
        assert isinstance(caught.value.__cause__, SystemExit)
        env.step(by=1)


def test_an_asynchronous_environment_works() -> None:
    """A class with asynchronous methods is awaited, and what those raise is the cause."""
    with serve(Awaited) as server, connect(server.url) as env:
        env.reset()
        assert env.step(by=3).observation.number == 3
        with pytest.raises(EnvironmentFailed) as caught:
            env.step(by=0)
        assert isinstance(caught.value.__cause__, ValueError)
        assert [frame.name for frame in traceback.extract_tb(caught.value.__cause__.__traceback__)] == ["step_async"]


def test_prints_appear_where_the_call_waits() -> None:
    """What the environment prints during a call is there when the call returns."""

    class Talking(Divider):
        def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Board:
            print("dividing by", action.by)
            return super().step(action)

    with serve(Talking) as server, connect(server.url) as env:
        env.reset()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            env.step(by=7)
        assert said.getvalue() == "dividing by 7\n"


def test_many_sessions_where_the_class_allows_them() -> None:
    """A21: a class that says so serves 4 clients; the fifth is AtCapacity, naming 4."""
    with serve(Divider, sessions=4) as server:
        envs = [connect(server.url) for _ in range(4)]
        assert [env.reset().observation.number for env in envs] == [100] * 4
        with pytest.raises(AtCapacity, match="4 of 4 sessions in use"):
            connect(server.url)
        for env in envs:
            env.close()


def test_many_sessions_are_refused_where_it_does_not() -> None:
    """A21: a class that takes one session at a time is not served for 4; the reason is said before anything starts."""
    with pytest.raises(MisuseError, match=r"Alone takes one session at a time .*SUPPORTS_CONCURRENT_SESSIONS is False"):
        serve(Alone, sessions=4)
    with serve(Alone) as server:
        assert server.sessions_maximum == 1


def test_arguments_go_to_the_constructor() -> None:
    """arguments= reach the constructor; what it does not take is refused at once, by name."""
    with serve(Divider, arguments={"start": 12}) as server, connect(server.url) as env:
        assert env.reset().observation.number == 12
    with pytest.raises(MisuseError, match=r"Divider cannot be built: .*'level'"):
        serve(Divider, arguments={"level": 2})


def test_a_factory_is_served() -> None:
    """A function that returns an environment is served as well; arguments are its own."""
    with serve(make_divider, arguments={"start": 8}) as server, connect(server.url) as env:
        assert (server.name, env.reset().observation.number) == ("make_divider", 8)
    with serve(lambda: Divider(3)) as server, connect(server.url) as env:
        assert (server.name, env.reset().observation.number) == ("Divider", 3)


def test_models_are_found_or_asked_for() -> None:
    """Models come from generics or annotations; a class that names none is refused until they are given."""
    with serve(Annotated) as server:
        assert set(ask(server.url, "/schema")["action"]["properties"]) >= {"by"}
    with pytest.raises(
        MisuseError, match=r"Untyped does not say what its actions are.*serve\(Untyped, action=MyAction\)"
    ):
        serve(Untyped)
    with serve(Untyped, action=Move, observation=Board) as server, connect(server.url) as env:
        env.reset()
        assert env.step(by=9).observation.number == 9


def test_what_is_no_class_of_environments_is_refused() -> None:
    """Objects, other classes and unfinished classes are refused in one sentence."""
    with pytest.raises(MisuseError, match="dict is no Environment class"):
        serve(dict)
    with pytest.raises(MisuseError, match="not a Divider object"):
        serve(Divider())  # type: ignore[arg-type]

    class Unfinished(Divider):
        reset = served.Environment.reset

    with pytest.raises(MisuseError, match="Unfinished lacks reset"):
        serve(Unfinished)


def test_no_page_may_drive_it() -> None:
    """A foreign Origin and a foreign Host are refused with 403; those of allowed_hosts are not."""
    with serve(Divider, allowed_hosts=["hub.example"]) as server:
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            with pytest.raises(urllib.error.HTTPError) as caught:
                ask(server.url, "/health", headers)
            with caught.value:
                assert caught.value.code == 403
        assert ask(server.url, "/health", {"Host": "hub.example", "Origin": "https://hub.example"})
        with pytest.raises(Exception, match="403"):
            connect(server.url, headers={"Origin": "https://evil.example"})


def test_a_taken_port_fails_at_once() -> None:
    """A port that is taken is a failed start that names it; nothing is left."""
    with serve(Divider) as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(ServerStartFailed, match=f"could not listen on port {port}"):
            serve(Divider, port=port)


def test_stopping_waits_for_no_step() -> None:
    """stop() returns while a step is held; its caller gets SessionLost, the thread ends with the step."""
    Gated.begun.clear()
    Gated.go.clear()
    Gated.ended.clear()
    server = serve(Gated)
    env = connect(server.url)
    env.reset()
    outcome: list[BaseException] = []

    def step() -> None:
        try:
            env.step(by=1)
        except SessionLost as error:
            outcome.append(error)

    waiting = threading.Thread(target=step, daemon=True)
    waiting.start()
    assert Gated.begun.wait(10)
    server.stop()
    waiting.join(10)
    assert len(outcome) == 1 and not Gated.ended.is_set()
    Gated.go.set()
    env.close()
    eventually(lambda: not server.running)


def test_new_code_takes_the_place_of_old() -> None:
    """replace() serves an edited class at the same address; a client's next reset() meets the new code."""

    class Better(Divider):
        def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Board:
            return Board(number=-1)

    with serve(Divider) as server, connect(server.url) as env:
        assert env.reset().observation.number == 100
        url = server.url
        with pytest.raises(MisuseError):
            server.replace(Untyped)
        assert env.step(by=1).observation.number == 100, "what cannot be served leaves the old one alone"
        assert server.replace(Better) is server
        assert (server.url, server.name) == (url, "Better")
        with pytest.raises(SessionLost):
            env.step(by=1)
        assert env.reset().observation.number == -1


def test_what_has_no_name_is_connected_to_by_its_address() -> None:
    """target_of() gives the address where connect() was given a factory that no program could name."""
    with connect(lambda: Divider()) as env:
        assert target_of(env) == env.base_url


def test_clients_share_the_server_of_a_class() -> None:
    """connect(Class) shares one server among its clients; the last close stops it."""
    first, second = connect(Divider), connect(Divider)
    assert first.base_url == second.base_url
    url = str(first.base_url)
    assert [each.name for each in running_servers()] == ["Divider"]
    assert target_of(first) is Divider
    first.close()
    assert second.reset().observation.number == 100
    second.close()
    eventually(lambda: not listens(url))
    assert running_servers() == []
