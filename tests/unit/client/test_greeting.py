"""The proof of a session: one message that no server knows, and what may answer it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.wire import FarEnd, ScriptedWire, error_frame, result_frame

from openenv_notebook.client.greeting import HELLO_FRAME, Greeting
from openenv_notebook.values.errors import AtCapacity, ConnectFailed, ConnectTimeout, NotAnOpenEnvServer

URL = "http://scripted"


def listening() -> tuple[ScriptedWire, Greeting]:
    """Make a connection whose server answers nothing by itself, and who listens to it."""
    far_end = FarEnd()
    far_end.holds_hello = True
    wire, greeting = ScriptedWire(far_end), Greeting(URL)
    wire.on_frame, wire.on_end = greeting.take, greeting.end_at
    return wire, greeting


def answered(wire: ScriptedWire, *frames: bytes) -> None:
    """Have frames come on the loop's next turn."""
    for frame in frames:
        wire.loop.call_soon(wire.on_frame, frame)


def test_it_is_a_message_without_data() -> None:
    """It has a type that no server knows, and no other key."""
    assert list(json.loads(HELLO_FRAME)) == ["type"]


@pytest.mark.parametrize("frame", [error_frame("UNKNOWN_TYPE"), error_frame("INVALID_JSON"), result_frame()])
async def test_any_answer_of_openenv_proves_a_session(frame: bytes) -> None:
    """Whatever reply it is: it need not be the one that is expected."""
    wire, greeting = listening()
    answered(wire, frame)
    await greeting.prove(wire, 5)
    assert wire.far_end.hellos == 1


REFUSED: dict[str, Any] = {
    "full": (error_frame("CAPACITY_REACHED", "full"), AtCapacity),
    "no OpenEnv": (b'{"type":"pong"}', NotAnOpenEnvServer),
    "no JSON": (b"hello", NotAnOpenEnvServer),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("early", [True, False])
async def test_a_refusal_is_raised_whenever_it_comes(name: str, early: bool) -> None:
    """Before the question or as its answer, with the server's address; an early one is not asked for."""
    frame, kind = REFUSED[name]
    wire, greeting = listening()
    if early:
        wire.on_frame(frame)
    else:
        answered(wire, frame)
    with pytest.raises(kind) as caught:
        await greeting.prove(wire, 5)
    assert caught.value.url == URL
    assert wire.far_end.hellos == (0 if early else 1)


async def test_a_frame_too_many_is_no_proof() -> None:
    """What nobody asked for, right behind the answer, is not taken for the reply to a later request."""
    wire, greeting = listening()
    answered(wire, error_frame("UNKNOWN_TYPE"), result_frame())
    with pytest.raises(NotAnOpenEnvServer):
        await greeting.prove(wire, 5)


async def test_a_greeting_of_the_server_is_no_proof() -> None:
    """A well-formed frame that comes by itself, and the answer later: the next reply would be taken for another's."""
    wire, greeting = listening()
    answered(wire, result_frame())
    wire.loop.call_later(0.01, wire.on_frame, error_frame("UNKNOWN_TYPE"))
    with pytest.raises(NotAnOpenEnvServer):
        await greeting.prove(wire, 5)


async def test_an_end_is_told_with_its_code() -> None:
    """A connection that closes at once, or instead of an answer, says why and what to do."""
    wire, greeting = listening()
    wire.break_off(1013, "busy")
    with pytest.raises(ConnectFailed, match=r"connection at once \(code 1013: busy\).*try|connect again in a moment"):
        await greeting.prove(wire, 5)
    wire, greeting = listening()
    wire.loop.call_soon(wire.break_off, 1008, "")
    with pytest.raises(ConnectFailed, match=r"new session \(code 1008\).*token="):
        await greeting.prove(wire, 5)


async def test_silence_is_a_timeout() -> None:
    """The limit is named, and the setting that changes it."""
    wire, greeting = listening()
    with pytest.raises(ConnectTimeout, match=r"message_timeout_s"):
        await greeting.prove(wire, 0.01)
