"""Reading HTML as strictly as our own is written."""

from __future__ import annotations

import re
from html.parser import HTMLParser

ALLOWED = {
    "div": {"style"},
    "span": {"style"},
    "b": {"style"},
    "pre": {"style"},
    "table": {"style"},
    "tr": {"style"},
    "td": {"style", "role"},
    "details": set(),
    "summary": set(),
    "img": {"alt", "width", "height", "style", "src"},
}
# What the panel may write besides, where a style sheet of ours is.
IN_PANEL = {
    **{tag: {*names, "class"} for tag, names in ALLOWED.items()},
    "div": {"style", "class", "tabindex", "role", "aria-label", "title"},
    "img": {"class", "alt", "width", "height", "src", "decoding"},
    "table": {"style", "class", "aria-label"},
    "th": {"scope"},
    "svg": {"class", "viewbox", "preserveaspectratio", "aria-hidden", "width", "height"},
    "polyline": {"points", "fill", "stroke", "stroke-width", "vector-effect"},
}
_SOURCE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/\n]+={0,2}")
_UNSAFE_STYLE = re.compile(r"url|expression|import|@|\\|<|(?<!-)position|behavior", re.IGNORECASE)
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


class _Checker(HTMLParser):
    def __init__(self, allowed: dict[str, set[str]]) -> None:
        super().__init__(convert_charrefs=True)
        self.allowed = allowed
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.allowed, tag
        for name, value in attrs:
            assert name in self.allowed[tag], (tag, name)
            assert value is not None
            assert name != "style" or not _UNSAFE_STYLE.search(value), value
            assert name != "src" or _SOURCE.fullmatch(value), value[:80]
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")


def check_html(written: str, allowed: dict[str, set[str]] = ALLOWED) -> str:
    """Check that HTML is one closed ``div`` of the few tags and attributes we write.

    Args:
        written: The HTML.
        allowed: The tags and their attributes.

    Returns:
        Its text.
    """
    assert _UNSEEN.search(written) is None
    written.encode()
    checker = _Checker(allowed)
    checker.feed(written)
    checker.close()
    assert checker.open == []
    assert written.startswith("<div ") and written.endswith("</div>")
    return "".join(checker.texts)


def check_text(written: str) -> None:
    """Check that a text is bounded and does nothing to a terminal."""
    assert _UNSEEN.search(written) is None
    written.encode()
    lines = written.split("\n")
    assert len(lines) <= 60
    assert all(len(line) <= 240 for line in lines)
