"""Whole episodes on real servers, from every place where a person's code may run."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import inspect
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openenv.core import EnvClient as OfficialEnvClient
from openenv.core import GenericEnvClient as OfficialGenericEnvClient
from openenv.core.client_types import StepResult as OfficialStepResult
from openenv.core.mcp_client import MCPToolClient as OfficialMCPToolClient
from pydantic import BaseModel
from support.real_servers import Farm, RealServer, run_program
from support.waiting import in_threads

from openenv_notebook import (
    Action,
    AtCapacity,
    EnvClient,
    EnvironmentFailed,
    GenericAction,
    GenericEnvClient,
    InvalidAction,
    MCPToolClient,
    MisuseError,
    NotSupportedHere,
    Observation,
    SessionRefused,
    State,
    StepResult,
    SyncEnvClient,
    ToolFailed,
    adopt,
    connect,
    step_all,
)
from openenv_notebook.values import front_end

Env = SyncEnvClient[Any, Any, Any]


@pytest.fixture
def env(any_lab: RealServer) -> Iterator[Env]:
    """A client with an open session, after a reset."""
    with connect(any_lab.url) as made:
        made.reset()
        yield made


class TestPlaces:
    """The same session, from everywhere."""

    def test_a_blocking_episode(self, any_lab: RealServer) -> None:
        """E01: a blocking episode gives results, ends, is recorded, and frees its slot."""
        env = connect(any_lab.url)
        assert (env.status, any_lab.live) == ("open", 1)
        first = env.reset(seed=7)
        assert (first.observation.op, first.observation["value"], first.reward, first.done) == ("reset", 7, 0.0, False)
        second = env.step(op="echo", value=[1, {"a": None}])
        assert (second.observation.value, second.observation.count, second.reward) == ([1, {"a": None}], 1, 1.0)
        assert env.state().step_count == 1
        assert env.step("end").done and env.done
        assert [step.kind for step in env.episode] == ["reset", "step", "step"]
        assert (env.episode.total_reward, env.episode.reset_arguments) == (2.0, {"seed": 7})
        env.close()
        any_lab.wait_live(0)

    async def test_an_awaited_episode(self, any_lab: RealServer) -> None:
        """E01: the same episode awaited, on a loop of the caller's own."""
        async with GenericEnvClient(any_lab.url) as client:
            first = await client.reset(seed=7)
            second = await client.step({"op": "echo", "value": "é\u2028😀"})
            assert (first.observation.value, second.observation.value) == (7, "é\u2028😀")
            assert (await client.state()).step_count == 1
            assert (await client.step(op="end")).done
            assert len(client.episode) == 3

    async def test_blocking_calls_under_a_running_loop(self, env: Env) -> None:
        """E01: blocking calls work while a loop runs in this thread, as in a notebook."""
        assert asyncio.get_running_loop().is_running()
        assert [env.step(op="echo").observation.count for _ in range(3)] == [1, 2, 3]

    async def test_blocking_calls_do_not_enter_the_running_loop(self, env: Env) -> None:
        """B09: while a call blocks, the caller's own loop runs nothing; queued cells keep their order."""
        loop, order = asyncio.get_running_loop(), []

        async def cell(number: int) -> None:
            order.append(f"{number} begins")
            env.step(op="echo", seconds=0.02)
            order.append(f"{number} ends")

        loop.call_soon(order.append, "queued before")
        await asyncio.gather(*(cell(number) for number in range(6)))
        assert order == ["queued before", *(f"{n} {what}" for n in range(6) for what in ("begins", "ends"))]

    async def test_both_twins_at_once(self, env: Env) -> None:
        """Blocking calls of threads and awaited calls share one session, and each gets its own reply."""
        client = env.async_client
        blocking = asyncio.gather(*(asyncio.to_thread(env.step, op="echo", value=f"b{n}") for n in range(20)))
        awaited = asyncio.gather(*(client.step(op="echo", value=f"a{n}") for n in range(20)))
        first, second = await asyncio.gather(blocking, awaited)
        assert [result.observation.value for result in first] == [f"b{n}" for n in range(20)]
        assert [result.observation.value for result in second] == [f"a{n}" for n in range(20)]
        assert len({result.observation.session for result in (*first, *second)}) == 1
        assert sorted(result.observation.count for result in (*first, *second)) == list(range(1, 41))

    def test_from_threads(self, any_lab: RealServer) -> None:
        """E01: each of several threads has a client of its own; they share one thread of ours."""

        def episode(number: int) -> list[Any]:
            with connect(any_lab.url) as env:
                env.reset()
                return [env.step(op="echo", value=number).observation.value for _ in range(10)]

        assert in_threads(*(lambda n=n: episode(n) for n in range(6))) == [[n] * 10 for n in range(6)]

    def test_every_call_runs_on_one_loop(self, any_lab: RealServer) -> None:
        """A06: connect, reset, step, state and close from three threads and a loop run on one and the same loop."""
        loops: list[int] = []

        class Watched(GenericEnvClient):
            async def connect(self) -> Any:
                loops.append(id(asyncio.get_running_loop()))
                return await super().connect()

            async def reset(self, **kwargs: Any) -> Any:
                loops.append(id(asyncio.get_running_loop()))
                return await super().reset(**kwargs)

            async def step(self, *args: Any, **kwargs: Any) -> Any:
                loops.append(id(asyncio.get_running_loop()))
                return await super().step(*args, **kwargs)

            async def state(self) -> Any:
                loops.append(id(asyncio.get_running_loop()))
                return await super().state()

            async def close(self) -> None:
                loops.append(id(asyncio.get_running_loop()))
                await super().close()

        env = Watched(any_lab.url).sync()
        env.connect()
        for call in (env.reset, lambda: env.step(op="echo"), env.state):
            (outcome,) = in_threads(call)
            assert not isinstance(outcome, BaseException), outcome

        async def cell() -> None:
            env.step(op="echo")
            env.close()

        asyncio.run(cell())
        assert len(loops) == 6 and len(set(loops)) == 1

    def test_a_client_connected_on_a_loop_that_is_gone(self, any_lab: RealServer) -> None:
        """A07: connected by await on one loop, used by blocking calls after it, awaited on another: one session."""
        client = GenericEnvClient(any_lab.url)

        async def first() -> str:
            await client.connect()
            await client.reset()
            return str((await client.step(op="echo")).observation.session)

        async def third() -> str:
            return str((await client.step(op="echo")).observation.session)

        sessions = [asyncio.run(first())]
        with client.sync() as env:
            sessions.append(env.step(op="echo").observation.session)
            sessions.append(asyncio.run(third()))
            assert env.step(op="echo").observation.count == 4
        assert len(set(sessions)) == 1

    def test_the_same_cell_again_and_again(self, any_lab: RealServer) -> None:
        """B18: the same episode runs five times in a process, and again after everything was closed."""
        for _ in range(6):
            env = connect(any_lab.url)
            env.reset()
            assert env.step("end").done
            env.close()
            assert threading.active_count() == len([t for t in threading.enumerate() if "openenv" not in t.name])

    def test_a_plain_script(self, any_lab: RealServer) -> None:
        """E01: the README's blocking example works in a plain script, which ends well and quietly."""
        assert run_program("episode", any_lab.url) == {"rewards": [0.0, 1.0, 1.0], "done": True, "threads": []}

    @pytest.mark.parametrize("module", ["nest_asyncio", "nest_asyncio2"])
    def test_after_nest_asyncio(self, any_lab: RealServer, module: str) -> None:
        """E01: blocking and awaited calls are right after somebody patched asyncio for nested loops."""
        assert run_program("nested", any_lab.url, module) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]


