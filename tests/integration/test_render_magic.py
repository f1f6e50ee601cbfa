"""%openenv render in a real shell, on the embedded server."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from support.magics import magic
from support.markup import check_html, check_text
from support.playback import Playback, pairs

from openenv_notebook import MisuseError, connect
from openenv_notebook.jupyter import render_observation
from openenv_notebook.jupyter.magic.completion import complete
from openenv_notebook.jupyter.magic.workspace import Workspace
from openenv_notebook.jupyter.show import renderers

_TOOLKITS = ("tkinter", "PyQt5", "PySide6", "wx", "gi", "matplotlib", "pygame", "cv2")


@pytest.fixture(autouse=True)
def no_renderers() -> Iterator[None]:
    """No renderer of a test is left."""
    yield
    for name in ("grid", "echo", "guess"):
        renderers.unregister(name)


def shown(shell: InteractiveShell, value: Any) -> dict[str, Any]:
    """What a cell shows of a value."""
    return dict(shell.display_formatter.format(value)[0])


def test_the_last_observation_is_shown_inline(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """E03, E04: a picture is displayed inline, without a window, a display or a toolkit; no step is made."""
    monkeypatch.delenv("DISPLAY", raising=False)
    imported, before = [], builtins.__import__

    def noting(name: str, *rest: Any, **more: Any) -> Any:
        imported.append(name.partition(".")[0])
        return before(name, *rest, **more)

    env = magic(shell, "demo grid")
    magic(shell, "reset seed=3")
    magic(shell, f"step {env.last.observation.legal_actions[0]}")
    capsys.readouterr()
    monkeypatch.setattr(builtins, "__import__", noting)
    data = shown(shell, magic(shell, "render"))
    monkeypatch.undo()
    assert not set(_TOOLKITS) & set(imported)
    assert capsys.readouterr().out == ""
    assert set(data) == {"text/plain", "text/html"}
    assert '<img alt="picture: PNG picture' in data["text/html"]
    assert data["text/html"].index("<img") < data["text/html"].index("steps_left")
    assert re.match(r"picture \d+×\d+ · changed: board, position, text, picture", data["text/plain"])
    check_html(data["text/html"])
    check_text(data["text/plain"])
    assert len(env.episode) == 2


def test_text_boards_and_fields_are_shown(shell: InteractiveShell) -> None:
    """E03: text environments show their text, boards their cells, what has neither its fields."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    magic(shell, "step hello")
    assert "message *  hello" in repr(magic(shell, "render"))
    for name, says in (("connect4", "board 6×7"), ("atari", "picture 160×210"), ("reasoning_gym", "text, 3 lines")):
        with Playback(pairs(name)[:1]) as server, connect(server.url) as played:
            played.reset(**json.loads(pairs(name)[0][0])["data"])
            assert repr(render_observation(played)).startswith(says)


def test_the_value_can_be_kept_and_asked_for_by_name(shell: InteractiveShell) -> None:
    """--on NAME picks the client, --out NAME binds the value, the client may be asynchronous too in Python."""
    magic(shell, "demo echo --as a")
    magic(shell, "reset")
    magic(shell, "demo grid --as b")
    shown_of_a = magic(shell, "render --on a --out kept")
    assert shell.user_ns["kept"] is shown_of_a
    assert repr(render_observation(shell.user_ns["a"].async_client)) == repr(shown_of_a)


def test_without_an_observation_it_says_to_reset(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and no value; in Python an error that says the same."""
    env = magic(shell, "demo grid")
    capsys.readouterr()
    assert magic(shell, "render") is None
    assert capsys.readouterr().out == "openenv: env has no observation yet · next: %openenv reset\n"
    with pytest.raises(MisuseError, match="no observation yet"):
        render_observation(env)


def test_a_function_of_the_notebook_draws_an_environment(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """E03: --with FUNCTION holds for the environment, also on other clients of it; --with none takes it away."""
    magic(shell, "demo grid --as g")
    magic(shell, "demo echo --as e")
    magic(shell, "reset --on g seed=1")
    magic(shell, "reset --on e")
    shell.run_cell("def draw(seen):\n    return f'at {seen.position}'").raise_error()
    capsys.readouterr()
    assert repr(magic(shell, "render --on g --with draw")) == "text\nat [0, 0]"
    assert "grid is drawn by draw · back: %openenv render --with none" in capsys.readouterr().out
    assert repr(magic(shell, "render --on g")) == "text\nat [0, 0]"
    assert "at [" not in repr(magic(shell, "render --on e"))
    with connect("demo:grid") as other:
        other.reset()
        assert repr(render_observation(other)) == "text\nat [0, 0]"
        assert repr(render_observation(other, lambda seen: "mine")) == "text\nmine"
    shell.run_cell("def draw(seen):\n    return seen.nowhere").raise_error()
    failed = repr(magic(shell, "render --on g --with draw"))
    assert "the renderer draw failed; this is the default view" in failed and "picture 1" in failed
    assert "picture" in repr(magic(shell, "render --on g --with none"))
    assert not renderers.has_any()


@pytest.mark.parametrize("given", ["nothing", "five"])
def test_what_is_no_function_is_refused(shell: InteractiveShell, given: str) -> None:
    """--with names a function of this notebook; anything else is told in a line."""
    shell.user_ns["five"] = 5
    magic(shell, "demo echo")
    with pytest.raises(UsageError, match="--with takes the name of a function"):
        magic(shell, f"render --with {given}")


def test_the_twin_of_the_line_runs(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """%openenv python prints Python that shows the same."""
    magic(shell, "demo echo")
    magic(shell, "reset")
    shell.run_cell("def draw(seen):\n    return 'drawn'").raise_error()
    value = magic(shell, "render --with draw")
    capsys.readouterr()
    magic(shell, "python")
    *before, last = capsys.readouterr().out.splitlines()
    renderers.unregister("echo")
    shell.run_cell("\n".join([*before, f"again = {last}"])).raise_error()
    assert repr(shell.user_ns["again"]) == repr(value) == "text\ndrawn"


def test_tab_offers_options_and_functions(shell: InteractiveShell) -> None:
    """The options of render, the clients, and the notebook's own functions."""
    shell.run_cell("def draw(seen):\n    return ''\ndrawing = 3").raise_error()
    magic(shell, "demo echo --as bob")
    workspace = Workspace(shell)
    assert complete(workspace, "%openenv rend") == ("rend", ["render"])
    assert complete(workspace, "%openenv render --") == ("--", ["--on", "--out", "--with"])
    assert complete(workspace, "%openenv render --with dr") == ("dr", ["draw"])
    assert complete(workspace, "%openenv render --with n") == ("n", ["none"])
    assert complete(workspace, "%openenv render --on b") == ("b", ["bob"])
