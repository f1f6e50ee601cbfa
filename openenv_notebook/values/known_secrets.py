"""What one client knows to be secret, names of fields and values, and texts without it.

This is the one place that all texts go through before anybody sees them: errors, logs, what servers print, and what is
shown of values. A value is known because it was given as a secret: in a header, as a token, for a server's environment.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import sys
import weakref
from collections.abc import Container, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from openenv_notebook.values.attribute_dict import attribute_dict
from openenv_notebook.values.read_json import read_json
from openenv_notebook.values.secrets import HIDDEN, hides, is_secret_name, secret_names
from openenv_notebook.values.text import words_of

_MOST_TOLD, _DEEPEST = 1000, 50
# What is longer is cut before it is shown.
_SEARCHED = 20_000
_IN_PARTS = re.compile("authorization|cookie", re.I)
_SCHEMES = ("bearer", "basic", "token", "digest", "apikey")
# What is shorter stands in many texts by chance.
_SHORTEST, _SHORTEST_NAMED = 6, 4
_PUBLIC_HEADERS = re.compile(
    r"(?:accept(?:-.*)?|user-agent|content-.*|host|origin|connection|cache-control|referer)", re.I
)
# Settings that are no secrets and stand in texts that people need.
_SETTING = re.compile(
    r"true|false|[\d.,:+-]*|debug|info|warning|error|critical|production|development|default"
    r"|(?:\w+://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?/?",
    re.I,
)
# A text in quotes, perhaps cut off; within another text its quotes are escaped.
_QUOTED = "|".join(
    rf"\\{mark}(?:[^{mark}\\]|\\[^{mark}])*(?:\\{mark}|\\?$)|{mark}(?:[^{mark}\\]|\\.)*(?:{mark}|\\?$)"
    for mark in "\"'"
)
# "name": "value" as in JSON and reprs, also cut off or within another text; NAME=value as in reprs and of shells.
_PAIR = re.compile(
    rf"""(\\?(["'])(?P<key>[^"'\\\n]{{1,100}})\\?\2\s*:\s*|(?<![\w.-])(?P<word>[A-Za-z_][\w-]{{0,99}})=)"""
    rf"""(?P<value>{_QUOTED}|\[[^\[\]]*\]?|\{{[^{{}}]*\}}?|[^\s"',;&(){{}}\[\]]+)"""
)
_SCHEME = re.compile(r"\b(Bearer|Basic)\s+(?=[\w.~+/-]*[\d_.~+/-])[\w.~+/-]{6,}=*", re.I)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+(?=@)")

# All that know a value, for what leaves without a client: a log, a traceback. By identity; taken out when one is added.
_living: dict[int, weakref.ref[Secrets]] = {}


class Secrets:
    """Names of fields that one server's schemas mark, and values that were given as secrets; ``name in secrets`` tells.

    What came from the server holds the same object, so what is learnt later hides in what came before, too. It is
    pickled without the values.
    """

    __slots__ = ("__weakref__", "_names", "_values", "within")

    def __init__(self, *schemas: Any) -> None:
        self._names: set[str] = set()
        self._values: set[str] = set()
        # Hides the values in a text; None while there are none, so that texts are not looked at.
        self.within: Any = None
        for schema in schemas:
            self.learn(schema)

    def learn(self, schema: Any) -> None:
        """Note the names that a JSON Schema, or any part of a document that holds some, marks as secret."""
        if len(self._names) < _MOST_TOLD:
            self._names.update(secret_names(schema))

    def keep(self, given: Mapping[str, Any]) -> None:
        """Note the values of headers or variables, by name: they are hidden wherever they stand in a text.

        Plain settings are no secrets, but under a name that says so.
        """
        found = {form for name, value in given.items() for form in _hidden_forms(name, value, is_secret_name(name))}
        if found and len(self._values) < _MOST_TOLD:
            self._hide(found)
            for key, known in list(_living.items()):
                if known() is None:
                    _living.pop(key, None)
            _living[id(self)] = weakref.ref(self)

    def _hide(self, found: set[str]) -> None:
        if found <= self._values:
            return
        self._values |= found
        pattern = re.compile("|".join(map(re.escape, sorted(self._values, key=len, reverse=True))))
        self.within = lambda text: pattern.sub(HIDDEN, text)

    def take(self, value: Any, secrets: Container[str] | None = None) -> None:
        """Note what ``secrets`` know, and the values that stand under secret names in plain ones, such as an action."""
        self._hide(secrets._values if isinstance(secrets, Secrets) else set())
        level = [("", value)]
        while level:
            for name, inside in level:
                if isinstance(inside, str) and hides(name, inside, secrets):
                    self._hide(set(_hidden_forms(name, inside, True)))
            level = [pair for _, inside in level for pair in _inside(inside)]

    def with_those_of(self, value: Any) -> Secrets:
        """Make secrets that also know the values which stand under secret names in plain ones."""
        made = Secrets()
        made._names = self._names
        made.take(value, self)
        return made

    def hide_in(self, error: BaseException) -> None:
        """Take the secrets out of an error: out of its own texts, and of those of what it came from."""
        at: BaseException | None = error
        for _ in range(_DEEPEST):
            if at is None:
                return
            _clean_parts(at, self)
            for part in at.exceptions if isinstance(at, BaseExceptionGroup) else ():
                self.hide_in(part)
            cause = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
            if cause is not None:
                _clean_parts(cause, self)
                # Some errors write their text of what nobody else can reach.
                if foreign_text(text := words_of(cause, sys.maxsize), self) != text:
                    at.__cause__, at.__suppress_context__ = None, True
                    return
            at = cause

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __deepcopy__(self, memo: object) -> Secrets:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_names, (sorted(self._names),)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(sorted(self._names))})"


