"""Malformed, late, split and huge replies of a real socket."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from support.sockets import Peer
from support.waiting import eventually, in_threads
from support.wire import Replier, error_frame, result_frame

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.values.errors import ProtocolError, ReplyTimeout, SessionLost
from openenv_notebook.wire.connection import UNDECODED_LIMIT

MIB = 2**20


def replying(*replies: Any) -> Any:
    """Make a script that answers a reset, then each step by the next of these; then as usual."""

    def script(peer: Peer) -> None:
        peer.prove()
        usual, left = Replier(), list(replies) if peer.number == 0 else []
        while True:
            request = peer.receive()
            reply = left.pop(0) if left and request["type"] == "step" else usual(request)
            if callable(reply):
                reply(peer)
            else:
                peer.say(reply)

    return script


MALFORMED = {
    "no json": b"not json",
    "html": b"<!doctype html><p>504 Gateway Time-out",
    "empty": b"",
    "null": b"null",
    "number": b"3",
    "list": b"[]",
    "no type": b'{"data":{"observation":{},"reward":1,"done":false}}',
    "wrong type": b'{"type":"state","data":{}}',
    "no data": b'{"type":"observation"}',
    "null data": b'{"type":"observation","data":null}',
    "null observation": b'{"type":"observation","data":{"observation":null,"reward":1,"done":false}}',
    "text for done": b'{"type":"observation","data":{"observation":{},"reward":1,"done":"false"}}',
    "no done": b'{"type":"observation","data":{"observation":{},"reward":1}}',
    "text for reward": b'{"type":"observation","data":{"observation":{},"reward":"1","done":false}}',
    "cut off": b'{"type":"observation","data":{"observation":{"a":[1,2',
    "two in one": result_frame() + result_frame(),
    "error without data": b'{"type":"error"}',
}


@pytest.mark.parametrize("reply", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_reply_is_a_protocol_error(serve: Any, make_env: Any, reply: bytes) -> None:
    """A reply that is none is a ProtocolError for its call; the next call gets its own reply."""
    env = make_env(serve(replying(reply)))
    env.reset()
    with pytest.raises(ProtocolError):
        env.step({"n": 1})
    assert env.step({"n": 2}).observation.echo == {"n": 2}
    assert isinstance(env.episode[1].error, ProtocolError)


def test_invalid_utf8_ends_the_session(serve: Any, make_env: Any) -> None:
    """Text that is not UTF-8 is a loss with 1007, as the standard asks; reset() recovers."""
    env = make_env(serve(replying(lambda peer: peer.say(b'{"type":"observation","data":"\xff\xfe"}'))))
    env.reset()
    with pytest.raises(SessionLost, match="not UTF-8") as caught:
        env.step({"n": 1})
    assert caught.value.code == 1007
    assert env.reset().observation.step == 0


def test_a_binary_reply_is_read_as_what_it_holds(serve: Any, make_env: Any) -> None:
    """A reply in a binary frame is read like text; noise in one ends the session like other noise."""
    noise = bytes(range(128, 256))
    env = make_env(
        serve(replying(lambda peer: peer.say_binary(result_frame({"a": 1})), lambda peer: peer.say_binary(noise)))
    )
    env.reset()
    assert env.step({"n": 1}).observation.a == 1
    with pytest.raises(SessionLost):
        env.step({"n": 2})


def test_fragments_are_joined(serve: Any, make_env: Any) -> None:
    """A reply in many fragments, cut within a character, is one reply; pings in between change nothing."""
    whole = json.dumps(
        {"type": "observation", "data": {"observation": {"text": "é☃𝄞"}, "reward": 1, "done": False}},
        ensure_ascii=False,
    ).encode()

    def split(peer: Peer) -> None:
        parts = [whole[number : number + 1] for number in range(len(whole))]
        peer.say_in_parts(*parts, b"")

    def with_pings(peer: Peer) -> None:
        peer.protocol.send_text(whole[:60], fin=False)
        peer.protocol.send_ping(b"hello")
        peer.protocol.send_continuation(whole[60:], fin=True)
        peer.flush()

    env = make_env(serve(replying(split, with_pings)))
    env.reset()
    assert env.step({"n": 1}).observation.text == "é☃𝄞"
    assert env.step({"n": 2}).observation.text == "é☃𝄞"


def test_invalid_utf8_in_fragments_is_noticed(serve: Any, make_env: Any) -> None:
    """The whole of a message is checked, not each fragment."""
    env = make_env(serve(replying(lambda peer: peer.say_in_parts(b'{"type":"\xc3', b'"}'))))
    env.reset()
    with pytest.raises(SessionLost, match="not UTF-8"):
        env.step({"n": 1})


def test_a18_eight_megabytes_just_work(serve: Any, make_env: Any) -> None:
    """A18: an observation of 8 MB arrives with the default settings, several times."""
    big = result_frame({"pixels": "x" * (8 * MIB)})
    env = make_env(serve(replying(big, big, big)))
    env.reset()
    for _ in range(3):
        assert len(env.step({"n": 1}).observation.pixels) == 8 * MIB


def test_a18_a_limit_names_its_option(serve: Any, make_env: Any) -> None:
    """A18: above the limit the session is lost with 1009 and the option to raise; reset() works again."""
    env = make_env(serve(replying(result_frame({"pixels": "x" * (8 * MIB)}))), max_message_size_mb=1)
    env.reset()
    with pytest.raises(SessionLost, match="max_message_size_mb") as caught:
        env.step({"n": 1})
    assert caught.value.code == 1009
    assert env.status == "lost"
    with pytest.raises(SessionLost):
        env.step({"n": 2})
    assert env.reset().observation.step == 0
    assert env.step({"n": 3}).observation.echo == {"n": 3}


@pytest.mark.parametrize("reply", [result_frame({"pixels": "x" * (2 * MIB)}), b"\xff\xfe"], ids=["large", "not UTF-8"])
def test_a_server_that_does_not_answer_our_close(
    serve: Any, make_env: Any, gate: threading.Event, reply: bytes
) -> None:
    """What makes us close is told at once, also where the far end takes its time with its own close."""

    def hang(peer: Peer) -> None:
        peer.say(reply)
        gate.wait()

    env = make_env(serve(replying(hang)), max_message_size_mb=1, message_timeout_s=1e6)
    env.reset()
    with pytest.raises(SessionLost) as caught:
        env.step({"n": 1})
    assert caught.value.code in (1007, 1009)
    env.close()


def test_a18_a_limit_counts_fragments_together(serve: Any, make_env: Any) -> None:
    """A18: small fragments of a large message are above the limit together."""
    env = make_env(serve(replying(lambda peer: peer.say_in_parts(*[b"x" * (MIB // 2)] * 4))), max_message_size_mb=1)
    env.reset()
    with pytest.raises(SessionLost) as caught:
        env.step({"n": 1})
    assert caught.value.code == 1009


def test_large_replies_of_a_batch_all_arrive(serve: Any, make_env: Any) -> None:
    """A batch whose replies are larger together than what may wait undecoded does not stall."""
    size = 4 * MIB
    number = UNDECODED_LIMIT // size + 4
    env = make_env(serve(replying(*[result_frame({"pixels": "x" * size})] * number)), message_timeout_s=30)
    env.reset()
    results = env.step_many([{"n": 1}] * number, window=4)
    assert [len(result.observation.pixels) for result in results] == [size] * number


def test_large_errors_do_not_add_up(serve: Any, make_env: Any) -> None:
    """Large error messages do not use up what may wait undecoded."""
    size = 4 * MIB
    number = UNDECODED_LIMIT // size + 2
    env = make_env(serve(replying(*[error_frame("EXECUTION_ERROR", "x" * size)] * number)))
    env.reset()
    for _ in range(number):
        with pytest.raises(Exception, match="the environment failed"):
            env.step({"n": 1})
    assert env.step({"n": 2}).observation.echo == {"n": 2}


def test_a01_a_late_reply_is_nobody_elses(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """A01: a step times out, the next call gets its own answer, and the record counts what the server counts."""

    def late(peer: Peer) -> None:
        action = peer.received[-1]["data"]
        gate.wait()
        peer.say(result_frame({"late": action}, 0.25))

    env = make_env(serve(replying(late)))
    env.reset()
    with pytest.raises(ReplyTimeout) as caught:
        env.options(timeout=0.1).step({"n": 1})
    assert caught.value.sent
    assert env.owed == 1

    def release() -> None:
        eventually(lambda: conversation_of(env).session.exchange.queued == 1)
        gate.set()

    result, _ = in_threads(lambda: env.step({"n": 2}), release)
    assert result.observation.echo == {"n": 2}
    assert env.owed == 0
    first, second = env.episode.steps[1:]
    assert (first.owed, first.action, first.result.observation.late) == (True, {"n": 1}, {"n": 1})
    assert (second.owed, second.action) == (False, {"n": 2})
    assert env.episode.total_reward == 1.25
    assert [step.action for step in env.settle(timeout=5)] == [{"n": 1}]


def test_settling_can_run_out_of_time(serve: Any, make_env: Any, gate: threading.Event) -> None:
    """settle() that times out says how many replies are owed still, and that it can be called again."""

    def late(peer: Peer) -> None:
        gate.wait()
        peer.say(result_frame({"late": True}))

    env = make_env(serve(replying(late)))
    env.reset()
    with pytest.raises(ReplyTimeout):
        env.options(timeout=0.1).step({"n": 1})
    with pytest.raises(ReplyTimeout, match=r"1 reply is still owed: call settle\(\) again, or .*disconnect"):
        env.settle(timeout=0.1)
    gate.set()
    assert len(env.settle(timeout=5)) == 1


def test_a_malformed_error_names_the_call(serve: Any, make_env: Any) -> None:
    """An error reply that is no such thing is told as a reply to the call that got it."""
    env = make_env(serve(replying(b'{"type":"error","data":"no"}')))
    env.reset()
    with pytest.raises(ProtocolError, match=r"a reply to step\(\) without an object"):
        env.step({"n": 1})


def test_a16_old_and_new_servers_keep_their_metadata(serve: Any, make_env: Any) -> None:
    """A16: metadata is found beside the observation and inside it; unknown keys stay in raw and in the record."""
    env = make_env(
        serve(
            replying(
                result_frame({"a": 1}, 1.0, metadata={"progress": 3}, truncated=False),
                result_frame({"a": 1, "metadata": {"progress": 4}}),
            )
        )
    )
    env.reset()
    first, second = env.step({"n": 1}), env.step({"n": 2})
    assert (first.metadata["progress"], second.metadata["progress"]) == (3, 4)
    assert first.raw["truncated"] is False
    assert json.loads(env.episode.to_jsonl())["steps"][1]["result"]["truncated"] is False


def test_a_reply_nobody_asked_for_ends_the_session(serve: Any, make_env: Any) -> None:
    """Two replies to one step are one too many: no later answer could be trusted."""

    def twice(peer: Peer) -> None:
        peer.say(result_frame({"n": 1}))
        peer.say(result_frame({"n": 2}))

    env = make_env(serve(replying(twice)))
    env.reset()
    assert env.step({"n": 1}).observation.n == 1
    eventually(lambda: env.status == "lost")
    with pytest.raises(SessionLost, match="nobody asked for"):
        env.step({"n": 2})
    assert env.reset().observation.step == 0


def test_slow_bytes_are_a_reply(serve: Any, make_env: Any) -> None:
    """A reply that trickles in byte by byte is one reply."""

    def trickle(peer: Peer) -> None:
        peer.protocol.send_text(result_frame({"slow": True}))
        for byte in b"".join(peer.protocol.data_to_send()):
            peer.raw(bytes([byte]))

    env = make_env(serve(replying(trickle)))
    env.reset()
    assert env.step({"n": 1}).observation.slow is True
