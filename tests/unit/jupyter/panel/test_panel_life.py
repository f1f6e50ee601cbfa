"""The panel as an object: what it is made for, what it is made of, what it writes, and that it leaves nothing."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from support.front_end import is_visible, living
from support.panel_hands import PanelHands
from support.waiting import eventually
from support.wire import FarEnd

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.jupyter.show import renderers
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.errors import MisuseError

from .conftest import Env, MakePanel


def test_only_plain_controls_are_used(hands: PanelHands) -> None:
    """There is no Output, Accordion or Tab, whose looks and behaviour differ between front ends (C17, C18)."""
    allowed = {
        "BoundedIntText", "Box", "Button", "Checkbox", "Combobox", "Dropdown", "GridBox", "HBox", "HTML", "IntSlider",
        "Label", "SecretBox", "Select", "Text", "Textarea", "ToggleButton", "VBox",
    }  # fmt: skip
    assert {type(each).__name__ for each in hands.drawn} <= allowed


def test_every_control_has_a_name(hands: PanelHands) -> None:
    """Each button, box and list has words that name it."""
    controls = [each for each in hands.drawn if not isinstance(each, (ipywidgets.Box, ipywidgets.HTML))]
    seen = [each for each in controls if is_visible(each)]
    assert seen
    assert [type(each).__name__ for each in seen if not each.description] == []


def test_a_closed_panel_leaves_nothing(env: Env) -> None:
    """Panels opened and closed, also twice, leave no widget, thread or subscription; the session stays."""
    env.reset()
    env.known.name = "scripted"
    before, threads = living(), threading.active_count()
    for _ in range(10):
        made = Panel(env)
        made.close()
        made.close()
    assert living() == before
    eventually(lambda: threading.active_count() <= threads)
    assert not conversation_of(env).session.subscribers.held
    assert env.status == "open"


def test_the_episodes_can_be_saved(hands: PanelHands, tmp_path: Path) -> None:
    """Save writes a line of JSON for each episode, which reads back as it was."""
    client = hands.panel.client
    client.step(column=1)
    client.reset(seed=3)
    client.step(column=2)
    path = hands.panel.save(tmp_path / "kept.jsonl")
    lines = path.read_text().splitlines()
    assert [Episode.from_jsonl(line).reset_arguments for line in lines] == [{}, {"seed": 3}]


def test_nothing_to_save_is_told(fresh: PanelHands) -> None:
    """Saving an empty record is refused with what to do."""
    with pytest.raises(MisuseError, match="nothing to save"):
        fresh.panel.save()


def test_the_episode_as_python_has_the_real_values(hands: PanelHands) -> None:
    """python() is a program that does the episode again."""
    hands.panel.client.reset(seed=3)
    hands.panel.client.step(column=1)
    program = hands.panel.python()
    compile(program, "episode", "exec")
    assert program.splitlines()[-2:] == ["env.reset(seed=3)", "env.step(column=1)"]


def test_a_panel_is_for_clients_of_ours() -> None:
    """Anything else is refused, naming what it was."""
    with pytest.raises(MisuseError, match="not a str"):
        Panel("localhost:8000")


def test_an_asynchronous_client_has_a_panel_too(client: Any, make_panel: MakePanel) -> None:
    """A panel shows the session of either twin."""
    assert make_panel(client).panel.client.async_client is client


def test_secrets_are_in_no_text_of_the_panel(hands: PanelHands, far_end: FarEnd) -> None:
    """What is sent under a secret's name is shown by what stands for it, and code reads it from the environment."""
    hands.panel.client.step({"metadata": {"api_key": "sk-12345"}, "column": 1})
    hands.expect_rows(2, "1 ")
    hands.expect(seen="api_key")
    texts = [json.dumps(each.get_state(), default=str) for each in hands.drawn]
    assert not any("sk-12345" in text for text in texts)
    assert "os.environ['API_KEY']" in hands.panel.python()
    assert "api_key" in hands.rows[0]
    assert far_end.steps == [{"column": 1, "metadata": {"api_key": "sk-12345"}}]


def test_a_renderer_is_found_whatever_the_title(
    notebook: InteractiveShell, playing: Env, make_panel: MakePanel
) -> None:
    """A registered renderer draws the panel of its environment, under any title, and its saved picture too."""
    playing.known.name = "connect4_of_test"
    renderers.register("connect4_of_test", lambda observation: "DRAWN BY MINE")
    try:
        made = make_panel(playing, title="My title")
        assert "DRAWN BY MINE" in made.seen
        assert "My title" in made.title
        with capture_output() as shown:
            made.panel.display()
        view, saved = (output.data for output in shown.outputs)
        assert "application/vnd.jupyter.widget-view+json" in view
        assert "DRAWN BY MINE" in saved["text/html"] and "DRAWN BY MINE" in saved["text/plain"]
    finally:
        renderers.unregister("connect4_of_test")


def test_a_panel_of_a_closed_client_keeps_what_is_known(playing: Env, make_panel: MakePanel) -> None:
    """The form of a closed client is that of its schema, which needs nobody to be asked."""
    playing.close()
    assert list(make_panel(playing).panel.form.errors) == ["column"]


@pytest.mark.parametrize("required", [0, 10_000])
def test_a_panel_of_many_fields_is_bounded(panel_of: Any, required: int) -> None:
    """T15: A panel on an action of 10,000 fields has some hundred controls, and what it sends is shown cut."""
    names = [f"f{number}" for number in range(10_000)]
    fields = {name: {"type": "integer"} for name in names}
    before = living()
    hands = panel_of({"type": "object", "properties": fields, "required": names[:required]})
    hands.control("Step ▸")
    assert living() - before < 2_000
    assert len(hands.sends) < 5_000
