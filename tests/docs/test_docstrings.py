"""The examples in docstrings run: what ``env.step?`` shows in a notebook is code that works."""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import doctest
import inspect
import io
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.doc_code import ROOT

import openenv_notebook
import openenv_notebook.jupyter
from openenv_notebook import EnvClient, MisuseError, connect

MODULES = [openenv_notebook, openenv_notebook.jupyter]
# What a person meets first has an example.
SHOWN = [
    "openenv_notebook",
    "openenv_notebook.EnvClient",
    "openenv_notebook.Episode",
    "openenv_notebook.Rollout",
    "openenv_notebook.SyncEnvClient",
    "openenv_notebook.adopt",
    "openenv_notebook.connect",
    "openenv_notebook.parse_target",
    "openenv_notebook.run_episodes",
    "openenv_notebook.serve",
    "openenv_notebook.step_all",
    "openenv_notebook.jupyter.Panel",
    "openenv_notebook.jupyter.register_renderer",
    "openenv_notebook.jupyter.render_observation",
]


def documented() -> Iterator[tuple[str, str]]:
    """Every public docstring: modules, names, and their public members."""
    for module in MODULES:
        yield module.__name__, module.__doc__ or ""
        for name in module.__all__:
            value = getattr(module, name)
            yield f"{module.__name__}.{name}", inspect.getdoc(value) or ""
            for attribute in dir(value) if isinstance(value, type) else ():
                member = inspect.getattr_static(value, attribute)
                if not attribute.startswith("_") and not isinstance(member, ModuleType):
                    yield f"{module.__name__}.{name}.{attribute}", inspect.getdoc(getattr(value, attribute)) or ""


EXAMPLES = {name: text for name, text in documented() if ">>>" in text}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A50: the examples of a docstring run against a demo, as in a notebook, and show what they say."""
    monkeypatch.chdir(tmp_path)
    # What an example shows is bound there, and an IPython shell of a later test would take it for the person's own.
    monkeypatch.setattr(builtins, "_", None, raising=False)
    here = {each: getattr(module, each) for module in MODULES for each in module.__all__}
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with asyncio.Runner() as runner:
        for example in doctest.DocTestParser().get_examples(EXAMPLES[name]):
            shown = io.StringIO()
            code = compile(example.source, name, "single", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            with contextlib.redirect_stdout(shown):
                awaited = eval(code, here)
                if code.co_flags & inspect.CO_COROUTINE:
                    runner.run(awaited)
            assert doctest.OutputChecker().check_output(example.want, shown.getvalue(), options), (
                f"{name}: {example.source}shows {shown.getvalue()}"
            )


def test_what_people_meet_first_has_an_example() -> None:
    """A50: the main names show how they are used."""
    assert set(SHOWN) <= set(EXAMPLES)


def test_no_example_is_written_in_another_form() -> None:
    """Code in a docstring is an example that is run; what is drawn or listed there is no code."""
    for name, text in documented():
        drawn = "├──" in text or name in ("openenv_notebook.values.errors",)
        assert "::\n\n    " not in text or ">>>" in text or drawn, name


def test_with_on_an_asynchronous_client_shows_both_forms() -> None:
    """A50: who writes `with` for an asynchronous client is told both forms that work."""
    with connect("demo:echo") as env, pytest.raises(MisuseError) as caught:
        client: Any = env.async_client
        assert isinstance(client, EnvClient)
        with client:
            pass
    assert "async with client: ..." in str(caught.value) and "with client.sync() as env: ..." in str(caught.value)


def test_the_reference_shows_the_examples() -> None:
    """Docstrings are the reference: each shown name stands in a page that prints its docstring."""
    pages = "".join((ROOT / "docs/reference" / name).read_text(encoding="utf-8") for name in ("api.md", "jupyter.md"))
    for name in SHOWN[1:]:
        assert f":: {name.rpartition('.')[2]}" in pages, name
