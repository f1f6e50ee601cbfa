"""How values look in JupyterLab, light and dark; the pictures are for people to look at."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.browsers import SCREENSHOTS
from support.notebook_page import NotebookPage
from support.pace import storm

_START = """
%load_ext openenv_notebook
import json, openenv_notebook
from support.recorded import exchanges, schemas
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.record.step import saved_result
from openenv_notebook.schema.tool import Tool
def replies(name, kind='observation'):
    frames = [json.loads(each['frame']) for each in exchanges()[name] if each['dir'] == 'recv']
    return [frame['data'] for frame in frames if frame['type'] == kind]
def result(name, place):
    return saved_result(replies(name)[place])
env = openenv_notebook.connect('demo:grid')
env.schema()
first = env.reset(seed=1)
for direction in ('down', 'right', 'right', 'down', 'left'):
    env.step(direction);
"""
_CELLS = {
    "client": "env",
    "result": "first",
    "connect4": "result('connect4', 3)",
    "atari": "result('atari', 1)",
    "reasoning_gym": "result('reasoning_gym', 0)",
    "chess": "result('chess', 0)",
    "snake": "result('snake', 1)",
    "tools": "[Tool.model_validate(tool) for tool in replies('echo', 'mcp')[0]['result']['tools']]",
    "schema": "AttributeDict(schemas()['atari'])",
    "episode": "env.episode",
    "conversation": """AttributeDict({'messages': [
    {'role': 'system', 'content': 'You are a careful player.'},
    {'role': 'user', 'content': 'Where is the goal?\\nAnswer in one word.'},
    {'role': 'assistant', 'content': 'South.'}], 'api_key': 'sk-123',
    'scores': [0.1 * i * (i % 7) for i in range(60)]})""",
}


_THEMES = ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast")[: storm(2, 3)]


@pytest.mark.timeout(180)
def test_every_kind_of_value_fits_its_cell(open_notebook: Callable[..., NotebookPage]) -> None:
    """No output is wider than its cell or taller than a screen, all have HTML; pictures of each theme are kept."""
    notebook = open_notebook([_START, *_CELLS.values()])
    for place in range(len(_CELLS) + 1):
        notebook.run(place)
    assert notebook.outputs(0) == []
    for theme in _THEMES:
        notebook.use_theme(theme)
        folder = SCREENSHOTS / theme.removeprefix("JupyterLab ").lower().replace(" ", "_")
        folder.mkdir(parents=True, exist_ok=True)
        for place, name in enumerate(_CELLS, start=1):
            (shown,) = notebook.outputs(place)
            assert set(shown["data"]) == {"text/plain", "text/html"}, name
            output = notebook.output(place)
            output.screenshot(path=folder / f"{name}.png")
            width, room, height = output.evaluate("node => [node.scrollWidth, node.clientWidth, node.clientHeight]")
            assert width <= room, name
            assert height <= 900, name