class TestFactories:
    """Making clients, blocking ones without await."""

    def test_no_blocking_factory_gives_a_coroutine(self, any_lab: RealServer) -> None:
        """A10: what makes a client in a plain cell gives a connected client whose address can be read."""
        env = connect(any_lab.url)
        made = [env, env.new_session(), env.options(timeout=5), env.async_client.sync(), env.sync()]
        for one in made:
            assert isinstance(one, SyncEnvClient) and not inspect.isawaitable(one)
            assert (one.base_url, one.status) == (any_lab.url, "open")
        assert any_lab.live == 2
        with pytest.raises(AttributeError):
            env.base_url = "elsewhere"  # type: ignore[misc]
        env.close()
        any_lab.wait_live(0)

    def test_a_full_server_without_an_owner(self, any_farm: Farm) -> None:
        """A20: in plain Python nothing is closed for the caller: a second client of a full server is refused."""
        with any_farm.server(sessions=1) as server:
            first = connect(server.url)
            with pytest.raises(AtCapacity, match="1 of 1 sessions in use"):
                connect(server.url)
            assert first.reset().observation.op == "reset"
            first.close()

    def test_a_full_server_and_the_same_owner(self, any_farm: Farm, caplog: pytest.LogCaptureFixture) -> None:
        """A20: a cell that is run again gets the slot of its earlier run, also while that object is still held."""
        run = 1
        front_end.install(front_end.FrontEnd(owner=lambda: front_end.Owner("cell 1", run)))
        try:
            with any_farm.server(sessions=1) as server:
                first = connect(server.url)
                run = 2
                second = connect(server.url)
                assert (first.status, second.status) == ("closed", "open")
                assert second.reset().observation.op == "reset"
                assert "closing what an earlier run of this cell holds" in caplog.text
                front_end.install(front_end.FrontEnd(owner=lambda: front_end.Owner("cell 2", 3)))
                with pytest.raises(AtCapacity):
                    connect(server.url)
                assert second.status == "open"
                second.close()
        finally:
            front_end.install(None)

    def test_a_factory_in_worker_threads(self, any_lab: RealServer) -> None:
        """A40: eight sessions made in eight worker threads are independent, and one close ends them all."""
        parent = connect(any_lab.url)

        def work() -> tuple[str, list[int]]:
            env = parent.new_session()
            kept.append(env)
            session = env.reset().observation.session
            return session, [env.step(op="echo").observation.count for _ in range(5)]

        kept: list[Env] = []
        outcomes = in_threads(*[work] * 8)
        assert [counts for _, counts in outcomes] == [[1, 2, 3, 4, 5]] * 8
        assert len({session for session, _ in outcomes}) == 8
        assert any_lab.live == 9
        parent.close()
        assert {env.status for env in kept} == {"closed"}
        any_lab.wait_live(0)

    def test_many_sessions_in_one_hop(self, any_lab: RealServer) -> None:
        """step_all steps several sessions at once and gives each its own result."""
        with connect(any_lab.url) as parent:
            envs = [parent, *(parent.new_session() for _ in range(7))]
            for env in envs:
                env.reset()
            results = step_all(envs, [{"op": "echo", "value": number} for number in range(8)])
            assert [result.observation.value for result in results] == list(range(8))
            assert len({result.observation.session for result in results}) == 8

    def test_open_loop_actions_of_one_session(self, env: Env) -> None:
        """step_many makes its steps in order, whatever the window."""
        for window in (1, 4, 64):
            results = env.step_many([{"op": "echo", "value": number} for number in range(30)], window=window)
            assert [result.observation.value for result in results] == list(range(30))
        assert [result.observation.count for result in results] == list(range(61, 91))


