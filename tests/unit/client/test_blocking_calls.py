"""The blocking client on a scripted far end: from cells, threads and callbacks, interrupted or not."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import pickle
import threading
from collections.abc import Awaitable
from typing import Any

import pytest
from support.interrupts import interrupted_when
from support.recorded import schemas
from support.waiting import eventually, in_threads
from support.wire import FarEnd, result_frame, scripted

from openenv_notebook.client.clients import EnvClient, GenericEnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.client.events import Event
from openenv_notebook.threads import events_thread
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import ClientClosed, MisuseError, ReplyTimeout, SessionLost, WrongThread

Env = SyncEnvClient[Any, Any, Any]


class Own(GenericEnvClient):
    """A person's own client, with methods of every kind."""

    limit = 3

    async def double_step(self, column: int, *, times: int = 2) -> list[int]:
        """Step several times.

        Args:
            column: Where.
        """
        return [(await self.step(column=column)).observation.step for _ in range(times)]

    async def fail(self) -> None:
        """Raise."""
        raise ZeroDivisionError("mine")

    def later(self, value: int) -> Awaitable[int]:
        """Return something awaitable."""

        async def wait() -> int:
            return value

        return wait()

    def plain(self, value: int) -> int:
        """Compute."""
        return value + 1

    @property
    def name(self) -> str:
        """A property."""
        return "own"

    async def where(self) -> tuple[int, int]:
        """Tell the thread and the loop."""
        return threading.get_ident(), id(asyncio.get_running_loop())

    async def wait(self) -> None:
        """Wait for ever."""
        await asyncio.Event().wait()


@pytest.fixture
def own(far_end: FarEnd) -> Any:
    """A blocking view of a person's own client."""
    made = scripted(Own("scripted.test:80", message_timeout_s=10), far_end)
    made.known.schema = attribute_dict(schemas()["connect4"])
    yield made.sync()
    made.sync().close()


class TestCalls:
    """Blocking calls."""

    def test_an_episode_is_played(self, env: Env, far_end: FarEnd) -> None:
        """reset, step and state give values, never awaitables."""
        with env as same:
            assert same is env
            assert env.reset(seed=7).observation.reset.seed == 7
            result = env.step(column=3)
            assert (result.observation.echo, result.reward, result.done) == ({"column": 3}, 1.0, False)
            assert env.step(3).observation.step == 2
            assert env.step({"column": 3}).observation.step == 3
            assert env.state().step_count == 3
            assert env.last == env.episode[-1].result
            assert env.episode.total_reward == 3.0
        assert env.status == "closed"

    async def test_it_works_under_a_running_loop(self, env: Env) -> None:
        """In a cell a loop is running already; blocking calls work there all the same."""
        env.reset()
        assert env.step(column=3).observation.step == 1
        assert asyncio.get_running_loop().is_running()

    def test_both_views_are_of_one_session(self, client: GenericEnvClient, env: Env) -> None:
        """sync() gives the same view each time; async_client gives the client back."""
        assert client.sync() is env is env.sync()
        assert env.async_client is client
        assert SyncEnvClient(client).async_client is client
        env.reset()
        assert asyncio.run(client.step(column=1)).observation.step == 1
        assert env.step(column=1).observation.step == 2

    def test_a06_one_loop_serves_all_threads(self, own: Any) -> None:
        """A06: connect, reset, step and close from several threads run on one and the same loop."""
        own.connect()
        places = in_threads(*[own.where] * 6)
        assert len(set(places)) == 1
        assert places[0][0] not in (threading.get_ident(), 0)
        in_threads(own.reset)
        assert in_threads(own.state, lambda: own.step(column=1), own.state)
        in_threads(own.close)
        assert own.status == "closed"

    def test_threads_get_their_own_replies(self, playing: Env) -> None:
        """8 threads on one client: every reply belongs to its call."""

        def work(number: int) -> list[int]:
            return [playing.step(column=number * 100 + n).observation.echo.column for n in range(20)]

        answers = in_threads(*[lambda n=n: work(n) for n in range(8)])
        assert answers == [[number * 100 + n for n in range(20)] for number in range(8)]
        assert playing.episode.length == 160

    def test_b03_the_portals_own_thread_is_refused(self, own: Any) -> None:
        """B03: a blocking call from code on the loop's thread raises at once and names the awaitable."""

        own.reset()
        calls = {"reset": own.reset, "step": lambda: own.step(column=1), "double_step": lambda: own.double_step(1)}
        for name, call in calls.items():

            async def nested(call: Any = call) -> None:
                call()

            with pytest.raises(WrongThread, match=rf"await env\.async_client\.{name}\(\.\.\.\)"):
                conversation_of(own).session.lease.portal.call(nested)

    def test_e27_subscribers_may_call_back(self, playing: Env) -> None:
        """E27: a callback runs off the loop's thread and may make blocking calls itself."""
        states: list[Any] = []

        def look(event: Event) -> None:
            if event.kind == "step" and not states:
                states.append(playing.state())

        stop = playing.subscribe(look)
        playing.step(column=1)
        eventually(lambda: states)
        assert states[0].step_count == 1
        stop()

    def test_a31_names_and_keys_are_the_same(self, playing: Env) -> None:
        """A31: an observation reads by attribute and key; a wrong name lists the keys."""
        observation = playing.step(column=1).observation
        assert observation.echo == observation["echo"]
        with pytest.raises(AttributeError, match="keys: echo, step"):
            observation.stdout

    def test_awaiting_a_blocking_call_is_a_type_error(self, playing: Env) -> None:
        """B26: `await env.step(...)` fails plainly and hangs nothing; the step happened."""

        async def mistake() -> None:
            await playing.step(column=1)

        with pytest.raises(TypeError, match="StepResult"):
            asyncio.run(mistake())
        assert playing.episode.length == 1


