"""The observation in the panel, without a kernel and without a browser."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest
from support import hostile
from support.front_end import classes, edit, named, shown
from support.markup import IN_PANEL, check_html, check_text
from support.recorded import exchanges, results

from openenv_notebook.jupyter.panel.observation_style import OBSERVATION_CSS
from openenv_notebook.jupyter.panel.observation_view import HEIGHT, ObservationView
from openenv_notebook.jupyter.show import renderers
from openenv_notebook.values.messages import StepResult


class Panel:
    """What stands around the view: it writes at once what the view puts."""

    def __init__(self) -> None:
        self.puts: list[tuple[Any, dict[str, Any]]] = []
        self.requests = 0
        self.view = ObservationView(self.put, self.request)

    def put(self, widget: Any, **traits: Any) -> None:
        """Write traits."""
        self.puts.append((widget, traits))
        for name, value in traits.items():
            setattr(widget, name, value)

    def request(self) -> None:
        """Count."""
        self.requests += 1

    def toggle_raw(self, value: bool) -> None:
        """Press Raw, as the browser says it."""
        edit(named(self.view.widget, "Raw"), value)

    @property
    def body(self) -> Any:
        """What shows the observation."""
        return self.view.widget.children[-1]

    @property
    def seen(self) -> str:
        """The HTML that is seen."""
        return str(self.body.value)

    @property
    def heading(self) -> str:
        """The line above it, as HTML."""
        return str(self.view.widget.children[0].children[0].value)

    @property
    def what(self) -> str:
        """The line above it, as text."""
        return re.sub("<[^>]*>", "", self.heading)


@pytest.fixture
def panel() -> Iterator[Panel]:
    """A view; its widgets are closed in the end."""
    made = Panel()
    yield made
    for widget in shown(made.view.widget):
        widget.close()


def test_only_core_widgets_of_fixed_height_are_used(panel: Panel) -> None:
    """Boxes, HTML and one button; the height is set, what is long scrolls within, and keys can reach it."""
    kinds = {type(widget) for widget in shown(panel.view.widget)}
    assert kinds == {ipywidgets.VBox, ipywidgets.HBox, ipywidgets.HTML, ipywidgets.ToggleButton}
    assert panel.view.widget.layout.height == f"{HEIGHT}px"
    assert panel.body.layout.overflow == "auto"
    assert "openenv-observation" in classes(panel.view.widget)
    if panel.body.has_trait("tabbable"):
        assert panel.body.tabbable is True


def test_before_the_first_observation_it_says_what_to_do(panel: Panel) -> None:
    """Nothing is seen yet, and that Reset begins an episode."""
    assert "Reset begins an episode" in panel.seen
    panel.view.show(None, None)
    assert "Reset begins an episode" in panel.seen
    assert panel.what == ""


def test_a_board_is_cells_and_the_changed_one_is_ringed(panel: Panel) -> None:
    """connect4: round cells in the same colours each time, a ring and a word for the changed one, fields below."""
    shown = results("connect4")
    panel.view.show(shown[3], shown[2], "Connect4Environment")
    assert panel.what == "board 6×7 · changed: board, next_player"
    assert 'class="openenv-p1 openenv-ring"><b>1</b><span class="openenv-unseen"> changed</span></td>' in panel.seen
    assert panel.seen.count("openenv-p2") == 1
    assert "openenv-pieces" in panel.seen
    assert 'aria-label="board, 6 rows, 7 columns"' in panel.seen
    assert panel.seen.index("openenv-board") < panel.seen.index("legal_actions")
    assert all(f".openenv-{name}" in OBSERVATION_CSS for name in ("p1", "p2", "ring", "unseen", "pieces", "board"))


def test_maps_are_tiles_and_stand_beside_their_picture(panel: Panel) -> None:
    """Walls make a board a map, as do names and sizes; a picture and a board of the same thing are side by side."""
    maze = [["@", ".", "#"], [".", "#", "."], [".", ".", "G"]]
    panel.view.show(StepResult({"board": maze, "screen": [[0] * 24] * 20, "score": 3}), None)
    assert panel.seen.count('class="openenv-wall"') == 2
    assert "openenv-tiles" in panel.seen
    beside = panel.seen.partition('<div class="openenv-beside">')[2].partition('<table class="openenv-fields">')[0]
    assert beside.index("openenv-picture") < beside.index("openenv-board")
    for board in ({"maze": [[0, 1, 0]] * 3}, {"board": [[0, 1] * 6] * 12}, {"board": [["abc", "", ""]] * 3}):
        panel.view.show(StepResult(board), None)
        assert "openenv-tiles" in panel.seen


def test_frames_of_a_picture_stay_in_their_place(panel: Panel) -> None:
    """Two frames differ in nothing but the picture's data and numbers: same box, same alternative text."""
    kept = []
    for result in results("atari")[:2]:
        panel.view.show(result, None)
        kept.append(re.search(r"<img [^>]*>", panel.seen)[0].partition(" src=")[0])  # type: ignore[index]
    assert kept[0] == kept[1]
    assert 'decoding="sync" alt="screen: PNG picture, 160×210" width="160" height="210"' in kept[0]
    small = StepResult({"screen": [[0] * 24] * 20})
    panel.view.show(small, None)
    assert 'class="openenv-picture openenv-sharp"' in panel.seen
    assert 'width="288" height="240"' in panel.seen


