"""What a saved episode must be like: checked before anything is made of it, so that nothing is guessed."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, field_validator, model_validator

from openenv_notebook.values.errors import OpenEnvError
from openenv_notebook.values.messages import fits_float
from openenv_notebook.values.read_json import read_json


def _that_a_float_can_be(value: Any) -> Any:
    if not fits_float(value):
        raise ValueError("it is larger than a float can be")
    return value


_Number = Annotated[float | bool, BeforeValidator(_that_a_float_can_be)]  # or an int


class _Saved(BaseModel):
    """Types are those that are written, and more may stand beside them."""

    model_config = ConfigDict(strict=True, extra="allow")


class _Result(_Saved):
    observation: Any
    reward: _Number | None = None
    done: bool
    metadata: dict[str, Any] | None = None


class _Error(_Saved):
    type: str
    args: list[Any] = []
    state: dict[str, Any] = {}

    @field_validator("state")
    @classmethod
    def _is_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Refuse what would stand in place of an error's own code."""
        notes = state.get("__notes__", [])
        odd = [name for name in state if callable(getattr(OpenEnvError, name, None))]
        if odd or not (isinstance(notes, list) and all(isinstance(note, str) for note in notes)):
            raise ValueError(f"{odd[0] if odd else '__notes__'} is nothing that an error keeps")
        return state


class _Step(_Saved):
    kind: Literal["reset", "step", "tool", "state"]
    result: _Result | None = None
    error: _Error | None = None
    started: _Number = 0.0
    seconds: _Number = 0.0
    actor: str = "code"
    owed: bool = False
    folded: bool = False
    action: Any = None

    @model_validator(mode="after")
    def _has_arguments(self) -> Self:
        """Refuse arguments, of a reset or of a tool, that are none; a step's action may be anything."""
        if self.kind not in ("reset", "tool"):
            return self
        inner, what = self.action, f"the action of a {self.kind}"
        for name, of_it in (("params", "its params"), ("arguments", "the arguments of a tool"), ("", "")):
            if not isinstance(inner, dict | None):
                raise ValueError(f"{what} is an object")
            if self.kind == "reset":
                break
            inner, what = (inner or {}).get(name), of_it
        return self


class _Forgotten(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    entries: int = 0
    steps: int = 0
    reward: _Number = 0.0
    done: bool = False


class _Extra(_Saved):
    base_url: str = ""
    started: _Number = 0.0
    forgotten: _Forgotten | None = None


class _Episode(_Saved):
    episode_id: str | None = None
    extra: _Extra | None = None
    steps: list[_Step]


def read_episode(line: str | bytes) -> dict[str, Any]:
    """Read the plain values of a saved episode; raises ValueError, saying what is wrong where, for any other line."""
    try:
        saved: dict[str, Any] = read_json(line)
        why = _wrong(_Episode, saved)
    except (ValueError, TypeError) as error:
        why = f"one line of JSON is needed, an episode a line ({error})"
    if not why:
        return saved
    raise ValueError(f"not an episode: {why}; to_jsonl() writes one")


def check_step(entry: Any) -> None:
    """Raise ValueError, saying what is wrong where, for what is no saved entry of an episode."""
    wrong = _wrong(_Step, entry)
    if wrong:
        raise ValueError(f"not an entry of an episode: {wrong}; to_dict() writes one")


def _wrong(kind: type[BaseModel], saved: Any) -> str:
    """Say what is wrong first, and how much more is; "" where nothing is."""
    try:
        kind.model_validate(saved)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        # A number may be of two kinds, both of which say no.
        places = list(
            dict.fromkeys(
                ".".join(str(part) for part in each["loc"] if part not in ("float", "bool")) for each in found
            )
        )
        more = f", and {len(places) - 1} more are wrong" if len(places) > 1 else ""
        why = found[0]["msg"].partition(" or instance of")[0].removeprefix("Value error, ")
        return f"{places[0] or 'it'}: {why[:1].lower()}{why[1:]}{more}"
    return ""
