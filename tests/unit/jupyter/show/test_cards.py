"""Clients, servers, results, steps, episodes, schemas and tools as people see them."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from support.markup import check_html

from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.client.tools import ToolNamespace
from openenv_notebook.jupyter.show.any_value import to_html, to_text
from openenv_notebook.jupyter.show.as_text import write_text
from openenv_notebook.jupyter.show.cards import of_client, of_server, reward
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.schema.tool import Tool
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.errors import InvalidAction
from openenv_notebook.values.messages import Observation, StepResult


class Known:
    """What a client knows of its server."""

    schema = AttributeDict(action={"properties": {"column": {"type": "integer"}}, "required": ["column"]})
    tools = (Tool(name="look"),)


def step(kind: Any = "step", result: StepResult[Any] | None = None, **fields: Any) -> Step:
    """Make an entry that took 3 ms."""
    return Step(kind, AttributeDict(fields), result, seconds=0.003)


def episode(*rewards: float) -> Episode:
    """Make an episode that is done by its last step."""
    made = Episode("http://localhost:8000")
    made.append(step("reset", StepResult({}), seed=7))
    for place, value in enumerate(rewards, 1):
        made.append(step(result=StepResult({}, value, place == len(rewards)), column=3))
    return made


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1, "+1"), (0.0, "0"), (-0.45999999999999996, "-0.46"), (None, "none"), (True, "True"), (float("nan"), "nan")],
)
def test_rewards_have_their_sign(value: Any, shown: str) -> None:
    """A reward says whether it is one, and that there is none."""
    assert reward(value) == shown


def test_the_end_is_said_in_words() -> None:
    """Reward and end stand first, in words; a typed observation does not repeat them."""
    seen = Observation(done=True, reward=1.0, metadata={"a": 1})
    assert to_text(StepResult(seen, 1.0, True)) == "reward +1  ·  done yes\nmetadata  a 1"
    assert "<b>yes</b>" in (to_html(StepResult(seen, 1.0, True)) or "")
    assert to_text(StepResult("a text", None, False)) == "reward none  ·  done no\na text"
    assert to_text(StepResult({}, 0)) == "reward 0  ·  done no"


def test_an_episode_is_a_table() -> None:
    """Its sum, then an entry a row: who, what, reward, end and time; rewards as a curve where there are many."""
    assert to_text(episode(0.0, 1.0)) == (
        "steps 2  ·  return +1  ·  done yes\n"
        "#  who   action        reward  done  ms\n"
        "0  code  reset seed=7    none  no     3\n"
        "1  code  column=3           0  no     3\n"
        "2  code  column=3          +1  yes    3"
    )
    many = to_text(episode(*[0.5] * 50, 1.0)) or ""
    assert "▁" in many.split("\n")[0]
    assert "32 earlier entries" in many
    assert to_text(Episode()) == "steps 0  ·  return 0  ·  done no"


def test_a_step_shows_what_was_sent_and_what_came() -> None:
    """One entry: its action, then its result or its error."""
    assert to_text(step(result=StepResult({"x": 1}, 1.0), column=3)) == (
        "step code  ·  after 3 ms\naction  column 3\nresult  reward +1  ·  done no\n        x  1"
    )
    failed = Step("step", {"password": "hunter2"}, None, InvalidAction("no", errors=["column: required"]), owed=True)
    text = to_text(failed) or ""
    assert "owed yes" in text
    assert "InvalidAction: the action was refused: no" in text
    assert "column: required" in text
    made = Episode()
    made.append(failed)
    assert "hunter2" not in text + str(to_text(made)) + str(to_html(made))
    assert "InvalidAction" in str(to_text(made))


def test_lists_of_ours_are_tables() -> None:
    """Episodes, entries and results, a row each; any other list is left to whoever shows lists."""
    assert to_text([episode(1.0), episode(-1.0, 0.5)]) == (
        "#  steps  return  done\n0      1      +1  yes\n1      2    -0.5  yes"
    )
    assert to_text([StepResult({"x": 1}, 1.0)] * 30) is not None
    assert "10 earlier ones" in str(to_text([StepResult({"x": 1}, 1.0)] * 30))
    assert "column=3" in str(to_text(list(episode(1.0))))
    for other in ([], [1], [StepResult({}), 1], (StepResult({}),)):
        assert to_text(other) is None
        assert to_html(other) is None


def test_a_schema_is_a_table() -> None:
    """Fields with type, requirement, default, bounds and description: what must be given first, metadata last."""
    schema = {
        "title": "Move",
        "properties": {
            "metadata": {"type": "object"},
            "note": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}], "default": None},
            "column": {"type": "integer", "minimum": 0, "maximum": 6, "description": "Where\nto drop it"},
        },
        "required": ["column"],
    }
    assert to_text(AttributeDict(schema)) == (
        "Move  3 fields\n"
        "field     type    required  default  bounds                description\n"
        "column    int     yes                0 to 6                Where to drop it\n"
        "note      text    no        None     at most 5 characters\n"
        "metadata  object  no"
    )
    whole = AttributeDict(action=schema, observation={"properties": {}}, state={})
    assert "observation: 0 fields" in str(to_text(whole))
    assert to_text(AttributeDict({"type": "object", "properties": {}})) == "action  0 fields"


def test_tools_are_a_table() -> None:
    """Name, arguments and description, a tool a row; one tool shows its arguments as a schema does."""
    look = Tool(name="look", description="Look\naround.", input_schema={"properties": {"far": {"type": "boolean"}}})
    assert to_text([look, Tool(name="wait")]) == (
        "tool  arguments   description\nlook  far: bool?  Look around.\nwait  none"
    )
    assert "far" in str(to_text(look))
    assert to_text(Tool(name="wait", description="Do nothing.")) == "wait\nDo nothing."
    known: Any = Known()
    assert "look" in str(to_text(ToolNamespace(known, print)))
    assert "5 more tools" in str(to_text([look] * 45))


def test_everything_is_one_closed_block() -> None:
    """Each card's HTML is of the few tags that every front end keeps."""
    for value in (episode(1.0), step(), [episode()], Tool(name="x"), StepResult(None), AttributeDict()):
        check_html(to_html(value) or "")


