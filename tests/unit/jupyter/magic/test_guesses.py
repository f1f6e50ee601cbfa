"""What is typed is sent, or refused with nothing sent: over lines, bodies, names in scopes, and values.

Python says what a name means, its ``json`` what a body says, and the far end what arrived.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from support.magics import magic
from support.pace import SLOW
from support.wire import FarEnd, scripted
from traitlets.config import Config

import openenv_notebook
from openenv_notebook.client.clients import GenericEnvClient
from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.errors import OpenEnvError

TEXT = {"properties": {"message": {"type": "string"}}, "required": ["message"]}
NUMBER = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
TWO = {"properties": {"op": {"type": "string"}, "n": {"type": "integer"}}, "required": ["op", "n"]}
UNKNOWN: dict[str, Any] = {"type": "object"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


class Notebook:
    """A shell with a client, whose far end tells what arrived."""

    def __init__(self, shell: InteractiveShell, env: Any, far_end: FarEnd) -> None:
        self.shell, self.env, self._far_end = shell, env, far_end

    def takes(self, schema: dict[str, Any]) -> None:
        """Let actions look like that."""
        self.env.known.schema = None
        self.env.known.take_schema(attribute_dict({"action": schema}))

    def sent(self, line: str, body: str | None = None) -> list[Any] | None:
        """Run a line, or a cell; gives the steps that arrived, None where it was refused and nothing arrived."""
        before = len(self._far_end.requests)
        try:
            if body is None:
                magic(self.shell, line)
            else:
                self.shell.run_cell_magic("openenv", line, body)
        except (UsageError, OpenEnvError):
            assert len(self._far_end.requests) == before, "it was refused after something was sent"
            return None
        return [request["data"] for request in self._far_end.requests[before:]]


@pytest.fixture(scope="module")
def notebook() -> Iterator[Notebook]:
    """A notebook that is asked again and again."""
    InteractiveShell.clear_instance()
    shell: InteractiveShell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    openenv_notebook.load_ipython_extension(shell)
    far_end = FarEnd()
    client = scripted(GenericEnvClient("scripted.test:80", message_timeout_s=10), far_end)
    env = client.sync()
    env.reset()
    shell.user_ns["env"] = env
    yield Notebook(shell, env, far_end)
    env.close()
    openenv_notebook.unload_ipython_extension(shell)
    InteractiveShell.clear_instance()


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=20) | st.text(
    st.sampled_from("ab =\"'#;$@{}[]:,-1.\\\t"), max_size=14
)


@SLOW
@given(LINES)
def test_a_text_arrives_as_it_was_typed_or_not_at_all(notebook: Notebook, line: str) -> None:
    """R10, R20: Of any line at most one step goes out, its fields are the server's, its text stands in the line."""
    notebook.takes(TEXT)
    arrived = notebook.sent(f"step {line}")
    for action in arrived or ():
        assert set(action) <= {"message"}
        text = action.get("message", "")
        assert isinstance(text, str) or json.dumps(text, ensure_ascii=False) in json.dumps(line, ensure_ascii=False)
        if isinstance(text, str) and "\\" not in line:
            assert text in line
        if line.strip() and line.strip()[0].isalnum() and not set(line) & set("=\"'#;$@{}[]-\\"):
            assert text == line.strip()
    assert arrived is None or len(arrived) == 1


@SLOW
@given(st.dictionaries(st.sampled_from(["op", "n", "x", "a b"]), json_values, min_size=1, max_size=4), st.data())
def test_a_body_is_sent_whole_or_not_at_all(notebook: Notebook, value: dict[str, Any], data: Any) -> None:
    """R20: JSON with comments on any of its lines is one step of exactly that, or nothing is sent and it says why."""
    notes = st.sampled_from(["", " # note", " #", '  # "x" {', " # it's; a=1"])
    lines = [line + data.draw(notes) for line in json.dumps(value, indent=1).split("\n")]
    notebook.takes(UNKNOWN)
    before = data.draw(st.sampled_from(["", "# note\n", "\n  # note\n\n"]))
    assert notebook.sent("step --json", before + "\n".join(lines) + "\n") == [value]
    assert notebook.sent("step --json", before) is None


