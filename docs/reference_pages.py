"""Directives that write the reference from the package itself, so that it cannot fall behind.

``{verbs}`` writes every verb of ``%openenv`` from the table the magic runs, ``{errors}``
every error class from the tree, ``{texts}`` every error text from the source.
What a person has to add stands beside: ``verbs.toml`` and
``errors.toml`` in ``reference/``. A test says what is missing there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import error_texts

import openenv_notebook.values.errors
from openenv_notebook.jupyter.magic.verbs import VERBS, Verb
from openenv_notebook.values.errors import OpenEnvError

REFERENCE = Path(__file__).parent / "reference"


def told(name: str) -> dict[str, Any]:
    """Read what people have written beside the code.

    Args:
        name: "verbs" or "errors".

    Returns:
        Tables by name.
    """
    return tomllib.loads((REFERENCE / f"{name}.toml").read_text(encoding="utf-8"))


def error_classes() -> Iterator[tuple[type[OpenEnvError], int]]:
    """Walk the tree of errors as its drawing does.

    Yields:
        Each class with its depth, the root first.
    """
    order = list(vars(openenv_notebook.values.errors))

    def below(cls: type[OpenEnvError], depth: int) -> Iterator[tuple[type[OpenEnvError], int]]:
        yield cls, depth
        own = [each for each in cls.__subclasses__() if each.__module__ == openenv_notebook.values.errors.__name__]
        for each in sorted(own, key=lambda each: order.index(each.__name__)):
            yield from below(each, depth + 1)

    return below(OpenEnvError, 0)


def verb_page(verb: Verb, texts: dict[str, Any]) -> Iterator[str]:
    """Write the part of one verb.

    Args:
        verb: The verb.
        texts: The content of ``verbs.toml``.

    Yields:
        Lines of Markdown.
    """
    mine, options = texts["verb"][verb.name], texts["option"]
    yield from (f"(verb-{verb.name})=", "", f"## {verb.name}", "", _sentence(verb.summary), "")
    yield from _fenced("text", [f"%openenv {verb.name} {verb.usage}".rstrip()])
    if "more" in mine:
        yield from (mine["more"].strip(), "")
    taken = {**verb.takes, **verb.body_takes}
    if taken:
        yield from ("| option | means |", "|---|---|")
        for name, kind in taken.items():
            value = {"flag": "", "number": " N", "text": " TEXT", "list": " TEXT …"}[kind]
            said = mine.get("options", {}).get(name) or options[name]
            # With a cell's body only: the table would otherwise promise it to a line.
            only = " (`%%openenv` only)" if name in verb.body_takes and name not in verb.takes else ""
            yield f"| `--{name}{value}` | {said}{only} |"
        yield ""
    yield from _fenced("text", [f"%openenv {example}" for example in verb.examples])
    if "python" in mine:
        yield from ("In Python:", "")
        yield from _fenced("python", [mine["python"].strip()])
    else:
        yield from (f"In Python: {mine['no_python']}", "")


def error_page(cls: type[OpenEnvError], texts: dict[str, Any]) -> Iterator[str]:
    """Write the part of one error.

    Args:
        cls: The class.
        texts: The content of ``errors.toml``.

    Yields:
        Lines of Markdown.
    """
    mine = texts[cls.__name__]
    yield from (f"## {cls.__name__}", "")
    yield from _fenced("{eval-rst}", [f".. autoexception:: openenv_notebook.{cls.__name__}()", "   :show-inheritance:"])
    yield from (f"**Cause.** {mine['cause'].strip()}", "", f"**Cure.** {mine['cure'].strip()}", "")


def _fenced(language: str, lines: list[str]) -> Iterator[str]:
    yield from (f"```{language}", *lines, "```", "")


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:].replace("%%openenv", "`%%openenv`") + ("" if words.endswith(".") else ".")


def all_verbs() -> Iterator[str]:
    """Write the part of every verb, as lines of Markdown."""
    texts = told("verbs")
    for verb in VERBS.values():
        yield from verb_page(verb, texts)


def all_errors() -> Iterator[str]:
    """Write the part of every error, as lines of Markdown."""
    texts = told("errors")
    for cls, _ in error_classes():
        yield from error_page(cls, texts)


def setup(app: Any) -> dict[str, bool]:
    """Register the directives.

    Args:
        app: The Sphinx application.

    Returns:
        What Sphinx asks of extensions.
    """
    # The tests ask for the pages without Sphinx.
    from docutils import nodes
    from docutils.parsers.rst import Directive
    from docutils.statemachine import StringList

    def directive(write: Callable[[], Iterator[str]]) -> type[Directive]:
        class Written(Directive):
            def run(self) -> list[nodes.Node]:
                # It is made from the package, not from the page's file.
                self.state.document.settings.env.note_reread()
                parent = nodes.section()
                parent.document = self.state.document
                lines = "\n".join(write()).split("\n")
                text = StringList(lines, source=f"the directive {self.name}")
                self.state.nested_parse(text, 0, parent, match_titles=True)
                return parent.children

        return Written

    app.add_directive("verbs", directive(all_verbs))
    app.add_directive("errors", directive(all_errors))
    app.add_directive("texts", directive(error_texts.page))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