class Color(enum.Enum):
    """A choice."""

    RED = "red"


@dataclasses.dataclass
class Move:
    """An action as a dataclass."""

    op: str = "echo"
    value: Any = None


class Point(BaseModel):
    """A part of an action."""

    x: float


class LabAction(Action):
    """The lab's action as a model."""

    op: str
    value: Any = None


class LabObservation(Observation):
    """The lab's observation as a model."""

    op: str
    value: Any = None
    seen: str = ""
    tag: Any = None
    count: int = 0
    session: str = ""


class TypedLab(EnvClient[LabAction, LabObservation, State]):
    """Names its models and nothing else."""


class HookedLab(EnvClient[LabAction, str, dict]):  # type: ignore[type-arg]
    """Has the three hooks of clients written for the official package."""

    def _step_payload(self, action: LabAction) -> dict[str, Any]:
        return {"op": action.op, "value": action.value}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[str]:
        observation = payload["observation"]
        return StepResult(f"{observation['op']} {observation['value']}", payload["reward"], payload["done"])

    def _parse_state(self, payload: dict[str, Any]) -> dict[str, Any]:
        return {"steps": payload["step_count"]}

    async def twice(self, value: int) -> list[str]:
        """Make two steps."""
        return [(await self.step(LabAction(op="echo", value=value))).observation for _ in range(2)]