@SLOW
@given(st.lists(st.tuples(st.sampled_from(["op", "n"]), st.integers(-9, 9)), min_size=1, max_size=4), st.data())
def test_pairs_on_many_lines_are_all_sent(notebook: Notebook, pairs: list[tuple[str, int]], data: Any) -> None:
    """R20: Pairs with blanks, lines and comments between them are all sent; one that is given twice is refused."""
    between = st.sampled_from([" ", "\n", " # note\n", "\n\n# note\n", "\r\n"])
    body = "".join(f"{name}={value}{data.draw(between)}" for name, value in pairs)
    notebook.takes(TWO)
    arrived = notebook.sent("step --json", body)
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        assert arrived is None
    else:
        assert arrived == [{name: str(value) if name == "op" else value for name, value in pairs}]


@SLOW
@given(json_values)
def test_a_variable_is_sent_as_the_object_it_is(notebook: Notebook, value: Any) -> None:
    """R10: $name sends the object itself, whatever it looks like when written; no text is read of it."""
    notebook.takes({"properties": {"x": {}}, "required": ["x"]})
    notebook.shell.user_ns["thing"] = value
    for line in ("step x=$thing", 'step {"x": 0}' if value == 0 and value is not False else "step x=$thing # note"):
        assert notebook.sent(line) == [{"x": value}]


# Layers of code around a line, the outermost first, each with or without a name of its own.
LAYERS = st.lists(
    st.tuples(st.sampled_from(["def", "parameter", "class", "for", "if", "lambda"]), st.booleans()), max_size=4
)


def program(layers: list[tuple[str, bool]], line: str, has_global: bool) -> str:
    """Write code in which ``n`` has another value in each layer that has it, with the line innermost."""
    written = ["n = 1"] if has_global else ["if 'n' in globals(): del n"]
    calls: list[str] = []
    for depth, (kind, has_name) in enumerate(layers):
        indent, name, value = "    " * depth, f"layer{depth}", 10 + depth
        own = f"{indent}    n = {value}" if has_name else f"{indent}    pass"
        if kind in ("def", "lambda"):
            written += [f"{indent}def {name}():", own]
            calls.append(f"{indent}{name}()" if kind == "def" else f"{indent}(lambda run={name}: run())()")
        elif kind == "parameter":
            written += [f"{indent}def {name}({f'n={value}' if has_name else ''}):", f"{indent}    pass"]
            calls.append(f"{indent}{name}()")
        elif kind == "class":
            written += [f"{indent}class Layer{depth}:", own]
            calls.append("")
        else:
            head = f"for n in ({value},):" if has_name and kind == "for" else "if True:"
            written += [f"{indent}{head}", f"{indent}    pass" if kind == "for" else own]
            calls.append("")
    return "\n".join([*written, "    " * len(layers) + line, *(call for call in reversed(calls) if call)])


@SLOW
@given(LAYERS, st.booleans())
def test_a_name_means_what_python_means_by_it(notebook: Notebook, layers: list[tuple[str, bool]], known: bool) -> None:
    """R10: In functions, classes and loops within each other $n is what Python reads there, or nothing is sent."""
    notebook.takes(NUMBER)
    meant: dict[str, Any] = {"found": []}
    try:
        exec(compile(program(layers, "found.append(n)", known), "<python>", "exec"), meant)
    except NameError:
        meant["found"] = None
    before = len(notebook.env.episode)
    ran = notebook.shell.run_cell(program(layers, "%openenv step $n", known), silent=True)
    sent = [step.action["n"] for step in list(notebook.env.episode)[before:]]
    if ran.error_in_exec is None:
        assert sent == meant["found"]
    else:
        assert isinstance(ran.error_in_exec, UsageError) and sent == []
        is_handed_on = sum(kind in ("def", "parameter", "lambda") for kind, _ in layers) < 2
        assert meant["found"] is None or not is_handed_on
