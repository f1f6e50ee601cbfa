"""The reference is complete: every public name, verb, option, error and argument stands in it."""

from __future__ import annotations

import inspect
import pydoc
import re
import sys
import tomllib
from typing import Any

import pytest
from support.doc_code import ROOT

import openenv_notebook
import openenv_notebook.jupyter
import openenv_notebook.values.errors
from openenv_notebook import Address, LocalTarget, OpenEnvError, parse_target
from openenv_notebook.client.clients import EnvClient
from openenv_notebook.jupyter import Panel
from openenv_notebook.jupyter.magic.verbs import VERBS

REFERENCE = ROOT / "docs/reference"


@pytest.fixture
def pages() -> Any:
    """What writes the verbs and errors of the reference; Sphinx is not needed for it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import reference_pages
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return reference_pages


def told(name: str) -> dict[str, Any]:
    return tomllib.loads((REFERENCE / f"{name}.toml").read_text(encoding="utf-8"))


def every_error(cls: type[OpenEnvError] = OpenEnvError) -> set[type[OpenEnvError]]:
    own = [each for each in cls.__subclasses__() if each.__module__ == openenv_notebook.values.errors.__name__]
    return {cls}.union(*(every_error(each) for each in own))


def rows_of(page: str) -> list[list[str]]:
    lines = (REFERENCE / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]


def test_all_is_sorted_and_complete() -> None:
    """Names that are imported into the package are public, sorted, and there."""
    names = openenv_notebook.__all__
    assert names == sorted(names) and len(set(names)) == len(names)
    public = {
        name
        for name, value in vars(openenv_notebook).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("openenv_notebook.")
    }
    assert public <= set(names)
    assert all(hasattr(openenv_notebook, name) for name in names)


@pytest.mark.parametrize("module", [openenv_notebook, openenv_notebook.jupyter], ids=lambda module: module.__name__)
def test_every_public_name_is_documented(module: Any) -> None:
    """The reference has every name of __all__."""
    pages = "".join((REFERENCE / name).read_text(encoding="utf-8") for name in ("api.md", "jupyter.md", "errors.md"))
    here = set(re.findall(r"^\.\. (?:auto\w+|data):: (?:openenv_notebook\.)?(\w+)", pages, re.M))
    errors = {cls.__name__ for cls in every_error()}
    assert set(module.__all__) - here - errors == set()


@pytest.mark.parametrize("module", [openenv_notebook, openenv_notebook.jupyter], ids=lambda module: module.__name__)
def test_every_public_name_has_a_docstring_of_its_own(module: Any) -> None:
    """What is public says what it is, and so does every public method of it."""
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, str):
            continue
        assert value.__doc__, name
        for attribute, member in vars(value).items() if isinstance(value, type) else ():
            known = attribute.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property))
            # An override says what its root says.
            assert known or inspect.getdoc(getattr(value, attribute)), f"{name}.{attribute}"


def test_every_error_has_a_cause_and_a_cure() -> None:
    """No error class is missing in the reference, and none is made up."""
    texts = told("errors")
    assert set(texts) == {cls.__name__ for cls in every_error()}
    assert all(len(text["cause"]) > 20 and len(text["cure"]) > 15 for text in texts.values())


def test_the_drawn_tree_is_the_tree(pages: Any) -> None:
    """The drawing at the top of the errors' page shows the classes, each under its parent."""
    drawn = re.findall(r"^    ([│├└─ ]*)(\w+)", openenv_notebook.values.errors.__doc__ or "", re.M)
    assert [(name, len(lead) // 4) for lead, name in drawn] == [
        (cls.__name__, depth) for cls, depth in pages.error_classes()
    ]


def test_every_verb_has_its_python() -> None:
    """D17: each verb of the magic has a Python twin in the reference, or a reason why it has none."""
    texts = told("verbs")
    assert set(texts["verb"]) == set(VERBS)
    for name, text in texts["verb"].items():
        assert ("python" in text) != ("no_python" in text), name
        if "python" in text:
            compile(text["python"], name, "exec")


def test_the_python_of_a_verb_names_what_there_is() -> None:
    """Each name of this package in a verb's Python twin can be found."""
    for name, text in told("verbs")["verb"].items():
        for dotted in re.findall(r"\bopenenv_notebook(?:\.\w+)+", text.get("python", "")):
            assert pydoc.locate(dotted) is not None, (name, dotted)


def test_every_option_of_a_verb_is_explained() -> None:
    """No option is without words, and no words are left of an option that is gone."""
    texts = told("verbs")
    used = set()
    for name, verb in VERBS.items():
        own = texts["verb"][name].get("options", {})
        taken = {*verb.takes, *verb.body_takes}
        assert set(own) <= taken, name
        assert taken - set(own) <= set(texts["option"]), name
        used |= taken - set(own)
    assert used == set(texts["option"])


def test_the_reference_of_a_verb_is_made_from_the_verb(pages: Any) -> None:
    """What the magic knows of a verb is what the page says."""
    page = "\n".join(pages.verb_page(VERBS["connect"], told("verbs")))
    assert VERBS["connect"].usage in page
    assert all(f"`--{name}" in page for name in VERBS["connect"].takes)
    assert all(f"%openenv {example}" in page for example in VERBS["connect"].examples)


@pytest.mark.parametrize(
    ("heading", "what"),
    [
        ("`connect`", openenv_notebook.connect),
        ("the client classes", EnvClient.__init__),
        ("`serve`", openenv_notebook.serve),
        ("`Panel`", Panel.__init__),
    ],
    ids=["connect", "client", "serve", "panel"],
)
def test_every_argument_stands_in_the_options(heading: str, what: Any) -> None:
    """The options list every argument, and no other, with its default where that is a number."""
    text = (REFERENCE / "options.md").read_text(encoding="utf-8")
    parts = re.split(r"^## Arguments of (.*)$|^## .*$", text, flags=re.M)
    part = parts[parts.index(heading) + 1]
    rows = {}
    for line in (part or "").splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows |= {name: cells[1] for name in re.findall(r"`(\w+)`", cells[0])}
    taken = {
        name: parameter
        for name, parameter in inspect.signature(what).parameters.items()
        if name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    }
    assert set(rows) == set(taken)
    for name, parameter in taken.items():
        if isinstance(parameter.default, float | int) and parameter.default and rows[name][0].isdigit():
            assert float(rows[name]) == parameter.default, name


def test_every_environment_variable_is_named() -> None:
    """Whatever variable the package reads by its own name stands in the options."""
    text = (REFERENCE / "options.md").read_text(encoding="utf-8")
    read = set()
    for path in (ROOT / "openenv_notebook").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        read |= set(re.findall(r"""(?:environ(?:\.get)?[\[(]|values\.get\()["']([A-Z_]+)["']""", source))
        read |= set(re.findall(r"""["']((?:OPENENV|HF|HUGGING)_[A-Z_]+)["']""", source))
    assert {name for name in read if f"`{name}`" not in text} == set()
    assert "HF_TOKEN" in read and "OPENENV_NOTEBOOK_LOOP" in read


@pytest.mark.parametrize(("typed", "means"), [row[:2] for row in rows_of("addresses.md")], ids=lambda text: text)
def test_an_address_means_what_the_reference_says(typed: str, means: str) -> None:
    """Each form of an address in the reference is read as it says there."""
    typed = typed.strip("`")
    if typed == "MyEnvironment":
        return
    target = parse_target(typed)
    if isinstance(target, Address):
        assert f"`{target.http_url}`" == means
    else:
        assert isinstance(target, LocalTarget)
        words = {"demo": "demo", "folder": "folder", "module": "app", "docker": "image", "uv": ""}
        assert words[target.kind] in means


def test_every_extra_is_told() -> None:
    """The page on installing has every extra, the versions that are needed, and no other."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.M)) == set(project["optional-dependencies"])
    for requirement in project["dependencies"]:
        name, _, version = re.split(r"(>=)", requirement.split(";")[0])
        if not name.startswith("nest"):
            assert f"{name} {version.strip()}" in text.replace("IPython", "ipython"), requirement
    assert f"Python {project['requires-python'].removeprefix('>=')} or later" in text


def test_every_make_target_is_told() -> None:
    """CONTRIBUTING.md says what each target of the Makefile does; it names none that is gone."""
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    told = set(re.findall(r"`make ([a-z-]+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    assert targets == told | {"help"}


def test_generated_pages_are_markdown(pages: Any) -> None:
    """What is generated for a page of Markdown is Markdown: nothing of another language is left as words."""
    for written in ("\n".join(pages.all_verbs()), "\n".join(pages.all_errors())):
        words = re.sub(r"^```.*?^```$", "", written, flags=re.M | re.S)
        assert not re.search(r"^\.\. |``|:doc:|^   :", words, re.M)


def test_the_sources_of_the_pages_are_there() -> None:
    """What is generated is asked for by a page."""
    assert "{verbs}" in (REFERENCE / "verbs.md").read_text(encoding="utf-8")
    assert "{errors}" in (REFERENCE / "errors.md").read_text(encoding="utf-8")
