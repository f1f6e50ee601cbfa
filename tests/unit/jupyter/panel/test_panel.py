"""The panel: what a person does, what is seen, and the one record of both."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from support.front_end import click, edit, enter, living
from support.waiting import eventually, in_threads
from support.wire import FarEnd, error_frame, result_frame

from openenv_notebook.client.conversation import conversation_of
from openenv_notebook.jupyter.panel import Panel
from openenv_notebook.jupyter.show import renderers
from openenv_notebook.record.episode import Episode
from openenv_notebook.values.errors import EnvironmentFailed, InvalidAction, MisuseError, SessionLost

from .conftest import Env, drawn, move, rows, said, seen, sends, settled


def test_reset_and_a_legal_move_are_two_clicks(panel: Panel, env: Env, far_end: FarEnd) -> None:
    """Reset begins an episode, and a click on a move makes the step; both stand in the record as a person's (E07)."""
    far_end.policy = lambda request: result_frame({"legal_actions": [0, 3]}, 1.0)
    click(panel._controller.header.reset_button)
    settled(panel)
    click(move(panel, "3"))
    settled(panel)
    assert far_end.steps == [{"column": 3}]
    assert [step.actor for step in env.episode] == ["person", "person"]
    assert Episode.from_jsonl(env.episode.to_jsonl()) == env.episode


def test_step_does_what_is_shown(live: Panel, env: Env, far_end: FarEnd) -> None:
    """The line beside Step is the Python that Step does."""
    live.form.set({"column": 2})
    live._publisher.flush_on_events_thread()
    assert "env.step(column=2)" in sends(live)
    click(live._controller.actions.step_button)
    settled(live)
    assert far_end.steps == [{"column": 2}]
    assert rows(live)[0].startswith("1 you column=2 +1")


def test_clicks_while_a_step_is_under_way_are_ignored(live: Panel, far_end: FarEnd) -> None:
    """Ten clicks during one long step make one step; the buttons are disabled meanwhile (C11, C01)."""
    live.form.set({"column": 2})
    far_end.hold()
    for _ in range(10):
        live._controller.step()
    far_end.wait_for(1)
    live._publisher.flush_on_events_thread()
    assert live._controller.actions.step_button.disabled
    assert live._controller.header.reset_button.disabled
    far_end.release()
    settled(live)
    assert far_end.steps == [{"column": 2}]
    assert not live._controller.actions.step_button.disabled


def test_a_double_click_is_one_step(live: Panel, far_end: FarEnd) -> None:
    """A second click right after a quick step is ignored, and so are clicks that queued up behind a cell."""
    live.form.set({"column": 2})
    live._controller.step()
    eventually(lambda: far_end.steps)
    eventually(lambda: len(live.client.episode) == 2)
    for _ in range(5):
        live._controller.step()
    settled(live)
    assert far_end.steps == [{"column": 2}]


def test_a_finished_episode_asks_for_a_reset(live: Panel, far_end: FarEnd) -> None:
    """After the end nothing is sent: Step is disabled and the panel says what to do (A23)."""
    far_end.policy = lambda request: result_frame({}, 1.0, request["type"] == "step")
    live.client.step(column=1)
    live._publisher.flush_on_events_thread()
    assert live._controller.actions.step_button.disabled
    assert "Reset" in said(live)
    live.form.set({"column": 2})
    live._controller.step()
    assert far_end.steps == [{"column": 1}]
    assert "the episode is over; Reset begins another" in eventually(lambda: "over" in said(live) and said(live))
    assert live.client.episode.total_reward == 1.0


def test_an_error_is_seen_and_kept(live: Panel, far_end: FarEnd) -> None:
    """A failed step is told in the panel, as an alert; the exception is kept, and the buttons work again (C08)."""
    far_end.policy = lambda request: error_frame("EXECUTION_ERROR", "the <b>engine</b> broke")
    live.form.set({"column": 2})
    click(live._controller.actions.step_button)
    settled(live)
    assert 'role="alert"' in said(live)
    assert "the &lt;b&gt;engine&lt;/b&gt; broke" in said(live)
    assert isinstance(live.last_error, EnvironmentFailed)
    assert live.last_error.__traceback__ is not None
    assert not live._controller.actions.step_button.disabled
    assert "failed" in rows(live)[0]


