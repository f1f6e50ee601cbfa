"""Secrets in reprs, errors and saved lines: hidden by the names of their fields; live values keep them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from openenv_notebook import Action, GenericAction, InvalidAction, Observation, State, StepResult
from openenv_notebook.record.episode import Episode, Step
from openenv_notebook.schema.model import model_from_schema
from openenv_notebook.schema.reader import action_shape
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.messages import short_repr
from openenv_notebook.values.secrets import HIDDEN, hides, learn_secrets, masked
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
    """Fields with format password or writeOnly, at any depth, are secrets from when their schema is known."""
    inner = {"type": "object", "properties": {"pin_of_test": {"type": "string", "writeOnly": True}}}
    schema = {
        "type": "object",
        "properties": {
            "plain_of_test": {"type": "string", "format": "password"},
            "maybe_of_test": {"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]},
            "inner": {"$ref": "#/$defs/Inner"},
            "list_of_test": {"type": "array", "items": {"type": "string", "format": "password"}},
            "map_of_test": {"type": "object", "additionalProperties": {"type": "string", "writeOnly": True}},
            "open_of_test": {"type": "string"},
        },
        "$defs": {"Inner": inner},
    }
    names = ("plain_of_test", "maybe_of_test", "pin_of_test", "list_of_test", "map_of_test", "open_of_test")
    assert [hides(name, ["s3cret"]) for name in names] == [False] * 6
    learn_secrets(schema)
    assert [hides(name, ["s3cret"]) for name in names] == [True, True, True, True, True, False]
    assert masked({"inner": {"pin_of_test": "1234"}}) == {"inner": {"pin_of_test": HIDDEN}}
