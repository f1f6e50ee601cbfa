"""Who imports whom in the package, read from its files: at the top, in functions, for type checkers, by name."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "openenv_notebook"
# What stands for a module whose name is only known when the call is made.
BY_NAME = "*"


@dataclass(frozen=True)
class Import:
    """One import.

    Attributes:
        module: Who imports, by its full name.
        imported: What: a module of the package by its full name, another package's by its own, or BY_NAME.
        is_late: True inside a function or under ``TYPE_CHECKING``.
        line: Where.
    """

    module: str
    imported: str
    is_late: bool
    line: int


def project() -> dict[str, Any]:
    """Read the tables of tools in ``pyproject.toml``."""
    tables: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    return tables


@cache
def floors() -> tuple[str, ...]:
    """The folders of the package, the lowest first, as import-linter is told."""
    contracts = project()["importlinter"]["contracts"]
    layers: list[str] = next(each["layers"] for each in contracts if each["type"] == "layers")
    return tuple(reversed([layer for layer in layers if (PACKAGE / layer).is_dir()]))


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> tuple[Import, ...]:
    """Every import of every module."""
    return tuple(each for module, path in modules().items() for each in read(module, path.read_text(encoding="utf-8")))


def read(module: str, source: str) -> Iterator[Import]:
    """Find the imports of one module.

    Args:
        module: Its full name.
        source: Its text.
    """
    return _within(module, ast.parse(source), False)


def _within(module: str, node: ast.AST, is_late: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        late = is_late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            late = True
        for imported in _imported(child):
            yield Import(module, imported, is_late, getattr(child, "lineno", 0))
        yield from _within(module, child, late)


def _imported(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import():
            yield from (each.name for each in node.names)
        case ast.ImportFrom():
            assert node.level == 0 and node.module is not None, "an import names its module in full"
            names = {f"{node.module}.{each.name}" for each in node.names}
            yield from sorted(names & set(modules()))
            if names - set(modules()):
                yield node.module
        case ast.Constant(value=str(text)) if text.startswith(f"{PACKAGE.name}.") and text in modules():
            # A module that import_module is given.
            yield text
        case ast.Call(func=ast.Attribute(attr="import_module")):
            yield BY_NAME


def folder(module: str) -> str:
    """Tell the folder a module stands in; the package's own name for what stands at the root."""
    parts = module.split(".")
    return parts[1] if parts[0] == PACKAGE.name and len(parts) > 1 and parts[1] in floors() else parts[0]


@cache
def arrows() -> dict[str, frozenset[str]]:
    """Which folders each folder imports."""
    found: dict[str, set[str]] = {each: set() for each in floors()}
    for each in imports():
        above, below = folder(each.module), folder(each.imported)
        if above in found and below in found and above != below:
            found[above].add(below)
    return {above: frozenset(below) for above, below in found.items()}


def circles(found: Iterable[Import]) -> list[list[str]]:
    """Find the modules of the package that import each other, however long the way round.

    Args:
        found: The imports.

    Returns:
        The modules of each circle, sorted.
    """
    graph: dict[str, set[str]] = {}
    for each in found:
        graph.setdefault(each.module, set()).add(each.imported)
    reach = {module: _reached(graph, module) for module in graph}
    rings = {
        tuple(sorted(other for other in reach[module] if module in reach.get(other, ())))
        for module in graph
        if module in reach[module]
    }
    return [list(ring) for ring in sorted(rings)]


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        for module in graph.get(ahead.pop(), ()):
            if module not in seen:
                seen.add(module)
                ahead.append(module)
    return seen
