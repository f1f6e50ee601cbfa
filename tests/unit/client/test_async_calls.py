"""The asynchronous client on a scripted far end: awaited from any loop, given up, closed, collected."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import pickle
import threading
import warnings
import weakref
from typing import Any

import pytest
from support.waiting import eventually, eventually_here
from support.wire import FarEnd, error_frame, result_frame, scripted

from openenv_notebook.client.clients import EnvClient, GenericEnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.values.errors import (
    ClientClosed,
    InvalidAction,
    InvalidTarget,
    MisuseError,
    OpenEnvWarning,
    ProtocolError,
    ReplyTimeout,
    SessionLost,
    TransportError,
)
from openenv_notebook.values.messages import StepResult


class TestMaking:
    """What a client is made of."""

    def test_nothing_is_opened_before_it_is_needed(self, far_end: FarEnd) -> None:
        """Making a client opens no connection and starts no thread."""
        before = threading.active_count()
        client = GenericEnvClient("localhost:8000")
        assert threading.active_count() == before
        assert (client.status, client.base_url) == ("new", "http://localhost:8000")
        assert client.episodes == []
        assert (client.last, client.done, client.owed, client.activity) == (None, False, 0, "")

    def test_an_address_or_a_provider_is_needed(self) -> None:
        """Without either there is nothing to connect to."""
        with pytest.raises(MisuseError, match="base_url= or provider="):
            GenericEnvClient()

    def test_what_must_be_started_is_no_address(self) -> None:
        """A demo or a folder is for connect(), and the hint says so."""
        with pytest.raises(InvalidTarget, match=r"connect\('demo:grid'\)"):
            GenericEnvClient("demo:grid")

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, "5"])
    @pytest.mark.parametrize("name", ["connect_timeout_s", "message_timeout_s", "websocket_ping_interval_s", "wait_s"])
    def test_a_limit_is_a_number_of_seconds(self, name: str, value: Any) -> None:
        """A limit that cannot be meant is refused by its name when it is given."""
        with pytest.raises(MisuseError, match=f"{name} is a number of seconds"):
            GenericEnvClient("localhost:1", **{name: value})

    @pytest.mark.parametrize(
        ("headers", "text"),
        [
            ({"X": "secret\nb"}, "the header 'X' has a line break"),
            ({"X": 3}, "the header 'X' needs a text"),
            ({"X Y": "a"}, "'X Y' is no name of a header"),
            ({"X\n": "a"}, r"'X\\n' is no name of a header"),
            (["X"], "headers are a dict"),
        ],
    )
    def test_a_header_that_cannot_be_sent_is_named(self, headers: Any, text: str) -> None:
        """Headers are checked before anything is opened, and a value is never shown."""
        with pytest.raises(MisuseError, match=text) as caught:
            GenericEnvClient("localhost:1", headers=headers)
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize("options", [{"timeout": -1}, {"timeout": "5"}, {"actor": "robot"}, {"actor": ""}])
    def test_options_are_checked(self, client: GenericEnvClient, options: Any) -> None:
        """options() names what cannot be meant."""
        with pytest.raises(MisuseError, match=f"{next(iter(options))} is"):
            client.options(**options)

    def test_the_mode_is_one_of_two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The mode is checked, also that of the environment variable."""
        with pytest.raises(MisuseError, match="simulation or production, not 'fast'"):
            GenericEnvClient("localhost:1", mode="fast")
        monkeypatch.setenv("OPENENV_CLIENT_MODE", "Production")
        assert conversation_of(GenericEnvClient("localhost:1")).mode == "production"

    def test_upstreams_names_hold(self) -> None:
        """Settings have the names, the order and the defaults of the official client."""
        client = GenericEnvClient("localhost:1", 5.0, 30.0, 2.0, 10.0, None, None, "simulation", {"X": "1"})
        endpoint = client.endpoint
        assert endpoint is not None
        assert (endpoint.max_size, endpoint.ping_interval, endpoint.ping_timeout) == (2 * 2**20, 10.0, None)
        patience = conversation_of(client).opener.patience
        assert (patience.connect, patience.build) == (5.0, 30.0)
        assert endpoint.headers == {"X": "1"}
        default = GenericEnvClient("localhost:1")
        assert default.endpoint is not None
        patience = conversation_of(default).opener.patience
        assert (patience.connect, patience.build) == (10.0, 60.0)
        assert (default.endpoint.max_size, default.endpoint.ping_interval) == (100 * 2**20, 20.0)
        assert GenericEnvClient("localhost:1", max_message_size_mb=None).endpoint.max_size is None  # type: ignore[union-attr]

    def test_b26_its_repr_says_what_it_is(self, client: GenericEnvClient, env: Any) -> None:
        """B26: a repr tells asynchronous from blocking, the state, the address and the episode."""
        assert repr(client) == "<GenericEnvClient (async), new, http://scripted.test, Episode(0 steps, return 0, open)>"
        env.reset()
        assert repr(env).startswith("<GenericEnvClient (sync), open, http://scripted.test, ")

    def test_it_cannot_be_pickled(self, client: GenericEnvClient) -> None:
        """A client belongs to its process; the refusal says what to send instead."""
        for item in (client, client.sync()):
            with pytest.raises(MisuseError, match="send the address"):
                pickle.dumps(item)

    def test_a_plain_with_is_a_mistake(self, client: GenericEnvClient) -> None:
        """`with client:` says what to write."""
        with pytest.raises(MisuseError, match=r"async with client: .*with client\.sync\(\) as env"), client:
            pass


