"""The table of error texts, read from the source: what happened, where, and what to do now.

A *site* is a place that makes an error, a warning or a doctor's finding. Its text may stand there, in a constant, in
a function that makes it, or at each call of a function that takes it; all are followed. What is only known at run
time stands as ``{what it is}``. :func:`table` lists them; a test refuses one without a place or a cure.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from source_words import Module, Words, assigned, bind, last, modules, parameters, read

import openenv_notebook.values.errors

TREE: dict[str, type[BaseException]] = {
    name: cls
    for name, cls in vars(openenv_notebook.values.errors).items()
    if isinstance(cls, type) and issubclass(cls, BaseException)
}
# Exceptions without a place for a hint: the text has all three parts.
PLAIN = {
    "UsageError",
    "GrammarError",
    "Incomplete",
    "SessionFault",
    "TooDeepError",
    *(name for name, cls in vars(builtins).items() if isinstance(cls, type) and issubclass(cls, Exception)),
}
# These write the cure themselves, from what they are told.
OWN_CURE = {"ReplyTimeout": "{what became of the call, and whether to make it again}"}
# These are given the address, or say in their own words which call, field or tool it was.
PLACED = {
    *("InvalidTarget", "UnknownClient", "ReplyTimeout", "InvalidAction", "ToolFailed", "FactoryFailed"),
    *("ServerError", "EnvironmentFailed", "AtCapacity", "SessionRefused", "RequestRejected", "ProtocolError"),
    *("OpenEnvWarning", "Finding"),
}
# Texts that no person meets as they stand here, or whose other parts stand elsewhere: the site, and why.
INTERNAL = {
    "__init__.py:__getattr__": "Python's own words for a name that a module has not",
    "jupyter/__init__.py:__getattr__": "Python's own words for a name that a module has not",
    "client/blocking.py:__getattr__": "Python's own words for an attribute that an object has not",
    "client/tools.py:__getattr__": "a probe of Python or of the shell for a private name",
    "values/attribute_dict.py:__getattr__": "a probe of Python or of the shell for a private name",
    "client/conversation.py:reset": "client/players.py writes the warning, with new_session() as the cure",
    "client/foreign.py:before_lease": "another package's object, whose address nobody knows",
    "jupyter/magic/magics.py:openenv": "a GrammarError's text, told by the shell",
    "jupyter/panel/action_view.py:call": "a control's words, which stand beside the control as well",
    "jupyter/panel/action_view.py:_typed": "a text of the magics' grammar, or of the schema for the field it names",
    "jupyter/panel/moves.py:typed": "an error's text, told in the panel",
    "record/saved.py:_is_state": "read_episode adds the place and the cure",
    "record/saved.py:_has_arguments": "read_episode adds the place and the cure",
    "record/saved.py:_that_a_float_can_be": "read_episode adds the place and the cure",
    "record/step.py:_saved_error": "an error as a file has it, with the cure that it had",
    "servers/embedded/session.py:_decode": "goes to the peer, which wrote the message, as the official server tells it",
    "servers/in_process/loop.py:run_for": "what an environment raised, on its way into the official server",
    "servers/in_process/loop.py:default_exception_handler": "a line of a server's log",
    "servers/in_process/loop.py:_settle": "what an environment raised, on its way into the official server",
    "servers/in_process/subclass.py:reported": "what an environment raised, on its way into the official server",
    "threads/portal.py:lease": "the whole kernel, or its end, is the place",
    "threads/worker.py:in_thread": "translated by who asked over HTTP",
    "threads/worker.py:run": "translated by who had it run",
    "values/png.py:encode_pixels": "pictures of the package's own",
    "values/to_json.py:_convert": "translated by to_bytes, with the place",
    "values/to_json.py:_not_complex": "translated by to_bytes, with the place",
    "values/to_json.py:_without_models": "fields_of adds the place in the value",
    "wire/connection.py:send": "translated by the session that sends",
}
# By the class: which argument has the text, where it is not the first.
_TEXT_AT = {
    "HandshakeRejected": 1, "ConnectTimeout": 1, "InvalidTarget": 1, "Finding": 1, "OSError": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One text: its place in the source, the class, and its parts; ``addressed`` where the class has an address."""

    file: str
    line: int
    function: str
    error: str
    text: str
    hint: str
    addressed: bool

    @property
    def site(self) -> str:
        """Name the place in the source, without the line, which changes."""
        return f"{self.file}:{self.function}"

    @property
    def parts(self) -> tuple[str, str]:
        """What happened with where, and what to do now."""
        if self.hint:
            return self.text, self.hint
        found = _CURE_IN_TEXT.search(self.text)
        if found is None:
            right = _RIGHT_FORM.search(self.text)
            return self.text, right[0].strip() if right else ""
        return self.text[: found.start()], self.text[found.end() :]

    @property
    def names_its_place(self) -> bool:
        """Tell whether it says where: by an address, a name of something, or in the words around every such text."""
        return self.addressed or self.error in PLACED or bool(_NAMED.search(f"{self.text} {self.hint}"))


