"""A scripted connection: the one seam between a session and the network.

:class:`FarEnd` stands for a server. It makes a :class:`ScriptedWire` for each connection,
answers each frame by a policy, or holds the answer back until the test releases it. Its
methods may be called from any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from typing import Any

from openenv_notebook.client.conversation import Conversation, conversation_of, hold_conversation
from openenv_notebook.client.greeting import Greeting
from openenv_notebook.client.opener import Customer, Opened, Opener, Patience
from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.targets import Address, parse_target
from openenv_notebook.wire.endpoint import Endpoint
from openenv_notebook.wire.link import Link
from support.waiting import eventually

Policy = Callable[[dict[str, Any]], Any]


def result_frame(observation: Any = None, reward: Any = 0.0, done: Any = False, **extra: Any) -> bytes:
    """Compose the reply to a reset or a step."""
    data = {"observation": {} if observation is None else observation, "reward": reward, "done": done, **extra}
    return json.dumps({"type": "observation", "data": data}).encode()


def error_frame(code: str, message: str = "no", **details: Any) -> bytes:
    """Compose an error reply."""
    return json.dumps({"type": "error", "data": {"message": message, "code": code, **details}}).encode()


class Replier:
    """The usual policy: each step's observation repeats its action, and counts what the server did."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self, request: dict[str, Any]) -> bytes:
        match request["type"]:
            case "reset":
                self.steps = 0
                return result_frame({"reset": request["data"], "step": 0}, None)
            case "step":
                self.steps += 1
                return result_frame({"echo": request["data"], "step": self.steps}, 1.0)
            case "state":
                return json.dumps({"type": "state", "data": {"episode_id": "e", "step_count": self.steps}}).encode()
            case "mcp":
                answer = {"jsonrpc": "2.0", "id": request["data"]["id"], "result": {"tools": []}}
                return json.dumps({"type": "mcp", "data": answer}).encode()
        return error_frame("UNKNOWN_TYPE", f"Unknown message type: {request['type']}")


class ScriptedWire:
    """What a session holds as its connection; lives on one loop."""

    BROKEN = "the scripted wire is broken"

    def __init__(self, far_end: FarEnd) -> None:
        self.loop = asyncio.get_running_loop()
        self.on_frame: Callable[[bytes], None] = lambda data: None
        self.on_end: Callable[[int, str], None] = lambda code, reason: None
        self.far_end = far_end
        self.end: tuple[int, str] | None = None
        self.closed_by_us = False
        self.undecoded = 0

    def send(self, data: bytes) -> None:
        """Take a request of the session in."""
        assert not self.closed_by_us, "a request was sent over a retired connection"
        if self.end is not None or self.far_end.refuses_frames:
            raise ConnectionResetError(self.BROKEN)
        self.far_end.take(self, data)

    def close(self) -> None:
        """Take the session's goodbye in."""
        self.closed_by_us = True
        if not self.far_end.ignores_close:
            self.loop.call_soon(self.break_off, 1000, "")

    def abort(self) -> None:
        """Be dropped, which no far end can delay."""
        self.closed_by_us = True
        self.loop.call_soon(self.break_off, 1006, "")

    def hold(self, size: int) -> None:
        """Count a reply that waits to be decoded."""
        self.undecoded += size

    def release(self, size: int) -> None:
        """Count a reply that was decoded."""
        self.undecoded -= size

    def break_off(self, code: int, reason: str) -> None:
        """Report the end, once."""
        if self.end is None:
            self.end = code, reason
            self.on_end(code, reason)


