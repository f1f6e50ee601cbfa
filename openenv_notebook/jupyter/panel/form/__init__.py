"""The form of the panel: one control a field, made from a JSON Schema."""

from openenv_notebook.jupyter.panel.form.form import Form
from openenv_notebook.jupyter.panel.form.style import FORM_CSS

__all__ = ["FORM_CSS", "Form"]
