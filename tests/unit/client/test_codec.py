"""What a client class does with actions and replies: models, hooks, or neither."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import pytest
from pydantic import Field
from support.recorded import schemas
from support.wire import result_frame

from openenv_notebook.client.actions import NOT_GIVEN
from openenv_notebook.client.clients import EnvClient, GenericEnvClient
from openenv_notebook.client.codec import Codec
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values.errors import InvalidAction, MisuseError, ProtocolError
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.messages import Action, Observation, State, StepResult
from openenv_notebook.values.secrets import HIDDEN

CONNECT4 = action_shape(schemas()["connect4"]["action"])


class Drop(Action):
    """A typed action."""

    column: int


class Board(Observation):
    """A typed observation."""

    board: list[int] = Field(default_factory=list)


class Game(State):
    """A typed state."""

    turn: int = 0


class Typed(EnvClient[Drop, Board, Game]):
    """A client that only names its models."""


class Hooked(EnvClient[Drop, Board, Game]):
    """A client as code for upstream writes it."""

    def _step_payload(self, action: Drop) -> dict[str, Any]:
        return {"column": action.column}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Board]:
        seen = payload.get("observation", {})
        return StepResult(Board(board=seen["board"]), payload.get("reward"), payload.get("done", False))

    def _parse_state(self, payload: dict[str, Any]) -> Game:
        return Game(turn=payload["turn"] + 1)


class Wrapping(EnvClient[Drop, Board, Game]):
    """A client whose hooks build on ours."""

    def _step_payload(self, action: Drop) -> dict[str, Any]:
        return super()._step_payload(action) | {"metadata": {"from": "hook"}}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Board]:
        result = super()._parse_result(payload)
        return StepResult(result.observation, 10.0, result.done, result.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> Game:
        return super()._parse_state({**payload, "turn": 7})


class Plain(GenericEnvClient):
    """A generic client with a hook that builds on ours."""

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Any]:
        result = super()._parse_result(payload)
        return StepResult(result.observation.board, result.reward, result.done)


def codec_of(client: Any) -> Codec:
    """What the client's class does with actions and replies."""
    return conversation_of(client).codec


def payload(client: Any, *args: Any, schema: Any = CONNECT4, **fields: Any) -> Any:
    """Make the fields that travel as the client's step does."""
    return codec_of(client).payload(client, args[0] if args else NOT_GIVEN, fields, schema)


def read(client: Any, reply: bytes) -> Any:
    """Read a reply as the client's session does."""
    return codec_of(client).reader(client)(reply)


@pytest.mark.parametrize("cls", [Typed, Hooked, GenericEnvClient])
def test_every_client_takes_every_form_of_an_action(cls: type[Any]) -> None:
    """A model, keywords and a bare value are the same for a typed, a hooked and a generic client."""
    client = cls("localhost:1")
    for made in (payload(client, Drop(column=3)), payload(client, column=3), payload(client, 3)):
        made.pop("metadata", None)
        assert made == {"column": 3}


def test_a_typed_client_takes_a_dict_as_it_is() -> None:
    """A dict goes out as it is, without the model's defaults."""
    assert payload(Typed("localhost:1"), {"column": 3}) == {"column": 3}


def test_a_typed_client_needs_no_schema_from_the_server() -> None:
    """A class that names its action knows its fields; a generic one asks."""
    assert not codec_of(Typed("localhost:1")).needs_schema(NOT_GIVEN, {"column": 3})
    assert codec_of(GenericEnvClient("localhost:1")).needs_schema(NOT_GIVEN, {"column": 3})
    with pytest.raises(InvalidAction, match="did you mean 'column'"):
        payload(Typed("localhost:1"), colum=3, schema=None)


@pytest.mark.parametrize(
    ("action", "fields", "needed"),
    [
        (NOT_GIVEN, {"column": 3}, True),
        (3, {}, True),
        (None, {}, True),
        ({"column": 3}, {}, False),
        (Drop(column=3), {}, False),
        (NOT_GIVEN, {}, False),
        ({"blob": b"x"}, {}, True),
        ({"parts": [{"blob": bytearray(b"x")}]}, {}, True),
        ({"parts": [{"blob": "x"}]}, {}, False),
    ],
)
def test_the_schema_is_asked_for_only_where_it_tells_something(action: Any, fields: Any, needed: bool) -> None:
    """Keywords, bare values and bytes need the schema; another record goes out without asking."""
    assert codec_of(GenericEnvClient("localhost:1")).needs_schema(action, fields) is needed


def test_a_hook_gets_the_model_it_expects() -> None:
    """Keywords and bare values are made into the action model before the hook sees them."""
    with pytest.raises(InvalidAction, match=r"it does not fit Drop\n  column: .*integer.*\(got 'x'\)") as caught:
        payload(Hooked("localhost:1"), column="x")
    assert caught.value.__cause__ is None, "nothing was raised by the environment"


def test_a_hook_may_return_a_model() -> None:
    """What a hook gives back is taken apart like an action."""

    class Client(GenericEnvClient):
        def _step_payload(self, action: Any) -> Any:
            return Drop(column=5)

    assert payload(Client("localhost:1"), {"x": 1}) == {"metadata": {}, "column": 5}


def test_hooks_decide() -> None:
    """Results and states are what the hooks make of them."""
    client = Hooked("localhost:1")
    assert read(client, result_frame({"board": [1]}, 1, True)) == StepResult(Board(board=[1]), 1, True)
    assert codec_of(client).state(client, b'{"type":"state","data":{"turn":1}}') == Game(turn=2)