def hide_in(error: BaseException, secrets: Container[str] | None, sent: bytes = b"") -> None:
    """Take a client's secrets, where there is one, out of an error, and those of the frame that it answers."""
    if isinstance(secrets, Secrets):
        (secrets.with_those_of(read_json(sent)) if sent else secrets).hide_in(error)


def shown_text(text: str, secrets: Container[str] | None) -> str:
    """Give a text of a value as it may be shown: without the values that a client knows to be secret."""
    within = getattr(secrets, "within", None)
    shown: str = text if within is None else within(text)
    return shown


def foreign_text(text: str, secrets: Container[str] | None = None) -> str:
    """Give a text that others had a part in, an error's, a log's, without secrets.

    Of one that is no client's, what any client of this process knows is hidden. In each, so is what a secret's name
    stands before, as in ``{"password": "…"}`` and ``API_KEY=…``, what follows ``Bearer``, and passwords in addresses.
    """
    for known in [secrets] if secrets is not None else [held() for held in list(_living.values())]:
        text = shown_text(text, known)
    text = _IN_ADDRESS.sub("***", _SCHEME.sub(rf"\1 {HIDDEN}", text))
    written, at = "", 0
    while found := _PAIR.search(text, at, _SEARCHED):
        # Of a value that may be shown, the inside may name a secret, too.
        name = found["key"] or found["word"]
        end = found.end() if _is_secret(name, found["value"], secrets) else found.start("value")
        written += text[at : found.start("value")] + (_hidden_as(found["value"]) if end > found.start("value") else "")
        at = end
    return written + text[at:]


def _is_secret(name: str, value: str, secrets: Container[str] | None) -> bool:
    plain = value.strip("\\\"'")
    is_number = re.fullmatch(r"[\[\]\d\s.,eE+-]+", value) is not None
    is_told = not plain.strip(".…•[]{}") or plain.lower() in ("none", "null", "true", "false")
    return not (is_told or plain.startswith("os.environ")) and hides(name, 0 if is_number else plain, secrets)


def _hidden_as(value: str) -> str:
    """Write what stands in place of a value, in quotes like its own; one that was cut off stays so."""
    mark = re.match(r"\\?[\"']|", value)
    quote = mark[0] if mark is not None else ""
    return f"{quote}{HIDDEN}{quote if value.endswith(quote) else ''}"


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((str(name), inside) for name, inside in value.items())
    elif isinstance(value, (list, tuple)):
        yield from (("", inside) for inside in value)


def _cleaned(value: Any, secrets: Secrets) -> Any:
    """Clean a part of an error; what it is of stays."""
    if isinstance(value, str):
        shown = foreign_text(value, secrets)
        return value if shown == value else shown
    if isinstance(value, list):
        return [_cleaned(part, secrets) for part in value]
    # Data stays as it came, and is not shown as such.
    return attribute_dict(dict(value), secrets) if type(value) is dict else value


def _clean_parts(error: BaseException, secrets: Secrets) -> None:
    cleaned = tuple(_cleaned(part, secrets) for part in error.args)
    if cleaned != error.args:
        error.args = cleaned
    for name, value in list(vars(error).items()):
        shown = _cleaned(value, secrets) if name not in ("url", "hint") else value
        if shown is not value:
            setattr(error, name, shown)


def _parts(name: str, value: Any, is_secret: bool) -> Iterator[str]:
    """List what is secret of a value that was given under a name."""
    if not isinstance(value, str) or _PUBLIC_HEADERS.fullmatch(name):
        return
    text = value.strip()
    found = [text, *(line.strip() for line in text.split("\n")[:100])]
    found += [login.partition(":")[2] or login for login in _IN_ADDRESS.findall(text)]
    if _IN_PARTS.search(name):
        found += [word.partition("=")[2] or word for word in re.split(r"[;\s]+", text)]
    scheme, _, rest = text.partition(" ")
    if scheme.lower() == "basic":
        found += _decoded(rest).split(":", 1)[1:]
    for part in found:
        is_long = len(part) >= (_SHORTEST_NAMED if is_secret else _SHORTEST)
        if is_long and (is_secret or not _SETTING.fullmatch(part)) and part.lower() not in _SCHEMES:
            yield part


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _hidden_forms(name: str, value: Any, is_secret: bool) -> Iterator[str]:
    for part in _parts(name, value, is_secret):
        yield from _forms(part)


def _forms(value: str) -> Iterator[str]:
    """List how a value stands in texts: as it is, in JSON, in a repr, in an address."""
    yield from (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
    yield quote(value, safe="")


def _of_names(names: list[str]) -> Secrets:
    made = Secrets()
    made._names.update(names)
    return made
