"""Every error text of the package says what happened, where, and what to do now: a table made from the code."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from support.doc_code import ROOT

from openenv_notebook.values import errors

PACKAGE = ROOT / "openenv_notebook"

# These write what happened by themselves.
WHOLE = ("UnknownClient", "ClientClosed")
# What may be raised without being made there: copied, or found.
HANDED_ON = {"copy", "next", "pop", "_sendable"}
# A provider's own code is what fails there.
SHOW_CAUSE = {"opener.py"}
# Each of their sites gives the cure: there is none for all.
BY_SITE = {"OpenEnvError", "MisuseError", "WrongThread", "NotSupportedHere", "OpenEnvWarning", "ReplyTimeout"}


@pytest.fixture(scope="module")
def texts() -> Any:
    """What reads the table; Sphinx is not needed for it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import error_texts
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return error_texts


def sources() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def told(row: Any) -> str:
    what, cure = row.parts
    return f"{row.file}:{row.line} ({row.function}): {row.error}: {what} · {cure or '(no cure)'}"


def test_every_text_says_what_to_do_now(texts: Any) -> None:
    """Every text has a cure: in its class, given to it, or behind its words."""
    wrong = [told(row) for row in texts.table() if row.site not in texts.INTERNAL and not row.parts[1]]
    assert not wrong, "\n".join(wrong)


def test_every_text_says_where(texts: Any) -> None:
    """Every text has a place: an address, or a name of the call, the field, the option, the file it is about."""
    wrong = [told(row) for row in texts.table() if row.site not in texts.INTERNAL and not row.names_its_place]
    assert not wrong, "\n".join(wrong)


def test_every_text_says_what_happened(texts: Any) -> None:
    """No text is empty but where the class writes it all."""
    wrong = [told(row) for row in texts.table() if not row.parts[0] and row.error not in WHOLE]
    assert not wrong, "\n".join(wrong)


def test_every_exception_is_in_the_table(texts: Any) -> None:
    """What is raised is made where the table sees it; warnings are given in one place."""
    known = texts.makers() | HANDED_ON
    for path in sources():
        source = path.read_text("utf-8")
        unknown = [(line, name) for line, name in texts.raised(path.name, source) if name not in known]
        assert not unknown, f"{path}: {unknown}"
        assert "warnings.warn(" not in source or path.name == "caution.py", f"{path} warns by itself"


def test_no_cause_is_shown_behind_its_own_words() -> None:
    """An error that has the words of its cause is raised from None; only somebody's own code has a line to be seen."""
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ExceptHandler) and node.name and path.name not in SHOW_CAUSE:
                told = ast.unparse(node)
                is_said = re.search(rf"\{{{node.name}\b\}}|\bstr\({node.name}\)", told)
                assert not (is_said and f" from {node.name}\n" in f"{told}\n"), f"{path.name}:{node.lineno}"


def test_the_exceptions_to_it_are_needed(texts: Any) -> None:
    """Each text that is excused is there, and would fail."""
    wrong = {row.site for row in texts.table() if not row.parts[1] or not row.names_its_place}
    assert set(texts.INTERNAL) - wrong == set()


@pytest.mark.parametrize("name", sorted(set(vars(errors)) - BY_SITE))
def test_a_class_has_its_cure(name: str) -> None:
    """A class that is made from what a server or a network says has a cure of its own, for what nobody foresaw."""
    cls = vars(errors)[name]
    if isinstance(cls, type) and issubclass(cls, errors.OpenEnvError):
        assert cls.default_hint


@pytest.mark.parametrize(
    ("line", "what", "cure", "has_place"),
    [
        ('raise MisuseError("it cannot be")', "it cannot be", "", False),
        ('raise MisuseError(f"{x!r} cannot be", hint="give one")', "{x} cannot be", "give one", True),
        (
            'raise UsageError("reset takes no list; write reset(seed=7)")',
            "reset takes no list",
            "write reset(seed=7)",
            True,
        ),
        ('raise UsageError("something is wrong")', "something is wrong", "", False),
        (
            'raise ValueError(f"size is from 1 to 9, not {x}")',
            "size is from 1 to 9, not {x}",
            "is from 1 to 9, not {x}",
            True,
        ),
        ('hint = None if x else "wait"\n    raise MisuseError("f() fails", hint=hint)', "f() fails", "", True),
        ('raise SessionLost(x, url="u")', "{x}", errors.SessionLost.default_hint, True),
        ('caution("a step without a reset()")', "a step without a reset()", "", True),
    ],
)
def test_the_table_sees(texts: Any, line: str, what: str, cure: str, has_place: bool) -> None:
    """A text without a cure or a place would be seen, also where only one of its forms has none."""
    rows = texts.rows_of("made.py", f"def f(x):\n    {line}\n")
    assert (what, cure) in [row.parts for row in rows]
    assert all(row.names_its_place is has_place for row in rows)


def test_the_table_follows_functions_and_tables(texts: Any) -> None:
    """Texts are found behind constants, tables by key, and functions that are given them."""
    source = """
WORDS = {1: ("no token", "pass token="), 2: ("no path", None)}
def wrong(reason, hint=None):
    return ConnectFailed(reason, hint=hint)
def f(x):
    words, hint = WORDS.get(x, ("no reason", "wait"))
    raise HandshakeRejected(x, words, hint=hint)
def g(x):
    raise wrong("the name is missing", "write a name")
"""
    found = [row.parts for row in texts.rows_of("made.py", source)]
    assert ("the name is missing", "write a name") in found
    assert {what for what, _ in found} >= {"no token", "no path", "no reason"}


def test_the_page_is_complete(texts: Any) -> None:
    """Every text stands on its page of the reference."""
    page = "\n".join(texts.page())
    missing = [
        told(row) for row in texts.table() if row.site not in texts.INTERNAL and texts.cell(row.parts[0]) not in page
    ]
    assert not missing, "\n".join(missing)
