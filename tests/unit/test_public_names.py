"""The public face: what is in __all__, what is documented, and what people meet in signatures."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import openenv_notebook
from openenv_notebook import jupyter
from openenv_notebook.values import errors

PACKAGE = Path(openenv_notebook.__file__).parent
NAMES = [name for name in openenv_notebook.__all__ if not name.startswith("__")]
FACES = (openenv_notebook, jupyter)

# What people meet as the value of a property or in a hint, and never make themselves.
MET_ONLY = {
    "Endpoint": "env.endpoint, for the doctor",
    "Form": "panel.form",
    "Known": "env.known, for the panel",
    "Progress": "of a Rollout",
    "Rendering": "what render_observation() gives",
    "Starting": "what from_docker_image gives: to be awaited, or .sync()",
    "ToolNamespace": "env.tools",
    "Wish": "of a Server, which serve() makes",
}


def is_ours(value: Any) -> bool:
    """Tell whether a class or function is of this package."""
    return getattr(value, "__module__", "").partition(".")[0] == "openenv_notebook"


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_the_names_are_sorted_and_there(face: types.ModuleType) -> None:
    """__all__ is sorted, names each thing once, and each is there; Tab offers these alone."""
    assert face.__all__ == sorted(set(face.__all__))
    for name in face.__all__:
        assert getattr(face, name) is not None
    assert set(dir(openenv_notebook)) == set(openenv_notebook.__all__)


def test_everything_imported_for_people_is_named() -> None:
    """Whatever class or function of ours the package's module brings in stands in __all__, but the hooks of IPython."""
    hooks = {"load_ipython_extension", "unload_ipython_extension"}
    brought = {name for name, value in vars(openenv_notebook).items() if is_ours(value) and not name.startswith("_")}
    assert brought - hooks == {name for name in NAMES if is_ours(getattr(openenv_notebook, name))}


def test_every_error_is_public() -> None:
    """Each class of the tree of errors can be caught by a public name, and the tree drawn in its module shows it."""
    classes = {
        name for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, (Exception, Warning)) and is_ours(value)
    }  # fmt: skip
    assert classes <= set(NAMES)
    drawn = set(re.findall(r"\w+", errors.__doc__ or ""))
    assert {name for name in classes if not name.endswith("Warning")} <= drawn


def methods(value: Any) -> Iterator[tuple[str, Any]]:
    """Give a function itself, or the public methods and properties that a class has of its own package."""
    if not isinstance(value, type):
        yield value.__name__, value
        return
    for name in dir(value):
        if name.startswith("_") and name != "__init__":
            continue
        found = inspect.getattr_static(value, name)
        found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
        if inspect.isfunction(found) and is_ours(found):
            yield f"{value.__name__}.{name}", found


PUBLIC = {f"{face.__name__}.{name}": getattr(face, name) for face in FACES for name in face.__all__ if name[0] != "_"}


@pytest.mark.parametrize("name", PUBLIC)
def test_it_is_documented(name: str) -> None:
    """Every public class and function, and each of its public methods, has a docstring of its own words."""
    value = PUBLIC[name]
    assert (inspect.getdoc(value) or "").strip(), name
    for method, function in methods(value):
        if not method.endswith("__init__"):
            assert (inspect.getdoc(function) or "").strip(), method


def test_what_people_meet_is_public() -> None:
    """Classes of ours in the signatures of public functions and methods are public too, but for a few that are told."""
    met = set()
    for value in PUBLIC.values():
        if not callable(value):
            continue
        for _, function in methods(value):
            text = " ".join(str(hint) for hint in function.__annotations__.values())
            met |= {word for word in re.findall(r"\b[A-Z]\w+", text)}
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    ours = met & {name for text in texts for name in re.findall(r"^class (\w+)", text, re.M)}
    assert ours - set(NAMES) - set(jupyter.__all__) == set(MET_ONLY)