class TestEveryMethod:
    """The blocking client mirrors the asynchronous one."""

    def test_e13_every_public_name_is_there(self, env: Env) -> None:
        """E13: each public method and property of the asynchronous client is on the blocking one, and is blocking."""
        for name in (name for name in dir(EnvClient) if not name.startswith("_")):
            ours = inspect.getattr_static(SyncEnvClient, name, None)
            assert ours is not None or name in dir(env), name
            assert not inspect.iscoroutinefunction(ours), name

    def test_e13_signatures_are_the_same(self) -> None:
        """E13: the blocking twin of a method takes the same arguments."""
        for name, method in inspect.getmembers(EnvClient, inspect.isfunction):
            twin = inspect.getattr_static(SyncEnvClient, name, None)
            if name.startswith("_") or not inspect.isfunction(twin):
                continue
            mine, its = inspect.signature(twin), inspect.signature(method)
            assert list(mine.parameters) == list(its.parameters), name
            for key, parameter in its.parameters.items():
                assert mine.parameters[key].default == parameter.default, (name, key)
                assert mine.parameters[key].kind == parameter.kind, (name, key)

    @pytest.mark.parametrize("under_a_loop", [False, True])
    def test_e13_every_method_works_in_a_cell(self, playing: Env, far_end: FarEnd, under_a_loop: bool) -> None:
        """E13: no method of the blocking client has trouble with a running loop."""
        calls: dict[str, Any] = {
            "connect": playing.connect,
            "reset": playing.reset,
            "step": lambda: playing.step(column=1),
            "state": playing.state,
            "step_many": lambda: playing.step_many([1, 2]),
            "settle": playing.settle,
            "list_tools": playing.list_tools,
            "get_tool": lambda: playing.get_tool("f"),
            "has_tool": lambda: playing.has_tool("f"),
            "call_tool": lambda: playing.call_tool("f", x=1),
            "schema": playing.schema,
            "options": lambda: playing.options(timeout=1).step(column=1),
            "sync": playing.sync,
            "unsubscribe": lambda: playing.unsubscribe(print),
            "subscribe": lambda: playing.subscribe(print)(),
            "disconnect": playing.disconnect,
            "close": playing.close,
        }

        def policy(request: Any) -> bytes | None:
            if request["type"] == "step" and request["data"].get("type") == "call_tool":
                return result_frame({"result": {"data": 5}})
            if request["type"] == "mcp":
                return b'{"type": "mcp", "data": {"result": {"tools": [{"name": "f"}]}}}'
            return usual(request)

        usual, far_end.policy = far_end.policy, policy
        # These ask by HTTP, or open another session: tests/faults does it.
        elsewhere = {"health", "metadata", "new_session", *(name for name in dir(EnvClient) if "task" in name)}
        elsewhere |= {"list_environments", "list_splits", "from_env", "from_docker_image"}
        methods = {
            name for name in dir(SyncEnvClient) if not name.startswith("_") and callable(getattr(SyncEnvClient, name))
        }
        assert methods - elsewhere == set(calls)

        async def cell() -> None:
            for call in calls.values():
                assert not inspect.isawaitable(call())

        if under_a_loop:
            asyncio.run(cell())
        else:
            for call in calls.values():
                assert not inspect.isawaitable(call())

    def test_other_coroutine_methods_become_blocking(self, own: Any) -> None:
        """A coroutine method of a subclass is blocking here, with its signature and docstring, made once."""
        own.reset()
        assert own.double_step(3, times=3) == [1, 2, 3]
        assert own.double_step is own.double_step
        assert inspect.signature(own.double_step) == inspect.signature(own.async_client.double_step)
        assert own.double_step.__doc__.startswith("Step several times.")
        with pytest.raises(ZeroDivisionError, match="mine"):
            own.fail()

    def test_methods_that_return_awaitables_are_handled(self, own: Any) -> None:
        """A plain method that gives an awaitable gives its value here."""
        assert own.later(5) == 5

    def test_plain_things_pass(self, own: Any) -> None:
        """Attributes, properties and plain methods are those of the client."""
        assert (own.limit, own.name, own.plain(1)) == (3, "own", 2)
        assert {"double_step", "name", "step", "limit"} <= set(dir(own))
        with pytest.raises(AttributeError, match="'Own' object has no attribute 'nothing'"):
            own.nothing

    def test_d16_probes_touch_nothing(self, env: Env, far_end: FarEnd) -> None:
        """D16: what IPython, copy and numpy probe for is not there, and asks no server."""
        for probe in ("_repr_html_", "_ipython_display_", "_ipython_canary_method_should_not_exist_", "__array__"):
            with pytest.raises(AttributeError):
                getattr(env, probe)
            assert not hasattr(env, probe)
        assert far_end.wires == []
        assert env.status == "new"

    def test_it_is_neither_copied_nor_pickled(self, env: Env) -> None:
        """A client is not duplicated: the refusal is a MisuseError with a hint."""
        for item in (env, env.async_client):
            for duplicate in (copy.copy, copy.deepcopy):
                with pytest.raises(MisuseError, match=r"cannot be copied.*new_session"):
                    duplicate(item)
            with pytest.raises(MisuseError, match=r"cannot be pickled.*send the address"):
                pickle.dumps(item)

    def test_only_clients_are_wrapped(self) -> None:
        """Anything else given to SyncEnvClient is named."""
        with pytest.raises(MisuseError, match="not str"):
            SyncEnvClient("localhost:8000")  # type: ignore[arg-type]
        with pytest.raises(MisuseError, match=r"not the class Own .* SyncEnvClient\(Own\('localhost:8000'\)\)"):
            SyncEnvClient(Own)  # type: ignore[arg-type]

    def test_a_blocking_client_is_wrapped_as_its_twin(self, env: Env) -> None:
        """SyncEnvClient of a blocking client is a view of the same session."""
        again = SyncEnvClient(env)
        again.reset()
        assert again.async_client is env.async_client
        assert len(env.episode) == 1

    def test_only_functions_subscribe(self, env: Env) -> None:
        """What cannot be called is refused when it subscribes."""
        with pytest.raises(MisuseError, match="not a int"):
            env.subscribe(3)  # type: ignore[arg-type]


