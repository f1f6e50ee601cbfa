"""What texts an expression of the package's source may be, without running it.

Constants, tables, branches, and functions that return text are followed; what is only known at run time stands as
``{what it is}``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import openenv_notebook

PACKAGE = Path(openenv_notebook.__file__).parent
_MOST = 24
_DEEPEST = 8

Node = ast.expr | None
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """One source file, and what stands in it by name."""

    file: str
    tree: ast.Module
    constants: dict[str, list[ast.expr]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    calls: dict[str, list[ast.Call]] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def around(self, node: ast.AST) -> Iterator[Function]:
        """Go through the functions a node is in, from the inside."""
        at: ast.AST | None = node
        while at is not None:
            if isinstance(at, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield at
            at = self.parents.get(at)

    def values(self, function: Function, name: str, use: ast.AST) -> list[ast.expr]:
        """Give what a name may hold where it is used: what is assigned before, back to what always is."""
        above: set[ast.AST] = set()
        at: ast.AST | None = use
        while at is not None:
            above.add(at)
            at = self.parents.get(at)
        line = getattr(use, "lineno", 0)
        found = [each for each in assigned(function.body) if each[0] == name and each[2] not in above]
        before = [each for each in found if getattr(each[2], "lineno", 0) <= line] or found
        values = []
        for _, value, stmt in sorted(before, key=lambda each: getattr(each[2], "lineno", 0), reverse=True):
            values.append(value)
            if self.parents[stmt] in above:
                break
        return values


def read(file: str, source: str) -> Module:
    """Read a source, given as the file it would be in the package."""
    module = Module(file, ast.parse(source))
    for node in ast.walk(module.tree):
        module.parents.update((child, node) for child in ast.iter_child_nodes(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            module.functions.setdefault(node.name, node)
        elif isinstance(node, ast.Call):
            module.calls.setdefault(last(node.func), []).append(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("openenv_notebook"):
            module.imports.update({each.asname or each.name: (node.module or "", each.name) for each in node.names})
    for target, value, _ in assigned(module.tree.body):
        module.constants.setdefault(target, []).append(value)
    return module


@cache
def modules() -> dict[str, Module]:
    """Read all files of the package, by the name of the module."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        module = read(file, path.read_text(encoding="utf-8"))
        name = "openenv_notebook." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        found[name] = module
    return found


def assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr, ast.AST]]:
    """Go through what is assigned in statements, those of inner blocks included: name, value, and statement."""
    for node in (node for stmt in body for node in ast.walk(stmt)):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                for place, target in enumerate(targets):
                    if isinstance(target, ast.Name):
                        yield target.id, ast.Subscript(value, ast.Constant(place)), node
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value, node
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value, node
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                yield name, value, node