class FarEnd:
    """A server that does what a test says.

    Args:
        policy: Makes the reply to a request; None holds it back until :meth:`release` or :meth:`say`.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy: Policy = policy or Replier()
        self.wires: list[ScriptedWire] = []
        self.requests: list[dict[str, Any]] = []
        self.hellos = 0
        self.held: list[dict[str, Any]] = []
        self.holding = False
        self.holds_hello = False
        self.greeting: bytes | None = None
        self.greets_and_closes = False
        self.refusals: list[OpenEnvError] = []
        self.ignores_close = False
        self.refuses_frames = False
        self.connecting = threading.Event()
        self.may_connect: asyncio.Event | None = None

    # For the session

    async def connect(self, customer: Customer, link: Link, patience: Patience | None = None) -> Opened:
        """Open a wire and prove it: the `connect` of a Session."""
        self.connecting.set()
        if self.may_connect is not None:
            await self.may_connect.wait()
        if self.refusals:
            raise self.refusals.pop(0)
        wire, greeting = ScriptedWire(self), Greeting("http://scripted")
        wire.on_frame, wire.on_end = greeting.take, greeting.end_at
        self.wires.append(wire)
        if self.greeting is not None:
            wire.on_frame(self.greeting)
        if self.greets_and_closes:
            wire.loop.call_soon(wire.break_off, 1000, "")
        link.say("the server is building the environment")
        try:
            await greeting.prove(wire, (patience or Patience()).build)
        except BaseException:
            link.drop(wire)
            raise
        return Opened(wire, None)

    def take(self, wire: ScriptedWire, data: bytes) -> None:
        """Take a request; answer it on the loop's next turn, as a network would."""
        request = json.loads(data)
        if request["type"] == "openenv_notebook_hello":
            self.hellos += 1
            if self.holds_hello:
                self.held.append(request)
                return
            wire.loop.call_soon(self._deliver, wire, error_frame("UNKNOWN_TYPE"))
            return
        self.requests.append(request)
        reply = None if self.holding else self.policy(request)
        if reply is None:
            self.held.append(request)
        else:
            wire.loop.call_soon(self._deliver, wire, reply)

    def _deliver(self, wire: ScriptedWire, reply: bytes) -> None:
        if wire.end is None:
            wire.on_frame(reply)

    # For the test

    @property
    def wire(self) -> ScriptedWire:
        """The newest connection."""
        return self.wires[-1]

    @property
    def steps(self) -> list[Any]:
        """The actions that arrived, in order."""
        return [request["data"] for request in self.requests if request["type"] == "step"]

    @property
    def kinds(self) -> list[str]:
        """The types of the requests that arrived, in order."""
        return [request["type"] for request in self.requests]

    def hold(self) -> None:
        """Answer nothing until :meth:`release`."""
        self.holding = True

    def release(self, number: int | None = None) -> None:
        """Answer what was held back, the oldest first; all of it, and all that comes, without a number."""

        def answer() -> None:
            self.holding = self.holding and number is not None
            for _ in range(len(self.held) if number is None else number):
                self._deliver(self.wire, self.policy(self.held.pop(0)))

        self._on_loop(answer)

    def _on_loop(self, act: Callable[[], None]) -> None:
        """Act between two turns of the wire's loop, as requests arrive there; wait until it is done."""
        loop, done = self.wire.loop, threading.Event()
        here: asyncio.AbstractEventLoop | None = None
        with contextlib.suppress(RuntimeError):
            here = asyncio.get_running_loop()
        if here is loop:
            act()
            return

        def turn() -> None:
            act()
            done.set()

        loop.call_soon_threadsafe(turn)
        assert done.wait(5), "the wire's loop hangs"

    def say(self, frame: bytes, wire: ScriptedWire | None = None) -> None:
        """Send a frame."""
        chosen = wire or self.wire
        chosen.loop.call_soon_threadsafe(chosen.on_frame, frame)

    def end(self, code: int = 1006, reason: str = "", wire: ScriptedWire | None = None) -> None:
        """End a connection."""
        chosen = wire or self.wire
        chosen.loop.call_soon_threadsafe(chosen.break_off, code, reason)

    def wait_for(self, number: int = 1) -> None:
        """Wait until so many requests are held back."""
        eventually(lambda: len(self.held) >= number, what=f"{number} requests held back")


class ScriptedOpener(Opener):
    """Opens wires of a far end instead of sockets."""

    def __init__(self, far_end: FarEnd, build: float | None = 10.0) -> None:
        address = parse_target("scripted.test:80")
        assert isinstance(address, Address)
        super().__init__(Endpoint(address), Patience(build=build))
        self.far_end = far_end

    async def __call__(self, customer: Customer, link: Link) -> Opened:
        """Open and prove a wire."""
        return await self.far_end.connect(customer, link, self.patience)

    def again(self) -> Opener:
        """Make the opener of another client."""
        return ScriptedOpener(self.far_end, self.patience.build)


def scripted(client: Any, far_end: FarEnd, build: float | None = 10.0) -> Any:
    """Put a client of ours on a far end instead of the network; return the client."""
    return put_on(client, ScriptedOpener(far_end, build))


def put_on(client: Any, opener: Opener) -> Any:
    """Give a client of ours another opener before it is used; return the client."""
    talk = conversation_of(client)
    hold_conversation(client, Conversation(client, talk.codec, opener, talk.options, talk.mode))
    return client