def test_a_refused_action_is_told_at_its_field(live: Panel, far_end: FarEnd) -> None:
    """What the server says of a field stands under it; what fits no field stands at the bottom."""
    errors = [
        {"loc": ["column"], "msg": "not in this game", "type": "value_error"},
        {"loc": ["nowhere"], "msg": "unheard of", "type": "value_error"},
    ]
    far_end.policy = lambda request: error_frame("VALIDATION_ERROR", "Invalid action", errors=errors)
    live.form.set({"column": 2})
    click(live._controller.actions.step_button)
    settled(live)
    assert isinstance(live.last_error, InvalidAction)
    words = "\n".join(each.value for each in drawn(live) if isinstance(each, ipywidgets.HTML))
    assert "not in this game" in words
    assert "unheard of" in eventually(lambda: "unheard" in said(live) and said(live))


def test_failures_leave_the_last_observation(live: Panel, far_end: FarEnd) -> None:
    """However many steps fail in a row, the last observation is seen, and the failures stand in no chart."""
    live.client.step(column=1)
    far_end.policy = lambda request: error_frame("EXECUTION_ERROR", "broken")
    for _ in range(3):
        with pytest.raises(EnvironmentFailed):
            live.client.step(column=2)
    eventually(lambda: len(rows(live)) == 5)
    live._publisher.flush_on_events_thread()
    assert "column 1" in seen(live)
    assert "1 step" in live._controller.play.view._chart.value


def test_a_refusal_says_why_at_the_bottom(live: Panel, far_end: FarEnd) -> None:
    """The line at the bottom names the wrong field, also where the form is not seen."""
    errors = [{"loc": ["column"], "msg": "must be on the board", "type": "value_error"}]
    far_end.policy = lambda request: error_frame("VALIDATION_ERROR", "Invalid message", errors=errors)
    live.form.set({"column": 2})
    click(live._controller.actions.step_button)
    settled(live)
    assert "column: must be on the board" in said(live)


def test_the_state_says_when_it_is_old(live: Panel) -> None:
    """The state that was asked for is marked once a step was made after it."""
    edit(live._controller.log._state, True)
    eventually(lambda: "step_count" in live._controller.log._code.value)
    assert "before the last steps" not in live._controller.log._code.value
    settled(live)
    live.client.step(column=1)
    eventually(lambda: live._controller.log._code.value.startswith("before the last steps"))


def test_a_seed_is_a_whole_number(panel: Panel, far_end: FarEnd) -> None:
    """What is no whole number is refused in the seed's box, and nothing is sent."""
    edit(panel._controller.header._seed, "abc")
    click(panel._controller.header.reset_button)
    settled(panel)
    assert "a seed is a whole number" in said(panel)
    assert far_end.requests == []


def test_reset_takes_what_is_filled_in_and_nothing_else(panel: Panel, far_end: FarEnd) -> None:
    """Seed and further arguments go out typed as a line of %openenv reset would be; what is empty is left out (A28)."""
    click(panel._controller.header.reset_button)
    settled(panel)
    edit(panel._controller.header._seed, "7")
    edit(panel._controller.header._arguments, 'game=pong level=3 map={"size": 2}')
    click(panel._controller.header.reset_button)
    settled(panel)
    assert [request["data"] for request in far_end.requests] == [
        {},
        {"seed": 7, "game": "pong", "level": 3, "map": {"size": 2}},
    ]
    assert "env.reset(seed=7" in said(panel)


def test_a_wrong_reset_argument_is_told_and_nothing_is_sent(panel: Panel, far_end: FarEnd) -> None:
    """What cannot be read is refused with its reason."""
    edit(panel._controller.header._arguments, '{"level": ')
    click(panel._controller.header.reset_button)
    settled(panel)
    assert "this is not JSON" in said(panel)
    assert far_end.requests == []


def test_a_new_session_is_another_thing_than_a_reset(live: Panel, far_end: FarEnd) -> None:
    """New session gives the session up and begins in another; Reset stays in the one there is (A35)."""
    click(live._controller.header.reset_button)
    settled(live)
    assert len(far_end.wires) == 1
    click(live._controller.header.new_button)
    settled(live)
    assert len(far_end.wires) == 2
    assert far_end.kinds == ["reset", "reset", "reset"]
    assert live.client.status == "open"


