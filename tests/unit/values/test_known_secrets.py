"""What one client knows to be secret, and texts of others without it."""

from __future__ import annotations

import gc
import pickle

import pytest

from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step, saved_result
from openenv_notebook.values.errors import ServerError
from openenv_notebook.values.known_secrets import Secrets, foreign_text, hide_in, shown_text
from openenv_notebook.values.secrets import HIDDEN


@pytest.mark.parametrize(
    "text",
    [
        "bad {'password': '@'} here",
        'bad {"password": "@", "n": 1}',
        'cut {"password": "@',
        'within {"a": "{\\"password\\": \\"@\\"}"}',
        'quotes {"password": "x\\"@"}',
        'lists {"passwords": ["@", "@"]}',
        "a shell's API_KEY=@ ./run",
        "twice X=API_KEY=@",
        "Action(password='@', user='me')",
        "authorization: Bearer @-1",
        "AUTHORIZATION=Bearer @-1 b",
        "postgres://bob:@@host/db",
    ],
)
def test_what_a_name_says_is_secret_is_hidden(text: str) -> None:
    """R25: in a text of others, what stands behind a name that says so is hidden, in whatever way it is written."""
    assert "hunter22" not in foreign_text(text.replace("@", "hunter22", 1).replace("@", "hunter22", text.count("[")))


@pytest.mark.parametrize(
    "text",
    [
        "pass token=..., or headers={'Authorization': ...}",
        "password: Input should be a valid string (got 5)",
        "env.step(password=...)",
        "env.step(password=os.environ['PASSWORD'])",
        '{"token_ids": [1, 2], "token": 5}',
        "Basic information is here",
        "key=value and a=b=c",
        "http://localhost:8000/a@b",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Our own hints, places, numbers of a language model and plain settings stay as they are."""
    assert foreign_text(text) == text


def test_a_value_is_hidden_in_every_form() -> None:
    """What was given in a header or a variable is hidden as it is, in JSON, a repr, an address, a line, a part."""
    known = Secrets()
    basic = "Basic Ym9iOmh1bnRlcjIy"
    known.keep(
        {"Authorization": basic, "X": 'quo"ted\\é', "PEM": "first line\nsecond line", "Cookie": "id=abc123; x=1"}
    )
    for text in (
        basic,
        basic[6:],
        "hunter22",
        'quo"ted\\é',
        r"quo\"ted\\\u00e9",
        "quo%22ted%5C%C3%A9",
        "second line",
        "abc123",
    ):
        assert HIDDEN in shown_text(f"<{text}>", known), text
    assert shown_text("<hunter23>", known) == "<hunter23>"


@pytest.mark.parametrize("value", ["true", "8000", "http://localhost:8000", "debug", "x", "127.0.0.1:80"])
def test_settings_are_no_secrets(value: str) -> None:
    """Plain settings of a server, which many texts are full of, are not hidden; under a secret's name they are."""
    known = Secrets()
    known.keep({"SETTING": value, "Accept": "application/json"})
    assert foreign_text(f"{value} application/json", known) == f"{value} application/json"
    known.keep({"PASSWORD": "12345678"})
    assert "12345678" not in foreign_text("it is 12345678", known)


def test_values_do_not_travel_and_are_forgotten() -> None:
    """A pickle has no values; when the client is gone, other clients' texts are not searched for them any more."""
    known = Secrets({"properties": {"pin": {"writeOnly": True}}})
    known.keep({"Authorization": "Bearer abcdef-1"})
    assert foreign_text("see abcdef-1") == f"see {HIDDEN}"
    again = pickle.loads(pickle.dumps(known))
    assert "pin" in again and shown_text("abcdef-1", again) == "abcdef-1"
    del known
    gc.collect()
    assert foreign_text("see abcdef-1") == "see abcdef-1"


def test_an_error_hides_what_it_answers() -> None:
    """R25: an environment that quotes the secret of an action shows it in no text of the error, nor in its cause."""
    known = Secrets()
    error = ServerError("no such user for hunter22", details={"got": "hunter22"})
    error.__cause__ = ValueError("hunter22", 1)
    hide_in(error, known, b'{"type":"step","data":{"deep":[{"password":"hunter22"}]}}')
    assert "hunter22" not in f"{error!s}{error!r}{error.args}{error.message}{error.__cause__}{error.details!r}"


def test_an_error_of_others_that_hides_its_text_is_left_out() -> None:
    """A cause whose text cannot be cleaned, as it is made of what nobody reaches, is not shown."""

    class Stubborn(Exception):
        def __str__(self) -> str:
            return "it says hunter22"

    error = ServerError("x")
    error.__cause__ = Stubborn()
    known = Secrets()
    known.keep({"PASSWORD": "hunter22"})
    hide_in(error, known)
    assert error.__cause__ is None and error.__suppress_context__


def test_what_came_back_is_saved_as_what_was_sent() -> None:
    """A saved episode hides a secret that was sent and one that came, and where else the same value stands."""
    episode = Episode("http://here")
    came = {"password": "came-back", "api_key": "sk-123456", "text": "your key is sk-123456, hunter22"}
    episode.append(Step("step", {"password": "hunter22"}, saved_result({"observation": came, "done": False})))
    line = episode.to_jsonl()
    assert not any(secret in line for secret in ("hunter22", "came-back", "sk-123456"))
    assert '"hidden":["api_key","password"]' in line
    assert all(secret in episode.to_jsonl(secrets=True) for secret in ("hunter22", "came-back", "sk-123456"))
