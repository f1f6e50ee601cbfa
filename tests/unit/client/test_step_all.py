"""Many requests at once: one session pipelined, many sessions in one hop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from support.interrupts import interrupted_when
from support.recorded import schemas
from support.waiting import eventually, eventually_here, in_threads
from support.wire import FarEnd, error_frame, result_frame, scripted

from openenv_notebook.client.clients import GenericEnvClient, SyncEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.client.step_all import step_all
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import (
    ClientClosed,
    EnvironmentFailed,
    InvalidAction,
    MisuseError,
    ReplyTimeout,
    SessionLost,
    WrongThread,
)
from openenv_notebook.values.messages import GenericAction

Env = SyncEnvClient[Any, Any, Any]


@pytest.fixture
def far_ends() -> list[FarEnd]:
    """Three servers' sides."""
    return [FarEnd() for _ in range(3)]


@pytest.fixture
def envs(far_ends: list[FarEnd]) -> Iterator[list[Env]]:
    """A blocking client on each, reset."""
    made = [scripted(GenericEnvClient("scripted.test:80", message_timeout_s=10), far_end) for far_end in far_ends]
    for client in made:
        client.known.schema = attribute_dict(schemas()["connect4"])
        client.sync().reset()
    yield [client.sync() for client in made]
    for client in made:
        client.sync().close()


@dataclass
class Move:
    """An action of one's own."""

    column: int


NO_LISTS: list[Any] = ["57", b"57", {"column": 1}, Move(1), GenericAction(column=1), 5, None, object()]


