"""Hostile words in a real browser: nothing runs, nothing breaks out of its place."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page
from support import hostile
from support.markup import ALLOWED
from support.notebook_page import NotebookPage

from openenv_notebook.jupyter.show.any_value import to_html, to_text

# Inline handlers run when something is touched, too: so everything is.
_TOUCH = """(root) => {
    for (const node of root.querySelectorAll('*')) {
        for (const kind of ['mouseover', 'mouseenter', 'focus', 'click', 'toggle', 'error', 'load']) {
            node.dispatchEvent(new Event(kind));
        }
        if (node.tagName === 'DETAILS') node.open = true;
    }
}"""
_FOUND = """(root) => [...root.querySelectorAll('*')].map(node =>
    [node.tagName.toLowerCase(), ...node.getAttributeNames().filter(name => name !== 'open')])"""
_START = """
%load_ext openenv_notebook
from IPython.display import display
from support import hostile
values = hostile.values()
"""


def watch(page: Page) -> list[str]:
    """Note whatever a page does that a representation must not: dialogs, errors, requests elsewhere."""
    happened: list[str] = []
    page.on("dialog", lambda dialog: (happened.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: happened.append(f"error {error}"))
    page.on("popup", lambda popup: happened.append(f"popup {popup.url}"))
    return happened


def check_tags(found: list[list[str]]) -> None:
    """Only our own tags and attributes stand in a page's part."""
    for tag, *attributes in found:
        assert tag in {*ALLOWED, "tbody"}, tag
        assert set(attributes) <= ALLOWED.get(tag, set()), (tag, attributes)


def test_a_page_with_hostile_values_runs_nothing(new_page: Callable[..., Page]) -> None:
    """Each hostile value in a bare page: no script, no handler, no other tag, no request, all within its container."""
    page = new_page()
    happened, asked = watch(page), []
    page.on("request", lambda request: asked.append(request.url))
    for name, value in hostile.values().items():
        written = to_html(value)
        assert (written is None) == (name == "error")
        page.set_content(f"<body><div id=inside style='width:800px'>{written}</div><p id=after>after</p></body>")
        inside = page.locator("#inside")
        inside.evaluate(_TOUCH)
        check_tags(inside.evaluate(_FOUND))
        assert page.evaluate("() => window.pwned") is None, name
        assert page.evaluate("() => document.getElementById('after').parentNode === document.body"), name
        assert page.locator("#escaped").count() == 0, name
        assert inside.evaluate("node => node.scrollWidth <= 800"), name
        assert happened == [], name
    assert [url for url in asked if not url.startswith(("data:image/png", "data:image/jpeg"))] == []


def test_a_page_shows_the_words_themselves(new_page: Callable[..., Page]) -> None:
    """A hostile text can be read as it was written."""
    page = new_page()
    text = hostile.TEXTS[2]
    page.set_content(to_html(hostile.StepResult(text)) or "")
    assert text in page.locator("body").inner_text()


def test_lines_of_combining_marks_stay_in_their_line(new_page: Callable[..., Page]) -> None:
    """Stacked marks do not paint over what stands above: at most four are left on a letter."""
    written = to_text(hostile.StepResult("a" + "\u0301" * 200))
    assert written is not None
    assert written.count("\u0301") == 4


def test_a_notebook_with_hostile_values_runs_nothing(open_notebook: Callable[..., NotebookPage]) -> None:
    """The same in JupyterLab, a real kernel's output, errors included: nothing runs, and the notebook still works."""
    show = "for value in values.values():\n    display(value)"
    notebook = open_notebook([_START, show, "raise values['error']", "print(1 + 1)"])
    happened = watch(notebook.page)
    for place in range(4):
        notebook.run(place)
    assert [len(notebook.outputs(place)) for place in range(4)] == [0, len(hostile.values()), 1, 1]
    output = notebook.output(1)
    output.evaluate(_TOUCH)
    shown = output.locator(".jp-RenderedHTMLCommon > div")
    assert shown.count() == len(hostile.values()) - 1
    for part in shown.all():
        check_tags(part.evaluate(_FOUND))
    assert "".join(notebook.outputs(3)[0]["text"]).strip() == "2"
    assert notebook.page.evaluate("() => window.pwned") is None
    assert notebook.page.locator("#escaped").count() == 0
    # JupyterLab itself makes links of addresses and paths in the text of an error; no browser
    # opens a data: address from one.
    outputs = notebook.page.locator(".jp-OutputArea-output")
    links = [link.get_attribute("href") or "" for link in outputs.locator("a").all()]
    assert [link for link in links if link and not link.startswith(("https:", "http:", "data:"))] == []
    assert outputs.locator("script, iframe, object, form, input, style, link, base, math").count() == 0
    assert happened == []