def test_a_new_session_can_be_had_while_a_step_hangs(live: Panel, far_end: FarEnd) -> None:
    """New session and Close work also while an answer does not come."""
    live.form.set({"column": 2})
    far_end.hold()
    live._controller.step()
    far_end.wait_for(1)
    live._publisher.flush_on_events_thread()
    assert not live._controller.header.new_button.disabled
    far_end.held.clear()
    far_end.holding = False
    click(live._controller.header.new_button)
    eventually(lambda: len(far_end.wires) == 2)
    settled(live)
    assert live.client.status == "open"


def test_steps_made_in_code_are_seen(live: Panel, make_panel: Callable[..., Panel]) -> None:
    """Two panels of one client show the same steps, whoever made them, in wire order."""
    other = make_panel(live.client)
    in_threads(*(lambda column=column: live.client.step(column=column) for column in range(7)))
    live.form.set({"column": 0})
    live._controller.step()
    settled(live)
    eventually(lambda: len(rows(live)) == 9)
    eventually(lambda: len(rows(other)) == 9)
    assert rows(live) == rows(other)
    made = [step.action["column"] for step in live.client.episode if step.kind == "step"]
    assert [int(row.split("column=")[1].split()[0]) for row in reversed(rows(live)[:-1])] == made


def test_the_last_of_many_updates_is_shown(live: Panel) -> None:
    """After a hundred quick steps the last observation is the one that is seen (C07)."""
    for _ in range(100):
        live.client.step(column=1)
    eventually(lambda: rows(live)[0].startswith("100 "))
    live._publisher.flush_on_events_thread()
    assert "100" in seen(live)


def test_a_lost_session_offers_a_reset(live: Panel, far_end: FarEnd) -> None:
    """A lost session is told with its code; Reset begins anew."""
    far_end.end(1011, "keepalive")
    eventually(lambda: "lost" in live._controller.header._title.value)
    eventually(lambda: "Reset begins a new episode" in said(live))
    assert 'role="alert"' in said(live)
    assert live._controller.actions.step_button.disabled
    click(live._controller.header.reset_button)
    settled(live)
    assert live.client.status == "open"
    assert "Ready" in said(live)


def test_a_step_of_the_past_is_looked_at_until_live(live: Panel, far_end: FarEnd) -> None:
    """Choosing a row shows that step again, and Step waits until the panel is live."""
    for column in range(5):
        live.client.step(column=column)
    eventually(lambda: len(rows(live)) == 6)
    live._controller.log._list.index = 2
    eventually(lambda: "viewing #3 of 5" in live._controller.log._viewing.value)
    live._publisher.flush_on_events_thread()
    assert "column 2" in seen(live)
    assert live._controller.actions.step_button.disabled
    live.form.set({"column": 2})
    live._controller.step()
    assert len(far_end.steps) == 5
    live.client.step(column=6)
    eventually(lambda: "viewing #3 of 6" in live._controller.log._viewing.value)
    click(live._controller.log._live)
    live._publisher.flush_on_events_thread()
    assert not live._controller.actions.step_button.disabled
    assert "live" in live._controller.log._viewing.value


def test_the_episode_is_played_again(live: Panel) -> None:
    """Replay walks through the steps from the first, and ends when the panel is live again."""
    for column in range(3):
        live.client.step(column=column)
    eventually(lambda: len(rows(live)) == 4)
    seen: list[str] = []
    live._controller.log._viewing.observe(lambda change: seen.append(change["new"]), "value")
    edit(live._controller.log._replay, True)
    eventually(lambda: seen and ">live<" in seen[-1], what="the end of the replay")
    walked = [next((word for word in text.split() if word.startswith("#")), "live") for text in seen]
    assert walked == ["#0", "#1", "#2", "live"]
    eventually(lambda: not live._controller.log._replay.value)


