"""Code within sentences and tables is right, too: verbs, options, functions and methods are there."""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.doc_code import PAGES, ROOT

import openenv_notebook
import openenv_notebook.jupyter
from openenv_notebook import EnvClient, SyncEnvClient
from openenv_notebook.jupyter import Panel
from openenv_notebook.jupyter.magic.arguments import read_words
from openenv_notebook.jupyter.magic.tokens import GrammarError
from openenv_notebook.jupyter.magic.verbs import VERBS

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TEXTS = [*PAGES, *(ROOT / "docs/reference").glob("*.toml"), *NOTEBOOKS]
_FENCE = re.compile(r"^`{3,}.*?^`{3,}", re.M | re.S)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Stands for a value of the reader's.
NAMES = {
    "url", "what", "env", "envs", "actions", "action", "policy", "client", "panel", "server", "name", "function",
    "draw", "agent", "observation", "image", "result", "episode", "step", "MyEnvironment", "Doubler", "sys", "NAME",
    "timeout", "match", "error", "main", "Verb",
}  # fmt: skip
OBJECTS = {
    "env": SyncEnvClient,
    "client": EnvClient,
    "panel": Panel,
    "server": openenv_notebook.Server,
    "episode": openenv_notebook.Episode,
    "run": openenv_notebook.Rollout,
}


def text_of(path: Path) -> str:
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def inline_of(path: Path) -> Iterator[str]:
    yield from _INLINE.findall(text_of(path))


def lines_of(path: Path) -> Iterator[str]:
    """Lines of the magic: within sentences, and in all blocks."""
    for code in inline_of(path):
        if code.startswith("%openenv"):
            yield code
    if path.suffix != ".ipynb":
        text = path.read_text(encoding="utf-8")
        for block in _FENCE.findall(text):
            yield from re.findall(r"^(?:\w+ = )?(%openenv.*)$", block, re.M)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_magic_line_has_a_verb_and_options_that_are_known(path: Path) -> None:
    """What we tell people to type after %openenv is a verb, with options that it takes."""
    for line in lines_of(path):
        _, _, rest = line.partition(" ")
        name, _, rest = rest.strip().partition(" ")
        if not name or name.startswith(("#", "…", "-")) or line.startswith("%openenv?"):
            continue
        if name == "help":
            assert rest in (*VERBS, "VERB", ""), line
            continue
        assert name in VERBS, f"{path.name}: {line}"
        takes = {**VERBS[name].takes, **VERBS[name].body_takes}
        for option in re.findall(r"(?<!\S)--([\w-]+)", rest.split("#")[0]):
            assert option in takes, f"{path.name}: {line}"
        if name not in ("step", "reset", "call"):
            try:
                read_words(name, re.sub(r"\b[NS]\b", "1", rest.replace("…", "")), takes)
            except GrammarError as error:
                pytest.fail(f"{path.name}: {line}: {error}")


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_call_within_a_sentence_is_there(path: Path) -> None:
    """Functions, and methods of clients, panels and servers, that a sentence names exist."""
    public = {*openenv_notebook.__all__, *openenv_notebook.jupyter.__all__, *dir(builtins), *NAMES}
    for code in inline_of(path):
        if not re.match(r"(await )?\w+(\.\w+)*\(.*\)$", code):
            continue
        try:
            tree = ast.parse(code.replace("…", "..."))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in OBJECTS:
                kind = OBJECTS[node.value.id]
                there = hasattr(kind, node.attr) or (kind is SyncEnvClient and hasattr(EnvClient, node.attr))
                assert there, f"{path.name}: {code}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and path.parent.name != "explanation":
                known = public | {name for kind in OBJECTS.values() for name in dir(kind)} | set(dir(EnvClient))
                assert node.func.id in known, f"{path.name}: {code}"


def test_a_wrong_line_would_be_seen() -> None:
    """Lines are found in sentences and in blocks."""
    found = list(lines_of(ROOT / "README.md"))
    assert "%openenv doctor" in found and "%openenv panel" in {line.split("  ")[0] for line in found}
