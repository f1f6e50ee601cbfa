"""How the form looks: plain CSS on the front end's own variables."""

FORM_CSS = ""