class TestStepMany:
    """One session, pipelined."""

    @pytest.mark.parametrize("given", NO_LISTS, ids=lambda given: type(given).__name__)
    async def test_one_action_alone_is_no_list(self, playing: Env, far_end: FarEnd, given: Any) -> None:
        """A text is not taken apart into characters, nor a record into names; nothing is sent."""
        with pytest.raises(MisuseError, match=r"step_many\(\) needs a list of actions, not a"):
            playing.step_many(given)
        with pytest.raises(MisuseError, match=r"step_many\(\) needs a list of actions, not a"):
            await playing.async_client.step_many(given)
        assert far_end.steps == []

    def test_anything_that_can_be_gone_through_is_a_list(self, playing: Env) -> None:
        """A generator, a tuple and an array are lists of actions."""
        assert len(playing.step_many(iter([1, 2]))) == 2
        assert len(playing.step_many((1, 2))) == 2
        assert len(playing.step_many(np.array([1, 2]))) == 2

    def test_the_one_that_failed_is_named(self, playing: Env, far_end: FarEnd) -> None:
        """Refused before anything was sent, or by the environment while the later ones ran."""
        with pytest.raises(InvalidAction, match=r"it is actions\[1\]; nothing was sent"):
            playing.step_many([{"column": 0}, {"colum": 1}])
        assert playing.episode.length == 0
        far_end.policy = lambda request: (
            error_frame("EXECUTION_ERROR", "boom") if request["data"]["column"] == 1 else result_frame({})
        )
        with pytest.raises(EnvironmentFailed, match=r"it is actions\[1\]; what came.*env\.episode"):
            playing.step_many([0, 1, 2])
        assert [step.error is None for step in playing.episode] == [True, True, False, True]

    def test_results_come_in_order(self, playing: Env, far_end: FarEnd) -> None:
        """Each action has its own result, in order, in every form an action may have."""
        results = playing.step_many([{"column": 0}, 1, {"column": 2}])
        assert [result.observation.echo.column for result in results] == [0, 1, 2]
        assert playing.episode.length == 3
        assert playing.step_many([]) == []

    @pytest.mark.parametrize("window", [1, 2, 4])
    def test_the_window_bounds_what_is_on_the_wire(self, playing: Env, far_end: FarEnd, window: int) -> None:
        """No more requests than the window are unanswered at a time."""
        far_end.hold()
        most: list[int] = []

        def serve() -> None:
            for _ in range(10):
                far_end.wait_for(1)
                eventually(lambda: len(far_end.held) == min(window, 10 - len(most)))
                most.append(len(far_end.held))
                far_end.release(1)

        results, _ = in_threads(lambda: playing.step_many(range(10), window=window), serve)
        assert [result.observation.echo.column for result in results] == list(range(10))
        assert max(most) == window

    def test_a_window_of_nothing_is_one(self, playing: Env) -> None:
        """A window below one sends one at a time."""
        assert len(playing.step_many([1, 2], window=0)) == 2

    def test_other_calls_wait_behind(self, playing: Env, far_end: FarEnd) -> None:
        """A call of another thread goes out after the batch, and gets its own reply."""
        far_end.hold()

        def other() -> Any:
            far_end.wait_for(2)
            return playing.step(column=9).observation.echo.column

        def release() -> None:
            eventually(lambda: conversation_of(playing).session.exchange.queued == 4)
            far_end.release()

        results, answer, _ = in_threads(lambda: playing.step_many(range(5), window=2), other, release)
        assert [result.observation.echo.column for result in results] == list(range(5))
        assert answer == 9
        assert [action["column"] for action in far_end.steps] == [0, 1, 2, 3, 4, 9]

    def test_the_first_failure_is_raised_and_all_is_recorded(self, playing: Env, far_end: FarEnd) -> None:
        """The other replies stand in the record, and the session goes on."""
        usual = far_end.policy

        def policy(request: Any) -> Any:
            bad = request["type"] == "step" and request["data"]["column"] in (1, 2)
            return error_frame("EXECUTION_ERROR", f"no {request['data']['column']}") if bad else usual(request)

        far_end.policy = policy
        with pytest.raises(EnvironmentFailed, match="no 1"):
            playing.step_many(range(4))
        assert [type(step.error).__name__ for step in playing.episode][1:] == [
            "NoneType", "EnvironmentFailed", "EnvironmentFailed", "NoneType",
        ]  # fmt: skip
        assert playing.step(column=5).observation.echo.column == 5

    def test_a_wrong_action_is_refused_before_any_is_sent(self, playing: Env, far_end: FarEnd) -> None:
        """Nothing happens if one of the actions cannot be meant."""
        with pytest.raises(InvalidAction):
            playing.step_many([1, {"colum": 2}])
        assert far_end.steps == []

    def test_a_timeout_withdraws_the_rest(self, playing: Env, far_end: FarEnd) -> None:
        """What was sent is owed, what was not sent never happens."""
        far_end.hold()
        with pytest.raises(ReplyTimeout) as caught:
            playing.options(timeout=0.05).step_many(range(5), window=2)
        assert caught.value.sent
        assert playing.owed == 2
        far_end.release()
        assert [step.action.column for step in playing.settle(timeout=5)] == [0, 1]
        assert len(far_end.steps) == 2

    def test_an_interrupt_withdraws_the_rest(self, playing: Env, far_end: FarEnd) -> None:
        """A real SIGINT leaves the session as it is, and says what was sent."""
        far_end.hold()
        with pytest.raises(KeyboardInterrupt) as caught, interrupted_when(lambda: len(far_end.held) == 2):
            playing.step_many(range(5), window=2)
        assert caught.value.sent is True  # type: ignore[attr-defined]
        far_end.release()
        assert playing.step(column=7).observation.echo.column == 7
        assert [action["column"] for action in far_end.steps] == [0, 1, 7]

    def test_a_loss_ends_all_of_it(self, playing: Env, far_end: FarEnd) -> None:
        """When the session is lost the batch fails as a whole."""
        far_end.hold()
        outcomes = in_threads(
            lambda: playing.step_many(range(5), window=2), lambda: (far_end.wait_for(2), far_end.end(1012))
        )
        assert isinstance(outcomes[0], SessionLost)
        assert outcomes[0].code == 1012
        assert len(far_end.steps) == 2

    async def test_it_can_be_awaited(self, client: GenericEnvClient, far_end: FarEnd) -> None:
        """The asynchronous form does the same; cancelling it withdraws the rest."""
        await client.reset()
        results = await client.step_many(range(20), window=4)
        assert [result.observation.echo.column for result in results] == list(range(20))
        far_end.hold()
        task = asyncio.create_task(client.step_many(range(5), window=2))
        await eventually_here(lambda: len(far_end.held) == 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        far_end.release()
        assert len(await client.settle()) == 2

    def test_generators_are_taken_whole(self, playing: Env) -> None:
        """Actions may come from anything that can be iterated."""
        assert len(playing.step_many(n for n in range(3))) == 3


class TestStepAll:
    """Many sessions in one hop."""

    def test_results_are_in_the_order_of_the_clients(self, envs: list[Env], far_ends: list[FarEnd]) -> None:
        """Each client makes its own step, whatever the order of the replies."""
        for far_end in far_ends:
            far_end.hold()

        def answer() -> None:
            for far_end in reversed(far_ends):
                far_end.wait_for(1)
                far_end.release()

        results, _ = in_threads(lambda: step_all(envs, [1, {"column": 2}, 3]), answer)
        assert [result.observation.echo.column for result in results] == [1, 2, 3]
        assert [env.episode.length for env in envs] == [1, 1, 1]
        assert step_all([], []) == []

    def test_each_client_needs_an_action(self, envs: list[Env], far_ends: list[FarEnd]) -> None:
        """Too few or too many actions are refused before anything is sent."""
        with pytest.raises(MisuseError, match="3 clients and 2 actions"):
            step_all(envs, [1, 2])
        assert [far_end.steps for far_end in far_ends] == [[], [], []]

    @pytest.mark.parametrize("given", NO_LISTS, ids=lambda given: type(given).__name__)
    def test_one_action_alone_is_no_list(self, envs: list[Env], far_ends: list[FarEnd], given: Any) -> None:
        """Nothing that stands alone is taken apart, neither an action nor a client."""
        with pytest.raises(MisuseError, match=r"step_all\(\) needs a list of actions, not a"):
            step_all(envs[:2], given)
        with pytest.raises(MisuseError, match=r"step_all\(\) needs a list of clients, not a"):
            step_all(given, given)
        with pytest.raises(MisuseError, match=r"step_all\(\) needs a list of clients, not a SyncEnvClient"):
            step_all(envs[0], [1])  # type: ignore[arg-type]
        assert [far_end.steps for far_end in far_ends] == [[], [], []]

    def test_the_one_that_failed_is_named(self, envs: list[Env], far_ends: list[FarEnd]) -> None:
        """The error says which action it was, refused here or there."""
        with pytest.raises(InvalidAction, match=r"it is actions\[2\]; nothing was sent"):
            step_all(envs, [1, 2, {"colum": 3}])
        far_ends[1].policy = lambda request: error_frame("EXECUTION_ERROR", "boom")
        with pytest.raises(EnvironmentFailed, match=r"it is actions\[1\]"):
            step_all(envs, [1, 2, 3])

    def test_one_failure_leaves_the_others_whole(self, envs: list[Env], far_ends: list[FarEnd]) -> None:
        """The first failure is raised; every reply stands in its own record."""
        far_ends[1].policy = lambda request: error_frame("EXECUTION_ERROR", "boom")
        with pytest.raises(EnvironmentFailed, match="boom"):
            step_all(envs, [1, 2, 3])
        assert [type(env.episode[-1].error).__name__ for env in envs] == ["NoneType", "EnvironmentFailed", "NoneType"]
        far_ends[1].policy = lambda request: result_frame({"echo": {"column": 0}})
        assert len(step_all(envs, [1, 2, 3])) == 3

    def test_one_that_is_late_is_owed(self, envs: list[Env], far_ends: list[FarEnd]) -> None:
        """A timeout of all leaves owed what did not come, and what came stands in the record."""
        far_ends[2].hold()
        with pytest.raises(ReplyTimeout):
            step_all(envs, [1, 2, 3], timeout=0.1)
        assert [env.owed for env in envs] == [0, 0, 1]
        far_ends[2].release()
        assert [len(env.settle(timeout=5)) for env in envs] == [1, 1, 1]

    def test_one_client_may_stand_there_twice(self, envs: list[Env]) -> None:
        """Two actions for one client are two steps, one after the other."""
        results = step_all([envs[0], envs[0]], [1, 2])
        assert [result.observation.step for result in results] == [1, 2]

    def test_a_closed_client_is_refused(self, envs: list[Env], far_ends: list[FarEnd]) -> None:
        """A closed client among them is a mistake that is told."""
        envs[1].close()
        with pytest.raises(ClientClosed):
            step_all(envs, [1, 2, 3])

    def test_it_blocks_and_says_so(self, envs: list[Env]) -> None:
        """On the portal's own thread it raises at once."""
        with pytest.raises(WrongThread):
            conversation_of(envs[0]).session.lease.portal.call(lambda: step_all(envs, [1, 2, 3]))

    def test_only_our_blocking_clients_are_stepped(self, envs: list[Env]) -> None:
        """Asynchronous clients are told of sync(), anything else is named; nothing is sent."""
        with pytest.raises(MisuseError, match=r"env\.sync\(\) for env in envs"):
            step_all([env.async_client for env in envs], [1, 2, 3])  # type: ignore[misc]
        with pytest.raises(MisuseError, match="not a int"):
            step_all([envs[0], 3], [1, 2])  # type: ignore[list-item]
