"""Forms in JupyterLab: found by their names, walked through by Tab, and deaf to hostile schemas."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, expect
from support import hostile
from support.notebook_page import NotebookPage

_START = """
import ipywidgets
from support import hostile
from support.recorded import schemas, shapes
from openenv_notebook.jupyter.panel.form import FORM_CSS, Form
from openenv_notebook.jupyter.panel.style import style_sheet
entered = []
def show(schema):
    form = Form(schema, on_enter=lambda: entered.append(form.value))
    panel = ipywidgets.VBox([ipywidgets.HTML(style_sheet(FORM_CSS)), form.widget], layout={'width': 'WIDTHpx'})
    panel.add_class('openenv-panel')
    display(panel)
    return form
"""


def _shown(notebook: NotebookPage, place: int = 1) -> Locator:
    notebook.run(0)
    notebook.run(place)
    form = notebook.output(place).locator(".openenv-form")
    expect(form).to_be_visible()
    return form


def test_a_form_is_filled_in_by_keyboard(open_notebook: Callable[..., NotebookPage]) -> None:
    """Tab walks through the controls in the order of the screen, all have names, and Enter is heard with the value."""
    cells = [
        _START.replace("WIDTH", "420"),
        "form = show(schemas()['wildfire']['action'])",
        "print(entered, form.value)",
    ]
    notebook = open_notebook(cells)
    form, keys = _shown(notebook), notebook.page.keyboard
    form.get_by_role("textbox", name="action", exact=True).click()
    keys.type("water")
    for _ in range(2):  # the tick of x, and its box
        keys.press("Tab")
    expect(form.get_by_role("textbox", name="x", exact=True)).to_be_focused()
    keys.type("5")
    expect(form.get_by_role("checkbox", name="send x")).to_be_checked()
    expect(form.get_by_role("textbox", name="x", exact=True)).to_be_focused()
    keys.press("Enter")
    form.get_by_role("checkbox", name="send y").check()
    expect(form.get_by_role("alert")).to_contain_text("needs a value, or no tick")
    form.get_by_role("checkbox", name="null").last.check()
    expect(form.get_by_role("alert")).to_have_count(0)
    notebook.run(2)
    (printed,) = notebook.outputs(2)
    assert printed["text"] == "[{'action': 'water', 'x': 5}] {'action': 'water', 'x': 5, 'y': None}\n"


def test_a_narrow_form_fits_its_place(open_notebook: Callable[..., NotebookPage]) -> None:
    """At 340 pixels no control stands out of the form, with lists, objects and a union open."""
    cells = [
        _START.replace("WIDTH", "340"),
        "for name in ('Kitchen', 'ArrObjM', 'UnionM', 'FreeTypedM'): form = show(shapes()[name])",
    ]
    notebook = open_notebook(cells)
    notebook.run(0)
    notebook.run(1)
    forms = notebook.output(1).locator(".openenv-form")
    expect(forms).to_have_count(4)
    forms.nth(0).get_by_role("button", name="More").click()
    for button in range(2):
        forms.nth(1).get_by_role("button", name="+ Add").click()
        expect(forms.nth(1).get_by_role("button", name="✕")).to_have_count(button + 1)
    forms.nth(2).get_by_role("combobox", name="pet").select_option("dog")
    forms.nth(3).get_by_role("checkbox", name="send weights").check()
    forms.nth(3).get_by_role("button", name="+ Add").click()
    expect(forms.nth(3).get_by_role("textbox", name="value")).to_be_visible()
    for form in forms.all():
        edge = form.evaluate("node => node.getBoundingClientRect().right")
        right = form.evaluate(
            "node => Math.max(...[...node.querySelectorAll('input,select,textarea,button')]"
            ".map(each => each.getBoundingClientRect().right))"
        )
        assert right <= edge + 1


def test_a_hostile_schema_runs_nothing(open_notebook: Callable[..., NotebookPage]) -> None:
    """Every word of a schema is shown as text: no script, no handler, no tag of a server's."""
    errors = "form.reveal_errors(); form.show_errors([f'{t}: {t}' for t in hostile.TEXTS]);"
    notebook = open_notebook([_START.replace("WIDTH", "420"), "form = show(hostile.schema())", errors])
    happened: list[str] = []
    notebook.page.on("dialog", lambda dialog: (happened.append(dialog.message), dialog.dismiss()))
    form = _shown(notebook)
    form.get_by_role("button", name="More").click()
    notebook.run(2)
    expect(form.get_by_role("alert").first).to_be_visible()
    form.evaluate(
        """root => { for (const node of root.querySelectorAll('*')) {
            for (const kind of ['mouseover', 'focus', 'toggle', 'error', 'load']) node.dispatchEvent(new Event(kind));
        } }"""
    )
    assert notebook.page.evaluate("() => window.pwned") is None
    assert notebook.page.locator("#escaped").count() == 0
    assert form.locator("script, iframe, img, svg, style, link, a, h1, math, base, meta").count() == 0
    assert happened == [] and hostile.TEXTS[3][:20] in form.inner_text()