def test_hooks_may_build_on_ours() -> None:
    """super() in a hook is the way of a client without hooks."""
    client = Wrapping("localhost:1")
    assert payload(client, column=3) == {"metadata": {"from": "hook"}, "column": 3}
    result = read(client, result_frame({"board": [1]}, 1, False, metadata={"m": 1}))
    assert (result.observation.board, result.reward, result.metadata) == ([1], 10.0, {"m": 1})
    assert codec_of(client).state(client, b'{"type":"state","data":{"turn":1}}') == Game(turn=7)
    assert read(Plain("localhost:1"), result_frame({"board": [1]})).observation == [1]


def test_a_typed_state_is_checked() -> None:
    """A state that does not fit the model is a ProtocolError, one line a field."""
    client = Typed("localhost:1")
    state = codec_of(client).state(client, b'{"type":"state","data":{"turn":3,"more":1}}')
    assert state == Game(turn=3, more=1)  # type: ignore[call-arg]
    with pytest.raises(ProtocolError, match="does not fit the client's model\n  turn: "):
        codec_of(client).state(client, b'{"type":"state","data":{"turn":"x"}}')


def test_a_generic_state_reads_by_attribute() -> None:
    """Without a model a state is a dict with attributes."""
    client = GenericEnvClient("localhost:1")
    assert codec_of(client).state(client, b'{"type":"state","data":{"episode_id":"e"}}').episode_id == "e"


def test_a_state_of_anything_reads_by_attribute() -> None:
    """A class that says Any for its state has a dict with attributes, like one that says nothing."""

    class Client(EnvClient[Drop, Board, Any]):
        pass

    client = Client("localhost:1")
    assert codec_of(client).state(client, b'{"type":"state","data":{"turn":1}}').turn == 1


def test_reading_does_not_keep_a_client() -> None:
    """A record holds the reader, not the client; without its client a reply is read without the hook."""
    client = Hooked("localhost:1")
    reader, alive = codec_of(client).reader(client), weakref.ref(client)
    del client
    gc.collect()
    assert alive() is None
    assert reader(result_frame({"board": [1]}, 1, True)).observation == Board(board=[1], reward=1, done=True)


def test_models_may_be_defined_after_the_class() -> None:
    """A client class is made before its models are looked into."""

    class Late(Observation):
        other: Later | None = None

    class Client(EnvClient[Drop, Late, State]):
        pass

    class Later(Observation):
        x: int = 0

    Late.model_rebuild(_types_namespace={"Later": Later})
    assert read(Client("localhost:1"), result_frame({"other": {"x": 1}})).observation.other == Later(x=1)


def test_a_bare_value_for_a_typed_client_needs_one_field() -> None:
    """A typed client refuses a bare value by its own model's fields."""

    class Two(Action):
        a: int
        b: int

    class Client(EnvClient[Two, Board, State]):
        pass

    with pytest.raises(MisuseError, match=r"env\.step\(a=\.\.\., b=\.\.\.\)"):
        payload(Client("localhost:1"), 3)


def test_what_travels_is_json() -> None:
    """What the codec makes of a model is what Python's json would write of it."""
    assert json.loads(json.dumps(payload(Typed("localhost:1"), Drop(column=3)))) == {"metadata": {}, "column": 3}


PIN = Secrets({"properties": {"pin": {"type": "string", "format": "password"}}})
TELLING = result_frame({"board": [1], "pin": "s3cret"}, metadata={"pin": "s3cret"})


class Open(Observation):
    """An observation whose model marks nothing."""

    board: list[int] = Field(default_factory=list)
    pin: str = ""


class Opening(EnvClient[Drop, Open, State]):
    """A client that only names its models."""


class Hooking(EnvClient[Drop, Open, State]):
    """A client with a hook of its own."""

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Open]:
        return StepResult(Open(pin=payload["observation"]["pin"]))


@pytest.mark.parametrize("cls", [GenericEnvClient, Opening, Hooking, Plain])
def test_results_hide_what_their_server_marks(cls: type[Any]) -> None:
    """However a client reads its results, their reprs hide what its server's schema marks, also behind a weak hook."""
    client = cls("localhost:1")
    reader = codec_of(client).reader(client, PIN)
    assert "s3cret" not in repr(reader(TELLING)) and HIDDEN in repr(reader(TELLING))
    del client
    gc.collect()
    assert "s3cret" not in repr(reader(TELLING))


def test_what_does_not_fit_is_quoted_without_secrets() -> None:
    """A line on a field that does not fit a model hides it, by the server's schema or by the model's own."""

    class Keyed(Action):
        pin: int = Field(json_schema_extra={"writeOnly": True})
        code: int = 0

    class Board(Observation):
        pin: int

    class Kept(State):
        pin: int

    class Client(EnvClient[Keyed, Board, Kept]):
        def _step_payload(self, action: Keyed) -> dict[str, Any]:
            return {"pin": action.pin}

    client = Client("localhost:1")
    client.known.secrets.learn({"properties": {"code": {"type": "string", "format": "password"}}})
    with pytest.raises(InvalidAction) as refused:
        payload(client, pin="s3cret", code="s3cret")
    client.known.secrets.learn({"properties": {"pin": {"type": "string", "format": "password"}}})
    with pytest.raises(ProtocolError) as seen:
        codec_of(client).reader(client, client.known.secrets)(TELLING)
    with pytest.raises(ProtocolError) as kept:
        codec_of(client).state(client, b'{"type":"state","data":{"pin":"s3cret"}}')
    for caught in (refused, seen, kept):
        lines = [
            line.partition(" · ")[0] for line in str(caught.value).split("\n") if "pin: " in line or "code: " in line
        ]
        assert lines and all(HIDDEN in line and "got 's3cret'" not in line for line in lines)
