"""The page on speed says what was measured, as the bench writes it, and no figure beside it."""

from __future__ import annotations

import dataclasses
import re

import pytest
from support import speed_page
from support.doc_code import PAGES, ROOT

SHOWN = (speed_page.SHOWN_BEGIN, speed_page.SHOWN_END)
# A ratio, a time in small parts of a second, a share of it.
_FIGURE = re.compile(r"\d\s?(?:µs|us|ms)\b|\d\s?×(?!\d)|\d\s?%")


def test_the_table_has_the_form_that_the_bench_writes() -> None:
    """The page has a figure of every case and loop, when and with what they were measured, and nothing else there."""
    part = speed_page.part_of(speed_page.PAGE.read_text(encoding="utf-8"))
    measured = speed_page.read(part)
    assert speed_page.written(measured) == part
    assert measured.rounds == 15
    assert {"Python", "openenv-notebook", *speed_page.PACKAGES} == set(measured.versions)
    shown = speed_page.part_of(speed_page.PAGE.read_text(encoding="utf-8"), SHOWN)
    assert speed_page.written_shown(speed_page.read_shown(shown)) == shown
    assert all(re.fullmatch(r"\d+(\.\w+)+", version) for version in measured.versions.values())
    assert re.fullmatch(r"\w+ \w+, \d+ cores", measured.machine)


def test_what_the_bench_writes_can_be_read() -> None:
    """Another outcome takes the place of the last one, and the rest of the page stays as it was."""
    page = speed_page.PAGE.read_text(encoding="utf-8")
    before = speed_page.part_of(page)
    old = speed_page.read(before)
    ratios = {case: {loop: 1.25 for loop in speed_page.LOOPS} for case in speed_page.CASES}
    new = dataclasses.replace(speed_page.measured_now(3, False, ratios), rounds=3)
    changed = speed_page.replaced(page, new)
    assert speed_page.read(speed_page.part_of(changed)) == new != old
    assert speed_page.replaced(changed, old) == page
    shown = dict.fromkeys(speed_page.SHOWN, 1.5)
    assert speed_page.read_shown(speed_page.part_of(speed_page.replaced(page, shown), SHOWN)) == shown
    assert changed.split(speed_page.BEGIN)[0] == page.split(speed_page.BEGIN)[0]


def test_a_table_of_another_form_is_refused() -> None:
    """A row that is missing, or a date that is, is noticed."""
    part = speed_page.part_of(speed_page.PAGE.read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="64 sessions"):
        speed_page.read(part.replace("64 sessions", "65 sessions"))
    with pytest.raises(ValueError, match="when"):
        speed_page.read(part.replace("Medians", "Means"))


def test_no_page_has_a_figure_that_the_bench_does_not_write() -> None:
    """How fast something is stands in the table that is measured, and in no sentence."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page == speed_page.PAGE:
            text = text.replace(speed_page.part_of(text), "").replace(speed_page.part_of(text, SHOWN), "")
        text = re.sub(r"^`{3,}.*?^`{3,}", "", text, flags=re.M | re.S)
        assert not _FIGURE.search(text), f"{page.relative_to(ROOT)}: {_FIGURE.findall(text)}"