class Words:
    """Reads what texts an expression may be; None stands for None."""

    def __init__(self, module: Module, bound: dict[str, tuple[Words, ast.expr]] | None = None) -> None:
        self.module = module
        self.bound = bound or {}

    def of(self, node: Node, depth: int = 0) -> list[str | None]:
        """Give every text there may be, each once, at most a few."""
        found = self._of(node, depth) if depth < _DEEPEST else ["{…}"]
        return list(dict.fromkeys(found))[:_MOST]

    def _of(self, node: Node, depth: int) -> list[str | None]:
        deeper = depth + 1
        match node:
            case None | ast.Constant(value=None):
                return [None]
            case ast.Constant(value=value):
                return [str(value)]
            case ast.JoinedStr(values=values):
                return self._joined(values, deeper)
            case ast.FormattedValue(value=value):
                inside = self.of(value, deeper)
                return inside if _is_text(inside) else [_shown(value)]
            case ast.BinOp(left=left, right=right, op=ast.Add()):
                return self._joined([left, right], deeper)
            case ast.IfExp(body=body, orelse=orelse):
                return self.of(body, deeper) + self.of(orelse, deeper)
            case ast.BoolOp(values=values, op=ast.Or()):
                each = [text for value in values for text in self.of(value, deeper)]
                return [text for text in each if text is not None] + (
                    [None] if None in self.of(values[-1], deeper) else []
                )
            case ast.Name(id=name):
                return self._named(name, node, deeper)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(place))):
                parts = [each.elts[place] for each in self._tuples(value) if place < len(each.elts)]
                return [text for part in parts for text in self.of(part, deeper)] or [_shown(node)]
            case (
                ast.Subscript(value=ast.Name(id=name))
                | ast.Call(func=ast.Attribute(attr="get", value=ast.Name(id=name)))
            ):
                return self._looked_up(name, node, deeper)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return self._returned(name, node, deeper)
        return [_shown(node)]

    def pairs(self, text: Node, hint: Node) -> list[tuple[str | None, str | None]]:
        """Give a text and a hint, each with each, but those that stand side by side in a table together."""
        function = next(self.module.around(text), None) if text is not None else None
        if isinstance(text, ast.Name) and isinstance(hint, ast.Name) and function is not None:
            one, other = (self.module.values(function, each.id, each) for each in (text, hint))
            match one, other:
                case [ast.Subscript(value=first)], [ast.Subscript(value=second)] if first is second:
                    both = [(each.elts[0], each.elts[1]) for each in self._tuples(first)]
                    return [(a, b) for what, cure in both for a in self.of(what) for b in self.of(cure)]
        texts = self.of(text)
        return [(a, b) for a in [each for each in texts if each] or [""] for b in self.of(hint)]

    def _joined(self, parts: list[ast.expr], depth: int) -> list[str | None]:
        texts: list[str] = [""]
        for part in parts:
            more = [each or "" for each in self.of(part, depth)]
            texts = [text + each for text in texts for each in more][:_MOST]
        return list(texts)

    def _named(self, name: str, node: ast.Name, depth: int) -> list[str | None]:
        if name in self.bound:
            words, given = self.bound[name]
            return words.of(given, depth)
        for function in self.module.around(node):
            values = self.module.values(function, name, node)
            if values:
                return [text for value in values for text in self.of(value, depth)]
            if name in parameters(function):
                return [_shown(node)]
        return self._constant(name, depth) or [_shown(node)]

    def _constant(self, name: str, depth: int) -> list[str | None]:
        if name in self.module.constants:
            return [text for value in self.module.constants[name] for text in self.of(value, depth)]
        source, theirs = self.module.imports.get(name, ("", ""))
        other = modules().get(source)
        return Words(other)._constant(theirs, depth) if other else []

    def _looked_up(self, name: str, node: ast.expr, depth: int) -> list[str | None]:
        """Give all values of a table, and what stands for a missing one."""
        values = self._values(name, node)
        found = [text for value in values for text in self.of(value, depth)]
        if isinstance(node, ast.Call) and found:
            found += self.of(node.args[1], depth) if len(node.args) > 1 else [None]
        return found or [_shown(node)]

    def _values(self, name: str, node: ast.expr) -> list[ast.expr]:
        tables = [*self.module.constants.get(name, ())]
        for function in self.module.around(node):
            tables += self.module.values(function, name, node)
        return [value for table in tables if isinstance(table, ast.Dict) for value in table.values]

    def _tuples(self, node: ast.expr) -> list[ast.Tuple]:
        """Give the tuples that an expression may be: itself, one of a table, or what stands for a missing one."""
        match node:
            case ast.Tuple():
                return [node]
            case ast.Name(id=name):
                return [each for each in self.module.constants.get(name, ()) if isinstance(each, ast.Tuple)]
            case ast.Call(func=ast.Attribute(attr="get", value=ast.Name(id=name)), args=args):
                return [each for value in (*self._values(name, node), *args[1:]) for each in self._tuples(value)]
        return []

    def _returned(self, name: str, node: ast.Call, depth: int) -> list[str | None]:
        """Give what a function of the package returns, where that is text."""
        module, function = self.module, self.module.functions.get(name)
        source, theirs = self.module.imports.get(name, ("", ""))
        if function is None and source in modules():
            module = modules()[source]
            function = module.functions.get(theirs)
        # Words for a list of names, or for a value, say nothing by themselves.
        if function is None or not re.search(r"\bstr\b", ast.unparse(function.returns) if function.returns else ""):
            return [_shown(node)]
        words = Words(module, bind(function, node, self))
        returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
        found = [text for value in returned for text in words.of(value, depth)]
        return found if any(text and re.search(r"[a-z]{3} [a-z]{2}", text) for text in found) else [_shown(node)]


def _is_text(found: list[str | None]) -> bool:
    return any(text is None or not text.startswith("{") for text in found)


def _shown(node: ast.AST | None) -> str:
    """Name a value that is known at run time only, by its last word."""
    source = ast.unparse(node) if node is not None else ""
    words = re.findall(r"[A-Za-z]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", source))
    plain = [word for word in words if word not in ("self", "str", "repr", "len", "type", "short_repr", "join", "name")]
    return "{" + (plain or words or ["…"])[-1].strip("_").replace("_", " ") + "}"


def parameters(function: Function) -> list[str]:
    """Name what a function takes."""
    args = function.args
    return [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs) if each.arg not in ("self", "cls")]


def bind(function: Function, call: ast.Call, words: Words) -> dict[str, tuple[Words, ast.expr]]:
    """Say what each parameter is given by a call, as read there."""
    names, args = parameters(function), function.args
    given = {
        **dict(zip(reversed([each.arg for each in args.args]), reversed(args.defaults), strict=False)),
        **{each.arg: value for each, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value},
        **dict(zip(names, call.args, strict=False)),
        **{each.arg: each.value for each in call.keywords if each.arg in names},
    }
    return {name: (words, value) for name, value in given.items()}


def last(function: ast.expr) -> str:
    """Give the last word of what is called."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