def test_conversations_and_curves_are_drawn(panel: Panel) -> None:
    """Messages are bubbles, the new ones say so; an array of numbers is a line."""
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]
    panel.view.show(StepResult({"messages": said}), StepResult({"messages": said[:1]}))
    assert panel.seen.count("openenv-turn") == 2
    assert panel.seen.count("openenv-mine") == panel.seen.count("openenv-new") == 1
    assert panel.what == "conversation, 2 messages · changed: messages"
    panel.view.show(StepResult({"x": [place / 7 for place in range(500)]}), None)
    assert panel.seen.count("<polyline") == 1
    assert panel.what == "1 field"


def test_raw_shows_the_json_and_goes_on_doing_so(panel: Panel) -> None:
    """Raw is the person's choice: it stays with the next step, the saved form stays a picture."""
    shown = results("connect4")
    panel.view.show(shown[0], None)
    panel.toggle_raw(True)
    assert panel.requests == 1
    assert '"board": [' in panel.seen
    panel.view.show(shown[1], shown[0])
    assert '"board": [' in panel.seen
    assert "<pre" not in panel.view.saved(shown[1])[0]
    panel.toggle_raw(False)
    assert "openenv-board" in panel.seen


def test_a_renderer_of_this_panel_wins(panel: Panel) -> None:
    """panel.render draws at once, before the environment's renderer; None goes back to that, then to the default."""
    result = StepResult({"a": 1})
    panel.view.show(result, None, "SmallEnvironment")
    renderers.register("small", lambda seen: "by name")
    try:
        panel.view.render(lambda seen: f"by panel: <{seen['a']}>")
        assert "by panel: &lt;1&gt;" in panel.seen
        assert panel.requests == 1
        panel.view.render(None)
        assert "by name" in panel.seen
    finally:
        renderers.unregister("small")
    panel.view.show(result, None, "SmallEnvironment")
    assert "by name" not in panel.seen
    with pytest.raises(TypeError, match="a function of an observation, not a str"):
        panel.view.render("draw")  # type: ignore[arg-type]


def test_a_failing_renderer_is_told_above_the_default_view(panel: Panel) -> None:
    """Its error in two lines, then the board as always; nothing is raised."""
    panel.view.render(lambda seen: seen.nothing)
    panel.view.show(results("connect4")[0], None)
    assert "this is the default view" in panel.seen
    assert "AttributeError" in panel.seen
    assert "openenv-board" in panel.seen
    assert panel.what == "board 6×7"


class Failing:
    """A value whose own methods fail."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_what_cannot_be_shown_is_said(panel: Panel) -> None:
    """An observation that cannot be written gives a line, raw too; the next one is shown again."""
    panel.view.show(StepResult({"a": Failing()}), StepResult({"a": Failing()}))
    assert "cannot be shown: RuntimeError" in panel.seen
    panel.toggle_raw(True)
    assert "cannot be written: RuntimeError" in panel.seen
    panel.toggle_raw(False)
    panel.view.show(StepResult({"a": 1}), None)
    assert "cannot" not in panel.seen + "".join(panel.view.saved(StepResult({"a": 1})))


@pytest.mark.parametrize("name", exchanges())
def test_each_recorded_observation_is_bounded(panel: Panel, name: str) -> None:
    """Every observation of every environment: known tags, bounded text, bounded saved HTML; so is its JSON."""
    previous = None
    for result in results(name):
        panel.view.show(result, previous, name)
        check_html(panel.seen, IN_PANEL)
        check_html(panel.heading, IN_PANEL)
        saved_html, saved_text = panel.view.saved(result, name)
        check_html(saved_html)
        check_text(saved_text)
        previous = result
    panel.toggle_raw(True)
    check_html(panel.seen, IN_PANEL)


@pytest.mark.parametrize("text", hostile.TEXTS)
def test_hostile_words_stay_words(panel: Panel, text: str) -> None:
    """In fields, cells, roles, the environment's name and the JSON: escaped, since scripts would run here."""
    seen = {text: text, "board": [[text[:3]] * 3] * 3, "messages": [{"role": text, "content": text}]}
    panel.view.show(StepResult(seen), StepResult({text: "", "board": [["", "", ""]] * 3}), text)
    for written in (panel.seen, panel.heading):
        check_html(written, IN_PANEL)
    panel.toggle_raw(True)
    check_html(panel.seen, IN_PANEL)


def test_steps_and_clicks_may_come_at_once(panel: Panel) -> None:
    """Shown from one thread and toggled from another, the last observation is what is seen."""
    shown = [StepResult({"n": place}) for place in range(200)]
    worker = threading.Thread(target=lambda: [panel.view.show(each, None) for each in shown])
    worker.start()
    for place in range(50):
        panel.toggle_raw(place % 2 == 0)
    worker.join()
    assert "<td><div><span" in panel.seen and ">199<" in panel.seen
