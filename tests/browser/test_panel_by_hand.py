"""The panel in JupyterLab on real servers: what a person clicks and types is done, and seen."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect
from support.panel_page import PanelPage

Open = Callable[..., PanelPage]


def test_a_game_is_played_by_hand(open_panel: Open) -> None:
    """Reset, a form, Step, the Move box and Enter make the steps they show; a finished game asks for Reset."""
    told = "print([step.action for step in env.episode], {step.actor for step in env.episode.steps})"
    panel = open_panel("gallery", [told], options={"kind": "four"})
    expect(panel.root.locator(".openenv-name")).to_have_text("four in a row")
    expect(panel.said).to_have_text("Reset begins an episode")
    panel.box("seed").fill("7")
    panel.box("seed").press("Tab")
    panel.button("Reset").click()
    panel.expect_facts(1, "0", "0")
    expect(panel.said).to_have_text("env.reset(seed=7)")
    panel.button("3").click()
    panel.expect_facts(1, "1", "0")
    expect(panel.observation.locator(".openenv-board td.openenv-ring")).to_have_count(2)
    expect(panel.sends).to_have_text("env.step(column=3)")
    expect(panel.step).to_be_enabled()
    panel.step.click()
    panel.expect_facts(1, "2", "0")
    expect(panel.step).to_be_enabled()
    panel.move.fill("9")
    panel.move.press("Enter")
    expect(panel.root.get_by_role("alert").first).to_contain_text("range")
    panel.expect_facts(1, "3", "0")
    for step, move in ((4, "3"), (5, "column=3")):
        expect(panel.step).to_be_enabled()
        panel.move.fill(move)
        expect(panel.sends).to_have_text("env.step(column=3)")
        panel.move.press("Enter")
        panel.expect_facts(1, str(step) if step == 4 else "5 · done", "0" if step == 4 else "1")
        expect(panel.move).to_have_value("")
    expect(panel.said).to_have_text("done · return 1 · 5 steps · Reset begins another")
    expect(panel.step).to_be_disabled()
    assert panel.rows()[-1].split()[:2] == ["reset", "you"]
    panel.notebook.run(2)
    assert panel.notebook.printed(2) == (
        "[{'seed': 7}, {'column': 3}, {'column': 3}, {'column': 9}, {'column': 3}, {'column': 3}] {'person'}\n"
    )


def test_the_past_is_walked_through(open_panel: Open) -> None:
    """Arrow keys, list and slider show earlier steps; Live, Python, State and Raw show what they say."""
    setup = "env.reset()\nfor column in (1, 2): env.step(column=column)"
    panel = open_panel("gallery", setup=setup, options={"kind": "four"})
    expect(panel.list.locator("option")).to_have_count(3)
    expect(panel.viewing).to_have_text("live")
    pieces = panel.observation.locator(".openenv-board td.openenv-p1")
    expect(pieces).to_have_count(2)
    number = panel.root.get_by_role("spinbutton")
    number.focus()
    panel.page.keyboard.press("ArrowDown")
    expect(panel.viewing).to_have_text("viewing #1 of 2 · episode 1")
    expect(pieces).to_have_count(1)
    expect(panel.step).to_be_disabled()
    panel.page.keyboard.press("ArrowDown")
    expect(panel.viewing).to_have_text("viewing #0 of 2 · episode 1")
    expect(pieces).to_have_count(0)
    panel.list.select_option(index=1)
    expect(panel.viewing).to_have_text("viewing #1 of 2 · episode 1")
    track = panel.root.locator(".noUi-target")
    track.click(position={"x": 1, "y": 2})
    expect(panel.viewing).to_have_text("viewing #0 of 2 · episode 1")
    expect(number).to_have_value("0")
    panel.button("Live").click()
    expect(panel.viewing).to_have_text("live")
    expect(pieces).to_have_count(2)
    panel.button("Python").click()
    code = panel.root.locator(".openenv-code textarea")
    expect(code).to_be_visible()
    assert "env.step(column=1)" in code.input_value()
    panel.button("State").click()
    expect(code).not_to_be_focused()
    panel.page.wait_for_function("node => node.value.includes('step_count')", arg=code.element_handle())
    panel.button("State").click()
    expect(panel.list).to_be_visible()
    panel.observation.get_by_role("button", name="Raw").click()
    expect(panel.observation.locator("pre")).to_contain_text('"board": [')


def test_a_policy_plays_and_the_person_takes_over(open_panel: Open) -> None:
    """Play acts for itself, "I play" asks the person, handing back goes on, and Stop stops it before its end."""
    panel = open_panel("lab", ["panel.play(policy, fps=20)"], setup="policy = lambda seen: {'op': 'echo'}")
    panel.notebook.run(2)
    expect(panel.said).to_contain_text("playing")
    panel.button("I play").click()
    expect(panel.said).to_have_text("Your move: choose an action, then Answer")
    panel.box("op").fill("mine")
    panel.button("Answer ▸").click()
    expect(panel.list.locator("option", has_text="op='mine'")).to_have_count(1)
    expect(panel.said).to_have_text("Your move: choose an action, then Answer")
    panel.button("I play").click()
    expect(panel.said).to_contain_text("playing")
    panel.button("Stop").click()
    expect(panel.said).to_contain_text("stopped")
    mine = next(row for row in panel.rows() if "mine" in row)
    assert mine.split()[1] == "you"
    assert panel.rows()[0].split()[1] == "policy"
    panel.root.get_by_role("textbox", name="×").fill("3")
    panel.root.get_by_role("textbox", name="×").press("Tab")
    before = int(panel.rows()[0].split()[0])
    panel.button("Play").click()
    panel.expect_facts(1, str(before + 3), str(before + 3))


def test_sessions_begin_anew_and_end(open_panel: Open) -> None:
    """Behind the dots: reset arguments are sent with their types, New session gets another, Close closes it."""
    panel = open_panel("board", ["print(env.last.observation.asked, env.status)"])
    panel.button("⋯").click()
    panel.box("Reset with").fill("game=chess")
    panel.box("Reset with").press("Enter")
    expect(panel.said).to_have_text("env.reset(game='chess')")
    panel.notebook.run(2)
    assert "'game': 'str chess'" in panel.notebook.printed(2)
    panel.button("New session").click()
    panel.expect_facts(2, "0", "0")
    expect(panel.said).to_have_text("a new session")
    panel.button("Close").click()
    expect(panel.root.locator(".openenv-chip")).to_have_text("○ closed")
    expect(panel.said).to_contain_text("the session is closed")
    expect(panel.step).to_be_disabled()
    expect(panel.button("Reset")).to_be_disabled()
