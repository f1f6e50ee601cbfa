"""A saved episode, held against Python's own ``json``: what it reads of our line, and what we read of its."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import meaning, object_texts, objects

from openenv_notebook.client.results import read_result
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step


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