class TestInterrupt:
    """Real SIGINT in a blocking call."""

    def test_b14_the_session_is_kept(self, playing: Env, far_end: FarEnd) -> None:
        """B14: an interrupted step is owed; the next call gets its own reply, and no task is left."""
        far_end.hold()
        with pytest.raises(KeyboardInterrupt) as caught, interrupted_when(lambda: far_end.held):
            playing.step(column=1)
        assert caught.value.sent is True  # type: ignore[attr-defined]
        assert "its reply is owed" in caught.value.__notes__[0]
        assert playing.owed == 1
        assert "1 reply owed" in repr(playing)
        far_end.release()
        assert playing.step(column=2).observation == {"echo": {"column": 2}, "step": 2}
        assert [(step.action.column, step.owed) for step in playing.episode.steps[1:]] == [(1, True), (2, False)]
        portal = conversation_of(playing).session.lease.portal
        assert portal.call(lambda: len(asyncio.all_tasks())) == 1
        assert playing.reset().observation.step == 0

    def test_a_cell_shows_the_lines_of_its_own_code(self, playing: Env, far_end: FarEnd) -> None:
        """What IPython shows of an interrupt is where the person's code was, and the note, without our frames."""
        far_end.hold()
        with interrupted_when(lambda: far_end.held):
            try:
                playing.step(column=1)
            except KeyboardInterrupt as error:
                shown, note = "\n".join(error._render_traceback_()), error.__notes__[0]  # type: ignore[attr-defined]
        far_end.release()
        assert shown.startswith("Traceback (most recent call last):\n") and "playing.step(column=1)" in shown
        assert "sync_client.py" not in shown.replace("test_sync_client.py", "") and "portal.py" not in shown
        assert shown.endswith(f"\nKeyboardInterrupt\n{note}")

    def test_an_unsent_call_never_happens(self, playing: Env, far_end: FarEnd) -> None:
        """A call that was interrupted while it waited in line is withdrawn, and says so."""
        far_end.hold()
        with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: far_end.held):
            playing.step(column=1)
        with (
            pytest.raises(KeyboardInterrupt) as caught,
            interrupted_when(lambda: conversation_of(playing).session.exchange.queued == 1),
        ):
            playing.step(column=2)
        assert caught.value.sent is False  # type: ignore[attr-defined]
        assert "withdrawn before it was sent" in caught.value.__notes__[0]
        far_end.release()
        assert [step.action.column for step in playing.settle(timeout=5)] == [1]
        assert far_end.steps == [{"column": 1}]

    def test_an_interrupted_connect_can_be_tried_again(self, env: Env, far_end: FarEnd) -> None:
        """A connect that was interrupted while the environment was built leaves a client that works."""
        far_end.holds_hello = True
        with pytest.raises(KeyboardInterrupt), interrupted_when(lambda: far_end.held):
            env.reset()
        far_end.holds_hello = False
        assert env.reset().observation.step == 0
        assert far_end.kinds == ["reset"]

    def test_a_longer_method_is_cancelled(self, own: Any) -> None:
        """An interrupted coroutine method of a subclass is cancelled, and no task is left."""
        own.connect()
        portal = conversation_of(own).session.lease.portal

        def waits() -> bool:
            tasks = asyncio.all_tasks(portal.loop)
            return any("wait" in repr(task.get_coro()) for task in tasks) or len(tasks) == 1

        with pytest.raises(KeyboardInterrupt), interrupted_when(waits):
            own.wait()
        assert portal.call(lambda: len(asyncio.all_tasks())) == 1

    def test_an_interrupted_settle_leaves_what_is_owed(self, playing: Env, far_end: FarEnd) -> None:
        """settle can be interrupted and called again."""
        far_end.hold()
        with pytest.raises(ReplyTimeout):
            playing.options(timeout=0.02).step(column=1)
        with (
            pytest.raises(KeyboardInterrupt),
            interrupted_when(lambda: conversation_of(playing).session.unclaimed.settlers),
        ):
            playing.settle()
        far_end.release()
        assert len(playing.settle(timeout=5)) == 1


