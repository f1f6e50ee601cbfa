"""The house: ten folders that are floors, arrows that only go down, files that can be read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.import_graph import PACKAGE, ROOT, circles, floors, folder, imports, modules, project, read

UNIT = ROOT / "tests/unit"
LONGEST = 350
LARGEST = 29_000
# The tree of errors is one thing, and is drawn whole in its docstring.
MAY_BE_LONGER = {"values/errors.py"}
# Tests of a whole folder, or of what several of its modules do together.
NO_MODULE = {
    "test_error_chains.py": "an error and what it came from, of several folders",
    "test_floors.py": "the package",
    "test_foreign_exceptions.py": "all that calls people's and libraries' code",
    "test_how_tests_reach.py": "the tests",
    "test_public_names.py": "the package's face",
    "client/test_secrets.py": "every value of a client that could show what its server marks as secret",
    "demo/test_registry.py": "demo/__init__.py",
    "jupyter/magic/test_guesses.py": "the whole grammar, scopes and values",
    "jupyter/magic/test_twins.py": "the Python of every verb",
    "jupyter/panel/form/test_any_schema.py": "the form, on schemas made by chance",
    "jupyter/panel/form/test_bounds.py": "the form, on schemas that have much of something",
    "jupyter/panel/form/test_editing.py": "the form, edited by a person",
    "jupyter/panel/form/test_errors.py": "the form, what it says of wrong values",
    "jupyter/panel/form/test_schemas.py": "the form, on each kind of schema",
    "jupyter/panel/form/test_values_as_jsonschema.py": "the form, what it gives back",
    "jupyter/panel/form/test_structures.py": "the form, objects and lists within each other",
    "jupyter/show/test_detection.py": "show/, which kind of observation it is",
    "jupyter/show/test_hostile.py": "show/, on hostile words",
    "jupyter/show/test_recordings.py": "show/, on recordings of real environments",
    "jupyter/show/test_secrets.py": "what a notebook shows of secrets, in all of show/",
}


def late_imports() -> dict[str, str]:
    """Read the list of late imports: what it waits for, by "module -> imported"."""
    listed: dict[str, str] = {}
    for group in project()["openenv-notebook"]["late-imports"]:
        for line in group["imports"]:
            assert line not in listed, f"{line} is listed twice"
            listed[line] = group["reason"]
    return listed


def below(name: str) -> set[str]:
    return set(floors()[: floors().index(name)])


def python_files(where: Path) -> list[Path]:
    return sorted(path for path in where.rglob("*.py") if "__pycache__" not in path.parts)


def test_no_modules_import_each_other() -> None:
    """No module imports itself by any way round, imports in functions and those for type checkers included."""
    found = circles(imports())
    assert not found, "\n".join(" <-> ".join(ring) for ring in found)


def test_a_circle_would_be_seen() -> None:
    """Imports for type checkers, within functions and by name are seen, and close a circle like any other."""
    one, two, three, four = (f"openenv_notebook.values.{name}" for name in ("errors", "text", "checks", "png"))
    sources = {
        one: f"if TYPE_CHECKING:\n    from {two} import plural",
        two: "def late():\n    from openenv_notebook.values import checks",
        three: f"WHERE = {{'name': {one!r}}}\nimportlib.import_module(WHERE['name'])",
        four: f"import json\nimport {one}",
    }
    found = [each for module, source in sources.items() for each in read(module, source)]
    assert circles(found) == [sorted([one, two, three])]
    late = [(each.module, each.imported) for each in found if each.is_late]
    assert late == [(one, two), (two, three)]


@pytest.mark.parametrize("name", floors())
def test_arrows_only_go_down(name: str) -> None:
    """A folder imports those of lower floors only, whatever the import is for."""
    wrong = [
        f"{each.module}:{each.line} imports {each.imported}"
        for each in imports()
        if folder(each.module) == name and folder(each.imported) in {*floors(), PACKAGE.name} - below(name) - {name}
    ]
    assert not wrong, "\n".join(wrong)


def test_every_late_import_has_its_reason() -> None:
    """What is imported in a function or for type checkers alone is listed with its reason; nothing else is."""
    there = {f"{each.module} -> {each.imported}" for each in imports() if each.is_late}
    listed = late_imports()
    missing, gone = sorted(there - set(listed)), sorted(set(listed) - there)
    assert not missing, "\n".join(["list these in pyproject.toml, or import them at the top:", *missing])
    assert not gone, "\n".join(["these are gone; take them out of pyproject.toml:", *gone])
    assert all(len(reason) > 20 for reason in listed.values())


def test_nothing_but_the_floors_lies_at_the_root() -> None:
    """The package is its ten folders, what makes it a package, its program and the mark that it is typed."""
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    there = {path.relative_to(PACKAGE).parts[0] for path in files}
    assert there == {*floors(), "__init__.py", "__main__.py", "py.typed"}
    assert len(floors()) == 10


def test_every_folder_says_what_it_is_for() -> None:
    """Each folder is a package, whose docstring says in a sentence what lives there."""
    for home in sorted({path.parent for path in modules().values()}):
        said = ast.get_docstring(ast.parse((home / "__init__.py").read_text(encoding="utf-8"))) or ""
        first = said.partition("\n\n")[0]
        assert len(first) > 20 and first.endswith("."), home.relative_to(ROOT)


def test_no_file_is_too_long() -> None:
    """A file is read in one go; the package as a whole stays within its bounds."""
    lengths = {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for path in modules().values()
    }
    too_long = {name: lines for name, lines in lengths.items() if lines > LONGEST and name not in MAY_BE_LONGER}
    assert too_long == {}
    assert sum(lengths.values()) <= LARGEST


def test_tests_stand_where_their_module_stands() -> None:
    """The tests of a module stand in its folder's twin, as test_MODULE.py or test_MODULE_ASPECT.py."""
    strange = set()
    for path in python_files(UNIT):
        home = PACKAGE / path.parent.relative_to(UNIT)
        assert home.is_dir(), f"{path.relative_to(ROOT)} stands in a folder that the package has not"
        names = {each.stem for each in home.glob("*.py")}
        if path.stem.startswith("test_") and not any(f"{path.stem}_".startswith(f"test_{name}_") for name in names):
            strange.add(path.relative_to(UNIT).as_posix())
    assert strange == set(NO_MODULE)