def test_a_replay_can_be_ended(live: Panel) -> None:
    """Pressing Replay again stops where it is; Live ends it as well."""
    for column in range(5):
        live.client.step(column=column)
    eventually(lambda: len(rows(live)) == 6)
    edit(live._controller.log._replay, True)
    eventually(lambda: "viewing #1 of 5" in live._controller.log._viewing.value)
    edit(live._controller.log._replay, False)
    live._publisher.flush_on_events_thread()
    assert "viewing #" in live._controller.log._viewing.value
    edit(live._controller.log._replay, True)
    click(live._controller.log._live)
    eventually(lambda: not live._controller.log._replay.value and ">live<" in live._controller.log._viewing.value)


def test_old_steps_are_on_further_pages(live: Panel) -> None:
    """The log shows 200 steps at a time; older ones are a page away."""
    for _ in range(250):
        live.client.step(column=1)
    eventually(lambda: len(rows(live)) == 200 and rows(live)[0].startswith("250 "))
    eventually(lambda: not live._controller.log._older.disabled)
    click(live._controller.log._older)
    eventually(lambda: len(rows(live)) == 51)
    assert rows(live)[-1].startswith("reset")
    eventually(lambda: not live._controller.log._live.disabled)
    click(live._controller.log._live)
    eventually(lambda: rows(live)[0].startswith("250 "))


def test_enter_in_the_move_box_steps(live: Panel, far_end: FarEnd) -> None:
    """The Move box reads what %openenv step reads, shows what it will send, and Enter sends it."""
    box = live._controller.actions._moves.box
    edit(box, "4")
    eventually(lambda: "env.step(column=4)" in sends(live))
    enter(box)
    settled(live)
    assert box.value == ""
    edit(box, "column=5")
    enter(box)
    settled(live)
    edit(box, '{"column": 6}')
    enter(box)
    settled(live)
    assert far_end.steps == [{"column": 4}, {"column": 5}, {"column": 6}]


def test_what_is_no_move_is_refused_and_kept(live: Panel, far_end: FarEnd) -> None:
    """A move that cannot be read stays in its box, with the reason."""
    box = live._controller.actions._moves.box
    edit(box, '{"column": ')
    enter(box)
    live._publisher.flush_on_events_thread()
    assert box.value == '{"column": '
    assert "this is not JSON" in said(live)
    assert far_end.steps == []


def test_only_plain_controls_are_used(live: Panel) -> None:
    """There is no Output, Accordion or Tab, whose looks and behaviour differ between front ends (C17, C18)."""
    allowed = {
        "BoundedIntText", "Box", "Button", "Checkbox", "Combobox", "Dropdown", "GridBox", "HBox", "HTML", "IntSlider",
        "Label", "Password", "Select", "Text", "Textarea", "ToggleButton", "VBox",
    }  # fmt: skip
    assert {type(each).__name__ for each in drawn(live)} <= allowed


def test_the_slider_speaks_only_for_a_person(live: Panel) -> None:
    """It sends what a person has chosen: a continuous one sends our own values back, and the log leaves live."""
    assert live._controller.log._slider.continuous_update is False


def test_every_control_has_a_name(live: Panel) -> None:
    """Each button, box and list has words that name it."""
    controls = [each for each in drawn(live) if not isinstance(each, (ipywidgets.Box, ipywidgets.HTML))]
    seen = [each for each in controls if each.layout.display != "none"]
    assert seen
    assert [type(each).__name__ for each in seen if not each.description] == []


def test_a_closed_panel_leaves_nothing(env: Env) -> None:
    """A hundred panels opened and closed leave no widget, thread or subscription; the session stays."""
    env.reset()
    env.known.name = "scripted"
    before, threads = living(), threading.active_count()
    for _ in range(100):
        made = Panel(env)
        made.close()
        made.close()
    assert living() == before
    eventually(lambda: threading.active_count() <= threads)
    assert not conversation_of(env).session.subscribers.held
    assert env.status == "open"


def test_a_closed_session_is_told(live: Panel) -> None:
    """Close ends the session; the panel says so and stays readable."""
    click(live._controller.header.close_button)
    eventually(lambda: "closed" in said(live))
    assert live.client.status == "closed"
    assert live._controller.actions.step_button.disabled


