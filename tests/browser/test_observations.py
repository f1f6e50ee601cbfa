"""The panel's observation in JupyterLab: how it looks, and that a server's words stay words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import hostile
from support.browsers import SCREENSHOTS
from support.notebook_page import NotebookPage
from support.pace import storm

_START = """
import math, ipywidgets
from support import hostile
from support.recorded import results
from openenv_notebook.jupyter.panel.observation_style import OBSERVATION_CSS
from openenv_notebook.jupyter.panel.observation_view import ObservationView
from openenv_notebook.values.messages import StepResult
def put(widget, **traits):
    for name, value in traits.items():
        setattr(widget, name, value)
view = ObservationView(put)
style = ipywidgets.HTML(f'<style>{OBSERVATION_CSS}</style>', layout={'display': 'none'})
box = ipywidgets.VBox([style, view.widget], layout={'width': '620px'})
box.add_class('openenv-panel')
said = [{'role': 'system', 'content': 'You are a careful player of twenty questions.'},
        {'role': 'user', 'content': 'Is it alive?'},
        {'role': 'assistant', 'content': 'Yes. It lives in the water and can be as long as thirty metres.'},
        {'role': 'user', 'content': 'Is it a whale?\\nAnswer in one word.'}, {'role': 'assistant', 'content': 'Yes.'}]
wave = [math.sin(place / 6) * math.exp(-place / 90) for place in range(240)]
leaf = {'kind': 'leaf', 'weights': wave, 'tags': ['a', 'b'], 'inside': {'deeper': {'deepest': [1, 2, 3]}}}
tree = {'level': 1, 'child': {'name': 'root', 'items': [leaf] * 4, 'inner': leaf}, 'big': list(range(5000))}
shows = {
    'connect4': results('connect4')[4:6][::-1], 'atari': results('atari')[1:3][::-1],
    'conversation': (StepResult({'messages': said, 'turn': 2}), StepResult({'messages': said[:3], 'turn': 1})),
    'tree': (StepResult(tree), None),
    'array': (StepResult({'observation': wave, 'velocity': 0.5}), StepResult({'observation': wave, 'velocity': 0.4})),
    'snake': results('snake')[2:4][::-1], 'chess': results('chess')[:1] + [None],
    'wildfire': results('wildfire')[2:4][::-1],
}
box
"""
_SHOWN = ("connect4", "atari", "conversation", "tree", "array", "snake", "chess", "wildfire")
_THEMES = ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast")[: storm(2, 3)]


def cell(name: str) -> str:
    """The cell that shows one of them."""
    return f"view.show(*shows[{name!r}], {name!r})"


@pytest.mark.timeout(180)
def test_every_kind_of_observation_fits_its_box(open_notebook: Callable[..., NotebookPage]) -> None:
    """The box keeps its height whatever it shows, nothing is wider than it; pictures of each theme are kept."""
    notebook = open_notebook([_START, *map(cell, _SHOWN)])
    notebook.run(0)
    box = notebook.page.locator(".openenv-observation")
    box.wait_for()
    for theme in _THEMES:
        notebook.use_theme(theme)
        folder = SCREENSHOTS / theme.removeprefix("JupyterLab ").lower().replace(" ", "_")
        folder.mkdir(parents=True, exist_ok=True)
        for place, name in enumerate(_SHOWN, start=1):
            notebook.run(place)
            box.screenshot(path=folder / f"observation_{name}.png")
            height, inside, room = box.evaluate(
                "node => [node.clientHeight, ...(b => [b.scrollWidth, b.clientWidth])(node.lastElementChild)]"
            )
            assert (height, inside <= room) == (320, True), name


def test_raw_and_scrolling_stay_from_step_to_step(open_notebook: Callable[..., NotebookPage]) -> None:
    """A click on Raw shows the JSON; what a person scrolled to stays where it is when the next observation comes."""
    notebook = open_notebook([_START, cell("atari"), cell("connect4")])
    for place in (0, 1):
        notebook.run(place)
    box = notebook.page.locator(".openenv-observation")
    body = box.locator("> :last-child")
    assert body.get_attribute("tabindex") == "0"
    body.evaluate("node => { node.scrollTop = 40; }")
    notebook.run(1)
    assert body.evaluate("node => node.scrollTop") == 40
    box.get_by_role("button", name="Raw").click()
    box.locator("pre", has_text='"legal_actions": [').wait_for()
    notebook.run(2)
    box.locator("pre", has_text='"board": [').wait_for()
    box.get_by_role("button", name="Raw").click()
    box.locator(".openenv-board td.openenv-ring").wait_for()


def test_hostile_words_run_nothing_in_the_widget(open_notebook: Callable[..., NotebookPage]) -> None:
    """Each hostile text in every place of an observation, seen and raw: no script, no handler, nothing outside."""
    show = "for text in hostile.TEXTS:\n    view.show(StepResult({text: text, 'board': [[text[:3]] * 3] * 3,"
    show += " 'messages': [{'role': text, 'content': text}]}), None, text)\n"
    everything = "view.show(StepResult(hostile.observation()), StepResult({}))\n"
    notebook = open_notebook([_START, show + everything, show + everything])
    box = notebook.page.locator(".openenv-observation")
    for place in (0, 1, 2):
        if place == 2:
            box.get_by_role("button", name="Raw").click()
            box.locator("pre").first.wait_for()
        notebook.run(place)
        box.wait_for()
        box.evaluate(
            "root => root.querySelectorAll('*').forEach(node => ['mouseover', 'focus', 'toggle', 'error', 'load']"
            ".forEach(kind => node.dispatchEvent(new Event(kind))))"
        )
        assert box.locator("script, iframe, a, form, style, #escaped").count() == 0
    assert notebook.page.evaluate("() => window.pwned === undefined")
    assert notebook.page.locator("#escaped").count() == 0
    assert len(hostile.TEXTS) > 30