# What says where: what is known at run time only, a call, an option, an argument, a verb.
_NAMED = re.compile(r"\{|\w\(|--\w|%\w|\w=|\$|\.\w")
# What stands behind these in a text without a hint is what to do.
_CURE_IN_TEXT = re.compile(
    r"; | · |: (?=%|--|\w+\(|\w+=|(?:begin|close|give|name|pip|put|read|send|use|write)\b)|(?<=takes one thing): "
    r"|(?<=takes named arguments): |(?= \((?:options|fields|known|servers|tools|verbs|connected): )"
)
# The right form, named beside the wrong one.
_RIGHT_FORM = re.compile(r"(?<=\s)(takes|needs|must be|is|are|has) .+?, not\b.*$")


@cache
def table() -> tuple[Row, ...]:
    """List every text of the package, in the order of the source."""
    rows = {row for module in modules().values() for row in _rows(module)}
    return tuple(sorted(rows, key=lambda row: (row.file, row.line, row.text, row.hint)))


def rows_of(file: str, source: str) -> list[Row]:
    """List the texts of one module, given as it would stand in the package."""
    return list(dict.fromkeys(_rows(read(file, source))))


def raised(file: str, source: str) -> Iterator[tuple[int, str]]:
    """Go through what a module raises otherwise than by making it there: the line, and what is called for it."""
    for node in ast.walk(read(file, source).tree):
        name = last(node.exc.func) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) else ""
        if name and name not in {*TREE, *PLAIN}:
            yield node.lineno, name


def makers() -> set[str]:
    """Name the functions of the package that return an error."""
    functions = [each for module in modules().values() for each in module.functions.values()]
    kinds = {*TREE, "Exception", "BaseException"}
    return {
        each.name for each in functions if each.returns and kinds & set(re.findall(r"\w+", ast.unparse(each.returns)))
    }


def _rows(module: Module) -> Iterator[Row]:
    for name in module.calls.keys() & {*TREE, *PLAIN, "caution", "Finding"}:
        for made in module.calls[name]:
            yield from _at(module, made, name)


def _at(module: Module, made: ast.Call, name: str) -> Iterator[Row]:
    """Write the rows of one call of a class; of each call of the function around it, where that is given the text."""
    if name == "Finding" and ast.unparse(made.args[0]) == "'ok'":
        return
    given = {each.arg: each.value for each in made.keywords if each.arg}
    at = _TEXT_AT.get(name, 0)
    text = made.args[at] if len(made.args) > at else given.get("message") or (made.args[0] if made.args else None)
    hint = given.get("hint") or (made.args[2] if name == "Finding" and len(made.args) > 2 else None)
    text = None if name == "UnknownClient" else text
    function = next(module.around(made), None)
    if function is not None:
        outer = {each.id for each in (text, hint) if isinstance(each, ast.Name)} & set(parameters(function))
        calls = (
            list(_calls(module, function.name)) if outer - {target for target, *_ in assigned(function.body)} else []
        )
        for other, call in calls:
            words = Words(module, bind(function, call, Words(other)))
            yield from _written(other, call, name, words.pairs(text, hint), "url" in given)
        if calls:
            return
    yield from _written(module, made, name, Words(module).pairs(text, hint), "url" in given)


def _calls(module: Module, name: str) -> Iterator[tuple[Module, ast.Call]]:
    for other in {id(each): each for each in (module, *modules().values())}.values():
        if other is module or any(theirs == name for _, theirs in other.imports.values()):
            yield from ((other, call) for call in other.calls.get(name, ()))


def _written(
    module: Module, place: ast.Call, name: str, pairs: list[tuple[str | None, str | None]], addressed: bool
) -> Iterator[Row]:
    function = next((function.name for function in module.around(place)), "")
    default = getattr(TREE.get(name), "default_hint", None) or OWN_CURE.get(name, "")
    error = "OpenEnvWarning" if name == "caution" else name
    for text, hint in pairs:
        yield Row(module.file, place.lineno, function, error, text or "", hint or default, addressed)


def cell(text: str) -> str:
    """Write a text so that Markdown shows it as it is, in one line."""
    return re.sub(r"([\\`*_{}\[\]<>|$#~])", r"\\\1", " ".join(text.split()))


def page() -> Iterator[str]:
    """Write the table of the reference, by class, as lines of Markdown; without what no person meets."""
    order = [*TREE, "UsageError", *sorted(PLAIN), "Finding"]
    rows = sorted((row for row in table() if row.site not in INTERNAL), key=lambda row: order.index(row.error))
    for name in dict.fromkeys(row.error for row in rows):
        yield from (f"## {_TITLES.get(name, name)}", "", "| what happened, where | what to do now |", "|---|---|")
        cures: dict[str, dict[str, None]] = {}
        for row in rows:
            if row.error == name:
                cures.setdefault(cell(row.parts[0]), {})[cell(row.parts[1])] = None
        for what, told in cures.items():
            yield f"| {what or '…'} | {' *or* '.join(told)} |"
        yield ""


_TITLES = {
    "Finding": "Findings of `%openenv doctor`",
    "UsageError": "UsageError of `%openenv`",
    "GrammarError": "UsageError of `%openenv`, on how it is written",
}