def test_the_episodes_can_be_saved(live: Panel, tmp_path: Path) -> None:
    """Save writes a line of JSON for each episode, which reads back as it was."""
    live.client.step(column=1)
    live.client.reset(seed=3)
    live.client.step(column=2)
    path = live.save(tmp_path / "kept.jsonl")
    lines = path.read_text().splitlines()
    assert [Episode.from_jsonl(line).reset_arguments for line in lines] == [{}, {"seed": 3}]


def test_nothing_to_save_is_told(panel: Panel) -> None:
    """Saving an empty record is refused with what to do."""
    with pytest.raises(MisuseError, match="nothing to save"):
        panel.save()


def test_the_episode_as_python_has_the_real_values(live: Panel) -> None:
    """python() is a program that does the episode again."""
    live.client.reset(seed=3)
    live.client.step(column=1)
    program = live.python()
    compile(program, "episode", "exec")
    assert program.splitlines()[-2:] == ["env.reset(seed=3)", "env.step(column=1)"]


def test_a_panel_is_for_clients_of_ours() -> None:
    """Anything else is refused, naming what it was."""
    with pytest.raises(MisuseError, match="not a str"):
        Panel("localhost:8000")


def test_an_asynchronous_client_has_a_panel_too(client: Any, make_panel: Callable[..., Panel]) -> None:
    """A panel shows the session of either twin."""
    assert make_panel(client).client.async_client is client


def test_a_panel_of_a_lost_client_can_be_made(playing: Env, far_end: FarEnd, make_panel: Callable[..., Panel]) -> None:
    """A panel opens also where the session is lost already, and offers Reset."""
    far_end.end(1006)
    eventually(lambda: playing.status == "lost")
    made = make_panel(playing)
    assert "Reset begins a new episode" in said(made)
    with pytest.raises(SessionLost):
        playing.step(column=1)


def test_secrets_are_in_no_text_of_the_panel(live: Panel, make_panel: Callable[..., Panel], far_end: FarEnd) -> None:
    """What is sent under a secret's name is shown by what stands for it, and code reads it from the environment."""
    live.client.step({"metadata": {"api_key": "sk-12345"}, "column": 1})
    live._publisher.flush_on_events_thread()
    eventually(lambda: len(rows(live)) == 2)
    texts = [json.dumps(each.get_state(), default=str) for each in drawn(live)]
    assert not any("sk-12345" in text for text in texts)
    assert "os.environ['API_KEY']" in live.python()
    assert "api_key" in rows(live)[0]
    assert far_end.steps == [{"column": 1, "metadata": {"api_key": "sk-12345"}}]


def test_a_step_on_another_page_is_still_looked_at(live: Panel) -> None:
    """Turning the page, and steps that push it to another one, leave the step that is looked at in view."""
    for _ in range(210):
        live.client.step(column=1)
    eventually(lambda: rows(live)[0].startswith("210 "))
    eventually(lambda: not live._controller.log._older.disabled)
    live._controller.log._list.index = 5
    eventually(lambda: "viewing #205 of 210" in live._controller.log._viewing.value)
    click(live._controller.log._older)
    eventually(lambda: "page 2 of 2" in live._controller.log._viewing.value)
    assert "viewing #205 of 210" in live._controller.log._viewing.value
    live._publisher.flush_on_events_thread()
    assert live._controller.actions.step_button.disabled


def test_a_renderer_is_found_whatever_the_title(playing: Env, make_panel: Callable[..., Panel]) -> None:
    """A registered renderer draws the panel of its environment, under any title, and its saved picture too."""
    playing.known.name = "connect4_of_test"
    renderers.register("connect4_of_test", lambda observation: "DRAWN BY MINE")
    try:
        made = make_panel(playing, title="My title")
        assert "DRAWN BY MINE" in seen(made)
        assert "DRAWN BY MINE" in made._bundle()["text/html"]
        assert "My title" in made._controller.header._title.value
    finally:
        renderers.unregister("connect4_of_test")


def test_a_panel_of_a_closed_client_keeps_what_is_known(playing: Env, make_panel: Callable[..., Panel]) -> None:
    """The form of a closed client is that of its schema, which needs nobody to be asked."""
    playing.close()
    assert list(make_panel(playing).form.errors) == ["column"]
