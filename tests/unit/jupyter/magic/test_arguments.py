"""The words of a magic's line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openenv_notebook.jupyter.magic.arguments import (
    read_payload,
    read_typed,
    read_words,
    split_end,
    split_verb,
    without_end,
)
from openenv_notebook.jupyter.magic.tokens import Expression, GrammarError, Typed, Variable
from openenv_notebook.schema.reader import read_shape

OPTIONS = {"on": "text", "out": "text", "timeout": "number", "force": "flag", "header": "list", "port": "number"}


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("", None),
        ('{"x": 1}', {"x": 1}),
        ('{"t": "$HOME", "f": "{y}", "p": "100%"}', {"t": "$HOME", "f": "{y}", "p": "100%"}),
        ('{"cmd": "echo \\"hi\\""}', {"cmd": 'echo "hi"'}),
        ('{"a": "# no comment; no end"}  # a comment', {"a": "# no comment; no end"}),
        ('{"a": 1};', {"a": 1}),
        ("right", Typed("right")),
        ("right;", Typed("right")),
        ("hello world # later", Typed("hello world")),
        ("7", Typed("7")),
        ('"7"', "7"),
        ("'two words'", "two words"),
        ("$action", Variable("action")),
        ("column=3", {"column": Typed("3")}),
        ("column=$a game=pong", {"column": Variable("a"), "game": Typed("pong")}),
        ('text="two words" n=1', {"text": "two words", "n": Typed("1")}),
        ("text='a;b # c'", {"text": "a;b # c"}),
        ('point={"x": [1, 2]} n=1;', {"point": Typed('{"x": [1, 2]}'), "n": Typed("1")}),
        ("code={x} n=1", {"code": Typed("{x}"), "n": Typed("1")}),
        ("code={x: y z}.k n=1", {"code": Typed("{x: y z}.k"), "n": Typed("1")}),
        ("code={ n=1", {"code": Typed("{"), "n": Typed("1")}),
        ('code=["} x", 2] n=1', {"code": Typed('["} x", 2]'), "n": Typed("1")}),
        ("x=$a.b['c d'] n=1", {"x": Expression("a.b['c d']"), "n": Typed("1")}),
        ("$a.b[0]", Expression("a.b[0]")),
        ("text=", {"text": Typed("")}),
        ("text=a;b", {"text": Typed("a;b")}),
        ("path=C:\\new\\table", {"path": Typed("C:\\new\\table")}),
        ("url=http://h/a?b=c#d", {"url": Typed("http://h/a?b=c#d")}),
    ],
)
def test_a_payload_is_read_as_it_was_typed(text: str, payload: object) -> None:
    """JSON, pairs, a bare value and a variable are told apart, and a trailing ; or comment is no part of them."""
    assert read_payload("step", without_end(text), OPTIONS).payload == payload


@pytest.mark.parametrize(
    ("text", "line", "is_silenced"),
    [
        ("step right ; # later", "step right", True),
        ("step right;# later", "step right", True),
        ("step right # later;", "step right", False),
        ("step text='a;'", "step text='a;'", False),
        ("step url=http://h/a#b", "step url=http://h/a#b", False),
        ("# only a comment", "", False),
        ('{\n"a # b": "\\"#"\n} # c', '{\n"a # b": "\\"#"\n}', False),
        ("it's # later", "it's", False),
    ],
)
def test_a_line_s_end_is_split_off(text: str, line: str, is_silenced: bool) -> None:
    """A comment and a ; outside of quotes end a line; the ; silences it."""
    assert split_end(text) == (line, is_silenced)


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("op=a # first\nn=3", {"op": Typed("a"), "n": Typed("3")}),
        ('# comment\n{"a": 1}', {"a": 1}),
        ("a=1 # one\nb=2", {"a": Typed("1"), "b": Typed("2")}),
        ("a=1 # one\r\nb=2 # two\r\n", {"a": Typed("1"), "b": Typed("2")}),
        ("a=1 # one\rb=2", {"a": Typed("1"), "b": Typed("2")}),
        ('\n# one\n\n  # two\n{\n # three\n"a": [1, # four\n 2]\n}\n# five\n', {"a": [1, 2]}),
        ("a=[1, # one\n2]\nb='x # y\n# z' # two", {"a": Typed("[1, \n2]"), "b": "x # y\n# z"}),
        ("a=\"it's # text\" # it's a note\nb=don't", {"a": "it's # text", "b": Typed("don't")}),
        ("a=x#y # one\nb=#2", {"a": Typed("x#y"), "b": Typed("#2")}),
        ("# one\n$name # two\n# three", Variable("name")),
        ("# one\nright # two", Typed("right")),
        ("# one\n\n# two", None),
    ],
)
def test_every_line_is_read(text: str, payload: object) -> None:
    """R20: A comment ends with its line, wherever it stands; all lines behind it are read as the first is."""
    assert read_payload("step", without_end(text), {}).payload == payload


def test_options_stand_before_or_after_the_payload() -> None:
    """Options may come first or last, in either form, quoted or not."""
    line = read_payload("step", '--on bob {"x": 1} --out=r --timeout 2.5', OPTIONS)
    assert line.payload == {"x": 1}
    assert line.options == {"on": "bob", "out": "r", "timeout": 2.5}
    assert read_payload("step", "right --out r", OPTIONS).payload == Typed("right")
    assert read_payload("step", "right --out r", OPTIONS).options == {"out": "r"}


def test_quoted_words_stay_whole() -> None:
    """D06: quoted values of a line of words keep their blanks."""
    line = read_words("connect", '"http://h/a b" --on "my env" --header "X-Key: a b" --header B=c --force', OPTIONS)
    assert line.words == ["http://h/a b"]
    assert line.options == {"on": "my env", "header": ["X-Key: a b", "B=c"], "force": True}
    assert read_words("connect", 'h --header "A=$b" --header A="$b"', OPTIONS).options == {"header": ["A=$b", "A=$b"]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{7}", "not JSON: '{7}', at character 2"),
        ('{"a": }', "at character 7"),
        ('{"x": 1} {"y": 2}', "follows the payload"),
        ("x=1 y", "no key=value pair"),
        ("x='open", "close it with '"),
        ("--nope 1", "--nope is no option of %openenv step; a field is written nope=VALUE"),
        ("--timout 1", "--timout is no option of %openenv step; did you mean '--timeout'?"),
        ("say it --loud", "a text that holds dashes in quotes"),
        ("--timeout", "--timeout needs a value"),
        ("--timeout soon", "takes a number of seconds"),
        ("--port abc", "--port takes a number, not 'abc'"),
        ("$a n=3", "give each field its own: FIELD=$name"),
        ('{"a": 1, "a": 2}', "a is given twice"),
        ('{"x": {"a": 1, "a": 2}}', "a is given twice"),
        ("a={}, b=1", "separated by blanks"),
        ("op=a;\nn=3", "separated by blanks"),
        ("--header X-Key=$KEY", "--header reads no $name"),
    ],
)
def test_wrong_grammar_says_what_was_read_and_what_to_write(text: str, says: str) -> None:
    """D02: what cannot be read is refused in one line that names the place."""
    with pytest.raises(GrammarError) as caught:
        read_payload("step", text, OPTIONS)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("42", {"type": "string"}, "42"),
        ("42", {"type": "integer"}, 42),
        ("true", {"type": "boolean"}, True),
        ("[1, 2]", {"type": "array"}, [1, 2]),
        ("up", {"enum": ["up", "down"]}, "up"),
        ("7", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "7"),
        ("7", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, 7),
        ("null", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, None),
        ("null", {"enum": ["up", "7", None]}, None),
        ("7", {"enum": ["up", "7", None]}, "7"),
        ("7", {"enum": ["7", 7]}, 7),
        ("pong", None, "pong"),
        ("7", None, 7),
        ("NaN", {"type": "number"}, pytest.approx(float("nan"), nan_ok=True)),
    ],
)
def test_the_field_decides_how_characters_are_read(text: str, schema: dict[str, object] | None, value: object) -> None:
    """A text field takes the characters; any other takes what they mean as JSON, else the characters."""
    assert read_typed(text, None if schema is None else read_shape(schema)) == value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.sampled_from(["", ";", " ;", " # {not json", "  "]))
def test_any_json_object_arrives_as_it_is(value: dict[str, object], end: str) -> None:
    """D01: every JSON object is taken byte for byte, whatever stands in it."""
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)):
        assert read_payload("step", without_end(written + end), {}).payload == value
        assert split_end(written + end) == (written, ";" in end)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.text(st.characters(exclude_characters="\r\n")))
def test_comments_change_no_json(value: dict[str, object], said: str) -> None:
    """R20: JSON over many lines arrives as it is with any comment behind each of them, and before them."""
    lines = json.dumps(value, indent=1, ensure_ascii=False).split("\n")
    text = f"# {said}\n" + "".join(f"{line} # {said}\n" for line in lines)
    assert read_payload("step", without_end(text), {}).payload == value


@given(st.text())
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    """Whatever is typed is read, or refused by a GrammarError and nothing else."""
    line, is_silenced = split_end(text)
    assert text.startswith(line) and (not is_silenced or ";" in text)
    verb, rest = split_verb(line)
    for read in (read_payload, read_words):
        try:
            read(verb, rest, OPTIONS)
        except GrammarError as error:
            assert str(error)