def test_a_verb_that_was_put_on_a_class_later_is_what_runs(far_end: FarEnd) -> None:
    """A decorator of classes, or a test's double, holds for both twins."""

    class Mine(GenericEnvClient):
        """To be decorated."""

    plain, made = Mine.step, []

    async def counted(self: Any, *args: Any, **fields: Any) -> Any:
        made.append(fields)
        return await plain(self, *args, **fields)

    Mine.step = counted  # type: ignore[method-assign]
    with scripted(Mine("localhost:1"), far_end).sync() as env:
        env.reset()
        env.step(column=1)
    assert made == [{"column": 1}]


class TestEnds:
    """Closing."""

    def test_closing_twice_does_nothing(self, playing: Env) -> None:
        """close is idempotent, from several threads too, and every later call is ClientClosed."""
        in_threads(*[playing.close] * 4)
        playing.close()
        assert playing.settle() == []
        playing.disconnect()
        for call in (playing.connect, playing.reset, lambda: playing.step(column=1), playing.state):
            with pytest.raises(ClientClosed):
                call()

    def test_closing_is_bounded(self, playing: Env, far_end: FarEnd) -> None:
        """A far end that never answers the goodbye does not hold close()."""
        far_end.ignores_close = True
        playing.close()
        assert playing.status == "closed"

    def test_closing_ends_who_waits(self, playing: Env, far_end: FarEnd) -> None:
        """A step in another thread is lost, a waiting one never happens."""
        far_end.hold()

        def closing() -> None:
            far_end.wait_for(1)
            eventually(lambda: conversation_of(playing).session.exchange.queued == 1)
            playing.close()

        outcomes = in_threads(lambda: playing.step(column=1), lambda: playing.step(column=2), closing)
        assert {type(outcome) for outcome in outcomes[:2]} == {SessionLost, ClientClosed}
        for outcome in outcomes[:2]:
            assert "connect again" in str(outcome) and "reset()" not in str(outcome)

    def test_a_disconnect_gives_the_session_up(self, playing: Env, far_end: FarEnd) -> None:
        """After disconnect() the environment is gone until a reset."""
        playing.disconnect()
        assert playing.status == "lost"
        with pytest.raises(SessionLost, match=r"given up by disconnect\(\)"):
            playing.step(column=1)
        playing.reset()
        assert len(far_end.wires) == 2

    def test_a_subclass_may_have_its_own_close(self, far_end: FarEnd) -> None:
        """An overridden close runs, and the session is closed in any case."""
        seen: list[str] = []

        class Closing(GenericEnvClient):
            async def close(self) -> None:
                seen.append("mine")
                await super().close()

        env = scripted(Closing("localhost:1"), far_end).sync()
        env.reset()
        env.close()
        assert seen == ["mine"]
        assert env.status == "closed"
        assert far_end.wire.end is not None

    def test_closing_from_a_subscriber_does_not_hang(self, playing: Env) -> None:
        """A callback may close the client it listens to."""
        done = threading.Event()

        def finish(event: Event) -> None:
            if event.kind == "step":
                playing.close()
                done.set()

        playing.subscribe(finish)
        playing.step(column=1)
        assert done.wait(5)
        events_thread.join()
        assert playing.status == "closed"

    def test_fifty_clients_share_one_thread(self, far_end: FarEnd) -> None:
        """50 clients at once have one thread; closed, they leave none."""
        envs = [scripted(GenericEnvClient("localhost:1"), FarEnd()).sync() for _ in range(50)]
        for env in envs:
            env.reset()
        assert [thread.name for thread in threading.enumerate()].count("openenv-loop") == 1
        for env in envs:
            env.close()
        gc.collect()
        assert not any(thread.name.startswith("openenv-") for thread in threading.enumerate())
