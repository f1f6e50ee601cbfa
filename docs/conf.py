"""How Sphinx builds the documentation: ``make docs``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from sphinx.ext.napoleon import GoogleDocstring
from sphinx.pycode import ModuleAnalyzer

import openenv_notebook

# Overloads are for type checkers; a reader is helped by the one signature.
typed = ModuleAnalyzer.for_module("openenv_notebook.client.connect")
typed.analyze()
typed.overloads.clear()

# What stands before a colon in a property's docstring is a sentence, not a type.
GoogleDocstring._parse_attribute_docstring = lambda self: self._dedent(self._consume_to_end())

project = "openenv-notebook"
author = "openenv-notebook developers"
copyright = "openenv-notebook developers, BSD-3-Clause"
release = version = openenv_notebook.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "reference_pages"]
exclude_patterns = ["_build", "*.py", "reference/*.toml"]
nitpicky = True
nitpick_ignore_regex = [
    # Not documented here: other packages, the standard library, type variables and the house's own parts.
    ("py:.*", r"(?!openenv_notebook\.[A-Z]).*"),
    ("py:.*", r"openenv_notebook\..*\.(ActT|ObsT|StateT)"),
]

# The tutorials are the notebooks as they are kept, with the outputs they are kept with.
TUTORIALS = HERE / "tutorial" / "notebooks"
shutil.rmtree(TUTORIALS, ignore_errors=True)
shutil.copytree(HERE.parent / "notebooks", TUTORIALS, ignore=lambda _, names: {n for n in names if n[-6:] != ".ipynb"})
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
# Our errors are a few lines, no tracebacks.
nb_render_error_lexer = "text"
# The pages load nothing from elsewhere; a saved panel shows its picture.
nb_ipywidgets_js = {}
suppress_warnings = ["mystnb.unknown_mime_type"]

autodoc_member_order = "bysource"
add_module_names = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"openenv-notebook {release}"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_copy_source = False
html_show_sphinx = False
templates_path = []
pygments_style = "friendly"
pygments_dark_style = "native"

linkcheck_timeout = 15
linkcheck_ignore = [r"http://(localhost|127\.0\.0\.1).*"]
