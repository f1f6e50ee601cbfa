"""What Python shows of an error together with what it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pydantic
import pytest

from openenv_notebook import Episode
from openenv_notebook.values.to_json import to_bytes
from openenv_notebook.wire.replies import read_error, reply_data


class Refusing(pydantic.BaseModel):
    """A model whose own code fails when it is written."""

    x: int = 1

    @pydantic.field_serializer("x")
    def written(self, value: int) -> int:
        """Fail."""
        raise ValueError(f"no {value} today")


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Go through the errors that Python shows for one."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def fails(call: Callable[[Any], Any], *given: Any) -> BaseException:
    """Give the error of a call: raised, or returned."""
    try:
        outcome = call(*given)
    except Exception as error:
        return error
    assert isinstance(outcome, BaseException), f"no error, but {outcome!r}"
    return outcome


NO_JSON = ["", "{", "nothing", '{"data": 01}', '{"data": {"a": "\n"}}', "[1,]", "\ufeff{}", '"\\x"', "9" * 5000 + "]"]


@pytest.mark.parametrize("text", NO_JSON, ids=repr)
@pytest.mark.parametrize("read", ["episode", "reply", "error"])
def test_what_is_no_json_is_told_once(read: str, text: str) -> None:
    """A reader's error has the words of the parser, which are not shown again above it."""
    match read:
        case "episode":
            error = fails(Episode.from_jsonl, text)
        case "reply":
            error = fails(reply_data, text.encode(), "step")
        case _:
            error = fails(read_error, text.encode())
    assert [each for each in list(chain(error))[1:] if str(each) in str(error)] == []


@pytest.mark.parametrize(
    ("value", "place"),
    [(object(), ""), ({"a": [0, object()]}, "a[1]"), (Refusing(), ""), ({"a": {"b": Refusing()}}, "a.b")],
    ids=["object", "object inside", "model", "model inside"],
)
def test_what_cannot_be_written_is_told_once(value: Any, place: str) -> None:
    """The error names what cannot be written and where, by the encoder's words or the model's own, and stands alone."""
    error = fails(to_bytes, value)
    assert [type(each).__name__ for each in chain(error)] == ["MisuseError"]
    assert str(error).endswith(f"in place of {place}" if place else "models or dataclasses")
