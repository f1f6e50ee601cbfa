"""What a cell shows of an interrupt."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from openenv_notebook.values import front_end, tracebacks
from openenv_notebook.values.front_end import FrontEnd


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave the way tracebacks are shown as it was."""
    yield
    tracebacks.show_full_tracebacks(False)
    front_end.install(None)


def interrupted_in_ours() -> None:
    """An interrupt somewhere below us."""
    ours: dict[str, Any] = {"__name__": "openenv_notebook.somewhere"}
    exec("def wait():\n    raise KeyboardInterrupt", ours)
    ours["wait"]()


def shown_of(error: BaseException) -> str:
    """What IPython would show."""
    tracebacks.shorten(error)
    return "\n".join(error._render_traceback_())  # type: ignore[attr-defined]


def test_an_interrupt_shows_the_person_s_own_lines() -> None:
    """A cell shows where the person's code was, and the notes; with full tracebacks on, every frame."""
    try:
        interrupted_in_ours()
    except KeyboardInterrupt as error:
        error.add_note("it had been sent")
        short = shown_of(error)
        tracebacks.show_full_tracebacks(True)
        full = shown_of(error)
    assert short.startswith("Traceback (most recent call last):\n  File ")
    assert ', in interrupted_in_ours\n    ours["wait"]()\n' in short and "in wait" not in short
    assert short.endswith("\nKeyboardInterrupt\nit had been sent")
    assert "in interrupted_in_ours" in full and "in wait" in full


def calling(name: str, file: str, call: Any = None) -> Any:
    """A function of a module in a file, which calls another, or is interrupted."""
    module: dict[str, Any] = {"__name__": name, "call": call}
    code = f"def {name.rpartition('.')[2]}():\n    {'call()' if call else 'raise KeyboardInterrupt'}"
    exec(compile(code, file, "exec"), module)
    return module[name.rpartition(".")[2]]


def test_what_we_call_of_a_package_is_not_the_person_s() -> None:
    """An interrupt within a package is told where the person called it, not where we did."""
    library = calling("library.within", "/python/lib/site-packages/library.py")
    ours = calling("openenv_notebook.ours", "/ours.py", library)
    policy = calling("policy", "/theirs.py", library)
    ours_with_policy = calling("openenv_notebook.ours_with_policy", "/ours.py", policy)
    shown = dict[str, str]()
    for name, call in {"ours": ours, "policy": ours_with_policy, "library": library}.items():
        try:
            call()
        except KeyboardInterrupt as error:
            shown[name] = shown_of(error)
    assert "within" not in shown["ours"] and "within" in shown["library"]
    assert shown["policy"].index(", in policy") < shown["policy"].index(", in within")
    assert "ours" not in "".join(line for line in shown["policy"].splitlines() if ", in " in line)


def test_a_line_outside_of_functions_is_named_by_its_place_alone() -> None:
    """A cell's own line stands in no function."""
    try:
        exec(compile("wait()", "<cell>", "exec"), {"__name__": "__main__", "wait": interrupted_in_ours})
    except KeyboardInterrupt as error:
        assert '  File "<cell>", line 1\n' in shown_of(error)


def test_a_cell_is_named_as_the_shell_names_it() -> None:
    """Where somebody names the files of cells, lines show the cell, not a file that is gone tomorrow."""
    front_end.install(FrontEnd(cell_name=lambda file: "Cell In[5]" if file == __file__ else None))
    try:
        interrupted_in_ours()
    except KeyboardInterrupt as error:
        assert "\n  Cell In[5], line " in shown_of(error)


def test_an_interrupt_that_nobody_raises_now_is_said() -> None:
    """Whoever asks for the lines of an old interrupt gets a word, not an error."""
    error = KeyboardInterrupt()
    assert shown_of(error) == "interrupted"


def test_the_last_error_is_shown_after_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shell shows an error that is handled already, it is the last one."""
    error = KeyboardInterrupt()
    monkeypatch.setattr(sys, "last_value", error, raising=False)
    assert shown_of(error) == "Traceback (most recent call last):\nKeyboardInterrupt"


def test_errors_proper_are_left_alone() -> None:
    """An error that is no interrupt is shown by the shell."""
    error = ValueError()
    tracebacks.shorten(error)
    assert not hasattr(error, "_render_traceback_")


@pytest.mark.parametrize(
    "line",
    [
        'connect(url, headers={"X-Me": "sk-planted"})',
        "connect(url, token='sk-planted')",
        'from_docker_image("image", env_vars={"ME": "sk-planted"})',
        'env.step(password = "sk-planted", text="it\'s")',
        "%openenv connect localhost:1 --header X-Me=sk-planted",
        "%openenv step api_key=sk-planted",
    ],
)
def test_a_line_shows_no_secret(line: str) -> None:
    """R33: A line that names a secret, headers or an environment is shown without its values."""
    front_end.install(
        FrontEnd(cell_name=lambda file: "Cell In[5]" if file == __file__ else None, as_typed=lambda _: line)
    )
    try:
        interrupted_in_ours()
    except KeyboardInterrupt as error:
        shown = "\n".join(tracebacks.cell_lines(error))
    assert "Cell In[5], line " in shown and "••••••" in shown
    assert "planted" not in shown


def test_only_cells_have_places() -> None:
    """R33: Where no cell runs nothing is said of places: a program has its traceback."""
    try:
        interrupted_in_ours()
    except KeyboardInterrupt as error:
        assert tracebacks.cell_lines(error) == []