class TestValues:
    """What goes out and what comes back."""

    @pytest.mark.parametrize(
        ("value", "arrives"),
        [
            (np.int64(3), 3),
            (np.float32(0.5), 0.5),
            (np.bool_(True), True),
            (np.arange(6).reshape(2, 3), [[0, 1, 2], [3, 4, 5]]),
            (np.array([0.5, 1.5], dtype=np.float16), [0.5, 1.5]),
            (np.str_("text"), "text"),
            (Color.RED, "red"),
            ({"deep": [np.uint8(1), Color.RED]}, {"deep": [1, "red"]}),
            (Move("inner"), {"op": "inner", "value": None}),
            (Point(x=1.5), {"x": 1.5}),
            ([Point(x=1.5), (1, 2)], [{"x": 1.5}, [1, 2]]),
            (b"bytes", "bytes"),
            (2**70, 2**70),
        ],
        ids=repr,
    )
    def test_values_in_actions(self, env: Env, value: Any, arrives: Any) -> None:
        """numpy, enums, dataclasses, models and bytes go out as the JSON that a server can read."""
        assert env.step(op="echo", value=value).observation.value == arrives

    @pytest.mark.parametrize(
        "action",
        [
            {"op": "echo", "value": 1},
            GenericAction(op="echo", value=1),
            Move(value=1),
            LabAction(op="echo", value=1),
            {"op": np.str_("echo"), "value": np.int8(1)},
        ],
        ids=lambda action: type(action).__name__,
    )
    def test_kinds_of_actions(self, env: Env, action: Any) -> None:
        """A dict, a generic action, a dataclass and a model are actions, positional or by name."""
        for result in (env.step(action), env.step(action=action)):
            assert (result.observation.op, result.observation.value) == ("echo", 1)

    def test_not_a_number_goes_both_ways(self, env: Env) -> None:
        """NaN and infinity arrive at the environment as such; those it returns, servers write as null."""
        result = env.step(op="nan", value=[math.nan, math.inf, -math.inf, np.float32("nan"), Point(x=math.nan)])
        assert result.observation.seen == "[nan, inf, -inf, nan, {'x': nan}]"
        assert result.observation.value == [None, None, None]

    def test_an_action_that_does_not_fit(self, env: Env) -> None:
        """What the server refuses is InvalidAction with a line for each wrong field; the session goes on."""
        with pytest.raises(InvalidAction) as caught:
            env.step({"op": 1, "seconds": "soon"})
        assert [line.partition(":")[0] for line in caught.value.errors] == ["op", "seconds"]
        with pytest.raises(InvalidAction, match="sise: no such field; did you mean 'size'"):
            env.step({"op": "echo", "sise": 3})
        assert env.step("echo").observation.count == 1

    def test_an_environment_that_fails(self, env: Env) -> None:
        """An environment that raises is EnvironmentFailed with its message; the session goes on."""
        with pytest.raises(EnvironmentFailed, match="the lab exploded"):
            env.step("raise")
        assert env.step("echo").observation.count == 2
        with pytest.raises(EnvironmentFailed):
            env.step("object")
        assert env.step("echo").observation.count == 4

    def test_its_own_validation_error_is_not_the_action_s(self, env: Env) -> None:
        """R14: an environment whose own data fits no model of its own has counted the step, and is told as failed."""
        with pytest.raises(EnvironmentFailed, match="not the action's fault") as caught:
            env.step("model")
        assert "score: " in str(caught.value) and env.episode[-1].happened
        assert env.step("echo").observation.count == 2

    def test_a_validator_that_raises_ends_the_session(self, env: Env) -> None:
        """R15: a validator that raises ends the session; the error says whose fault that is; reset() begins anew."""
        with pytest.raises(SessionRefused, match=r"ValueError.*the server's own fault.*The action was not made"):
            env.step(op="echo", even=1)
        assert env.status == "lost"
        env.reset()
        assert env.step("echo").observation.count == 1

    @pytest.mark.parametrize(("op", "size"), [("base64", 1_000_000), ("floats", 200_000)])
    def test_large_observations(self, env: Env, op: str, size: int) -> None:
        """A large observation arrives whole."""
        value = env.step(op=op, size=size).observation.value
        assert len(value) == (size if op == "base64" else size // 20)


class TestClasses:
    """Typed clients, our own and those of the official package."""

    def test_a_class_that_names_its_models(self, any_lab: RealServer) -> None:
        """A class that only names its models takes fields, and returns instances with reward and done inside."""
        with TypedLab(any_lab.url).sync() as env:
            env.reset()
            result = env.step(op="echo", value=3)
            assert isinstance(result.observation, LabObservation)
            assert (result.observation.value, result.observation.reward, result.observation.done) == (3, 1.0, False)
            assert env.step(LabAction(op="end")).observation.done
            assert isinstance(env.state(), State) and env.state().step_count == 2
            with pytest.raises(InvalidAction, match="did you mean 'value'"):
                env.step(op="echo", valeu=3)

    def test_a_class_with_hooks(self, any_lab: RealServer) -> None:
        """The three hooks are asked, blocking and awaited, and a coroutine method becomes a blocking one."""
        with HookedLab(any_lab.url).sync() as env:
            assert env.reset().observation == "reset None"
            assert env.step(LabAction(op="echo", value=4)).observation == "echo 4"
            assert env.step(op="echo", value=5).observation == "echo 5"
            assert env.twice(6) == ["echo 6", "echo 6"]
            assert env.state() == {"steps": 4}
            assert env.last.observation == "echo 6"

            async def awaited() -> Any:
                return await env.async_client.step(LabAction(op="echo", value=7))

            assert asyncio.run(awaited()).observation == "echo 7"

    def test_an_official_generic_class_adopted(self, any_lab: RealServer) -> None:
        """adopt() makes of the official generic class ours, with a record."""
        adopted = adopt(OfficialGenericEnvClient)
        with adopted(base_url=any_lab.url).sync() as env:
            env.reset()
            assert env.step({"op": "echo", "value": 1}).observation["value"] == 1
            assert len(env.episode) == 2

    def test_an_official_tool_class_adopted(self, any_toolbox: RealServer) -> None:
        """adopt() makes of the official tool class ours."""
        with adopt(OfficialMCPToolClient)(base_url=any_toolbox.url).sync() as env:
            env.reset()
            assert env.call_tool("echo_message", message="x") == "x"

    def test_an_official_typed_class_adopted(self, any_lab: RealServer) -> None:
        """adopt() keeps an official class's name, constructor, super(), hooks and helper methods."""

        class LabEnv(OfficialEnvClient[LabAction, LabObservation, State]):
            """A client written for the official package."""

            kind = "lab"

            def __init__(self, base_url: str, tag: str = "t", **kwargs: Any) -> None:
                super().__init__(base_url=base_url, **kwargs)
                self.tag = tag

            def _step_payload(self, action: LabAction) -> dict[str, Any]:
                return {"op": action.op, "value": action.value, "tag": self.tag}

            def _parse_result(self, payload: dict[str, Any]) -> OfficialStepResult[LabObservation]:
                inner = {key: value for key, value in payload["observation"].items() if key != "metadata"}
                observation = LabObservation(**inner, reward=payload.get("reward"), done=payload.get("done", False))
                return OfficialStepResult(
                    observation=observation, reward=payload.get("reward"), done=payload.get("done", False)
                )

            def _parse_state(self, payload: dict[str, Any]) -> State:
                return State(episode_id=payload["episode_id"], step_count=payload["step_count"])

            async def echo(self, value: Any) -> Any:
                """Make one step and return its value."""
                return (await self.step(LabAction(op="echo", value=value))).observation.value

            def describe(self) -> str:
                """Say what it is."""
                return f"{self.kind} {self.tag}"

        adopted = adopt(LabEnv)
        assert (adopted.__name__, adopted.__doc__) == ("LabEnv", "A client written for the official package.")
        assert issubclass(adopted, EnvClient) and not issubclass(adopted, OfficialEnvClient)
        with adopted(base_url=any_lab.url, tag="mine", message_timeout_s=9.0).sync() as env:
            env.reset()
            result = env.step(LabAction(op="echo", value=2))
            assert isinstance(result, StepResult) and isinstance(result.observation, LabObservation)
            assert (result.observation.tag, env.echo(5), env.describe()) == ("mine", 5, "lab mine")
            assert env.state().step_count == 2
            assert [step.kind for step in env.episode] == ["reset", "step", "step"]

        async def awaited() -> Any:
            async with adopted(base_url=any_lab.url) as client:
                await client.reset()
                return await client.echo(6)

        assert asyncio.run(awaited()) == 6

    def test_objects_of_the_official_package(
        self, any_farm: Farm, any_lab: RealServer, any_toolbox: RealServer, tmp_path: Path
    ) -> None:
        """SyncEnvClient over an object of the official package, old or new: blocking calls on one loop, no record."""
        said = any_farm.run_program("foreign", tmp_path, any_lab.url, any_toolbox.url)
        value = said.pop("value")
        assert value == "x" or value["data"] == "x"
        assert said == {
            "episode": [3, 5, 1.0],
            "state": 1,
            "twin": "openenv.core.generic_client",
            "record": "NotSupportedHere",
            "tools": ["add", "echo_message", "fail"],
            "one session": True,
            "status": "closed",
            "threads": [],
        }


class TestTools:
    """Environments made of tools."""

    def test_tools_in_simulation(self, any_toolbox: RealServer) -> None:
        """Tools are listed, called by name and by attribute with a signature; a call is a step in the record."""
        with MCPToolClient(any_toolbox.url).sync() as env:
            env.reset()
            assert sorted(tool.name for tool in env.list_tools()) == ["add", "echo_message", "fail"]
            assert env.has_tool("add") and not env.has_tool("subtract")
            assert env.call_tool("echo_message", message="hé") == "hé"
            assert env.tools.add(a=2, b=3) == {"sum": 5}
            signature = inspect.signature(env.tools.add)
            assert list(signature.parameters) == ["a", "b"] and signature.parameters["b"].default == 1
            assert env.tools.add.__doc__ == "Add two numbers."
            assert dir(env.tools) == sorted(["add", "echo_message", "fail"])
            assert env.state().step_count == 2
            assert [step.action["tool_name"] for step in env.episode if step.kind == "step"] == ["echo_message", "add"]

    def test_tools_that_fail(self, any_toolbox: RealServer) -> None:
        """A tool's failure is ToolFailed with its own words; an unknown tool is refused here with the nearest name."""
        with MCPToolClient(any_toolbox.url).sync() as env:
            env.reset()
            with pytest.raises(ToolFailed, match="because") as caught:
                env.tools.fail(reason="because")
            assert caught.value.tool == "fail"
            with pytest.raises(ToolFailed, match="message"):
                env.call_tool("echo_message")
            with pytest.raises(MisuseError, match="did you mean 'echo_message'"):
                env.call_tool("echo_mesage", message="x")
            with pytest.raises(AttributeError, match="no tool 'subtract'"):
                env.tools.subtract(a=1)

    def test_tools_in_production(self, any_toolbox: RealServer) -> None:
        """In production mode a tool's call is no step: the environment counts none, the record says tool."""
        with MCPToolClient(any_toolbox.url, mode="production").sync() as env:
            env.reset()
            assert env.call_tool("add", a=1) == {"sum": 2}
            with pytest.raises(ToolFailed, match="because"):
                env.tools.fail(reason="because")
            assert env.state().step_count == 0
            assert [step.kind for step in env.episode] == ["reset", "tool", "tool"]

    async def test_tools_awaited(self, any_toolbox: RealServer) -> None:
        """The same awaited."""
        async with GenericEnvClient(any_toolbox.url) as client:
            await client.reset()
            assert len(await client.list_tools()) == 3
            assert await client.call_tool("echo_message", message="x") == "x"
            assert await client.tools.add(a=1, b=1) == {"sum": 2}


class TestQuestions:
    """What a server tells beside the session."""

    def test_schema_health_and_metadata(self, env: Env) -> None:
        """Schema, health and metadata are told without touching the session."""
        assert env.health()["status"] == "healthy"
        assert "op" in env.schema()["action"]["properties"]
        assert env.schema() is env.schema()
        assert "name" in env.metadata()
        assert env.state().step_count == 0

    def test_tasks(self, lab: RealServer) -> None:
        """The task API of a newer server tells splits and tasks, with and without the environment's name."""
        with connect(lab.url) as env:
            assert env.list_environments() == ["lab"]
            assert [split["name"] for split in env.list_splits()] == ["train", "hard"]
            assert env.num_tasks("train") == 5
            assert env.get_task("train", 3, env_name="lab") == {"id": "train-3", "index": 3}
            assert len(env.list_tasks("hard")) == 5
            assert [task["index"] for task in env.get_task_range("train", 1, 3)] == [1, 2]
            assert len(env.get_task_range("train", start=3)) == 2

    def test_no_tasks(self, any_toolbox: RealServer) -> None:
        """A server without tasks, or without a task API at all, is NotSupportedHere, not a failure."""
        with connect(any_toolbox.url) as env, pytest.raises(NotSupportedHere, match=r"HTTP (501|404)"):
            env.list_splits()
