"""Secrets in reprs, errors and saved lines: hidden by names and by what a server's schema said; values keep them."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from typing import Any

import pytest
from pydantic import BaseModel, Field

from openenv_notebook import Action, GenericAction, InvalidAction, Observation, State, StepResult
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step, saved_result
from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values import secrets
from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict
from openenv_notebook.values.known_secrets import Secrets
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.secrets import HIDDEN, hides, is_secret_name, masked, secrets_of
from openenv_notebook.wire.replies import error_lines

SECRET = "hunter2"
NESTED = {"user": "me", "login": {"password": SECRET, "keys": [{"api_key": SECRET}, {"n": 1}]}}


class Login(Action):
    """An action with a secret by name, and one by what its schema says."""

    password: str = SECRET
    pin: str = Field(SECRET, json_schema_extra={"writeOnly": True})
    user: str = "me"


class Seen(Observation):
    """An observation with a secret in a dict."""

    vault: dict[str, Any] = Field(default_factory=lambda: NESTED)


class Foreign(BaseModel):
    """A model that is none of ours."""

    access_token: str = SECRET
    user: str = "me"


@dataclasses.dataclass
class Plain:
    """A dataclass, as a client's own hook may return."""

    secret: str = SECRET
    user: str = "me"


@pytest.mark.parametrize(
    "value",
    [
        Login(),
        Seen(),
        State(api_key=SECRET, user="me"),  # type: ignore[call-arg]
        attribute_dict(NESTED),
        GenericAction(password=SECRET, user="me"),
        StepResult(attribute_dict(NESTED)),
        StepResult(Foreign()),
        StepResult(Plain()),
        StepResult(None, metadata={"user": "me", "hfToken": SECRET}),
        Step("step", {"password": SECRET, "user": "me"}),
        model_from_schema(action_shape({"properties": {"password": {"type": "string"}, "user": {}}}))(
            password=SECRET, user="me"
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_repr_shows_a_secret(value: object) -> None:
    """repr(), str() and formatting show that a secret is there, not what it is, and everything else as before."""
    for text in (repr(value), str(value), f"{value}", short_repr(value)):
        assert SECRET not in text
        assert HIDDEN in text and "'me'" in text


def test_values_and_what_is_sent_keep_the_secret() -> None:
    """Hiding is for what is shown: the value, its JSON and its plain form are the real ones."""
    seen = attribute_dict({"login": {"password": SECRET}})
    repr(seen)
    assert seen.login.password == SECRET and json.loads(json.dumps(seen)) == {"login": {"password": SECRET}}
    assert Login().password == SECRET and SECRET in Login().model_dump_json()
    assert Step("step", {"password": SECRET}).to_dict()["action"] == {"password": SECRET}


def test_a_value_without_secrets_stays_itself() -> None:
    """Nothing is copied where nothing is hidden: a repr of a large observation stays cheap, and says the same."""
    value = {"board": [[0, 1], [2, 3]], "token": 5, "token_ids": [[1, 2], [3]], "password": "", "pairs": [{"a": 1}]}
    assert masked(value) is value
    assert repr(attribute_dict(value)) == repr(value)


@pytest.mark.parametrize("name", ["api_key", "apiKey", "apikey", "access_key", "password", "api_key_token"])
def test_a_secret_of_digits_is_hidden(name: str) -> None:
    """Numbers are shown under the names of a language model's tokens only, not under those of keys."""
    assert hides(name, 123456) and hides(name, [1, 2, 3])
    assert not hides("token", 123456) and not hides("next_token_ids", [1, 2, 3])


@pytest.mark.parametrize("value", [None, True, False, "", b"", [], (), {}])
def test_what_is_empty_is_no_secret(value: object) -> None:
    """What is not there, and yes or no, tells nothing and is shown, also under a name that the server marked."""
    assert not hides("password", value)
    assert not hides("pin", value, {"pin"})
    assert hides("pin", 0, {"pin"})


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [("password", True), ("hfToken", True), ("api_key", True), ("APIKey", True), ("key", False), ("tokens", False)],
)
def test_a_name_says_that_it_holds_a_secret(name: str, is_secret: bool) -> None:
    """Words of a name tell, however they are put together."""
    assert is_secret_name(name) is is_secret


def test_what_contains_itself_has_a_repr() -> None:
    """A dict that contains itself does not hang, nor fail."""
    value = attribute_dict({"a": 1})
    value["self"] = [value]
    assert "'a': 1" in repr(value)


@pytest.mark.parametrize(
    ("place", "refused"), [(("password",), SECRET), (("login", "api_key"), SECRET), ((), {"password": SECRET})]
)
def test_no_error_shows_a_secret(place: tuple[str, ...], refused: object) -> None:
    """The line on a refused field says why it was refused, and hides what was refused."""
    errors = [{"type": "too_long", "loc": place, "msg": "too long", "input": refused}]
    (line,) = error_lines(errors)
    assert "too long" in line and HIDDEN in line and SECRET not in line


def saved(**options: bool) -> tuple[Episode, str]:
    """An episode that logs in, is refused once and calls a tool; and its saved line."""
    episode = Episode("http://here")
    episode.append(Step("reset", {"seed": 1, "password": SECRET}))
    wrong = {"type": "too_long", "loc": ["password"], "msg": "too long", "input": SECRET}
    refused = InvalidAction("Invalid message", errors=error_lines([wrong]), details={"errors": [wrong]})
    episode.append(Step("step", {"password": SECRET, "user": "me"}, error=refused))
    episode.append(Step("step", {"type": "call_tool", "tool_name": "login", "arguments": {"api_key": SECRET}}))
    return episode, episode.to_jsonl(**options)


def test_a_saved_episode_holds_no_secret() -> None:
    """Saving hides the secrets of what was sent, and says which; reading the line and saving again gives the line."""
    _, line = saved()
    assert SECRET not in line
    assert json.loads(line)["extra"]["hidden"] == ["api_key", "password"]
    assert json.loads(line)["steps"][1]["action"] == {"password": HIDDEN, "user": "me"}
    assert Episode.from_jsonl(line).to_jsonl() == line


def test_a_saved_episode_can_keep_its_secrets() -> None:
    """secrets=True writes what was sent as it was, for a replay on a machine one trusts; nothing is called hidden."""
    episode, line = saved(secrets=True)
    assert json.loads(line)["steps"][0]["action"] == {"seed": 1, "password": SECRET}
    assert "hidden" not in json.loads(line)["extra"]
    assert Episode.from_jsonl(line) == episode


def test_an_episode_without_secrets_is_saved_as_it_is() -> None:
    """Where there is no secret, both ways of saving write the same line."""
    episode = Episode("http://here")
    episode.append(Step("reset", {"seed": 1}))
    episode.append(Step("step", {"column": 3, "token": 5}))
    assert episode.to_jsonl() == episode.to_jsonl(secrets=True)


def test_what_a_schema_marks_as_secret_is_hidden_by_its_name() -> None:
    """Fields with format password or writeOnly, at any depth, are secrets for who knows the schema, for nobody else."""
    inner = {"type": "object", "properties": {"pin": {"type": "string", "writeOnly": True}}}
    schema = {
        "type": "object",
        "properties": {
            "plain": {"type": "string", "format": "password"},
            "maybe": {"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]},
            "inner": {"$ref": "#/$defs/Inner"},
            "list": {"type": "array", "items": {"type": "string", "format": "password"}},
            "map": {"type": "object", "additionalProperties": {"type": "string", "writeOnly": True}},
            "open": {"type": "string"},
        },
        "$defs": {"Inner": inner},
    }
    names = ("plain", "maybe", "pin", "list", "map", "open")
    learnt = Secrets()
    assert [hides(name, ["s3cret"], learnt) for name in names] == [False] * 6
    learnt.learn(schema)
    assert [hides(name, ["s3cret"], learnt) for name in names] == [True, True, True, True, True, False]
    assert masked({"inner": {"pin": "1234"}}, learnt) == {"inner": {"pin": HIDDEN}}
    assert [hides(name, ["s3cret"], Secrets()) or hides(name, ["s3cret"]) for name in names] == [False] * 6
    assert [name in Secrets({}, schema) for name in names] == [True, True, True, True, True, False]


def test_nothing_is_remembered_for_the_process() -> None:
    """The module holds no state: what one server's schema said can hide nothing of another's."""
    assert len(vars(secrets)) > 10
    kinds = (MutableSet, MutableMapping, MutableSequence, Secrets)
    own = {name: value for name, value in vars(secrets).items() if not name.startswith("__")}
    assert [name for name, value in own.items() if isinstance(value, kinds)] == []


PIN = Secrets({"properties": {"pin": {"type": "string", "format": "password"}}})


def of_a_server() -> list[tuple[Any, Callable[[Any], Any]]]:
    """What came from a server that marks a PIN, and where to look at it."""
    value = {"pin": SECRET, "user": "me", "inner": {"pin": SECRET}, "list": [{"pin": SECRET}]}
    request = json.dumps({"type": "step", "data": value}).encode()
    seen = attribute_dict(value, PIN)
    step = Step("step", request=request, reply=None, read=None, error=None, secrets=PIN)
    return [
        (seen, lambda seen: seen),
        (seen, lambda seen: seen.inner),
        (seen, lambda seen: seen["list"][0]),
        (seen, lambda seen: seen.get("inner")),
        (seen, lambda seen: seen.copy()),
        (seen, lambda seen: seen | {"more": 1}),
        (saved_result({"observation": value, "reward": 1.0}, PIN), lambda result: result),
        (saved_result({"observation": None, "metadata": value}, PIN), lambda result: result),
        (step, lambda step: step),
        (step, lambda step: step.action),
    ]


@pytest.mark.parametrize(
    "travel", [lambda value: value, copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
@pytest.mark.parametrize("place", range(10))
def test_what_came_from_a_server_hides_what_that_server_marked(place: int, travel: Callable[[Any], Any]) -> None:
    """A value, its parts, its copies and its pickle know what is secret in them; a value from nowhere shows it."""
    value, look = of_a_server()[place]
    looked = look(travel(value))
    assert "pin" in str(secrets_of(looked))
    for text in (repr(looked), short_repr(looked)):
        assert SECRET not in text and HIDDEN in text
    assert SECRET in repr(attribute_dict({"pin": SECRET})) and SECRET in repr(GenericAction(pin=SECRET))


def test_a_schema_that_is_learnt_later_hides_in_what_came_before() -> None:
    """A reply, and a copy of it, may come before the schema is known."""
    later = Secrets()
    seen = attribute_dict({"pin": SECRET}, later)
    held = [seen, copy.deepcopy(seen), saved_result({"observation": {"pin": SECRET}}, later)]
    assert all(SECRET in repr(value) for value in held)
    later.learn({"properties": {"pin": {"writeOnly": True}}})
    assert not any(SECRET in repr(value) for value in held)


def test_a_saved_step_is_hidden_by_what_its_own_server_marked() -> None:
    """Steps of two servers in one episode are saved each by its own schema; from_jsonl shows what it reads."""
    request = json.dumps({"type": "step", "data": {"pin": SECRET}}).encode()
    episode = Episode("http://here")
    episode.append(Step("reset", request=request, reply=None, read=None, error=None, secrets=PIN))
    assert SECRET not in episode.to_jsonl() and json.loads(episode.to_jsonl())["extra"]["hidden"] == ["pin"]
    assert json.loads(episode.to_jsonl())["task"] == {"pin": HIDDEN}
    request = json.dumps({"type": "step", "data": {"pin": "none of its own"}}).encode()
    episode.append(Step("step", request=request, reply=None, read=None, error=None))
    shown = [step["action"]["pin"] for step in json.loads(episode.to_jsonl())["steps"]]
    assert shown == [HIDDEN, "none of its own"]


def test_a_key_of_any_name_is_only_a_key() -> None:
    """A server's keys are never taken for what we keep beside them."""
    value = {"_secrets": {"a": 1}, "_wrapped": {"b": {"c": 1}}, "__secrets__": [{}], "pin": SECRET}
    seen = attribute_dict(value)
    assert secrets_of(seen) is None and seen["_wrapped"].b.c == 1 and seen["_secrets"].a == 1
    seen._wrapped = {"d": 1}
    assert seen["_wrapped"] == {"d": 1} and SECRET not in repr(attribute_dict(dict(value), PIN))
    assert type(seen["_secrets"]) is AttributeDict


def test_a_model_made_from_a_schema_hides_what_that_schema_marks() -> None:
    """A model hides by its own schema, at any depth, under a name that Python had to change, too."""
    secret = {"type": "string", "format": "password"}
    schema = {"properties": {"pin-code": secret, "inner": {"type": "object", "properties": {"pin": secret}}}}
    model = model_from_schema(action_shape(schema))
    made = model.model_validate({"pin-code": SECRET, "inner": {"pin": SECRET}})
    assert SECRET not in repr(made) and repr(made).count(HIDDEN) == 2
    assert made.model_dump(by_alias=True) == {"pin-code": SECRET, "inner": {"pin": SECRET}}
