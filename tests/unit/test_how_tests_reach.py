"""How tests reach: through what users see or through a seam, and waiting for conditions, never for a time."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

from support.import_graph import ROOT

TESTS = ROOT / "tests"

# Names with an underscore that may be reached for.
PROTOCOLS = {
    "_ipython_key_completions_": "IPython's, for Tab within brackets",
    "_render_traceback_": "IPython's, for what it shows of an error",
    "_repr_html_": "IPython's, for what it shows of a value",
    "_step_payload": "the official hook, which clients override",
    "_parse_result": "the official hook, which clients override",
    "_parse_state": "the official hook, which clients override",
}
OTHERS = {
    "_current_frames": "sys: where the other threads stand",
    "_event_loop_policy": "asyncio: whether one was set, without making one",
    "_exit": "os: the end of a process that cannot clean up",
    "_get_running_loop": "asyncio: what it is, without an error",
    "_handle_msg": "ipywidgets: what a browser says",
    "_instances": "ipywidgets: the widgets that there are",
    "_internal": "pip: its command, without a process",
    "_types_namespace": "pydantic: where a model finds its names",
    # Looked for in the package's own code, where two faults of ipykernel are gone around.
    "_reply_subshell_id": "ipykernel",
    "_shell_parent": "ipykernel",
}
KEYS = {"_id": "a key of a server", "_wrapped": "a key of a server, called as a slot of ours"}
ALLOWED = {**PROTOCOLS, **OTHERS, **KEYS}

# Where tests sleep, and why there is nothing to wait for.
SLEEPS = {
    "support/waiting.py": "the one place that waits: a tick between two looks at a condition",
    "integration/kernels/test_asking.py": "cells that keep the kernel busy while clicks come, and after a question",
    "support/situations.py": "a cell that keeps the kernel busy, as it is told",
    "support/slow_wire.py": "a wire that takes its time is what it is",
    "browser/test_panel_kernels.py": "a cell that keeps the kernel busy while a person clicks",
    "integration/environments/lab.py": "steps that take a little, in storms",
    "integration/programs/attack.py": "the pace of its interrupts is what is promised",
    "integration/programs/interrupts.py": "a program that is interrupted at moments by chance",
    "unit/threads/test_portal.py": "a coroutine that blocks its thread for so long that it is warned of",
}

_REACH_IN_TEXT = re.compile(r"(?<![\w.])(?!(?:self|cls|super\(\))\.)[A-Za-z_][\w.()\[\]'\"]*\.(_[a-z]\w*)")
_SLEEP_IN_TEXT = re.compile(r"\btime\.sleep\b|asyncio\.sleep\((?!0\b(?!\.))|\.wait_for_timeout\b")
_BY_NAME = ("getattr", "setattr", "hasattr", "delattr")


def is_private(name: object) -> bool:
    """Tell whether a name is somebody's own."""
    return isinstance(name, str) and name.startswith("_") and not name.startswith("__") and name != "_"


def reaches(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Find the private names that code reaches for, with their lines: by the dot, by name, or in code within a text."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if is_private(name):
                yield node.lineno, name
            case ast.ImportFrom(names=names):
                yield from ((node.lineno, each.name) for each in names if is_private(each.name))
            case ast.Call(func=func, args=[_, ast.Constant(value=name), *_]) if is_private(name):
                if (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in _BY_NAME:
                    yield node.lineno, str(name)
            case ast.keyword(arg=name) if is_private(name):
                yield node.lineno, str(name)
            case ast.Constant(value=str() as text):
                yield from ((node.lineno, found) for found in _REACH_IN_TEXT.findall(text))


def sleeps(tree: ast.AST) -> Iterator[int]:
    """Find the lines that wait for a time, also in code within a text."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    giving_way = {id(call.func) for call in calls if isinstance(call.args[0], ast.Constant) and call.args[0].value == 0}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
                yield node.lineno
            case ast.Attribute(value=ast.Name(id="asyncio"), attr="sleep") if id(node) not in giving_way:
                yield node.lineno
            case ast.Attribute(attr="wait_for_timeout"):
                yield node.lineno
            case ast.ImportFrom(module="time" | "asyncio", names=names) if any(each.name == "sleep" for each in names):
                yield node.lineno
            case ast.Constant(value=str() as text) if _SLEEP_IN_TEXT.search(text):
                yield node.lineno


def files() -> list[str]:
    """The files of the tests, but this one."""
    found = (path.relative_to(TESTS) for path in TESTS.rglob("*.py") if "__pycache__" not in path.parts)
    return sorted(path.as_posix() for path in found if path.as_posix() != "unit/test_how_tests_reach.py")


@functools.cache
def found_in(name: str) -> tuple[list[tuple[int, str]], list[int]]:
    """The reaches and the sleeps of a file, which is read once."""
    tree = ast.parse((TESTS / name).read_text(encoding="utf-8"))
    return list(reaches(tree)), list(sleeps(tree))


def test_nothing_private_is_reached_for() -> None:
    """What is inside of an object is asked through a public view, through a seam, or through what a user sees."""
    wrong = [
        f"tests/{name}:{line} reaches for {found}"
        for name in files()
        for line, found in found_in(name)[0]
        if found not in ALLOWED
    ]
    assert not wrong, "\n".join(wrong)


def test_no_test_waits_for_a_time() -> None:
    """A condition is waited for; the few places that must sleep are listed with their reasons."""
    sleeping = {name: found_in(name)[1] for name in files()}
    found = [f"tests/{name}:{line}" for name, lines in sleeping.items() for line in lines if name not in SLEEPS]
    assert not found, "\n".join(["these sleep:", *found])
    assert [name for name in SLEEPS if not sleeping.get(name)] == [], "they sleep no longer: take them out of the list"


def test_what_is_listed_is_needed() -> None:
    """The list of names holds what there is, and nothing more."""
    there = {found for name in files() for _, found in found_in(name)[0]}
    assert {name for name in ALLOWED if name not in there} == set()


def test_a_reach_and_a_sleep_would_be_seen() -> None:
    """Each way to reach and to sleep is found; what is one's own, what is public and giving way are not."""
    reaching = ["a._b", "a.b._c()", "super()._d()", "getattr(a, '_e')", "monkeypatch.setattr(a, '_f', 1)",
                "from a import _g", "f(_h=1)", "run('p._i.j')", "run('x = a[0]._k')"]  # fmt: skip
    assert ["".join(found for _, found in reaches(ast.parse(code))) for code in reaching] == [
        f"_{letter}" for letter in "bcdefghik"
    ]
    fine = ["self._a", "cls._a", "a.__dict__", "a.b", "_a", "_a()", "'self._a'", "'a_b._'", "getattr(a, 'b')"]
    assert [list(reaches(ast.parse(code))) for code in fine] == [[]] * len(fine)
    sleeping = ["time.sleep(0)", "f(time.sleep)", "asyncio.sleep(0.1)", "asyncio.sleep(n)", "page.wait_for_timeout(1)",
                "from time import sleep", "run('time.sleep(1)')", "run('await asyncio.sleep(0.01)')"]  # fmt: skip
    assert [len(list(sleeps(ast.parse(code)))) for code in sleeping] == [1] * len(sleeping)
    waiting = ["asyncio.sleep(0)", "asyncio.sleep(0, 3)", "run('await asyncio.sleep(0)')", "event.wait(5)"]
    assert [list(sleeps(ast.parse(code))) for code in waiting] == [[]] * len(waiting)
