"""The frames of real servers that are kept in tests/recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from openenv_notebook.record.step import saved_result
from openenv_notebook.values.messages import StepResult

FOLDER = Path(__file__).parent.parent / "recordings"


def schemas() -> dict[str, Any]:
    """The answers of GET /schema, by the recording's name."""
    files = sorted(FOLDER.rglob("schema.json"))
    return {str(file.parent.relative_to(FOLDER)): json.loads(file.read_text()) for file in files}


def shapes() -> dict[str, Any]:
    """Schemas of actions in every shape that pydantic writes, by name."""
    found: dict[str, Any] = json.loads((FOLDER / "shapes.json").read_text())
    return found


def exchanges() -> dict[str, list[dict[str, Any]]]:
    """The recorded conversations, by the recording's name."""
    files = sorted(FOLDER.rglob("episode.jsonl"))
    return {str(file.parent.relative_to(FOLDER)): _read(file) for file in files}


def _read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def results(name: str) -> list[StepResult[Any]]:
    """The results among the replies of a recorded conversation."""
    frames = [json.loads(each["frame"]) for each in _read(FOLDER / name / "episode.jsonl") if each["dir"] == "recv"]
    return [saved_result(frame["data"]) for frame in frames if frame.get("type") == "observation"]