class TestCalls:
    """Awaiting."""

    async def test_an_episode_is_awaited(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """reset, step and state are awaited on the test's own loop."""
        first = await client.reset(seed=7)
        assert first.observation == {"reset": {"seed": 7}, "step": 0}
        result = await client.step(column=3)
        assert (result.observation.echo, result.reward, result.done) == ({"column": 3}, 1.0, False)
        assert (await client.state()).step_count == 1
        assert client.last is client.episode[-1].result
        assert client.last == result
        assert client.episode.total_reward == 1.0

    async def test_it_works_on_the_portals_own_loop(self, client: GenericEnvClient) -> None:
        """Code that runs on the portal's loop awaits directly."""

        async def episode() -> Any:
            await client.reset()
            return (await client.step(3)).observation.echo

        await client.connect()
        portal = conversation_of(client).session.lease.portal
        assert await asyncio.to_thread(portal.call, episode) == {"column": 3}

    def test_a06_one_loop_serves_all(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A06: several loops, one after the other, and threads use one connection on one loop."""

        async def step(column: int) -> Any:
            return (await client.step(column=column)).observation.echo

        asyncio.run(client.reset())
        assert [asyncio.run(step(n)) for n in range(3)] == [{"column": n} for n in range(3)]
        assert client.sync().step(3).observation.echo == {"column": 3}
        assert len({id(wire.loop) for wire in far_end.wires}) == len(far_end.wires) == 1

    async def test_gathered_calls_get_their_own_replies(self, client: GenericEnvClient) -> None:
        """50 calls at once on one client: every reply belongs to its call."""
        await client.reset()
        results = await asyncio.gather(*(client.step(column=n) for n in range(50)))
        assert [result.observation.echo.column for result in results] == list(range(50))

    async def test_first_calls_at_once_share_one_connect(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """Concurrent first calls open one session."""
        await asyncio.gather(client.reset(), client.state(), client.connect(), client.connect())
        assert len(far_end.wires) == 1

    async def test_a_cancelled_call_says_whether_it_was_sent(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """CancelledError carries .sent and a note; what was not sent is withdrawn."""
        await client.reset()
        far_end.hold()
        sent = asyncio.create_task(client.step(column=1))
        await eventually_here(lambda: far_end.held)
        unsent = asyncio.create_task(client.step(column=2))
        await asyncio.sleep(0)
        for task, expected in ((unsent, False), (sent, True)):
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert caught.value.sent is expected  # type: ignore[attr-defined]
            assert caught.value.__notes__[0].startswith("openenv: the step ")
        assert client.owed == 1
        far_end.release()
        assert [step.action.column for step in await client.settle()] == [1]
        assert far_end.steps == [{"column": 1}]

    async def test_a01_a_timeout_shifts_nothing(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A01: after a timeout the next call gets its own answer, and the record agrees with the server."""
        await client.reset()
        far_end.hold()
        with pytest.raises(
            ReplyTimeout, match=r"no reply to step\(\) within 0.05 s.*settle\(\).*disconnect\(\)"
        ) as late:
            await client.options(timeout=0.05).step(column=1)
        assert late.value.sent
        with pytest.raises(ReplyTimeout, match="withdrawn before it was sent") as never:
            await client.options(timeout=0.05).step(column=2)
        assert not never.value.sent
        far_end.release()
        assert (await client.step(column=3)).observation == {"echo": {"column": 3}, "step": 2}
        steps = client.episode.steps[1:]
        assert [(step.action.column, step.owed) for step in steps] == [(1, True), (3, False)]
        assert client.episode.length == (await client.state()).step_count == 2

    async def test_a_timeout_is_a_timeout_for_everybody(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """asyncio's own timeout works as ours does, and except TimeoutError catches both."""
        await client.reset()
        far_end.hold()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.step(column=1)
        with pytest.raises(TimeoutError):
            await client.options(timeout=0.01).state()
        assert client.owed == 1
        far_end.release()

    async def test_no_timeout_is_no_limit(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """None waits as long as it takes."""
        await client.reset()
        far_end.hold()
        task = asyncio.create_task(client.options(timeout=None).step(column=1))
        await eventually_here(lambda: far_end.held)
        far_end.release()
        assert (await task).observation.step == 1

    async def test_a43_options_and_arguments_never_meet(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A43: every keyword of reset goes to the environment; options of a call have a place of their own."""
        await client.options(timeout=5).reset(timeout=5, difficulty="hard", actor="x", env_kwargs={"a": 1})
        assert far_end.requests[0]["data"] == {"timeout": 5, "difficulty": "hard", "actor": "x", "env_kwargs": {"a": 1}}

    async def test_a_view_with_options_is_the_same_session(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A view shares session, record and subscribers; the actor it names stands in the record."""
        view = client.options(actor="policy")
        await view.reset()
        await view.options(timeout=3).step(column=1)
        await client.step(column=2)
        assert [step.actor for step in client.episode] == ["policy", "policy", "code"]
        assert view.episode is client.episode
        assert view.sync().async_client is view

    async def test_a_view_has_the_attributes_of_its_client(self, far_end: FarEnd) -> None:
        """What a class of one's own notes on itself is one, whichever view of the client notes or reads it."""

        class Counting(GenericEnvClient):
            """Counts its steps."""

            def __init__(self, url: str) -> None:
                super().__init__(url)
                self.made = 0

            async def go(self) -> None:
                """Step and count."""
                await self.step(column=self.made)
                self.made += 1

        client = scripted(Counting("localhost:1"), far_end)
        view = client.options(timeout=5)
        await client.reset()
        await view.go()
        await client.go()
        client.note = "mine"
        assert (client.made, view.made, view.note) == (2, 2, "mine")
        await client.close()

    async def test_no_time_at_all_is_a_limit_for_questions_too(self) -> None:
        """A limit of nothing is no missing limit: nobody is asked, and the error names it."""
        client = GenericEnvClient("localhost:1", message_timeout_s=0.0)
        with pytest.raises(ReplyTimeout, match=r"no reply to health\(\) within 0 s"):
            await client.health()

    async def test_a_class_calls_its_own_attributes_what_it_likes(self, far_end: FarEnd) -> None:
        """No name that people give is ours, nor is the layout of a base, be it slotted or a dict."""

        class Slotted:
            """A base with slots."""

            __slots__ = ("side",)

        class Named(GenericEnvClient, Slotted):
            """Uses the names an implementation might."""

            _options: Any = "class"

            def __init__(self, url: str) -> None:
                super().__init__(url)
                self._options, self._session, self._talk, self._twin, self._known = {"a": 1}, 2, 3, 4, 5
                self.side = 6

            def own(self) -> tuple[Any, ...]:
                return self._options, self._session, self._talk, self._twin, self._known

        client = scripted(Named("localhost:1"), far_end)
        view = client.options(timeout=5, actor="policy")
        await view.reset()
        await client.step(column=1)
        assert [step.actor for step in client.episode] == ["policy", "code"]
        assert client.own() == view.own() == ({"a": 1}, 2, 3, 4, 5)
        assert client.sync() is client.sync()
        await client.close()

    async def test_a_view_alone_keeps_the_session_and_no_longer(self, far_end: FarEnd) -> None:
        """A view keeps its client and its hooks alive; with the last view the client goes, and its session."""

        class Own(GenericEnvClient):
            """Reads results in its own way."""

            def _parse_result(self, payload: dict[str, Any]) -> StepResult[Any]:
                return StepResult("mine", 1.0, False)

        client = scripted(Own("localhost:1"), far_end)
        gone, view = weakref.ref(client), client.options(timeout=5).options(actor="policy")
        del client
        gc.collect()
        assert (await view.reset()).observation == "mine"
        del view
        gc.collect()
        await eventually_here(lambda: gone() is None and far_end.wire.closed_by_us)

    async def test_a_new_session_of_a_view_has_the_client_s_own_options(
        self, client: GenericEnvClient, far_end: FarEnd
    ) -> None:
        """The options of a call are gone with it: neither twin's new session keeps that timeout and actor."""
        view = client.options(timeout=5, actor="policy")
        blocking = await asyncio.to_thread(view.sync().new_session)
        for child in (await view.new_session(), blocking.async_client):
            await child.reset()
            assert conversation_of(child).options == conversation_of(client).options
            assert child.episode[0].actor == "code"

    async def test_reset_waits_and_its_timeout_names_disconnect(
        self, client: GenericEnvClient, far_end: FarEnd
    ) -> None:
        """A reset waits for an owed reply like any call; when it cannot, it says how to give the session up."""
        await client.reset()
        far_end.hold()
        with pytest.raises(ReplyTimeout):
            await client.options(timeout=0.02).step(column=1)
        with pytest.raises(ReplyTimeout, match=r"disconnect\(\)"):
            await client.options(timeout=0.02).reset()
        await client.disconnect()
        far_end.release()
        far_end.held.clear()
        assert (await client.reset()).observation == {"reset": {}, "step": 0}
        assert [type(step.error) for step in client.episodes[0]][1:] == [SessionLost]

    async def test_settling_has_a_limit(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """settle raises when what is owed does not come in time; it can be called again."""
        await client.reset()
        assert await client.settle() == []
        far_end.hold()
        with pytest.raises(ReplyTimeout):
            await client.options(timeout=0.02).step(column=1)
        with pytest.raises(ReplyTimeout, match=r"settle\(\)"):
            await client.settle(timeout=0.02)
        far_end.release()
        assert len(await client.settle(timeout=5)) == 1

    async def test_a_malformed_result_is_raised_and_recorded(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A reply without a "done" is a ProtocolError with the address, and the session goes on."""
        await client.reset()
        far_end.policy = lambda request: result_frame({}, 1.0, "no")
        with pytest.raises(ProtocolError, match=r'whose "done" is not true or false.*http://scripted\.test'):
            await client.step(column=1)
        assert isinstance(client.episode[-1].error, ProtocolError)
        far_end.policy = lambda request: result_frame({"fine": 1})
        assert (await client.step(column=1)).observation.fine == 1

    async def test_a_refused_action_names_its_fields(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """What the server refuses has a line a field, with the fields there are."""
        await client.reset()
        wrong = [{"type": "int_parsing", "loc": ["column"], "msg": "not an integer", "input": "x"}]
        far_end.policy = lambda request: error_frame("VALIDATION_ERROR", "Invalid", errors=wrong)
        with pytest.raises(InvalidAction) as caught:
            await client.step(column="x")
        assert caught.value.errors == ["column: not an integer (got 'x')"]
        assert caught.value.hint == "fields: column"

    async def test_a_refusal_says_whose_action_it_was(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """An unknown field that is refused before it is sent names the server, as the server's own refusals do."""
        await client.reset()
        with pytest.raises(InvalidAction) as caught:
            await client.step(colum=3)
        assert caught.value.url == conversation_of(client).session.url and caught.value.url in str(caught.value)
        assert far_end.steps == []

    async def test_what_cannot_be_sent_is_not_sent(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """An unknown field, or an object without a JSON form, is refused before anything happens."""
        await client.reset()
        with pytest.raises(InvalidAction, match="did you mean 'column'"):
            await client.step(colum=1)
        with pytest.raises(MisuseError, match="cannot be sent as JSON"):
            await client.step(column=object())
        assert far_end.kinds == ["reset"]
        assert len(client.episode) == 1


async def test_arguments_of_reset_may_have_any_name(client: GenericEnvClient, far_end: FarEnd) -> None:
    """An argument of reset called "self" reaches the environment, from both twins."""
    await client.reset(**{"self": 1})
    await asyncio.to_thread(client.sync().reset, **{"self": 2})
    assert [request["data"] for request in far_end.requests] == [{"self": 1}, {"self": 2}]


class TestWarnings:
    """What is allowed and probably not meant."""

    async def test_a_step_before_any_reset_is_warned_about_once(self, client: GenericEnvClient) -> None:
        """Stepping a new session is allowed and warned about, once."""
        with pytest.warns(OpenEnvWarning, match=r"before any reset\(\)"):
            await client.step(column=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            await client.step(column=2)

    async def test_a_step_after_done_is_warned_about_once_an_episode(
        self, client: GenericEnvClient, far_end: FarEnd
    ) -> None:
        """Stepping on is allowed and warned about, once in each episode, whoever goes through a view."""
        far_end.policy = lambda request: result_frame({}, 1.0, request["type"] == "step")
        for number in (1, 2):
            await client.reset()
            await client.step(column=1)
            assert client.done
            with pytest.warns(OpenEnvWarning, match=f"episode {number} is over"):
                await client.step(column=2)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                await client.step(column=3)
                await client.options(timeout=5).step(column=4)

    async def test_the_warning_points_at_the_caller(self, client: GenericEnvClient, env: Any) -> None:
        """The line that is shown is the person's own."""
        with pytest.warns(OpenEnvWarning) as caught:
            await client.step(column=1)
        assert caught[0].filename == __file__

    def test_the_blocking_warning_points_at_the_caller(self, env: Any) -> None:
        """The line that is shown is the person's own, for a blocking call too."""
        with pytest.warns(OpenEnvWarning) as caught:
            env.step(column=1)
        assert caught[0].filename == __file__

    async def test_after_a_loss_it_is_no_warning_but_an_error(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A lost session refuses; it does not also warn."""
        await client.reset()
        far_end.end(1006)
        await eventually_here(lambda: client.status == "lost")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(SessionLost):
                await client.step(column=1)


class TestNoTime:
    """A timeout of nothing."""

    async def test_nothing_is_sent_without_time(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A timeout of 0 sends nothing, from neither twin, and says so."""
        await client.reset()
        hurried = client.options(timeout=0)
        blocking = hurried.sync()
        with pytest.raises(ReplyTimeout) as caught:
            await hurried.step(column=1)
        assert not caught.value.sent
        with pytest.raises(ReplyTimeout):
            await hurried.step_many([1, 2])
        for call in (blocking.state, lambda: blocking.step(column=1), lambda: blocking.step_many([1])):
            with pytest.raises(ReplyTimeout):
                await asyncio.to_thread(call)
        assert far_end.kinds == ["reset"]
        assert client.owed == 0
        assert await client.settle(timeout=0.5) == []


class TestEnds:
    """Closing, leaving, being collected."""

    async def test_async_with_opens_and_closes(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """The block has an open session; after it the client is closed."""
        async with client as same:
            assert same is client
            assert client.status == "open"
        assert client.status == "closed"
        assert far_end.wire.closed_by_us
        with pytest.raises(ClientClosed):
            await client.reset()

    async def test_closing_twice_does_nothing(self, client: GenericEnvClient) -> None:
        """close is idempotent, also without a session, and at once from several tasks."""
        await client.connect()
        await asyncio.gather(client.close(), client.close())
        await client.close()
        fresh = GenericEnvClient("localhost:1")
        await fresh.close()
        assert fresh.status == "closed"
        with pytest.raises(ClientClosed):
            await fresh.connect()

    async def test_closing_ends_who_waits(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A step under way is lost when its client is closed elsewhere; the record keeps it."""
        await client.reset()
        far_end.hold()
        task = asyncio.create_task(client.step(column=1))
        await eventually_here(lambda: far_end.held)
        await client.close()
        with pytest.raises(SessionLost, match="the client was closed"):
            await task
        assert isinstance(client.episode[-1].error, SessionLost)

    async def test_closing_is_bounded(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A far end that does not answer the goodbye holds close for two seconds at most."""
        await client.connect()
        far_end.ignores_close = True
        loop = asyncio.get_running_loop()
        began = loop.time()
        await client.close()
        assert loop.time() - began < 2.5
        assert client.status == "closed"

    def test_a_dropped_client_is_closed_when_collected(self, far_end: FarEnd) -> None:
        """A client nobody holds any more says goodbye by itself, and its thread ends."""
        client = scripted(GenericEnvClient("localhost:1"), far_end)
        client.sync().reset()
        alive = weakref.ref(client)
        wire = far_end.wire
        del client
        gc.collect()
        assert alive() is None
        eventually(lambda: wire.closed_by_us and wire.end is not None)
        eventually(lambda: not any(thread.name == "openenv-loop" for thread in threading.enumerate()))

    def test_a_dropped_client_with_subscribers_is_closed_too(self, far_end: FarEnd) -> None:
        """Subscriptions do not keep a client, and end with it."""
        client = scripted(GenericEnvClient("localhost:1"), far_end)
        heard: list[str] = []
        client.subscribe(lambda event: heard.append(event.status))
        client.sync().reset()
        del client
        gc.collect()
        eventually(lambda: heard and heard[-1] == "closed")

    def test_c21_close_does_not_wait_for_collection(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """C21: after close, socket and thread are gone although the object is kept; its repr says closed."""
        env = client.sync()
        env.reset()
        env.close()
        assert far_end.wire.end is not None
        assert not any(thread.name.startswith("openenv-") for thread in threading.enumerate())
        assert "closed" in repr(env) and "closed" in repr(client)
        assert len(env.episode) == 1

    async def test_a_new_session_is_a_child(self, far_end: FarEnd, client: GenericEnvClient) -> None:
        """new_session opens another one with the same class and settings; it is closed with its parent."""
        child = await client.new_session()
        talk, other = conversation_of(child), conversation_of(client)
        assert (talk.options, talk.known, type(child)) == (other.options, other.known, type(client))
        await client.reset()
        assert (len(client.episode), len(child.episode)) == (1, 0)
        await client.close()
        assert child.status == "closed"

    async def test_the_portal_outlives_one_client(self, far_end: FarEnd, client: GenericEnvClient) -> None:
        """Closing one client leaves the others' connections alone."""
        other = scripted(GenericEnvClient("localhost:1"), far_end)
        await other.reset()
        await client.reset()
        await client.close()
        assert (await other.step({"a": 1})).observation.echo == {"a": 1}
        await other.close()

    def test_waiting_on_a_closed_loop_disturbs_nobody(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """A reply for a loop that has been closed is recorded all the same."""

        async def begin() -> None:
            await client.reset()
            far_end.hold()
            task = asyncio.create_task(client.step(column=1))
            await eventually_here(lambda: far_end.held)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        asyncio.run(begin())
        far_end.release()
        eventually(lambda: len(client.episode) == 2)
        assert client.episode[-1].owed


class TestClosed:
    """After close()."""

    async def test_a_closed_client_says_only_that(self, client: GenericEnvClient) -> None:
        """A step of a closed client is ClientClosed without a warning, and it opens no other session."""
        await client.close()
        with pytest.raises(ClientClosed):
            await client.step(column=1)
        with pytest.raises(ClientClosed):
            await client.new_session()
        with pytest.raises(ClientClosed):
            client.sync().step({"column": 1})
        with pytest.raises(ClientClosed):
            client.sync().new_session()


class TestBrokenPortal:
    """The client's own thread dies."""

    async def test_b05_an_awaiting_call_notices(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """B05: who awaits when the thread ends gets an error within a second, and reset() starts anew."""
        await client.reset()
        far_end.hold()
        task = asyncio.create_task(client.step(column=1))
        await eventually_here(lambda: far_end.held)
        portal = conversation_of(client).session.lease.portal
        portal.post(portal.loop.stop)
        with pytest.raises(TransportError, match="the client's own thread ended"):
            await asyncio.wait_for(task, 2)
        far_end.holding = False
        with pytest.raises(SessionLost, match="the client's own thread ended"):
            await client.step(column=2)
        assert (await client.reset()).observation == {"reset": {}, "step": 0}


class TestSubclass:
    """A person's own client."""

    async def test_a_hook_that_fails_shows_its_own_error(self, far_end: FarEnd) -> None:
        """A KeyError in a person's _parse_result is that KeyError; client and record can still be shown."""

        class Broken(EnvClient[dict[str, Any], Any, Any]):
            def _parse_result(self, payload: dict[str, Any]) -> StepResult[Any]:
                return StepResult(payload["observation"]["missing"])

        client = scripted(Broken("localhost:1"), far_end)
        with pytest.raises(KeyError, match="missing"):
            await client.reset()
        assert "open" in repr(client)
        assert "reset" in repr(client.episode[0])
        await client.close()

    async def test_methods_may_build_on_ours(self, far_end: FarEnd) -> None:
        """An overridden step that awaits ours works from both sides."""

        class Twice(GenericEnvClient):
            async def step(self, action: Any, /, **fields: Any) -> Any:
                await super().step(action)
                return await super().step(action)

            async def play(self, actions: list[Any]) -> float:
                await self.reset()
                return sum([(await self.step(action)).reward for action in actions])

        client = scripted(Twice("localhost:1"), far_end)
        assert await client.play([{"n": 1}, {"n": 2}]) == 2.0
        env = client.sync()
        assert isinstance(env, SyncEnvClient)
        assert await asyncio.to_thread(env.play, [{"n": 3}]) == 1.0
        assert (await asyncio.to_thread(env.step, {"n": 4})).observation.echo == {"n": 4}
        assert [action["n"] for action in far_end.steps] == [1, 1, 2, 2, 3, 3, 4, 4]
        await client.close()


def test_a_limit_given_to_reset_is_warned_of_once(env: SyncEnvClient[Any, Any, Any], far_end: FarEnd) -> None:
    """reset(timeout=5) goes to the environment, as any argument, and the person is told once where a limit stands."""
    with pytest.warns(OpenEnvWarning, match=r"timeout goes to the environment.*env\.options\(timeout=5\)\.reset"):
        env.reset(timeout=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.reset(timeout=5, seed=3)