def test_nothing_draws_on_a_screen() -> None:
    """Without a display the whole render path works, and no GUI toolkit, numpy or Pillow is imported (E04)."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from support.recorded import results\n"
        "from openenv_notebook.jupyter.show.any_value import to_html, to_text\n"
        "for name in ('atari', 'connect4', 'snake'):\n"
        "    for result in results(name): assert to_html(result) and to_text(result)\n"
        "print([name for name in ('tkinter', '_tkinter', 'matplotlib', 'PyQt5', 'PyQt6', 'PySide6', 'gi', 'pyglet', "
        "'pygame', 'wx', 'PIL', 'numpy') if name in sys.modules])\n"
    )
    tests = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    shown = subprocess.run(
        [sys.executable, "-c", code, tests], capture_output=True, text=True, env=environment, timeout=50, check=False
    )
    assert (shown.stdout.strip(), shown.stderr) == ("[]", "")


def test_a_client_shows_what_it_knows() -> None:
    """Kind, state, address, episode, what it takes and what comes next; nobody is asked for it."""
    client = GenericEnvClient("localhost:1")
    assert to_text(client) == "GenericEnvClient async  ○ new\nserver  http://localhost:1\nnext    await reset()"
    assert to_text(client.sync()) == "GenericEnvClient sync  ○ new\nserver  http://localhost:1\nnext    reset()"
    client.known.schema, client.known.tools = Known.schema, list(Known.tools)
    conversation_of(client).session.record.append(step("reset", StepResult({}), seed=7))
    conversation_of(client).session.record.append(step(result=StepResult({}, 1.0), column=3))
    assert to_text(client.sync()) == (
        "GenericEnvClient sync  ○ new\n"
        "server   http://localhost:1\n"
        "episode  1  ·  steps 1  ·  return +1  ·  done no\n"
        "action   column: int\n"
        "tools    look\n"
        "next     step(column=…)"
    )
    client.sync().close()
    assert "connect(…) for a new client" in str(to_text(client))
    check_html(to_html(client) or "")


@pytest.mark.parametrize(("owed", "shown"), [(0, None), (1, "1 reply"), (2, "2 replies")])
def test_a_client_says_what_is_owed(owed: int, shown: str | None) -> None:
    """What is waited for, and how many replies are still to come."""
    stand_in = SimpleNamespace(
        status="open", base_url=None, activity="step, 8 s", owed=owed, episode=episode(0.0), episodes=[1], done=True
    )
    text = write_text(of_client(stand_in))
    assert "● open" in text and "not started yet" in text and "step, 8 s" in text
    assert (shown or "owed") in text if shown else "owed" not in text


def test_a_server_says_where_it_is() -> None:
    """A running server: its address and sessions as far as they are known; a stopped one says so."""
    server = SimpleNamespace(name="echo", running=True, url="http://127.0.0.1:9", sessions_active=1, sessions_maximum=4)
    assert write_text(of_server(server)) == "echo  ● running\naddress   http://127.0.0.1:9\nsessions  1 of 4 in use"
    server.sessions_active = None
    assert "sessions" not in write_text(of_server(server))
    server.running = False
    assert write_text(of_server(server)) == "echo  ○ stopped"
