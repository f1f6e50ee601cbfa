"""A saved episode, held against Python's own ``json``: what it reads of our line, and what we read of its."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import meaning, object_texts, objects

from openenv_notebook.client.results import read_result
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step, saved_result


def frames(sent: str, came: str, reward: str) -> tuple[str, str]:
    """Write a request and its reply."""
    reply = f'{{"type":"observation","data":{{"observation":{came},"reward":{reward},"done":false}}}}'
    return f'{{"type":"step","data":{sent}}}', reply


@given(object_texts, object_texts, st.sampled_from(["null", "1", "0.5", "NaN", "-Infinity"]))
def test_json_reads_in_a_line_what_it_reads_in_the_frames(sent: str, came: str, reward: str) -> None:
    """Actions and results stand in a saved line as they stood in the frames, whether they were looked at or not."""
    request, reply = frames(sent, came, reward)
    for looked_at in (False, True):
        episode = Episode("http://localhost:8000")
        step = Step("step", request=request.encode(), reply=reply.encode(), read=read_result, error=None)
        episode.append(step)
        if looked_at:
            assert step.result is not None
            assert meaning(step.action) == meaning(json.loads(sent))
        line = episode.to_jsonl(secrets=True)
        assert "\n" not in line.replace("\\n", "")
        (saved,) = json.loads(line.encode())["steps"]
        assert meaning(saved["action"]) == meaning(json.loads(sent))
        assert meaning(saved["result"]) == meaning(json.loads(reply)["data"])


@given(objects, objects, objects, st.floats(), st.booleans())
def test_a_line_that_json_wrote_is_read(
    sent: dict[str, Any], came: dict[str, Any], args: dict[str, Any], reward: float, done: bool
) -> None:
    """A line in the format, written by any program with Python's json, has all its values."""
    step = {"kind": "step", "action": sent, "result": {"observation": came, "reward": reward, "done": done}}
    reset = {"kind": "reset", "action": args, "result": {"observation": {}, "reward": None, "done": False}}
    line = json.dumps({"episode_id": "e", "steps": [reset, step], "extra": {"started": 3.5, "base_url": "http://h"}})
    first, second = Episode.from_jsonl(line)
    assert meaning(first.action) == meaning(args)
    assert second.result is not None
    assert meaning(second.action) == meaning(sent)
    assert meaning(second.result.raw) == meaning(step["result"])
    assert meaning([second.result.observation, second.reward, second.done]) == meaning([came, reward, done])
    again = json.loads(Episode.from_jsonl(line).to_jsonl(secrets=True))
    assert [meaning(entry["result"]) for entry in again["steps"]] == [meaning(reset["result"]), meaning(step["result"])]


@pytest.mark.parametrize(
    "text", ["a\u2028b", "\u2029", "\x85", "\x0b\x0c\x1c\x1d\x1e", "\r\n", "é☃𝄞", "\ud83d", "\x7f\ufeff"]
)
@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "ascii", "cp1252"])
def test_an_episode_is_one_line_for_every_reader(text: str, encoding: str, tmp_path: Path) -> None:
    """R01: whatever stands in it, wherever, in every encoding, by every idea of a line, and read again it is equal."""
    episode = Episode(f"http://h/{text}", text)
    result = saved_result({"observation": {text: [text]}, "done": False, "metadata": {text: text}})
    episode.append(Step("step", {text: text}, result, actor=text))
    file = tmp_path / "episodes.jsonl"
    file.write_text(f"{episode.to_jsonl()}\n" * 2, encoding=encoding)
    lines = file.read_text(encoding=encoding).splitlines()
    with file.open(encoding=encoding) as opened:
        assert [line.rstrip("\n") for line in opened] == lines
    assert file.read_bytes().split() and len(lines) == len(file.read_bytes().splitlines()) == 2
    for line in lines:
        assert Episode.from_jsonl(line) == episode
        assert json.loads(line)["steps"][0]["action"] == {text: text}
